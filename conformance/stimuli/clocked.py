"""Streams clocked by ACKs, in closed loop: at every ACK the sender fills the model's window."""

from collections.abc import Callable
from dataclasses import dataclass, field

from firstflight import Config, Controller, create, step
from firstflight_conformance.format.builder import MS, StreamBuilder

RTT = 100 * MS


def constant(rtt_ns: int) -> Callable[[int], int]:
    """Return an RTT that is the same for every packet."""
    return lambda _packet: rtt_ns


def steps(first_ns: int, *later: tuple[int, int]) -> Callable[[int], int]:
    """Return an RTT that changes: from packet ``p`` on it is ``r`` for each (p, r) of ``later``."""
    return lambda packet: [first_ns, *(rtt_ns for start, rtt_ns in later if packet >= start)][-1]


@dataclass(slots=True)
class Clocked:
    """A sender in the loop with the model: packets leave at ACKs and are acknowledged ``rtt(packet)`` later."""

    builder: StreamBuilder
    algorithm: str
    profile: str
    rtt: Callable[[int], int] = field(default_factory=lambda: constant(RTT))
    controller: Controller = field(init=False)
    seen: int = 0
    #: Times of the ACKs of packets, in sending order; lost packets are never acknowledged.
    due_ns: list[int] = field(default_factory=list)
    acked: int = 0
    now_ns: int = 0

    def __post_init__(self) -> None:
        """Begin with the configuration of the stream."""
        config = Config(self.builder.max_datagram_size_bytes, self.builder.initial_window_bytes)
        self.controller = create(self.algorithm, self.profile, config)

    @property
    def cwnd_bytes(self) -> int:
        """The window that the model allows now."""
        for event in self.builder.events[self.seen :]:
            self.controller, _ = step(self.controller, event)
        self.seen = len(self.builder.events)
        return self.controller.base.cwnd_bytes

    def send(self, t_ns: int, packets: int, size_bytes: int | None = None, *, app_limited: bool = False) -> None:
        """Send packets at a time."""
        self.builder.send(t_ns, packets, size_bytes, app_limited=app_limited)
        for _ in range(packets):
            self.due_ns.append(t_ns + self.rtt(len(self.due_ns)))
        self.now_ns = t_ns

    def begin(self, gap_ns: int = MS, packets: int | None = None) -> None:
        """Send the initial window, or a number of packets, one every ``gap_ns``."""
        fitting = self.cwnd_bytes // self.builder.max_datagram_size_bytes
        for index in range(fitting if packets is None else packets):
            self.send(index * gap_ns, 1)

    def run(
        self,
        *later: tuple[int, int],
        until: int,
        packets: int = 1,
        first_ns: int = RTT,
        gap_ns: int = MS,
    ) -> "Clocked":
        """Send the initial window, and acknowledge packets up to and including ``until``, ``packets`` in a frame.

        The RTT is ``first_ns``, and from packet ``p`` on ``r`` for each (p, r) of ``later``.
        """
        self.rtt = steps(first_ns, *later)
        self.begin(gap_ns)
        self.ack_until(until, packets)
        return self

    def fill(self, t_ns: int) -> None:
        """Send as many whole packets as fit."""
        size_bytes = self.builder.max_datagram_size_bytes
        free = (max(self.cwnd_bytes - self.builder.ledger.bytes_in_flight, 0)) // size_bytes
        if free:
            self.send(t_ns, free)

    def ack(
        self,
        packets: int = 1,
        *,
        fill: bool = True,
        sample: bool = True,
        app_limited: bool = False,
        ack_delay_ns: int = 0,
        t_ns: int | None = None,
    ) -> None:
        """Acknowledge the next packets in one frame, when the last of them is due, and fill the window."""
        last = self.acked + packets - 1
        self.now_ns = max(self.due_ns[last] + ack_delay_ns if t_ns is None else t_ns, self.now_ns)
        self.builder.ack(
            self.now_ns, (self.acked, last), sample=sample, app_limited=app_limited, ack_delay_ns=ack_delay_ns
        )
        self.acked += packets
        if fill:
            self.fill(self.now_ns)

    def ack_until(self, packet: int, packets: int = 1, *, fill: bool = True) -> None:
        """Acknowledge every packet up to and including a number, ``packets`` in a frame."""
        while self.acked <= packet:
            self.ack(min(packets, packet + 1 - self.acked), fill=fill)

    def ack_app_limited(self, packets: int) -> None:
        """Send packets that do not use the window, and acknowledge each."""
        self.send(self.now_ns, packets, app_limited=True)
        for _ in range(packets):
            self.ack(app_limited=True, fill=False)

    def lose_next(self) -> None:
        """Lose the next packet once the three after it are acknowledged, without sending meanwhile."""
        lost = self.acked
        self.acked += 1
        for _ in range(3):
            self.ack(fill=False)
        self.builder.lose(self.now_ns, (lost, lost))

    def collapse(self) -> None:
        """Lose all packets in flight a second later, in persistent congestion."""
        self.now_ns += 1000 * MS
        self.builder.lose(self.now_ns, (self.acked, len(self.due_ns) - 1))
        self.builder.persistent_congestion(self.now_ns)
        self.acked = len(self.due_ns)
