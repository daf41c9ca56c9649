"""Pages as small as they can be: hundreds of them have the same frame, and ids in code font by the ten thousand."""

import re
from typing import Any

from sphinx.application import Sphinx

from firstflight_conformance.docs_ext import site

#: Pages of which there are many: their navigation does not list them all.
_MANY = (f"{site.GENERATED}/vectors/", f"{site.GENERATED}/source/")
#: A word in code font has an element of its own, and what is highlighted too where it looks like everything else.
_PLAIN = re.compile(r'<span class="(?:pre|n|p|w)">([^<]*)</span>')
#: A line of a source file has two anchors.
_LINE = re.compile(r'<a id="(L-\d+)" name="\1"></a><a href="#\1">')
#: A link to a clause.
_CLAUSE = re.compile(
    r'<a class="reference internal" (href="[^"]*#clause-[^"]*")><code class="literal">([^<]*)</code></a>'
)


def shorten_page(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object) -> None:
    """Let the navigation unfold what leads to the page alone, and write its text in fewer elements."""
    if toctree := context.get("toctree"):
        options = {"collapse": True} | ({"maxdepth": 1} if page.startswith(_MANY) else {})
        context["toctree"] = lambda **others: toctree(**others | options)
    if body := context.get("body"):
        context["body"] = shorten(body)


def shorten(body: str) -> str:
    """Return the HTML of a page without elements that nothing needs."""
    body = _LINE.sub(r'<a id="\1" href="#\1">', _PLAIN.sub(r"\1", body))
    body = body.replace('class="docutils literal notranslate"', 'class="literal"')
    return _CLAUSE.sub(r'<a class="id" \1>\2</a>', body)
