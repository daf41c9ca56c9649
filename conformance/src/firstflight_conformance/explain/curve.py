"""Windows of the model and of the adapter around a decision."""

from firstflight_conformance.compare.subject import AnsweredCase
from firstflight_conformance.format.computations import ComputationCase
from firstflight_conformance.records.findings import Curve, Decision
from firstflight_conformance.replay.implementation import Model, drive

#: Number of shown events before the decision, and after the first differing answer.
_BEFORE, _AFTER = 16, 24


def curve_of(subject: AnsweredCase, decision: Decision) -> Curve | None:
    """Return cwnd of the model and of the adapter, from shortly before a decision to shortly after the divergence.

    The decision is the event where the assumed error first has an effect, and the divergence is the first different
    answer. Return ``None`` for a computation, or if the adapter does not report cwnd for each of these events.
    """
    if isinstance(subject.case, ComputationCase) or decision.event_index is None:
        return None
    divergence_index = subject.first or 0
    first, end = max(0, decision.event_index - _BEFORE), min(subject.length, divergence_index + _AFTER + 1)
    run = Model(subject.case.vector.algorithm, subject.case.profile).begin(subject.config)
    windows = [observation.cwnd_bytes for observation in drive(run, subject.events[:end])]
    observed = [answer.get("cwnd_bytes") for answer in subject.observed[first:end]]
    if not all(isinstance(window, int) for window in observed):
        return None
    return Curve(
        first,
        tuple(windows[first:]),
        tuple(window for window in observed if window is not None),
        decision.event_index,
        divergence_index,
    )
