"""Random valid streams of events, and functions that run the model on them."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from random import Random

from hypothesis import strategies as st

from firstflight import (
    Ack,
    Ce,
    Config,
    Controller,
    Event,
    Lost,
    Observation,
    Outcome,
    PathChange,
    PersistentCongestion,
    Pto,
    Run,
    Sent,
    create,
    step,
)
from firstflight.limits import WINDOW_MAX_BYTES

PROFILES = (("slow-start", "rfc-9002"), ("search", "lanman-2024"), ("search", "lanman-2024-literal"))
SEARCH_PROFILES = tuple(profile for algorithm, profile in PROFILES if algorithm == "search")
S = 1_000_000_000
MS = 1_000_000


@dataclass(frozen=True)
class Step:
    """One event, with the states before and after it."""

    before: Controller
    event: Event
    after: Controller
    observation: Observation


def drive(controller: Controller, events: Iterable[Event], until: Outcome | None = None) -> list[Step]:
    """Process the events, up to the first event with a certain outcome; return every step."""
    steps = []
    for event in events:
        after, observation = step(controller, event)
        steps.append(Step(controller, event, after, observation))
        if observation.outcome is until:
            break
        controller = after
    return steps


def controllers(config: Config) -> list[Controller]:
    """Return a fresh controller of every profile."""
    return [create(algorithm, profile, config) for algorithm, profile in PROFILES]


def run_ack(
    t_ns: int, packets: int, size_bytes: int, rtt_ns: int | None, sent_t_ns: int | None = None, first: int = 0
) -> Ack:
    """Return an ACK of one run, sent an RTT before it unless ``sent_t_ns`` is given."""
    if sent_t_ns is None:
        sent_t_ns = max(t_ns - (rtt_ns or 0), 1)
    total = packets * size_bytes
    runs = (Run(first, first + packets - 1, size_bytes, sent_t_ns),)
    return Ack(t_ns, runs, total, 0, first + packets, False, *_rtts_ns(rtt_ns))


def _rtts_ns(latest_ns: int | None) -> tuple[int | None, int | None, int | None, int]:
    """Return the sample, and a minimum, smoothed RTT and ACK delay with other values, so that a mix-up shows."""
    return (None, None, None, 0) if latest_ns is None else (latest_ns, latest_ns // 2, 3 * latest_ns, latest_ns // 3)


@dataclass
class _Sender:
    """A ledger that turns drawn numbers into a valid stream of events."""

    config: Config
    t_ns: int = S
    in_flight: list[Run] = field(default_factory=list)
    next_packet: int = 0
    events: list[Event] = field(default_factory=list)
    #: Number of ACKs before the first ACK that may have an RTT sample.
    late_acks: int = 0

    @property
    def flight_bytes(self) -> int:
        return sum(run.count * run.size_bytes for run in self.in_flight)

    def send(self, sizes: list[tuple[int, int]], app_limited: bool) -> None:
        runs = []
        for packets, size_bytes in sizes:
            runs.append(Run(self.next_packet, self.next_packet + packets - 1, size_bytes, self.t_ns))
            self.next_packet += packets
        self.in_flight += runs
        self.events.append(Sent(self.t_ns, tuple(runs), _bytes(runs), self.flight_bytes, app_limited))

    def take(self, skip: int, packets: int) -> list[Run]:
        """Remove up to ``packets`` packets from flight, after the ``skip`` oldest runs."""
        skip %= len(self.in_flight)
        removed, remaining = [], self.in_flight[:skip]
        for run in self.in_flight[skip:]:
            count = min(run.count, packets)
            packets -= count
            if count:
                removed.append(replace(run, last=run.first + count - 1))
            if count < run.count:
                remaining.append(replace(run, first=run.first + count))
        self.in_flight = remaining
        return removed

    def play(self, draw: tuple[str, int, list[tuple[int, int]], int, int, bool, bool]) -> None:
        kind, wait_ns, sizes, skip, packets, app_limited, sample = draw
        self.t_ns += wait_ns
        if kind in ("ack", "lost", "ce") and not self.in_flight:
            kind = "sent"
        if kind == "sent":
            self.send(sizes, app_limited)
        elif kind == "ack":
            runs = self.take(skip, packets)
            rtt_ns = self.t_ns - runs[-1].sent_t_ns if sample and self.late_acks == 0 else None
            self.late_acks = max(0, self.late_acks - 1)
            self.events.append(
                Ack(
                    self.t_ns, tuple(runs), _bytes(runs), self.flight_bytes, self.next_packet, app_limited,
                    *_rtts_ns(rtt_ns),
                )
            )  # fmt: skip
        elif kind == "lost":
            runs = self.take(skip, packets)
            self.events.append(Lost(self.t_ns, tuple(runs), _bytes(runs), self.flight_bytes, self.next_packet))
        elif kind == "ce":
            run = self.in_flight[skip % len(self.in_flight)]
            self.events.append(Ce(self.t_ns, run.first, run.sent_t_ns, 1))
        elif kind == "path_change":
            self.events.append(PathChange(self.t_ns))
            self.t_ns += 1  # the next packet is sent after the change
        elif kind == "persistent_congestion":
            self.events.append(PersistentCongestion(self.t_ns))
        else:
            self.events.append(Pto(self.t_ns))


def _bytes(runs: list[Run]) -> int:
    return sum(run.count * run.size_bytes for run in runs)


configs = st.builds(
    Config,
    st.sampled_from([1, 2, 1200, 1472, 9000, 65535]),
    st.sampled_from([None, None, 1, 3000, 12000, 10**7, WINDOW_MAX_BYTES - 5000, WINDOW_MAX_BYTES]),
)

_KINDS = ["sent"] * 6 + ["ack"] * 14 + ["lost", "lost", "ce", "persistent_congestion", "pto"]


def _drawn(seed: int, kinds: list[str]) -> tuple[str, int, list[tuple[int, int]], int, int, bool, bool]:
    """Return arguments of :meth:`_Sender.play` from one seed: a dozen Hypothesis draws are slower than the model."""
    rng = Random(seed)
    return (
        rng.choice(kinds),
        rng.choice([0, 0, 1, MS, 10 * MS, 35 * MS, 36 * MS, 100 * MS, 3 * S]),
        [(rng.randint(1, 40), rng.choice([1, 7, 600, 1200, 65535])) for _ in range(rng.randint(1, 3))],
        rng.randint(0, 3),
        rng.randint(1, 60),
        rng.choice([False] * 7 + [True]),
        rng.choice([True] * 7 + [False]),
    )


@st.composite
def streams(draw: st.DrawFn, *, migrates: bool = False) -> tuple[Config, tuple[Event, ...]]:
    """Draw a configuration and a valid stream with every kind of event; path changes only if ``migrates``."""
    kinds = [*_KINDS, "path_change"] if migrates else _KINDS
    config = draw(configs)
    sender = _Sender(config)
    sender.late_acks = draw(st.sampled_from([0, 0, 0, 4]))
    for seed in draw(st.lists(st.integers(0, 2**20), min_size=20, max_size=60)):
        sender.play(_drawn(seed, kinds))
    return config, tuple(sender.events)


@dataclass(frozen=True)
class Delivery:
    """Bytes delivered by an ACK in a stream for SEARCH, ``wait_ns`` after the previous ACK."""

    wait_ns: int
    packets: int
    size_bytes: int
    rtt_ns: int | None


def acks(deliveries: Iterable[Delivery], start_ns: int = 100 * S) -> list[Ack]:
    """Return the ACKs of the deliveries."""
    t_ns, first, events = start_ns, 0, []
    for delivery in deliveries:
        t_ns += delivery.wait_ns
        events.append(run_ack(t_ns, delivery.packets, delivery.size_bytes, delivery.rtt_ns, first=first))
        first += delivery.packets
    return events


@st.composite
def deliveries(draw: st.DrawFn) -> list[Delivery]:
    """Draw ACKs over some fifty bins: growth, then a plateau or a decline, with gaps and RTTs around whole bins."""
    rng = Random(draw(st.integers(0, 2**32)))
    rtt_ns = rng.choice([20, 40, 1000, 100 * MS, 333_333_333])
    percent, then_percent = rng.choice([100, 110, 125, 150]), rng.choice([100, 100, 90, 125])
    turns_at, size_bytes, odd = rng.randrange(10, 40), rng.randrange(1, 100), rng.choice([0, 5, 40])
    packets, drawn = 100, []
    for index in range(draw(st.integers(20, 60))):
        waits_ns = [rtt_ns // 20 * rng.randrange(1, 10)] * 8 + [7 * rtt_ns // 20 * rng.choice([0, 1, 1, 2, 7, 30, 300])]
        wait_ns = rng.choice(waits_ns) + rng.choice([0, 0, 0, 1])
        sample_ns = rng.choice([None, 7 * rtt_ns * rng.randrange(40) // 40]) if rng.randrange(100) < odd else rtt_ns
        if rng.randrange(4):
            packets = max(1, packets * (percent if index < turns_at else then_percent) // 100)
        drawn.append(Delivery(wait_ns if index else 0, min(packets, 65535), size_bytes, sample_ns if index else rtt_ns))
    return drawn
