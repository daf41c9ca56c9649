"""Meanings of enumeration members, from the choices of a reading, or from the clauses that mention the member."""

import enum
import re
import sys
from functools import cache

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

from firstflight.controller import ALGORITHMS
from firstflight.observables import Outcome, Phase, Trigger
from firstflight_conformance.format.clauses import Clause
from firstflight_conformance.format.readings import load_tables
from pages import markdown as md
from pages import site

#: Meanings of members that no clause mentions, and of the phases of every controller.
_SAID: dict[enum.Enum, str] = {
    Phase.SLOW_START: "cwnd is below ssthresh and grows by the acknowledged bytes (RFC 9002, section 7.3.1).",
    Phase.RECOVERY: "From a reduction until a packet sent after it is acknowledged (RFC 9002, section 7.3.2).",
    Phase.CONGESTION_AVOIDANCE: "cwnd is at or above ssthresh (RFC 9002, section 7.3.3), or a startup algorithm has left slow start.",
    Phase.NORMAL: "Careful Resume is not active, or no longer active: the base controller acts alone.",
    Phase.RECONNAISSANCE: "Careful Resume waits for the confirmation of the path before it jumps.",
    Phase.UNVALIDATED: "The window has jumped; packets beyond the previously acknowledged data are not validated yet.",
    Phase.VALIDATING: "The jump is sent; its packets are being acknowledged.",
    Phase.SAFE_RETREAT: "The jump caused congestion, and the window is reduced.",
    Phase.STARTUP: "BBR raises its pacing rate and cwnd with the measured bandwidth, until this stops growing or too much is lost.",
    Phase.DRAIN: "BBR paces below the measured bandwidth, until the queue of its Startup is gone.",
    Outcome.SENT: "Packets were sent; nothing else changed.",
    Outcome.UNCHANGED: "The event changed nothing.",
    Outcome.THRESHOLD_SET: "Safe Retreat ended, and ssthresh was set from PipeSize.",
    Outcome.TCB_SHARED: "The connection begins with the cached values.",
}
_NAMED = (Outcome, Phase, Trigger)
#: Maximum number of cited clauses per member.
_TOLD = 3


def explain_members(app: Sphinx, doctree: nodes.document) -> None:
    """Add the meaning to each enumeration member without a comment, since autodoc lacks an event for them."""
    for described in doctree.findall(addnodes.desc):
        signature, content = described.children[0], described.children[-1]
        ids = signature["ids"] if described["objtype"] == "attribute" and not content.children else []
        members = [(member, meaning(member)) for name in ids if (member := _member(name)) is not None]
        for member, phrases in members:
            content += _paragraph(app, app.env.docname, phrases) if phrases else nodes.comment("", member.name)


def _member(name: str) -> enum.Enum | None:
    """Return the member of a dotted name, or None."""
    module, _, kind = name.rpartition(".")[0].rpartition(".")
    enumeration = getattr(sys.modules.get(module), kind, None)
    return enumeration.__members__.get(name.rpartition(".")[2]) if isinstance(enumeration, enum.EnumType) else None


def _paragraph(app: Sphinx, page: str, phrases: list[tuple[str, str]]) -> nodes.paragraph:
    paragraph = nodes.paragraph()
    for number, (text, clause) in enumerate(phrases):
        paragraph += nodes.Text(f"{' ' if number else ''}{text}")
        if clause:
            address = f"{app.builder.get_relative_uri(page, site.clause_page(clause))}#{site.anchor('clause', clause)}"
            link = nodes.reference("", "", nodes.literal(text=clause), refuri=address, internal=True)
            paragraph += [nodes.Text(" ("), link, nodes.Text(")")]
    return paragraph


def in_markdown(member: enum.Enum) -> str:
    """Return the meaning for a page in Markdown."""
    return " ".join(md.plain(text) + (f" ({md.clause(clause)})" if clause else "") for text, clause in meaning(member))


@cache
def meaning(member: enum.Enum) -> list[tuple[str, str]]:
    """Return sentences, each with its clause or "", or an empty list if no meaning is documented."""
    if member in _SAID:
        return [(_SAID[member], "")]
    chosen = _of_reading(member)
    return [(chosen, "")] if chosen else _of_clauses(str(member.value)) if type(member) in _NAMED else []


def _of_reading(member: enum.Enum) -> str:
    package = type(member).__module__.removeprefix("firstflight.").removesuffix(".profiles")
    for algorithm, table in load_tables().items():
        if algorithm in ALGORITHMS and ALGORITHMS[algorithm].package == package:
            for reading in table.readings:
                if reading.name.replace("_", "") == type(member).__name__.lower():
                    return reading.choices.get(str(member.value), "").replace("`", "")
    return ""


def _of_clauses(value: str) -> list[tuple[str, str]]:
    clauses: dict[str, Clause] = {}
    for clause in sorted(site.clauses().values(), key=lambda clause: clause.page != "slow-start"):
        if re.search(rf"`{value}`", clause.text):
            clauses.setdefault(clause.page, clause)
    return [(_said(clause), clause.id) for clause in [*clauses.values()][:_TOLD]]


def _said(clause: Clause) -> str:
    """Return the text of a clause without the sentence that mentions the member."""
    text = " ".join(clause.text.split())
    return (
        re.sub(r" (?:Outcomes?|Triggers?|Phase)(?: and trigger)? `[^.]*\.", "", f" {text}").strip().replace("`", "")
        or text
    )
