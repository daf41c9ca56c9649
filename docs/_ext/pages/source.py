"""The directive ``source-file``, which shows a file of the repository with an anchor ``L-n`` at each line."""

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from firstflight_conformance.paths import ROOT

_LANGUAGES = {".py": "python", ".c": "c", ".h": "c"}


class SourceDirective(SphinxDirective):
    """A source file, highlighted, with numbered lines that can be linked to."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the listing."""
        path = ROOT / self.arguments[0]
        self.env.note_dependency(path)
        text = path.read_text(encoding="utf-8")
        block = nodes.literal_block(text, text, language=_LANGUAGES[path.suffix], linenos=True, classes=["source-file"])
        block["highlight_args"] = {"lineanchors": "L", "anchorlinenos": True}
        return [block]
