"""Random continuations of vectors, which detect edits of the model."""

from collections import Counter
from dataclasses import replace

import pytest

from adequacy.continued import continued
from adequacy.kill import Replay, difference, replays_below
from firstflight import controller
from firstflight.events import Ack, Sent
from firstflight_conformance.paths import VECTORS


@pytest.fixture(
    scope="module", params=[("careful-resume", "rfc-9959"), ("jumpstart", "quicly"), ("search", "draft-09")]
)
def replays(request: pytest.FixtureRequest) -> list[Replay]:
    return [replay for replay in replays_below(VECTORS, *request.param) if len(replay.events) <= 100]


def test_continuations_are_deterministic_and_most_are_possible(replays: list[Replay]) -> None:
    """Two runs give the same events. A vector that ends with the connection's last possible event is rare."""
    longer = list(continued(replays, 2))
    assert longer == list(continued(replays, 2))
    assert len(longer) >= 1.8 * len(replays)


def test_continuations_begin_with_vector(replays: list[Replay]) -> None:
    """Events and answers of the vector come first; most continuations send and acknowledge more data."""
    kinds = Counter[type]()
    for replay, longer in zip(replays, _each(replays), strict=True):
        if longer is not None:
            events = len(replay.events)
            assert list(longer.events[:events]) == list(replay.events)
            assert list(longer.expected[:events]) == list(replay.expected)
            kinds.update(set(map(type, longer.events[events:])))
    assert min(kinds[Sent], kinds[Ack]) >= 0.8 * len(replays)


def test_answers_are_of_model(replays: list[Replay]) -> None:
    """The model replays a continuation without a difference, and another window of the last event is one."""
    longer = next(continued(replays, 1))
    assert difference(controller, longer, set()) == ""
    changed = {**longer.expected[-1], "cwnd_bytes": longer.expected[-1]["cwnd_bytes"] + 1}
    wrong = replace(longer, expected=[*longer.expected[:-1], changed])
    assert difference(controller, wrong, set()) == "windows"


def _each(replays: list[Replay]) -> list[Replay | None]:
    """Return one continuation of each vector, or ``None`` if it is impossible."""
    return [next(continued([replay], 1), None) for replay in replays]
