"""Streams that break the rules of ``spec/events.md``: model and port refuse the same events and agree on the others."""

from collections import Counter

import pytest

from c_port import NONE, Port, step_both
from firstflight import Config, create, profiles
from firstflight.events import (
    Ack,
    Backlog,
    Ce,
    Event,
    IdleRestart,
    Lost,
    PathChange,
    PersistentCongestion,
    Pto,
    Run,
    SavedPath,
    Sent,
    SpuriousLoss,
)
from firstflight.limits import (
    DATAGRAM_MAX_BYTES,
    EVENT_MAX_BYTES,
    PACKET_MAX,
    RUN_MAX_PACKETS,
    TIME_MAX_NS,
    WINDOW_MAX_BYTES,
)
from firstflight_conformance.prng import SplitMix64

every_profile = pytest.mark.parametrize(
    ("algorithm", "profile"),
    [(name, profile) for name, names in profiles(composed=True).items() for profile in names],
)
_S = 10**9
#: Edges of the domain and of types, and values that represent none.
_EDGES = (
    *(0, 1, 2**32 - 2, 2**32 - 1, 2**32, TIME_MAX_NS, TIME_MAX_NS + 1, PACKET_MAX, PACKET_MAX + 1, PACKET_MAX + 2),
    *(EVENT_MAX_BYTES, EVENT_MAX_BYTES + 1, WINDOW_MAX_BYTES, WINDOW_MAX_BYTES + 1, 2**63, NONE - 1),
    *(DATAGRAM_MAX_BYTES, DATAGRAM_MAX_BYTES + 1, RUN_MAX_PACKETS),
)
_PLAIN = (PersistentCongestion, Pto, IdleRestart, PathChange, SpuriousLoss)


class _Stream:
    """Events with members drawn one by one; some members break the rules."""

    def __init__(self, seed: int) -> None:
        self.rng, self.t_ns, self.packet = SplitMix64(seed), _S, 0

    def event(self) -> Event:
        self.t_ns += self.rng.below(30_000_000)
        t_ns = self._odd(self.t_ns, 300)
        draw = self.rng.below(100)
        if draw < 30:
            return self._sent(t_ns)
        if draw < 75:
            return self._ack(t_ns)
        if draw < 83:
            runs = self._runs()
            return Lost(t_ns, runs, self._total(runs), self._odd(12_000), self._next())
        if draw < 88:
            return Ce(t_ns, self._odd(self.rng.below(self.packet + 1)), self._odd(max(t_ns - _S, 1)), self._odd(1))
        if draw < 92:
            return Backlog(t_ns, self._odd(100_000), self._odd(100_000), self._rtt())
        if draw < 95:
            saved = (self._odd(200_000), self._odd(100_000_000), True, self.rng.below(4) == 0)
            return SavedPath(
                t_ns, *saved, self._maybe(self.t_ns + _S), self._maybe(100_000), self._odd(1), self._odd(2)
            )
        return _PLAIN[self.rng.below(len(_PLAIN))](t_ns)

    def _odd(self, value: int, one_in: int = 40) -> int:
        """Return the value, or rarely an edge or a number next to the value."""
        if self.rng.below(one_in):
            return value
        edge = _EDGES[self.rng.below(len(_EDGES))]
        return max(edge if self.rng.below(3) else value - 1 + self.rng.below(3), 0)

    def _maybe(self, value: int) -> int | None:
        return None if self.rng.below(3) == 0 else self._odd(value)

    def _rtt(self) -> int | None:
        return self._maybe(100_000_000 + self.rng.below(40) * 1_000_000)

    def _next(self) -> int:
        return self._odd(NONE if self.rng.below(60) == 0 else self.packet)

    def _runs(self) -> tuple[Run, ...]:
        return tuple(self._run(self.rng.below(self.packet + 2)) for _ in range(1 + self.rng.below(8) // 5))

    def _run(self, first: int) -> Run:
        first = self._odd(first)
        last = min(self._odd(first + self.rng.below(10)), NONE - 1)
        return Run(first, last, self._odd(1200), self._odd(max(self.t_ns - self.rng.below(_S), 1), 200))

    def _total(self, runs: tuple[Run, ...]) -> int:
        return min(max(self._odd(sum(run.count * run.size_bytes for run in runs), 100), 0), NONE - 1)

    def _sent(self, t_ns: int) -> Sent:
        # Mostly the next packet number; otherwise numbers decrease or repeat.
        first = self.packet if self.rng.below(5) else self.rng.below(self.packet + 1)
        runs = (self._run(first),)
        if runs[0].last <= self.packet + 100:
            self.packet = max(self.packet, runs[0].last + 1)
        ranges = ((self._odd(0), self._odd(3)),) if self.rng.below(20) == 0 else ()
        sent = tuple(Run(run.first, run.last, run.size_bytes, t_ns) for run in runs)
        return Sent(t_ns, sent, self._total(sent), self._odd(12_000), self.rng.below(9) == 0, ranges)

    def _ack(self, t_ns: int) -> Ack:
        runs = self._runs()
        rtts = (self._rtt(), self._rtt(), self._rtt())
        oldest = self._odd(self.rng.below(self.packet + 1)) if self.rng.below(3) else None
        flags = (self._next(), self.rng.below(9) == 0)
        return Ack(t_ns, runs, self._total(runs), self._odd(12_000), *flags, *rtts, self._odd(0), oldest)


@every_profile
def test_model_and_port_agree_on_broken_streams(algorithm: str, profile: str) -> None:
    """Model and port accept the same events, with the same window, phase, outcome and state, observed or not."""
    compare(algorithm, profile, range(6))


@pytest.mark.long
@every_profile
def test_model_and_port_agree_on_broken_streams_long(algorithm: str, profile: str) -> None:
    """Model and port agree on 15000 events of each profile."""
    compare(algorithm, profile, range(100, 200))


def compare(algorithm: str, profile: str, seeds: range) -> None:
    """Compare a stream of 150 events per seed; more than a third are accepted, and more than one in twenty refused."""
    accepted: Counter[bool] = Counter()
    for seed in seeds:
        config = Config(1200, (None, 24_000, 60_000)[seed % 3])
        stream, model, port = _Stream(seed), create(algorithm, profile, config), Port.create(algorithm, profile, config)
        unobserved = Port.create(algorithm, profile, config)
        for _ in range(150):
            event = stream.event()
            answers = step_both(model, port.step, event)
            accepted[answers is not None] += 1
            assert unobserved.step_unobserved(event) == (answers is not None), event
            assert unobserved.memory == port.memory, event
            if answers is None:
                continue
            model, expected, observed = answers
            for name in ("cwnd_bytes", "ssthresh_bytes", "phase", "outcome"):
                assert getattr(observed, name) == getattr(expected, name), (name, event)
            for name, number in expected.state.items():
                assert port.number(name) == number, (name, event)
    assert accepted[True] > accepted.total() // 3, accepted
    assert accepted[False] > accepted.total() // 20, accepted


_JUMPSTARTS = profiles(composed=True)["jumpstart"]
_HYSTARTS = profiles(composed=True)["hystart"]


@pytest.mark.parametrize("profile", _JUMPSTARTS)
def test_packets_below_the_flight_start_are_refused(profile: str) -> None:
    """Model and port refuse packets of the first flight with numbers below its start."""
    model, port = create("jumpstart", profile, Config(1200)), Port.create("jumpstart", profile, Config(1200))
    for event in (
        Sent(_S, (Run(100, 100, 1200, _S),), 1200, 1200, False),
        Backlog(_S, 12_000, 12_000, 100_000_000),
    ):
        answers = step_both(model, port.step, event)
        assert answers is not None
        model = answers[0]
    assert step_both(model, port.step, Sent(_S, (Run(0, 4, 1200, _S),), 6000, 7200, False)) is None


@pytest.mark.parametrize("profile", _HYSTARTS)
@pytest.mark.parametrize("number", [NONE, NONE - 1, PACKET_MAX + 2])
def test_next_packet_outside_the_domain_is_refused(profile: str, number: int) -> None:
    """Model and port refuse an ACK whose next packet number is outside the domain."""
    model, port = (
        create("hystart", profile, Config(1200, 60_000)),
        Port.create("hystart", profile, Config(1200, 60_000)),
    )
    rtts = (100_000_000, 100_000_000, 100_000_000)
    assert step_both(model, port.step, Ack(2 * _S, (Run(0, 1, 1200, _S),), 2400, 0, number, False, *rtts, 0)) is None
