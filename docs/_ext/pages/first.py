"""The directive ``first-vectors``: the first vectors of an algorithm, with the wrong implementations they reject."""

from itertools import accumulate

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

from firstflight_conformance.format.first import known
from firstflight_conformance.replay.mutants import load_mutants
from pages import markdown as md
from pages import site

_SHOWN = 10


class FirstVectorsDirective(SphinxDirective):
    """A table of the ten vectors that reject the most wrong implementations of the given algorithm."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        box = nodes.container()
        lines = StringList(text(self.arguments[0]).splitlines(), source=self.env.docname)
        self.state.nested_parse(lines, self.content_offset, box)
        return list(box.children)


def text(algorithm: str) -> str:
    """Return the table as Markdown, with the command that runs these vectors."""
    cover, purposes = known()[algorithm], {mutant.id: mutant.what for mutant in load_mutants()}
    rejected, vectors = cover["mutants"], cover["vectors"][:_SHOWN]
    sums = accumulate(count for _, count, _ in vectors)
    rows = [
        (md.ref(vector, site.anchor("vector", vector)), f"{total} of {rejected}", md.plain(purposes[mutant]))
        for (vector, _, mutant), total in zip(vectors, sums, strict=True)
    ]
    table = md.list_table(("Vector", "Rejected so far", "For example"), rows, (36, 14, 50), "compact")
    lead = (
        f"Vectors reject {rejected} of our wrong implementations of the algorithm. These vectors reject the most; each row counts "
        "the vectors up to that row. An example is a wrong implementation that few other vectors reject. "
        f"`firstflight run --first {_SHOWN} --algorithm {algorithm} --adapter ...` runs {_SHOWN} such vectors of each profile."
    )
    return md.page(lead, table)
