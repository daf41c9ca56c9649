"""The directive ``algorithms``: every algorithm with its page, from the descriptors of the packages."""

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

from firstflight.algorithm import Algorithm, Base, Computation
from firstflight.controller import ALGORITHMS
from firstflight_conformance.format.readings import load_tables
from pages import beside
from pages import markdown as md


class AlgorithmsDirective(SphinxDirective):
    """A table of the algorithms, with a table of contents of their pages."""

    def run(self) -> list[nodes.Node]:
        """Return the table and the contents."""
        box = nodes.container()
        lines = StringList(md.page(listed(), _contents()).splitlines(), source=self.env.docname)
        self.state.nested_parse(lines, self.content_offset, box)
        return list(box.children)


def listed() -> str:
    """Return the table. The page of each algorithm is in the same folder, under the algorithm's name."""
    tables = load_tables()
    rows = [
        (
            f"[{md.plain(algorithm.title)}]({name}.md)",
            _kind(algorithm),
            str(len(tables[name].profiles)),
            str(len(tables[name].readings)),
            str(len(beside.of_algorithm(name))),
        )
        for name, algorithm in ALGORITHMS.items()
    ]
    header = ("Algorithm", "What it is", "Profiles", "Readings", "Plain programs")
    return md.list_table(header, rows, (26, 38, 12, 12, 12))


def _contents() -> str:
    return "```{toctree}\n:hidden:\n\n" + "\n".join(ALGORITHMS) + "\n```"


def _kind(algorithm: Algorithm) -> str:
    if isinstance(algorithm, Base):
        return "controls a connection from beginning to end"
    if isinstance(algorithm, Computation):
        return "computes, without events"
    return "decides how a connection starts, on a base"
