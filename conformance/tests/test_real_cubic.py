"""CUBIC in real numbers, exact and in double precision, conforms in the class ``float64``; a wrong RTT does not."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

import pytest

from every import every_case
from firstflight import Config, create
from firstflight.controller import Controller, advance
from firstflight.events import Ack, Event
from firstflight_conformance.adapters.messages import Declaration
from firstflight_conformance.compare.options import NOTHING, models_of
from firstflight_conformance.compare.relation import ConformingWay, Judgement, judge
from firstflight_conformance.compare.subject import AnsweredCase
from firstflight_conformance.compare.values import avoids, compare
from firstflight_conformance.format.builder import MS
from firstflight_conformance.format.vectors import Case
from firstflight_conformance.replay.measure import config_from_json
from real_cubic import DOUBLE, EXACT, Numbers, use_real_numbers
from stimuli.cubic.avoidance import AvoidanceBuilder

FLOAT64 = Declaration("x", "1", {}, ("cwnd_bytes", "ssthresh_bytes"), arithmetic="float64")
DATAGRAM = Declaration("x", "1", {}, ("cwnd_bytes", "ssthresh_bytes"), arithmetic="float64", avoidance="datagram")
#: Cases that a fraction of a byte decides at a comparison, with the alternative that conforms.
EDGES = {
    "cubic.reduce.minimum-ends-stage@rfc-9438": "cubic-maximum-with-fraction",
    "cubic.spurious.window-changed@rfc-9438": "cubic-maximum-with-fraction",
    "cubic.friendly.within-a-byte@rfc-9438": "cubic-friendly-near",
    "cubic.rounds.two-losses-beyond-32-bits@rfc-9438": "cubic-friendly-near",
    "cubic.spurious.huge-window@rfc-9438": "cubic-friendly-near",
    "search.cubic.loss@draft-09+cubic": "cubic-friendly-near",
}
LARGE_BYTES = 2**40
#: Cases with windows beyond a double: they differ before congestion avoidance, where the tolerance is one byte.
BEYOND_DOUBLE = {"cubic.reduce.huge-window@rfc-9438", "cubic.rounds.largest-window@rfc-9438"}


@cache
def cases() -> tuple[Case, ...]:
    """Return the cases on CUBIC."""
    return tuple(case for case in every_case() if case.vector.algorithm == "cubic" or case.profile.endswith("+cubic"))


def controller(case: Case, numbers: Numbers) -> Controller:
    """Return a new controller of a case in real numbers."""
    made = create(case.vector.algorithm, case.profile, config_from_json(case.vector.config))
    return use_real_numbers(made, numbers)


def answers(case: Case, numbers: Numbers, heard: Callable[[Event], Event] = lambda event: event) -> Iterator[Any]:
    """Yield the windows in real numbers. ``heard``: changes an event before the controller receives it."""
    state = controller(case, numbers)
    for event in case.events:
        observation = advance(state, heard(event))
        yield {"cwnd_bytes": observation.cwnd_bytes, "ssthresh_bytes": observation.ssthresh_bytes}


def judged(case: Case, declaration: Declaration, observed: Iterator[Any]) -> Judgement:
    """Return the verdict on answers. Compare with the model first: few cases need its alternatives."""
    observations = tuple(observed)
    if within(case, declaration, observations):
        return Judgement((ConformingWay(NOTHING, NOTHING),))
    subject = AnsweredCase(case, declaration, tuple(case.events), observations, 0)
    return judge(subject, models_of(case.vector.algorithm, case.profile))


def within(case: Case, declaration: Declaration, observed: Sequence[Any]) -> bool:
    """Return whether the answers equal the expected ones, within the class."""
    previous, avoiding, size_bytes = None, False, case.vector.config["max_datagram_size_bytes"]
    for expected, answer in zip(case.expected(), observed, strict=True):
        avoiding, previous = avoiding or avoids(case, previous, expected), expected
        if compare(expected, answer, declaration, size_bytes, avoiding=avoiding).differences:
            return False
    return True


def with_latest_rtt(event: Event) -> Event:
    """Return an ACK with the latest RTT as its smoothed RTT."""
    if not isinstance(event, Ack) or event.latest_rtt_ns is None:
        return event
    fields = {name: getattr(event, name) for name in event.__slots__}
    return Ack(**fields | {"smoothed_rtt_ns": event.latest_rtt_ns})


@pytest.mark.parametrize("numbers", [EXACT, DOUBLE], ids=["exact", "double"])
def test_real_numbers_conform(numbers: Numbers) -> None:
    """Real numbers pass within the tolerance, except the edges, which conform by U13 or U17."""
    edges = {}
    for case in cases():
        verdict = judged(case, FLOAT64, answers(case, numbers))
        if numbers is DOUBLE and case.id in BEYOND_DOUBLE:
            assert max(case.windows()) > 2**53
            continue
        assert verdict.ways, (case.id, verdict.died)
        way = verdict.ways[0]
        if way.taken or way.moments:
            edges[case.id] = ",".join(way.taken | way.moments)
    assert edges == EDGES


@pytest.mark.parametrize("numbers", [EXACT, DOUBLE], ids=["exact", "double"])
def test_largest_difference(numbers: Numbers) -> None:
    """Below 2^40 bytes the difference is at most two of the derived four bytes, and 0 before congestion avoidance."""
    before, after = Counter[int](), Counter[int]()
    for case in cases():
        previous, avoiding = None, False
        for expected, observed in zip(case.expected(), answers(case, numbers), strict=True):
            avoiding, previous = avoiding or avoids(case, previous, expected), expected
            if case.id in EDGES or expected["cwnd_bytes"] > LARGE_BYTES:
                continue
            off = max(0 if expected[name] == value else abs(expected[name] - value) for name, value in observed.items())
            (after if avoiding else before)[off] += 1
    assert max(before) == 0
    assert max(after) == 2
    assert after[1] > 100


@pytest.mark.parametrize("seed", range(40))
def test_stage_error_is_within_four_bytes(seed: int) -> None:
    """The window of the model is within four bytes of the exact window over a stage of up to forty round trips."""
    size_bytes, rtt_ns = (1200, 1448, 1000, 9000)[seed % 4], (5, 20, 80, 300, 600)[seed % 5] * MS
    window_bytes = size_bytes * (12 + 3 * seed) + 17 * seed
    b = AvoidanceBuilder(max_datagram_size_bytes=size_bytes, initial_window_bytes=window_bytes)
    b.fill(0)
    b.lose_first(rtt_ns)
    b.now_ns = rtt_ns + MS
    b.full_rounds(40 if rtt_ns < 300 * MS else 12, rtt_ns, acks=(1, 2, 5)[seed % 3])
    config = Config(size_bytes, window_bytes)
    model, exact = (create("cubic", "rfc-9438", config) for _ in range(2))
    use_real_numbers(exact, EXACT)
    off = [abs(advance(model, event).cwnd_bytes - advance(exact, event).cwnd_bytes) for event in b.events]
    assert max(off) < 4


def test_latest_rtt_fails() -> None:
    """The latest RTT instead of the smoothed RTT fails fifteen cases as ``float64``, and three as ``datagram``."""

    def failing(declaration: Declaration) -> set[str]:
        own = (case for case in cases() if case.vector.algorithm == "cubic")
        return {c.id for c in own if not judged(c, declaration, answers(c, DOUBLE, with_latest_rtt)).ways}

    assert len(failing(FLOAT64) - BEYOND_DOUBLE) == 15
    failing_cases = {
        "cubic.concave.longer-sample@rfc-9438",
        "cubic.degenerate.first-ack@rfc-9438",
        "cubic.rounds.persistent-beyond-32-bits@rfc-9438",
    }
    assert failing(DATAGRAM) - BEYOND_DOUBLE == failing_cases
