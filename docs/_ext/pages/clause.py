"""The directive ``clause`` shows a rule with its traces; the role of the same name links to a rule."""

import re
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from docutils.utils import unescape
from sphinx.util.docutils import SphinxDirective, SphinxRole

from firstflight_conformance.format.clauses import FIELDS, Citation
from firstflight_conformance.paths import VECTORS
from pages import beside, site


class ClauseDirective(SphinxDirective):
    """A clause of the specification: id, level, source, text, and links to the code and vectors that implement it."""

    required_arguments = 1
    has_content = True
    option_spec: ClassVar[dict[str, object]] = dict.fromkeys(FIELDS, directives.unchanged_required)

    def run(self) -> list[nodes.Node]:
        """Return the box."""
        clause_id = self.arguments[0]
        box = nodes.container(classes=["clause"], ids=[site.anchor("clause", clause_id)])
        self.state.document.note_explicit_target(box)
        box += self._head(clause_id)
        text = nodes.container(classes=["clause-text"])
        self.state.nested_parse(self.content, self.content_offset, text)
        box += text
        box += self._source()
        box += self._traces(clause_id)
        return [box]

    def _head(self, clause_id: str) -> nodes.paragraph:
        head = nodes.paragraph(classes=["clause-head"])
        permalink = nodes.reference("", "", refuri="#" + site.anchor("clause", clause_id), classes=["clause-id"])
        permalink += nodes.literal(text=clause_id)
        head += permalink
        level = self.options["level"].strip('"')
        if level != "-":
            head += nodes.Text(" ")
            head += nodes.inline(text=level, classes=["clause-level"])
        if "newer-level" in self.options:
            head += nodes.Text(" ")
            head += nodes.inline(text=f"newer copy: {self.options['newer-level']}", classes=["clause-level"])
        return head

    def _source(self) -> nodes.paragraph:
        line = nodes.paragraph(classes=["clause-source"])
        line += nodes.inline(text="Source: ")
        parsed, messages = self.state.inline_text(self.options["source"], self.lineno)
        line += [*parsed, *messages]
        for title, name in (
            ("Readings", "readings"),
            ("When", "when"),
            ("Not observable", "unobservable"),
            ("No alternative", "no-alternative"),
        ):
            if name in self.options:
                line += nodes.inline(text=f" {title}: ")
                parsed, messages = self.state.inline_text(_as_code(name, self.options[name]), self.lineno)
                line += [*parsed, *messages]
        return line

    def _traces(self, clause_id: str) -> nodes.paragraph:
        line = nodes.paragraph(classes=["clause-traces"])
        for language, name in (("python", "Python"), ("c", "C")):
            line += nodes.inline(text=f"{name}: ", classes=["clause-label"])
            line += self._lines(site.citations(language).get(clause_id, []), f"exempt-{language}")
            line += nodes.Text("  ")
        line += self._plain(clause_id)
        line += nodes.inline(text="Vectors: ", classes=["clause-label"])
        self.env.note_dependency(VECTORS / "manifest.json")
        count = len(site.vectors_by_clause().get(clause_id, []))
        line += self._link(str(count), "find", f"clause={clause_id}") if count else self._none("vector")
        return line

    def _plain(self, clause_id: str) -> list[nodes.Node]:
        """Return links to the rows of the plain programs that implement the clause, if any."""
        names = dict.fromkeys(
            citation.path.stem.removeprefix("plain_") for citation in site.citations("plain").get(clause_id, [])
        )
        if not names:
            return []
        links: list[nodes.Node] = [nodes.inline(text="Plain: ", classes=["clause-label"])]
        for number, name in enumerate(names):
            document, fragment = beside.page(name), site.anchor("beside", clause_id)
            links += [nodes.Text(", " if number else ""), self._link(name, document, fragment)]
        return [*links, nodes.Text("  ")]

    def _lines(self, citations: list[Citation], exemption: str) -> list[nodes.Node]:
        links: list[nodes.Node] = []
        for citation in citations:
            self.env.note_dependency(citation.path)
            if links:
                links.append(nodes.Text(", "))
            text = f"{citation.path.name} {citation.line}"
            links.append(self._link(text, site.source_page(citation.path), f"L-{citation.line}"))
        return links or [self._none(exemption.removeprefix("exempt-"))]

    def _none(self, kind: str) -> nodes.inline:
        reason = self.options.get(f"exempt-{kind}")
        return nodes.inline(text=f"exempt ({reason})" if reason else "none yet", classes=["clause-none"])

    def _link(self, text: str, document: str, fragment: str) -> nodes.reference:
        uri = self.env.app.builder.get_relative_uri(self.env.docname, document)
        return nodes.reference("", text, refuri=f"{uri}#{fragment}", internal=True)


def _as_code(field: str, value: str) -> str:
    """Return the value of a field, the names of readings and their values as code."""
    return re.sub(r"[a-z_0-9]+", r"`\g<0>`", value) if field in ("readings", "when") else value


class ClauseRole(SphinxRole):
    """A link to a clause by its id."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Return the link, or an error for an unknown clause."""
        clause_id = unescape(self.text)
        if clause_id not in site.clauses():
            message = self.inliner.reporter.error(f"no such clause: {clause_id}", line=self.lineno)
            return [nodes.literal(text=clause_id)], [message]
        uri = self.env.app.builder.get_relative_uri(self.env.docname, site.clause_page(clause_id))
        link = nodes.reference("", "", refuri=f"{uri}#{site.anchor('clause', clause_id)}", internal=True)
        link += nodes.literal(text=clause_id)
        return [link], []
