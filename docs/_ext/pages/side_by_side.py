"""The directive ``side-by-side``: the clauses of a plain program with Python, C, and the differences of other profiles."""

from collections.abc import Sequence
from html import escape
from pathlib import Path
from textwrap import dedent
from typing import ClassVar

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

from firstflight_conformance.format.clauses import pages
from firstflight_conformance.paths import SPEC
from pages import beside, site
from pages.beside import Otherwise, Piece, Row


class SideBySideDirective(SphinxDirective):
    """A plain program, clause by clause."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the rows."""
        name = self.arguments[0]
        for path in [*beside.pages(), *pages(), *SPEC.glob("*/profiles.toml")]:
            self.env.note_dependency(path)
        differences = beside.otherwise(name)
        with_c = beside.c_path(name) is not None
        box = nodes.container(classes=["side-by-side", "with-c" if with_c else "without-c"])
        if differences:
            box += nodes.raw("", _otherwise_list(name, differences), format="html")
        box += self._columns(with_c)
        for row in beside.rows(name):
            box += self._row(row, differences, with_c)
        return [box]

    def _columns(self, with_c: bool) -> nodes.container:
        head = nodes.container(classes=["beside-row", "beside-head"])
        for title in ("Text", "Plain Python", "Plain C")[: 3 if with_c else 2]:
            head += nodes.container("", nodes.paragraph(text=title))
        return head

    def _row(self, row: Row, differences: list[Otherwise], with_c: bool) -> nodes.container:
        box = nodes.container(classes=["beside-row"], ids=[anchor(clause) for clause in row.clauses])
        self.state.document.note_explicit_target(box)
        text = nodes.container(classes=["beside-text"])
        for clause in row.clauses:
            text += self._clause(clause)
        if not row.clauses:
            text += nodes.paragraph(text="The rest: constants, state, and helpers without a clause.")
        if differing := beside.differing(row, differences):
            text += nodes.raw("", _otherwise_here(differing), format="html")
        box += text
        box += self._code("Python", row.python)
        if with_c:
            box += self._code("C", row.c)
        return box

    def _clause(self, clause_id: str) -> nodes.container:
        clause = site.clauses()[clause_id]
        box = nodes.container(classes=["beside-clause"])
        head = nodes.paragraph(classes=["clause-head"])
        head += self._link(clause_id, site.clause_page(clause_id), site.anchor("clause", clause_id), code=True)
        if clause.level != "-":
            head += [nodes.Text(" "), nodes.inline(text=clause.level, classes=["clause-level"])]
        box += head
        lines = StringList(clause.text.splitlines(), source=f"{clause.page}.md")
        self.state.nested_parse(lines, self.content_offset, box)
        source, messages = self.state.inline_text(clause.source, self.lineno)
        box += nodes.paragraph("", "", *source, *messages, classes=["clause-source"])
        return box

    def _code(self, language: str, pieces: Sequence[Piece]) -> nodes.container:
        box = nodes.container(classes=["beside-code"])
        if not pieces:
            box += nodes.paragraph(text=f"No line of {language} of its own.", classes=["clause-none"])
        for piece in pieces:
            lines = f"{piece.first}-{piece.last}" if piece.last > piece.first else str(piece.first)
            box += nodes.paragraph(text=f"{piece.path.name} {lines}", classes=["beside-lines"])
            text = dedent("\n".join(piece.lines))
            box += nodes.literal_block(text, text, language="python" if language == "Python" else "c")
        return box

    def _link(self, text: str, document: str, fragment: str, *, code: bool = False) -> nodes.reference:
        uri = self.env.app.builder.get_relative_uri(self.env.docname, document)
        content = nodes.literal(text=text) if code else nodes.Text(text)
        return nodes.reference("", "", content, refuri=f"{uri}#{fragment}", internal=True)


class PlainProgramsDirective(SphinxDirective):
    """Links to the plain programs of an algorithm."""

    required_arguments = 1
    option_spec: ClassVar[dict[str, object]] = {}

    def run(self) -> list[nodes.Node]:
        """Return a sentence with a link for each program."""
        sentence = nodes.paragraph(
            text="Text, plain Python and plain C side by side, with the differences of other profiles: "
        )
        for number, name in enumerate(beside.of_algorithm(self.arguments[0])):
            uri = self.env.app.builder.get_relative_uri(self.env.docname, beside.page(name))
            sentence += nodes.Text(", " if number else "")
            sentence += nodes.reference("", beside.title(name), refuri=uri, internal=True)
        sentence += nodes.Text(".")
        return [nodes.container("", sentence, classes=["plain-programs"])]


def anchor(clause_id: str) -> str:
    """Return the anchor of the row of a clause."""
    return site.anchor("beside", clause_id)


def _value(difference: Otherwise, value: str | int) -> str:
    meaning = difference.reading.choices.get(str(value), "") if difference.reading.bounds is None else ""
    return f"<code>{escape(str(value))}</code>" + (f" ({escape(meaning)})" if meaning else "")


def _otherwise_here(differences: list[Otherwise]) -> str:
    """Return the notes of a row: a list to open or, with a script, the lines of the chosen profile."""
    lines = "".join(
        f'<li data-profile="{escape(difference.profile)}"><b>{escape(difference.profile)}</b> <code>{escape(difference.reading.name)}</code>: '
        f"{_value(difference, difference.there)}</li>"
        for difference in differences
    )
    profiles = len({difference.profile for difference in differences})
    word = "profile" if profiles == 1 else "profiles"
    return f'<details class="otherwise"><summary>Otherwise in {profiles} {word}</summary><ul>{lines}</ul></details>'


def _otherwise_list(name: str, differences: list[Otherwise]) -> str:
    """Return every difference, profile by profile; the script adds a selector above the list."""
    blocks = []
    for profile in dict.fromkeys(difference.profile for difference in differences):
        mine = [difference for difference in differences if difference.profile == profile]
        rows = "".join(
            f"<tr><td><code>{escape(difference.reading.name)}</code></td><td>{_value(difference, difference.here)}</td><td>{_value(difference, difference.there)}</td></tr>"
            for difference in mine
        )
        count = f"{len(mine)} reading" + ("" if len(mine) == 1 else "s")
        blocks.append(
            f'<details data-profile="{escape(profile)}"><summary><b>{escape(profile)}</b>: {count}</summary>'
            f'<div class="table-wrapper"><table class="docutils compact"><thead><tr><th>Reading</th><th>Here</th>'
            f"<th>There</th></tr></thead><tbody>{rows}</tbody></table></div></details>"
        )
    return (
        f'<div class="otherwise-list" data-program="{escape(Path(name).name)}"><p>Differences of other profiles:</p>'
        f"{''.join(blocks)}</div>"
    )
