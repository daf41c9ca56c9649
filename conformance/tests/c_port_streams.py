"""Random events for the comparison of model and port: mostly valid, and drawn towards the corners."""

from dataclasses import replace
from typing import TypeVar

from firstflight.controller import Config, Controller
from firstflight.events import Ack, Ce, Event, Lost, PersistentCongestion, Pto, Run, Sent
from firstflight.limits import BIN_MAX_BYTES, DATAGRAM_MAX_BYTES, RUN_MAX_PACKETS, TIME_MAX_NS, WINDOW_MAX_BYTES
from firstflight.observables import Phase
from firstflight.search import BIN_TICKS_PER_RTT_NS, RING_BINS, TICKS_PER_NS, Search
from firstflight.search_profiles import Readings
from firstflight.slow_start import SlowStart, phase
from firstflight_conformance.prng import SplitMix64

T = TypeVar("T")

_RTTS_NS = (1, 2, 3, 20, 40, 280, 40_000_000, 100_000_000, 600_000_001, 2**40, 2**52, 2**58)
_WINDOWS_BYTES = (None, None, None, 1, 12_000, 10_000_000, 2**40, WINDOW_MAX_BYTES - 5000, WINDOW_MAX_BYTES)


class Stream:
    """The events of one connection. It looks at the model's state to hit the ends of bins and of recovery."""

    def __init__(self, rng: SplitMix64) -> None:
        """Draw the nature of the connection."""
        self.rng = rng
        self.rtt_ns = self.pick(_RTTS_NS)
        self.bytes_mode = self.pick(("flat", "doubling", "doubling", "tiny", "random"))
        self.lossy = self.chance(30)
        self.sparse = self.chance(30)
        self.huge = self.chance(5)
        self.config = Config(self.pick((1, 2, 1200, 1200, 1472, 9000, DATAGRAM_MAX_BYTES)), self.pick(_WINDOWS_BYTES))
        self.t_ns = max(1, self.pick((1, 10**9, 10**9, 10**9, 2**50, TIME_MAX_NS - 40 * self.rtt_ns)))
        self.packet = 0

    def pick(self, choices: tuple[T, ...]) -> T:
        """Return one of the choices."""
        return choices[self.rng.below(len(choices))]

    def chance(self, percent: int) -> bool:
        """Return whether something happens."""
        return self.rng.chance_ppm(percent * 10_000)

    def event(self, state: Controller) -> Event:
        """Return the next event, one in a hundred of them outside the domain."""
        self.t_ns = max(self.t_ns, state.t_ns)
        event = self._valid_event(state)
        return self._spoilt(event, state) if self.chance(1) else event

    def _valid_event(self, state: Controller) -> Event:
        searching = phase(state.base) is Phase.SLOW_START
        if self.chance(8):
            runs = self._runs(state, self.t_ns)
            return Sent(self.t_ns, runs, _total(runs), 0, self.chance(10))
        if self.chance(1):
            return Pto(self.t_ns)
        if self.chance(0 if searching and not self.lossy else 4):
            return PersistentCongestion(self.t_ns)
        if self.lossy and self.chance(4):
            runs = self._runs(state, self._sent_t_ns(state)) + self._runs(state, self._sent_t_ns(state))
            return Lost(self.t_ns, runs, _total(runs), 0, self.packet)
        if self.lossy and self.chance(3):
            return Ce(self.t_ns, self.packet, self._sent_t_ns(state), 1)
        return self._ack(state)

    def _ack(self, state: Controller) -> Ack:
        self.t_ns = min(self._next_t_ns(state.search), TIME_MAX_NS)
        runs = self._runs(state, self._sent_t_ns(state))
        if self.chance(20):
            runs += self._runs(state, self._sent_t_ns(state))
        app_limited = self.chance(3)
        return Ack(
            *(self.t_ns, runs, _total(runs), 0, self.packet, app_limited),
            *(self._rtt_ns(), self._rtt_ns(), self._rtt_ns(), 0),
        )

    def _next_t_ns(self, search: Search) -> int:
        bin_ns = search.bin_ticks // TICKS_PER_NS
        end_ns = search.bin_end_ticks // TICKS_PER_NS
        draw = self.rng.below(100)
        if draw < 5:
            return self.t_ns
        if draw < 40:
            return self.t_ns + self.rng.below(bin_ns // 8 + 2)
        if draw < 65:
            return max(self.t_ns, end_ns - 1 + self.rng.below(3))
        if draw < 96 and not self.sparse:
            return self.t_ns + bin_ns + self.rng.below(2)
        if draw < 98:
            return self.t_ns + bin_ns * self.rng.below(5) + self.rng.below(2)
        if self.huge:
            return self.t_ns + self.rng.below(TIME_MAX_NS - self.t_ns + 1)
        return self.t_ns + bin_ns * self.rng.below(60)

    def _sent_t_ns(self, state: Controller) -> int:
        choices = [self.t_ns - self.rtt_ns, self.t_ns - self.rtt_ns, self.t_ns, self.rng.below(self.t_ns) + 1]
        if state.base.recovery_start_ns is not None:
            choices += [state.base.recovery_start_ns, state.base.recovery_start_ns + 1]
        return min(max(self.pick(tuple(choices)), 1), self.t_ns)

    def _rtt_ns(self) -> int | None:
        rtt_ns = self.rtt_ns
        draw = self.rng.below(100)
        if draw < 8:
            return None
        if draw < 80:
            return rtt_ns
        if draw < 86:
            return min(rtt_ns + self.rng.below(rtt_ns), TIME_MAX_NS)
        if draw < 98:  # a whole or a half number of bins, where it is a whole number of ns
            return min(BIN_TICKS_PER_RTT_NS * rtt_ns * self.rng.below(60) // (2 * TICKS_PER_NS), TIME_MAX_NS)
        return self.pick((0, TIME_MAX_NS, self.rng.below(TIME_MAX_NS)))

    def _runs(self, state: Controller, sent_t_ns: int) -> tuple[Run, ...]:
        size_bytes = state.base.max_datagram_size_bytes
        # In congestion avoidance the model takes packet by packet.
        most = RUN_MAX_PACKETS if phase(state.base) is Phase.SLOW_START else 100
        match self.bytes_mode:
            case "flat":
                count = 2
            case "doubling":
                count = max(1, state.base.cwnd_bytes // size_bytes // 5)
            case "tiny":
                count, size_bytes = 1, 1 + self.rng.below(3)
            case _:
                count = 1 + self.rng.below(self.pick((4, 4, 40, RUN_MAX_PACKETS)))
                size_bytes = 1 + self.rng.below(self.pick((1, 1500, DATAGRAM_MAX_BYTES)))
        first = self.packet
        self.packet += min(count, most)
        return (Run(first, self.packet - 1, size_bytes, sent_t_ns),)

    def _spoilt(self, event: Event, state: Controller) -> Event:
        draw = self.rng.below(8)
        if draw == 0:
            return replace(event, t_ns=self.pick((0, TIME_MAX_NS + 1, 2**64 - 1)))
        if draw == 1:
            return replace(event, t_ns=max(state.t_ns - 1, 0))
        if isinstance(event, Ce):
            return replace(event, sent_t_ns=self.pick((0, event.t_ns + 1)))
        if not isinstance(event, Sent | Ack | Lost):
            return event
        if draw == 2:
            return replace(event, bytes=event.bytes + self.pick((-1, 1, 2**63)))
        if draw == 3 and isinstance(event, Ack):
            name = self.pick(("latest_rtt_ns", "min_rtt_ns", "smoothed_rtt_ns"))
            return replace(event, **{name: TIME_MAX_NS + 1 + self.rng.below(2**59)})
        if draw == 4:
            return replace(event, packets=())
        run = event.packets[0]
        choices = (
            replace(run, first=run.last + 1),
            replace(run, first=0, last=2**64 - 1),
            replace(run, last=run.first + RUN_MAX_PACKETS),
            replace(run, size_bytes=self.pick((0, DATAGRAM_MAX_BYTES + 1))),
            replace(run, sent_t_ns=self.pick((0, event.t_ns + 1))),
        )
        return replace(event, packets=(self.pick(choices), *event.packets[1:]))


def full_bins(rng: SplitMix64, readings: Readings, config: Config) -> Controller:
    """Return a state with bins that are full, nearly full, or at the threshold: no short stream fills 2^56 bytes."""
    stream = Stream(rng)
    rtt_ns = stream.rtt_ns
    curr = rng.below(stream.pick((40, 1000, 2**55)))
    t_ns = max(1, stream.pick((10**9, 2**50, TIME_MAX_NS - 40 * rtt_ns)))
    bin_ticks = BIN_TICKS_PER_RTT_NS * rtt_ns
    unit_bytes = BIN_MAX_BYTES // 13
    bins = [0] * RING_BINS
    draw = rng.below(4)
    for age in range(RING_BINS):
        # 13 * previous = 10 * current where the windows of completed bins do not overlap.
        level_bytes = unit_bytes * (13 if age <= 10 else 10)
        random_bytes = stream.pick((0, BIN_MAX_BYTES, BIN_MAX_BYTES - rng.below(2**33), rng.below(BIN_MAX_BYTES)))
        bins[(curr - age) % RING_BINS] = (level_bytes, level_bytes, BIN_MAX_BYTES, random_bytes)[draw]
    if draw == 1:
        bins[rng.below(RING_BINS)] -= 1
    search = Search(bin_ticks, TICKS_PER_NS * t_ns - rng.below(bin_ticks) + bin_ticks, curr, rtt_ns, tuple(bins))
    cwnd_bytes = stream.pick((3000, 2**58, 2**61, WINDOW_MAX_BYTES))
    return Controller(SlowStart(config.max_datagram_size_bytes, cwnd_bytes), readings, search, t_ns)


def _total(runs: tuple[Run, ...]) -> int:
    return sum(run.count * run.size_bytes for run in runs)
