"""Pages as small as they can be: hundreds of them have the same frame, and ids in code font by the ten thousand."""

import re
from typing import Any

from sphinx.application import Sphinx

#: A word in code font has an element of its own, and a line of a source file two anchors.
_WORD = re.compile(r'<span class="pre">([^<]*)</span>')
_LINE = re.compile(r'<a id="(L-\d+)" name="\1"></a><a href="#\1">')


def shorten_page(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object) -> None:
    """Let the navigation unfold what leads to the page alone, and write code in fewer elements."""
    if toctree := context.get("toctree"):
        context["toctree"] = lambda **options: toctree(**options | {"collapse": True})
    if body := context.get("body"):
        context["body"] = shorten(body)


def shorten(body: str) -> str:
    """Return the HTML of a page without elements that nothing needs."""
    body = _LINE.sub(r'<a id="\1" href="#\1">', _WORD.sub(r"\1", body))
    return body.replace('class="docutils literal notranslate"', 'class="literal"')
