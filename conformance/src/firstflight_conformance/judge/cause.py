"""Explains why a connection diverges from a profile: known bugs that give its windows, as for adapters."""

from collections.abc import Iterator, Sequence
from typing import Any

from firstflight.delivery_rate import with_samples
from firstflight.events import Event
from firstflight_conformance.adapters.messages import Declaration
from firstflight_conformance.compare.subject import AnsweredCase
from firstflight_conformance.explain.diagnosis import diagnose
from firstflight_conformance.format.clauses import known_clauses
from firstflight_conformance.format.levels import rule_parts
from firstflight_conformance.format.vectors import Case, ProfileCase, Vector
from firstflight_conformance.format.wire import encode_int, event_to_json
from firstflight_conformance.judge.follow import windows_alone
from firstflight_conformance.judge.subject import JudgedSender
from firstflight_conformance.paths import ROOT
from firstflight_conformance.records.findings import Cause


def causes_of(subject: JudgedSender, profile: str) -> tuple[Cause, ...]:
    """Return the known bugs that reproduce every window up to the exit from slow start, best first.

    Return no bug if the windows equal the windows of the profile. The model with a bug runs from its own window and
    does not use the sender's windows. After a deviation in the handshake all later windows differ, so no bug fits.
    """
    diagnosed = _diagnosed(subject, profile)
    if diagnosed is None:
        return ()
    return tuple(cause for cause in diagnose([diagnosed], [], choices=False).causes if cause.kind != "rule")


def causes_json(causes: Sequence[Cause]) -> list[dict[str, Any]]:
    """Return causes as JSON."""
    return [
        {"cause": cause.cause, "kind": cause.kind, "level": cause.level.value, "clauses": list(cause.clauses)}
        for cause in causes
    ]


def _diagnosed(subject: JudgedSender, name: str) -> AnsweredCase | None:
    end = len(subject.events) if subject.left.by is None else subject.left.by + 1
    events = tuple(with_samples(subject.events[:end]))
    windows = [answer.cwnd_bytes for answer in subject.answers[:end]]
    alone = windows_alone(name, subject.recording.header.config, events, subject.begin)
    first = next((index for index, pair in enumerate(zip(windows, alone, strict=False)) if pair[0] != pair[1]), None)
    if first is None:
        return None
    algorithm, _, profile = name.partition("/")
    observed = tuple({"cwnd_bytes": window} for window in windows)
    declaration = Declaration("recording", "", {algorithm: (profile,)}, ("cwnd_bytes",))
    return AnsweredCase(_case(subject, algorithm, profile, events), declaration, events, observed, first)


def _case(subject: JudgedSender, algorithm: str, profile: str, events: Sequence[Event]) -> Case:
    """Return the recording as a case without expectations, which a diagnosis does not need."""
    header = subject.recording.header
    window = header.config.initial_window_bytes
    raw = {
        "max_datagram_size_bytes": header.config.max_datagram_size_bytes,
        "initial_window_bytes": None if window is None else encode_int(window),
    }
    title = f"Recorded: {header.source['name']}"
    vector = Vector(
        f"{algorithm}.recorded", title, "", algorithm, "core", (), "ns", {}, raw,
        list(map(event_to_json, events)), {profile: ProfileCase(len(events), (), ())}, ROOT,
    )  # fmt: skip
    return Case(vector, profile)


def cause_lines(causes: Sequence[Cause]) -> Iterator[str]:
    """Yield the bug, requirement level and violated clauses of each cause, or one line without causes.

    A cause is a known bug: with it, the model computes every window of the sender up to the exit from slow start.
    """
    if not causes:
        yield "cause: not needed, or no known cause gives every window up to the exit"
    for cause in causes:
        yield f"cause: {cause.cause}: {cause.what}; it gives every window up to the exit"
        yield f"level: {cause.level.value}"
        yield from ("".join(rule_parts(known_clauses()[name])) for name in cause.clauses)
