"""Random valid streams of events, and how to drive the model with them."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from hypothesis import strategies as st

from firstflight import (
    Ack,
    Ce,
    Config,
    Controller,
    Event,
    Lost,
    Observation,
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
    """One event and the states around it."""

    before: Controller
    event: Event
    after: Controller
    seen: Observation


def drive(controller: Controller, events: Iterable[Event]) -> list[Step]:
    """Process the events; return every step."""
    steps = []
    for event in events:
        after, seen = step(controller, event)
        steps.append(Step(controller, event, after, seen))
        controller = after
    return steps


def controllers(config: Config) -> list[Controller]:
    """Return a fresh controller of every profile."""
    return [create(algorithm, profile, config) for algorithm, profile in PROFILES]


def run_ack(
    t_ns: int, packets: int, size_bytes: int, rtt_ns: int | None, sent_t_ns: int | None = None, first: int = 0
) -> Ack:
    """Return an ACK of one run, sent an RTT before it unless ``sent_t_ns`` says otherwise."""
    if sent_t_ns is None:
        sent_t_ns = max(t_ns - (rtt_ns or 0), 1)
    total = packets * size_bytes
    runs = (Run(first, first + packets - 1, size_bytes, sent_t_ns),)
    return Ack(t_ns, runs, total, 0, first + packets, False, rtt_ns, rtt_ns, rtt_ns, 0)


@dataclass
class _Sender:
    """A ledger that turns drawn numbers into events that follow from each other."""

    config: Config
    t_ns: int = S
    in_flight: list[Run] = field(default_factory=list)
    next_packet: int = 0
    events: list[Event] = field(default_factory=list)

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
        """Take up to so many packets out of flight, behind the ``skip`` oldest runs."""
        skip %= len(self.in_flight)
        taken, kept = [], self.in_flight[:skip]
        for run in self.in_flight[skip:]:
            count = min(run.count, packets)
            packets -= count
            if count:
                taken.append(replace(run, last=run.first + count - 1))
            if count < run.count:
                kept.append(replace(run, first=run.first + count))
        self.in_flight = kept
        return taken

    def play(self, draw: tuple[str, int, list[tuple[int, int]], int, int, bool, bool]) -> None:
        kind, wait_ns, sizes, skip, packets, app_limited, sample = draw
        self.t_ns += wait_ns
        if kind in ("ack", "lost", "ce") and not self.in_flight:
            kind = "sent"
        if kind == "sent":
            self.send(sizes, app_limited)
        elif kind == "ack":
            runs = self.take(skip, packets)
            rtt_ns = self.t_ns - runs[-1].sent_t_ns if sample else None
            self.events.append(
                Ack(
                    self.t_ns, tuple(runs), _bytes(runs), self.flight_bytes, self.next_packet, app_limited,
                    rtt_ns, rtt_ns, rtt_ns, 0,
                )
            )  # fmt: skip
        elif kind == "lost":
            runs = self.take(skip, packets)
            self.events.append(Lost(self.t_ns, tuple(runs), _bytes(runs), self.flight_bytes, self.next_packet))
        elif kind == "ce":
            run = self.in_flight[skip % len(self.in_flight)]
            self.events.append(Ce(self.t_ns, run.first, run.sent_t_ns, 1))
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
_draws = st.tuples(
    st.sampled_from(_KINDS),
    st.sampled_from([0, 0, 1, MS, 10 * MS, 35 * MS, 36 * MS, 100 * MS, 3 * S]),
    st.lists(st.tuples(st.integers(1, 40), st.sampled_from([1, 7, 600, 1200, 65535])), min_size=1, max_size=3),
    st.integers(0, 3),
    st.integers(1, 60),
    st.sampled_from([False] * 7 + [True]),
    st.sampled_from([True] * 7 + [False]),
)


@st.composite
def streams(draw: st.DrawFn) -> tuple[Config, tuple[Event, ...]]:
    """A configuration and a stream with every kind of event, in which packets are sent before they are anything else."""
    config = draw(configs)
    sender = _Sender(config)
    for numbers in draw(st.lists(_draws, min_size=20, max_size=60)):
        sender.play(numbers)
    return config, tuple(sender.events)


@dataclass(frozen=True)
class Delivery:
    """What an ACK of a stream for SEARCH delivers, and when: ``wait_ns`` after the one before."""

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
    """ACKs over some thirty bins in slow start, that grow, stay or fall, with gaps and with RTTs around whole bins."""
    rtt_ns = draw(st.sampled_from([20, 40, 1000, 100 * MS, 333_333_333]))
    waits = st.one_of(
        st.integers(5, 9).map(lambda n: n * rtt_ns // 20),
        st.sampled_from([0, 7 * rtt_ns // 40, 7 * rtt_ns // 20, 7 * rtt_ns // 20 + 1, 2 * rtt_ns]),
    )
    rtts = st.one_of(
        st.just(rtt_ns), st.just(rtt_ns), st.none(), st.integers(0, 120).map(lambda halves: 7 * rtt_ns * halves // 40)
    )
    growth = draw(st.sampled_from([0, 0, 50, 200]))
    many = draw(st.lists(st.tuples(waits, st.integers(1, 40), rtts), min_size=20, max_size=60))
    first = Delivery(0, 1, draw(st.integers(1, 100)), rtt_ns)
    return [first] + [
        Delivery(wait_ns, packets + growth * index // 10, first.size_bytes, sample_ns)
        for index, (wait_ns, packets, sample_ns) in enumerate(many)
    ]
