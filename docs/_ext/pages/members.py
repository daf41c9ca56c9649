"""What each member of an enumeration means, from where that is written: the choices of a reading, or the clauses that name it."""

import enum
import re
from functools import cache

from sphinx.application import Sphinx

from firstflight.controller import ALGORITHMS
from firstflight.observables import Outcome, Phase, Trigger
from firstflight_conformance.spec.clauses import Clause
from firstflight_conformance.spec.readings import load_tables
from pages import site

#: Of those that no clause names, and of the phases of every controller.
_SAID: dict[enum.Enum, str] = {
    Phase.SLOW_START: "cwnd is below ssthresh and grows by what is acknowledged (RFC 9002, section 7.3.1).",
    Phase.RECOVERY: "From a reduction until a packet sent after it is acknowledged (RFC 9002, section 7.3.2).",
    Phase.CONGESTION_AVOIDANCE: "cwnd is at or above ssthresh (RFC 9002, section 7.3.3), or a startup algorithm has left slow start.",
    Phase.NORMAL: "Careful Resume does nothing, or nothing more: the base controller acts alone.",
    Phase.RECONNAISSANCE: "Careful Resume waits for what confirms the path before it jumps.",
    Phase.UNVALIDATED: "The window has jumped; packets beyond what was acknowledged before are not validated yet.",
    Phase.VALIDATING: "The jump is sent; its packets are being acknowledged.",
    Phase.SAFE_RETREAT: "The jump met congestion, and the window is taken back.",
    Outcome.SENT: "Packets were sent; nothing else changed.",
    Outcome.UNCHANGED: "The event changed nothing.",
    Outcome.THRESHOLD_SET: "Safe Retreat ended, and ssthresh became what PipeSize showed that the path holds.",
    Outcome.TCB_SHARED: "The connection begins with the cached values.",
}
_NAMING = {Outcome: "Outcome", Phase: "Phase", Trigger: "Trigger"}
#: So many clauses that name a member are told.
_TOLD = 3


def explain_member(app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """Give a member of an enumeration without a comment its meaning."""
    if isinstance(obj, enum.Enum) and not any(lines):
        lines[:] = [meaning(obj)]


@cache
def meaning(member: enum.Enum) -> str:
    """Return the meaning in reStructuredText, or nothing if nobody has written it down."""
    if member in _SAID:
        return _SAID[member]
    return _of_reading(member) or (_of_clauses(str(member.value)) if type(member) in _NAMING else "")


def in_markdown(member: enum.Enum) -> str:
    """Return the meaning for a page in Markdown."""
    return re.sub(r":clause:`([^`]*)`", r"{clause}`\1`", meaning(member))


def _of_reading(member: enum.Enum) -> str:
    package = type(member).__module__.removeprefix("firstflight.").removesuffix(".profiles")
    for algorithm, table in load_tables().items():
        if algorithm in ALGORITHMS and ALGORITHMS[algorithm].package == package:
            for reading in table.readings:
                if reading.name.replace("_", "") == type(member).__name__.lower():
                    return _escaped(reading.choices.get(str(member.value), ""))
    return ""


def _of_clauses(value: str) -> str:
    found: dict[str, Clause] = {}
    for clause in sorted(site.clauses().values(), key=lambda one: one.page != "slow-start"):
        if re.search(rf"`{value}`", clause.text):
            found.setdefault(clause.page, clause)
    return " ".join(f"{_escaped(_said(clause))} (:clause:`{clause.id}`)" for clause in [*found.values()][:_TOLD])


def _said(clause: Clause) -> str:
    """Return the text of a clause without the sentence that names the member."""
    text = " ".join(clause.text.split())
    return re.sub(r" (?:Outcomes?|Triggers?|Phase)(?: and trigger)? `[^.]*\.", "", f" {text}").strip() or text


def _escaped(text: str) -> str:
    return re.sub(r"([*|\\_])", r"\\\1", text).replace("`", "*") if text else ""
