"""Short navigation for groups of hundreds of pages, and breadcrumbs of every page."""

import re
from collections.abc import Callable
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from pages import parts, site

#: Lists of the pages below a folder, with their titles, for pages that no table of contents lists.
_LISTS = {
    f"{site.GENERATED}/vectors/": (f"{site.GENERATED}/vectors/index", "Vectors"),
    f"{site.GENERATED}/source/": (f"{site.GENERATED}/matrix", "Traceability matrix"),
    f"{site.GENERATED}/plain/": (f"{site.GENERATED}/plain/index", "Plain programs"),
    f"{site.GENERATED}/stacks/": (f"{site.GENERATED}/stacks", "State of the stacks"),
    f"{site.GENERATED}/profiles/": (f"{site.GENERATED}/profiles/index", "Profiles"),
    f"{site.GENERATED}/defects/": (f"{site.GENERATED}/defects", "Reports of defects"),
    f"{site.GENERATED}/readings/": (f"{site.GENERATED}/readings", "Readings and profiles"),
    f"{site.GENERATED}/freedoms/": (f"{site.GENERATED}/freedoms", "Freedoms"),
    f"{site.GENERATED}/history/": (f"{site.GENERATED}/history", "Stacks over time"),
    f"{site.GENERATED}/api/python-": (f"{site.GENERATED}/api/python", "Python"),
    f"{site.GENERATED}/api/c-": (f"{site.GENERATED}/api/c", "C"),
}
#: Entry of *Watch it start*; its own page has the address #.
_PLAY = re.compile(r'href="([^"]*)">Watch it start</a></li>')
_MAIN = (
    ("play", "Watch it start"),
    ("judge", "Judge a log"),
    ("algorithms/index", "Algorithms"),
    ("specification/index", "Specification"),
    ("find", "Find vectors"),
    (f"{site.GENERATED}/stacks", "State of the stacks"),
    (f"{site.GENERATED}/data", "Data"),
    ("tutorial", "Tutorial"),
    ("glossary", "Glossary"),
)


def list_of(page: str) -> tuple[str, str] | None:
    """Return document and title of the list that contains a page of a large group."""
    page_list = next((listed for folder, listed in _LISTS.items() if page.startswith(folder)), None)
    return page_list if page_list and page_list[0] != page else None


def short(page: str, pathto: Callable[[str], str]) -> str:
    """Return the navigation of a page of a large group: its list, then the main pages."""
    listed = list_of(page)
    pages = dict([listed] if listed else []) | dict(_MAIN)
    entries = "".join(
        f'<li class="toctree-l1"><a class="reference internal" href="{_address(name, pathto)}">{title}</a></li>'
        for name, title in pages.items()
        if name not in parts.missing()
    )
    return f"<ul>{entries}</ul>"


def _address(name: str, pathto: Callable[[str], str]) -> str:
    """Return the address of a page; judge.html is a file next to the pages of Sphinx."""
    return pathto("index").replace("index.html", "judge.html") if name == "judge" else pathto(name)


def with_judge(navigation: str) -> str:
    """Return the navigation with an entry for judge.html, which Sphinx does not build, after Watch it start."""
    if "judge" in parts.missing():
        return navigation
    entry_of_play = _PLAY.search(navigation)
    if not entry_of_play:
        return navigation
    root = entry_of_play[1].removesuffix("play.html").removesuffix("#")
    entry = f'<li class="toctree-l1"><a class="reference internal" href="{root}judge.html">Judge a log</a></li>'
    return navigation[: entry_of_play.end()] + entry + navigation[entry_of_play.end() :]


def add_crumbs(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    """Pass the path from the home page to a page to the template: link and title of each step."""
    if doctree is None or page == app.config.root_doc:
        return
    pathto = context["pathto"]
    steps = [(parent["link"], parent["title"]) for parent in context.get("parents", [])]
    if not steps and (listed := list_of(page)):
        steps = [(pathto(listed[0]), listed[1])]
    context["crumbs"] = [(pathto(app.config.root_doc), "Firstflight"), *steps]
