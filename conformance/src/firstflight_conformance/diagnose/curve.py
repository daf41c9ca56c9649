"""The windows around a decision, as the model has them and as they were observed."""

from dataclasses import dataclass

from firstflight_conformance.cases.computations import ComputationCase
from firstflight_conformance.diagnose.decision import Decision
from firstflight_conformance.diagnose.subject import Subject
from firstflight_conformance.diagnose.variant import Variant

#: So many events are shown before the decision, and after the first answer that differs.
_BEFORE, _AFTER = 16, 24


@dataclass(frozen=True, slots=True)
class Curve:
    """Windows in bytes after events of a case, from ``first`` on. ``decided`` and ``seen`` are the indices of two of the events."""

    first: int
    model: tuple[int, ...]
    observed: tuple[int, ...]
    decided: int
    seen: int


def curve_of(subject: Subject, decision: Decision) -> Curve | None:
    """Return the windows around a decision; ``None`` for a computation, and where the adapter told none."""
    if isinstance(subject.case, ComputationCase) or decision.event_index is None:
        return None
    seen = subject.first or 0
    first, end = max(0, decision.event_index - _BEFORE), min(subject.length, seen + _AFTER + 1)
    right = Variant()
    state = right.create(subject.case.vector.algorithm, subject.case.profile, subject.config)
    windows = []
    for event in subject.events[:end]:
        windows.append(right.advance(state, event).cwnd_bytes)
    observed = [answer.get("cwnd_bytes") for answer in subject.observed[first:end]]
    if not all(isinstance(window, int) for window in observed):
        return None
    return Curve(
        first,
        tuple(windows[first:]),
        tuple(window for window in observed if window is not None),
        decision.event_index,
        seen,
    )
