"""The text report of the judge."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import groupby

from firstflight_conformance.format.timeline import milliseconds
from firstflight_conformance.judge.at_least import APPLICATION_LIMITED, PACED
from firstflight_conformance.judge.did import Did, Reduction, Shown, datagrams
from firstflight_conformance.judge.leaving import DRAIN
from firstflight_conformance.judge.verdict import ConnectionVerdict, margin, named_once
from firstflight_conformance.judge.why import why_lines

#: Largest number of refuted profiles in a report.
_SHOWN = 8
#: Reasons that are complete sentences of a report.
WHOLE_REASONS = (APPLICATION_LIMITED, PACED)
_RULES = {
    "stated": "as the source states",
    "growth": "those in slow start that are not window-limited and leave the window unchanged",
    "data": "those outside the period of new stream data",
    "never": "none",
}


def lines(verdict: ConnectionVerdict, *, margins: bool = True) -> Iterator[str]:
    """Yield the lines of a report.

    ``margins``: also report whether small changes of the RTT samples move the exit from slow start of the first
    possible profile.
    """
    if verdict.did.shown is Shown.NOTHING:
        yield from result_lines((), verdict.undecided)
        return
    yield from _did_lines(verdict.did)
    if not verdict.explained:
        yield from result_lines((), verdict.undecided)
        return
    yield from why_lines(verdict.path, verdict.did.window_bytes, verdict.why)
    yield f"application-limited ACKs: {_RULES[verdict.subject.rule]}"
    if verdict.left_out:
        yield f"not tried, as nothing in the recording starts them: {', '.join(verdict.left_out)}"
    refuted = verdict.refuted
    if refuted:
        limit_note = f"; the {_SHOWN} that came farthest" if len(refuted) > _SHOWN else ""
        yield f"refuted: {len(refuted)} of {len(verdict.explained)} profiles{limit_note}:"
    plain = [
        refutation for refutation in refuted if refutation.profile in named_once([other.profile for other in refuted])
    ]
    for refutation in plain[:_SHOWN]:
        yield (
            f"  {refutation.profile}, event {refutation.event}: "
            f"expected: {refutation.expected}; observed: {refutation.observed}"
        )
    yield from result_lines(verdict.may_be, verdict.undecided)
    yield from choice_lines(verdict)
    if margins and verdict.undecided is None and verdict.may_be:
        yield from _margin_lines(verdict)


def result_lines(may_be: Sequence[str], undecided: str | None) -> Iterator[str]:
    """Yield the profiles that the sender may run, grouped by algorithm, and the reason ``undecided`` if it is not None.

    ``undecided``: why the recording does not decide between profiles; ``may_be`` then contains the profiles that are
    not refuted.
    """
    if undecided is not None:
        yield undecided if undecided in WHOLE_REASONS else f"not decided: {undecided}"
    elif not may_be:
        yield "none of ours: no profile explains this connection"
    if may_be:
        label = "not refuted" if undecided is not None else "may be"
        yield f"{label}: {', '.join(_grouped(may_be))}"
        if len(may_be) > 1 and undecided is None:
            yield "this recording cannot distinguish these: another path, or `firstflight compare`, may do so"


def choice_lines(verdict: ConnectionVerdict) -> Iterator[str]:
    """Yield a line for each alternative that a possible profile needs to explain the connection.

    An alternative is a permitted choice, other than the profile's, at an open point, which the text leaves to the
    implementer.
    """
    for compared in verdict.explained_with:
        for choice in compared.choices:
            point = choice.point
            source = f", {point.source}" if point.source else ""
            yield f"{compared.profile} explained with: {choice.what} (open point {point.id}{source})"


def _grouped(names: Sequence[str]) -> list[str]:
    """Return profiles grouped by algorithm: ``search/{draft-00, linux-4}``."""
    groups = []
    for algorithm, group in groupby(names, key=lambda name: name.partition("/")[0]):
        profiles = [name.partition("/")[2] for name in group]
        groups.append(f"{algorithm}/{profiles[0]}" if len(profiles) == 1 else f"{algorithm}/{{{', '.join(profiles)}}}")
    return groups


def _did_lines(did: Did) -> Iterator[str]:
    later = did.initial_window_round or 1
    round_note = f", in round {later}, the first that the window limited" if later > 1 else ""
    yield f"initial window: {_initial_window(did)}{round_note}"
    yield f"the window limited the sender at {did.limited_acks} of {did.acks} ACKs"
    if did.growth is not None:
        yield f"slow start: {_text(did.growth)} bytes of window for each byte acknowledged there"
    if did.fast:
        yield f"ACKs that show this growth: events {', '.join(map(str, did.fast))}"
    if did.shown is Shown.WINDOW:
        return
    if did.event is None:
        yield "slow start is not left"
    else:
        ratio = "" if did.rtt_ratio is None else f", and the RTT was {_text(did.rtt_ratio)} times the least"
        yield f"slow start is left by event {did.event}, {milliseconds(did.t_ns or 0)} ms: by {_EVIDENCE[did.evidence]}"
        yield f"there the window had {did.window_bytes} bytes{ratio}"
        if did.window_range is not None:
            least, most = did.window_range
            where = "" if did.exit_round is None else f"in round {did.exit_round}, "
            yield f"uncertainty of the exit: {where}a window of {least} to {most} bytes"
    if did.rounds:
        flights = ", ".join(str(round_.flight_bytes) for round_ in did.rounds)
        yield f"most bytes in flight by round: {flights}"
    if did.reduction is not None:
        yield f"first reduction: to {_text(did.reduction.factor)} of the {_OF[did.reduction.of]}{_at_event(did.reduction)}"


def _initial_window(did: Did) -> str:
    if did.initial_window_range is None:
        count = datagrams(did)
        return f"{did.initial_window_bytes} bytes" + (
            "" if count is None else f", {count} datagrams of {did.datagram_bytes}"
        )
    least, most = did.initial_window_range
    size = did.datagram_bytes
    whole = "" if least % size or most % size else f", {least // size} to {most // size} datagrams of {size}"
    return f"{least} to {most} bytes{whole}"


def _at_event(reduction: Reduction) -> str:
    return "" if reduction.event is None else f", event {reduction.event}"


_OF = {"window": "window", "flight": "bytes in flight"}
_EVIDENCE = {
    "loss": "loss or congestion mark",
    "threshold": "its threshold (ssthresh)",
    "growth": "less growth",
    DRAIN: "the fall of the flight that follows (Drain)",
    "state": "its state",
    "window": "a smaller window",
}


def _margin_lines(verdict: ConnectionVerdict) -> Iterator[str]:
    first = verdict.may_be[0]
    for exit_margin in margin(verdict, first):
        how = f"moves in {exit_margin.moved} of {exit_margin.of} runs" if exit_margin.moved else "stays"
        yield f"margin: with every RTT moved by {milliseconds(exit_margin.by_ns)} ms the exit of {first} {how}"


def _text(value: Fraction) -> str:
    return f"{float(value):.3f}".rstrip("0").rstrip(".")
