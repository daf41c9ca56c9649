"""Random events for the comparison of model and port: mostly valid, with many corner cases."""

from collections.abc import Sequence
from dataclasses import replace
from enum import Enum
from typing import TypeVar, cast

from firstflight.controller import Config, Controller
from firstflight.events import Ack, Ce, Event, IdleRestart, Lost, PersistentCongestion, Pto, Run, Sent
from firstflight.limits import BIN_MAX_BYTES, DATAGRAM_MAX_BYTES, RUN_MAX_PACKETS, TIME_MAX_NS, WINDOW_MAX_BYTES
from firstflight.newreno.newreno import BaseState, phase
from firstflight.observables import Phase
from firstflight.search.bins import BIN_TICKS_PER_RTT, KEPT_BINS, TICKS_PER_UNIT, Search, Series
from firstflight.search.profiles import PROFILES, Clock, Compared, CrossingCredit, Difference, Lower, Readings
from firstflight.search.rtt import Sample
from firstflight_conformance.prng import SplitMix64

T = TypeVar("T")

_RTTS_NS = (
    *(1, 2, 3, 20, 40, 280, 1000, 2999, 40_000_000, 100_000_000, 100_000_000, 600_000_001, 60_000_000_000),
    *(2**40, 2**52, 2**58),
)
#: Start times, among them one second before a 32-bit clock of microseconds wraps.
_STARTS_NS = (1, 10**9, 10**9, 10**9, 2**32 * 1000 - 10**9, 2**50)
_WINDOWS_BYTES = (None, None, None, 1, 12_000, 10_000_000, 2**40, WINDOW_MAX_BYTES - 5000, WINDOW_MAX_BYTES)
_NS_PER_UNIT = {Clock.NS: 1, Clock.US: 1_000, Clock.MS: 1_000_000}
#: norm_diff equals the threshold iff first * earlier window = second * later window.
_PRODUCTS = {
    (Difference.SEVEN_TWENTIETHS, Compared.DELIVERED): (13, 10),
    (Difference.SEVEN_TWENTIETHS, Compared.SENT): (13, 20),
    (Difference.THIRTEEN_FIFTIETHS, Compared.DELIVERED): (37, 25),
    (Difference.THIRTEEN_FIFTIETHS, Compared.SENT): (37, 50),
}
_LINE_RATE_BYTES_PER_NS = 50  # 400 Gbit/s
COUNTER_MAX_BYTES = 2**63 - 1


class Stream:
    """The events of one connection, which use the model's state to hit the ends of bins and of recovery."""

    def __init__(self, rng: SplitMix64, readings: Readings | None = None) -> None:
        """Draw the parameters of the connection."""
        self.rng = rng
        self.unit_ns = _NS_PER_UNIT[readings.clock] if readings else 1
        self.rtt_ns = self.pick(_RTTS_NS)
        if self.rtt_ns < 5 * self.unit_ns and self.chance(70):
            self.rtt_ns = self.unit_ns * (1 + self.rng.below(200)) + self.rng.below(2)
        self.bytes_mode = self.pick(("flat", "doubling", "doubling", "tiny", "random", "line-rate"))
        self.sending = self.pick((50, 8)) if readings and readings.compared is Compared.SENT else 8
        self.sent_mode = self.pick(("as-acked", "twice", "stop"))
        self.draining = readings is not None and readings.lower is Lower.DRAIN
        self.lossy = self.chance(30)
        self.sparse = self.chance(30)
        self.sampled = self.chance(60)
        self.huge = self.chance(5)
        self.config = Config(self.pick((1, 2, 1200, 1200, 1472, 9000, DATAGRAM_MAX_BYTES)), self.pick(_WINDOWS_BYTES))
        self.t_ns = max(1, self.pick((*_STARTS_NS, TIME_MAX_NS - 40 * self.rtt_ns)))
        self.packet = 0

    def pick(self, choices: tuple[T, ...]) -> T:
        """Return one of the choices."""
        return choices[self.rng.below(len(choices))]

    def chance(self, percent: int) -> bool:
        """Return ``True`` with this probability in percent."""
        return self.rng.chance_ppm(percent * 10_000)

    def event(self, state: Controller) -> Event:
        """Return the next event; one in a hundred is outside the domain."""
        self.t_ns = max(self.t_ns, state.t_ns)
        event = self._valid_event(state)
        return self._spoilt(event, state) if self.chance(1) else event

    def _valid_event(self, state: Controller) -> Event:
        searching = phase(state.base) is Phase.SLOW_START
        if self.chance(self.sending):
            return self._sent(state)
        if self.chance(1):
            return self.pick((Pto(self.t_ns), IdleRestart(self.t_ns)))
        if self.chance(0 if searching and not self.lossy else 4):
            return PersistentCongestion(self.t_ns)
        if self.lossy and self.chance(4):
            runs = self._runs(state, self._sent_t_ns(state)) + self._runs(state, self._sent_t_ns(state))
            return Lost(self.t_ns, runs, _total(runs), 0, self.packet, pmtu_probe=self.packet % 10 == 0)
        if self.lossy and self.chance(3):
            return Ce(self.t_ns, self.packet, self._sent_t_ns(state), 1)
        return self._ack(state)

    def _sent(self, state: Controller) -> Sent:
        runs = self._runs(state, self.t_ns)
        if self.sent_mode == "twice":
            runs += self._runs(state, self.t_ns)
        elif self.sent_mode == "stop" and state.search.curr > 14:
            runs = (replace(runs[0], last=runs[0].first),)
        return Sent(self.t_ns, runs, _total(runs), self._in_flight(state), self.chance(10))

    def _ack(self, state: Controller) -> Ack:
        last_ns = self.t_ns
        self.t_ns = min(self._next_t_ns(state.search), TIME_MAX_NS)
        if self.bytes_mode == "line-rate" and phase(state.base) is Phase.SLOW_START:
            size_bytes = state.base.max_datagram_size_bytes
            packets = _LINE_RATE_BYTES_PER_NS * (self.t_ns - last_ns) // size_bytes + 1
            runs = self._line_rate(packets, size_bytes, self._sent_t_ns(state))
        else:
            runs = self._runs(state, self._sent_t_ns(state))
        if self.chance(20):
            runs += self._runs(state, self._sent_t_ns(state))
        app_limited = self.chance(6)
        rtts_ns = (self._rtt_ns(), self._rtt_ns(), self._rtt_ns())
        if state.search.sample is None and self.chance(30):
            rtts_ns = (None, None, None)
        return Ack(
            *(self.t_ns, runs, _total(runs), self._in_flight(state), self.packet, app_limited),
            *(*rtts_ns, self._ack_delay_ns()),
        )

    def _line_rate(self, packets: int, size_bytes: int, sent_t_ns: int) -> tuple[Run, ...]:
        counts = [RUN_MAX_PACKETS] * min(packets // RUN_MAX_PACKETS, 4) + [packets % RUN_MAX_PACKETS + 1]
        runs = []
        for count in counts:
            runs.append(Run(self.packet, self.packet + count % RUN_MAX_PACKETS, size_bytes, sent_t_ns))
            self.packet = runs[-1].last + 1
        return tuple(runs)

    def _in_flight(self, state: Controller) -> int:
        if not self.draining:
            return 0
        target_bytes = state.search.target_bytes or 0
        small = max(target_bytes - self.rng.below(3000), 0)
        return self.pick((state.base.cwnd_bytes, target_bytes, target_bytes + 1, small, 2**40, 2**63 - 1))

    def _next_t_ns(self, search: Search) -> int:
        bin_ns = search.bin_ticks * self.unit_ns // TICKS_PER_UNIT
        end_ns = -(-search.bin_end_ticks // TICKS_PER_UNIT) * self.unit_ns
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
            return rtt_ns if self.sampled else None
        if draw < 80:
            return rtt_ns
        if draw < 83:
            return rtt_ns // 40
        if draw < 86:
            return min(rtt_ns + self.rng.below(rtt_ns), TIME_MAX_NS)
        if draw < 98:  # a whole or half number of bins, rounded down to ns
            return min(BIN_TICKS_PER_RTT * rtt_ns * self.rng.below(90) // (2 * TICKS_PER_UNIT), TIME_MAX_NS)
        return self.pick((0, 257 * rtt_ns * 7 // 20, TIME_MAX_NS, self.rng.below(TIME_MAX_NS))) % (TIME_MAX_NS + 1)

    def _ack_delay_ns(self) -> int:
        """Return an ACK delay: mostly 0, otherwise half the RTT, the RTT, a random part of it, or 2^64 - 1."""
        if self.chance(60):
            return 0
        return self.pick((self.rtt_ns // 2, self.rtt_ns, self.rng.below(self.rtt_ns + 2), 2**64 - 1))

    def _runs(self, state: Controller, sent_t_ns: int) -> tuple[Run, ...]:
        size_bytes = state.base.max_datagram_size_bytes
        # In congestion avoidance the model processes packet by packet.
        most = RUN_MAX_PACKETS if phase(state.base) is Phase.SLOW_START else 100
        match self.bytes_mode:
            case "flat":
                count = 2
            case "doubling" | "line-rate":
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
            return replace(event, **{name: TIME_MAX_NS + 1 + self.rng.below(2**59)})  # type: ignore[arg-type]
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


def late_start(stream: Stream, readings: Readings) -> Controller:
    """Return a state before the first ACK with large counters: few bins have only the low bits of the counters."""
    counters = [
        stream.pick((0, 70_000, 10**8, 10**10, 2**40, COUNTER_MAX_BYTES - 2**48, COUNTER_MAX_BYTES)) for _ in "ds"
    ]
    if readings.compared is Compared.DELIVERED:
        counters[1] = 0
    search = Search(delivered=Series(counters[0]), sent=Series(counters[1]))
    return Controller(_any_base(stream), readings, search, stream.t_ns)


def full_bins(stream: Stream, readings: Readings) -> Controller:
    """Return a state with bins full, empty or at the threshold, because short streams cannot fill 2^56 bytes."""
    rng, rtt_ns = stream.rng, stream.rtt_ns
    curr = rng.below(stream.pick((25, 40, 70, 1000, 1000, 2**55)))
    bin_ticks = BIN_TICKS_PER_RTT * max(rtt_ns // stream.unit_ns, 1)
    # Bin 0 began at a whole number of units.
    end_ticks = TICKS_PER_UNIT * (stream.t_ns // stream.unit_ns) + rng.below(bin_ticks) + 1
    end_ticks += ((curr + 1) * bin_ticks - end_ticks) % TICKS_PER_UNIT
    # Windows without common bins are eleven bins apart; fifteen bins apart they overlap in a ring of 25.
    stream.rtt_ns = max(
        1, min(bin_ticks * stream.unit_ns * stream.pick((3, 11, 11, 12, 13, 15)) // TICKS_PER_UNIT, TIME_MAX_NS // 2)
    )
    kind = stream.pick((0, 0, 0, 0, 1, 2, 3, 3, 4))
    first, second = _PRODUCTS[readings.difference, readings.compared]
    unit_bytes = stream.pick((BIN_MAX_BYTES // 50, 10**12, 10**6, 1 + rng.below(1000)))
    spoil = stream.pick((0, 0, 1))
    delivered = _full_series(stream, kind, curr, (first * unit_bytes, second * unit_bytes), spoil)
    sent = Series()
    if readings.compared is Compared.SENT:
        sent = _full_series(stream, kind, curr, (first * unit_bytes, second * unit_bytes), 0)
    # Leave room in the open bin for the next ACK.
    short_bytes = 2 * stream.config.max_datagram_size_bytes
    if readings.crossing_credit is CrossingCredit.NEW_BIN:
        short_bytes = max(short_bytes - (BIN_MAX_BYTES - delivered.open_bytes), 0)
    if short_bytes > 0:
        stream.bytes_mode = "flat"
        short_bytes = min(short_bytes, delivered.open_bytes)
        delivered.counter_bytes -= short_bytes
        delivered.open_bytes -= short_bytes
    initial_ns = bin_ticks // BIN_TICKS_PER_RTT * stream.unit_ns
    search = Search(bin_ticks, end_ticks, curr, Sample(initial_ns, initial_ns, initial_ns, 0), delivered, sent)
    if readings.lower is Lower.DRAIN and stream.chance(25):
        search = replace(search, target_bytes=20_000)  # SEARCH drains the bytes in flight
    return Controller(_any_base(stream), readings, search, stream.t_ns)


def _full_series(stream: Stream, kind: int, curr: int, levels: tuple[int, int], spoil: int) -> Series:
    """Return a series with the first level in its later bins and the second in its earlier bins, or random numbers."""
    rng = stream.rng
    bins = []
    for age in range(KEPT_BINS, -1, -1):
        late = age <= 10
        level_bytes = levels[0] if late else levels[1]
        random_bytes = stream.pick((0, BIN_MAX_BYTES, BIN_MAX_BYTES - rng.below(2**33), rng.below(BIN_MAX_BYTES)))
        ebb_bytes, flood_bytes = (0, level_bytes) if late else (level_bytes, 0)
        bins.append((level_bytes, BIN_MAX_BYTES, random_bytes, ebb_bytes, flood_bytes)[kind])
    bins[-3] = max(bins[-3] - spoil, 0)
    completed, open_bytes = tuple(bins[-1 - min(curr, KEPT_BINS) : -1]), bins[-1]
    # Some counters near their bound reach it at the next ACK or two.
    most_bytes = COUNTER_MAX_BYTES - sum(bins) - rng.below(stream.pick((2**12, 2**20)))
    before_bytes = stream.pick((0, 0, 0, 0, 10**10, 10**10, 10**12, most_bytes))
    return Series(before_bytes + sum(completed) + open_bytes, open_bytes, completed)


def _any_base(stream: Stream) -> BaseState:
    cwnd_bytes = stream.pick((3000, 3000, 2**58, 2**61, WINDOW_MAX_BYTES))
    return BaseState(stream.config.max_datagram_size_bytes, cwnd_bytes)


def any_readings(rng: SplitMix64, profiles: dict[str, Readings]) -> Readings:
    """Return a random combination of readings, near a profile in half of the cases."""
    base = list(profiles.values())[rng.below(len(profiles))]
    near = rng.chance_ppm(500_000)
    changes: dict[str, Enum | int] = {}
    integers = {
        "missed_bins_maximum": (0, 0, 1, 2, 5, 10, 255),
        "shift_minimum_bins": (0, 0, 1, 2, 5, 38),
        "shift_maximum_bins": (0, 3, 11, 12, 13, 14, 15, 20, 37, 38),
    }
    for name in Readings.__dataclass_fields__:
        value = getattr(base, name)
        if near and not rng.chance_ppm(200_000):
            continue
        choices: Sequence[Enum | int] = (
            integers[name] if isinstance(value, int) else list(cast(type[Enum], type(value)))
        )
        changes[name] = choices[rng.below(len(choices))]
    return replace(base, **changes)  # type: ignore[arg-type]


def _total(runs: tuple[Run, ...]) -> int:
    return sum(run.count * run.size_bytes for run in runs)


#: Streams for the plain programs, in the format of plain_streams.py.
STREAMS = {
    "slow-start": (lambda rng, profile: Stream(rng), 400, 2),
    "search": (lambda rng, profile: Stream(rng, PROFILES[profile.partition("+")[0]]), 400, 20),
}
