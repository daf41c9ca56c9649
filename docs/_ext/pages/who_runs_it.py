"""The directive ``who-runs-it``: the stacks that run an algorithm, from ``docs/who-runs-it.toml``."""

import tomllib
from dataclasses import dataclass
from datetime import date
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

from firstflight_conformance.paths import ROOT
from pages import markdown as md

DATA = ROOT / "docs" / "who-runs-it.toml"
#: Ways to run an algorithm, in the order of the tables.
WAYS = ("default", "option", "module", "fork", "text")


@dataclass(frozen=True, slots=True)
class Row:
    """A stack that runs an algorithm: version, way (default or other), place in the code, and the day of reading.

    ``adapter`` and ``profile`` belong to a pinned stack that the project judges. Other stacks have a commit or a text.
    """

    algorithm: str
    stack: str
    version: str
    how: str
    where: str
    read: date
    adapter: str | None = None
    profile: str | None = None


def rows() -> list[Row]:
    """Return all rows in the order of the file."""
    raw: dict[str, Any] = tomllib.loads(DATA.read_text("utf-8"))
    return [Row(**entry) for entry in raw["row"]]


def table(algorithm: str) -> str:
    """Return the table of an algorithm: defaults first."""
    mine = sorted((row for row in rows() if row.algorithm == algorithm), key=lambda row: WAYS.index(row.how))
    cells = [
        (md.plain(row.stack), md.plain(row.version), row.how, md.plain(row.where), row.read.isoformat()) for row in mine
    ]
    return md.list_table(("Stack", "Version", "How", "Place", "Read"), cells, (22, 24, 10, 44, 12), "compact")


class WhoRunsItDirective(SphinxDirective):
    """The table of the given algorithm."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        box = nodes.container()
        self.env.note_dependency(str(DATA))
        lines = StringList(table(self.arguments[0]).splitlines(), source=self.env.docname)
        self.state.nested_parse(lines, self.content_offset, box)
        return list(box.children)
