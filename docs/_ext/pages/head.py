"""Metadata of each page: a description from its first paragraph, and the commit of the site."""

import re
from html import escape
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from firstflight_conformance.report.checkout import checkout

_LONGEST, _SHORTEST = 160, 40
#: The theme has one already.
_INDENTED = re.compile(r"\s*\n\s*")
_VIEWPORT = re.compile(r'<meta content="width=device-width[^>]*/>|<meta name="viewport"[^>]*/>')


def commit() -> dict[str, Any] | None:
    """Return the short name and date of the commit of the site; its own date, so that a rebuilt site is the same."""
    head = checkout()
    return head and {"name": head["commit"][:12], "date": head["date"], "changed": head["changed"]}


def register_frame(app: Sphinx) -> None:
    """Register the filter that shortens the frame of a page and labels its two asides."""
    if app.builder.name == "html":
        app.builder.templates.environment.filters["frame"] = frame


def frame(page: str) -> str:
    """Return a page without indentation around its text. Labels of the asides distinguish the landmarks."""
    before, article, rest = page.partition("<article")
    text, end, after = rest.rpartition("</article>")
    before, after = (_INDENTED.sub("\n", part) for part in (before, after))
    before = before.replace('<aside class="sidebar-drawer"', '<aside class="sidebar-drawer" aria-label="Site"')
    after = after.replace('<aside class="toc-drawer', '<aside aria-label="This page" class="toc-drawer')
    return "".join((before, article, text, end, after))


def describe_page(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Add a description to the page, and remove a second viewport."""
    tags = _VIEWPORT.sub("", context.get("metatags") or "")
    if doctree is not None and (text := description(doctree)):
        tags += f'<meta name="description" content="{escape(text)}">'
    context["metatags"] = tags


def _text(paragraph: nodes.paragraph) -> str:
    """Return the text of a paragraph without HTML."""
    parts = (part.astext() for part in paragraph.findall(nodes.Text) if not isinstance(part.parent, nodes.raw))
    return " ".join("".join(parts).split())


def description(doctree: nodes.document) -> str:
    """Return the beginning of the first long paragraph, or of all paragraphs if each is short, cut at a word."""
    paragraphs = [_text(paragraph) for paragraph in doctree.findall(nodes.paragraph)]
    text = next((text for text in paragraphs if len(text) > _SHORTEST), " ".join(paragraphs))
    if len(text) <= _SHORTEST:
        return ""
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3].rsplit(" ", 1)[0] + "..."
