"""Reduces the size of pages: hundreds of them share a frame, and contain tens of thousands of ids in code font."""

import re
from collections.abc import Callable
from typing import Any

from sphinx.application import Sphinx

from pages import navigation, parts, site

#: Large groups of pages, which have a short navigation.
_MANY = tuple(
    f"{site.GENERATED}/{name}"
    for name in (
        "vectors/",
        "source/",
        "plain/",
        "stacks/",
        "defects/",
        "profiles/",
        "readings/",
        "freedoms/",
        "history/",
        "api/python-",
        "api/c-",
    )
)
#: Pages of sources (the targets of links from clauses) and of interfaces: their code is not coloured.
_PLAIN = tuple(f"{site.GENERATED}/{name}" for name in ("source/", "profiles/", "api/python-", "api/c-"))
_COLOURED = re.compile(r'<span class="[a-z0-9]{1,3}">([^<]*)</span>')
#: Replacements, applied in this order.
_SHORTER = [
    (re.compile(pattern), by)
    for pattern, by in (
        # Sphinx wraps each word in code font or in a link, and each highlighted token, even without visible effect.
        (r'<span class="pre">([^<]*)</span>', r"\1"),
        (r'<span class="(?:n|p|w|o|mi|nn|nb|bp|ow|colon|std std-ref)">([^<]*)</span>', r"\1"),
        (r'<span class="std std-doc">((?:(?!</?span).)*)</span>', r"\1"),
        (r'<code class="docutils literal notranslate">', "<code>"),
        (r'<a class="reference internal" (href="[^"]*#clause-[^"]*")><code>([^<]*)</code></a>', r"<a \1>\2</a>"),
        (r'<a class="reference internal" (href="[^"]*")(?: title="[^"]*")?', r"<a \1"),
        (r'<a class="reference external" (href="[^"]*")', r"<a \1"),
        # A line of a source file has two anchors and a link to itself; one anchor is enough.
        (r'<a id="(L-\d+)" name="\1"></a><a href="#\1"><span class="linenos">([^<]*)</span></a>', r'<i id="\1">\2</i>'),
        (r'<(tr|dt|dd) class="(?:row|field)-(?:odd|even)">', r"<\1>"),
        (r"<td><p>((?:(?!</?p>|</td>).)*)</p></td>", r"<td>\1</td>"),
        (r'<th class="head"><p>((?:(?!</?p>|</th>).)*)</p></th>', r"<th>\1</th>"),
        (r'(<a class="headerlink" href="[^"]*") title="[^"]*">', r"\1>"),
        # A name of an interface has an anchor, which the search and links lead to; its own link is not needed.
        (r'<a class="headerlink" href="[^"]*">¶</a></dt>', "</dt>"),
        (r'<span class="sig-paren">([()])</span>', r"\1"),
        # A heading with our anchor does not need the anchor that Sphinx derives from its words.
        (r'(<section id="(?:vector|group|clauses|reading|plain|stack|c)-[^"]*">\n)(?:<span id="[^"]*"></span>)+(?=<h\d>)', r"\1"),
        # A plot leads to itself: on a phone its letters are small.
        (r'(?<!">)(<img (?=[^>]*class="plot)[^>]*src="([^"]+)"[^>]*>)', r'<a class="enlarge" href="\2">\1</a>'),
        # The value of a table of the model, on the page of the API.
        (r'(<span class="property"> = )[^<]{200,}(</span>)', r"\1...\2"),
    )
]  # fmt: skip
#: Scripts and styles for some pages, by the beginning of their names, with a pattern that such pages contain.
_ONLY_WITH = [
    ("_static/beside.", re.compile(r'<div class="otherwise-list"')),
    ("_static/filter.", re.compile(r'<table class="[^"]*\b(?:stacks|matrix)\b')),
    *(
        (f"_static/{name}", re.compile(r'<div class="(?!source-file)[^"]*"><div class="highlight"'))
        for name in ("clipboard.", "copybutton.")
    ),
]


def shorten_page(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object) -> None:
    """Unfold only the page's own branch of the navigation, and write its text in fewer elements."""
    if page.startswith(_MANY):
        context["next"] = context["prev"] = None  # these pages are not read in sequence
    if toctree := context.get("toctree"):
        context["toctree"] = lambda **options: _navigation(
            page, toctree, options | {"collapse": True}, context["pathto"]
        ).replace('role="heading"', 'role="heading" aria-level="2"')
    if body := context.get("body"):
        context["body"] = _COLOURED.sub(r"\1", shorten(body)) if page.startswith(_PLAIN) else shorten(body)
        for files in ("script_files", "css_files"):
            context[files] = [
                script_or_style for script_or_style in context[files] if _is_needed(str(script_or_style.filename), body)
            ]


def _is_needed(name: str, body: str) -> bool:
    return all(place.search(body) for beginning, place in _ONLY_WITH if name.startswith(beginning))


def _navigation(page: str, toctree: Callable[..., str], options: dict[str, Any], pathto: Callable[[str], str]) -> str:
    """Return the navigation of a page; a short navigation in large groups."""
    if page.startswith(_MANY) and not page.endswith("/index"):
        return navigation.short(page, pathto)
    return navigation.with_judge(parts.without_missing(toctree(**options)))


def shorten(body: str) -> str:
    """Return the HTML of a page without superfluous elements."""
    for pattern, by in _SHORTER:
        body = pattern.sub(by, body)
    return body
