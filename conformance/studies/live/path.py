"""The path of a scenario for real datagrams: computes their delivery times (``spec/simulator.md``)."""

from collections import deque
from dataclasses import dataclass, field

from firstflight_conformance.simulate.path import Bottleneck
from firstflight_conformance.simulate.scenario import Scenario


@dataclass(slots=True)
class Way:
    """Datagrams on their way in one direction, in order, with their due times."""

    due: deque[tuple[int, bytes]] = field(default_factory=deque)
    delivered: int = 0
    #: Lateness of each delivered datagram, in ns.
    lateness_ns: list[int] = field(default_factory=list)

    def add(self, due_ns: int, datagram: bytes) -> None:
        """Add a datagram with its due time."""
        self.due.append((due_ns, datagram))

    def next_ns(self) -> int | None:
        """Return the due time of the next datagram, or ``None``."""
        return self.due[0][0] if self.due else None

    def pop(self, now_ns: int) -> bytes | None:
        """Remove and return the next datagram that is due, or ``None``."""
        if not self.due or self.due[0][0] > now_ns:
            return None
        due_ns, datagram = self.due.popleft()
        self.delivered += 1
        self.lateness_ns.append(now_ns - due_ns)
        return datagram


class Path:
    """The bottleneck to the receiver, the delay back. The path begins with the first datagram."""

    def __init__(self, scenario: Scenario) -> None:
        """Use link and seed of the scenario. Its sender and receiver are ignored: real programs replace them."""
        self._return_delay_ns = scenario.link.return_delay_ns
        self.bottleneck = Bottleneck(scenario.link, scenario.seed)
        self.there, self.back = Way(), Way()

    def send(self, t_ns: int, datagram: bytes) -> None:
        """Process a datagram of the sender that arrived at ``t_ns``."""
        due_ns = self.bottleneck.carry(t_ns, len(datagram))
        if due_ns is not None:
            self.there.add(due_ns, datagram)

    def answer(self, t_ns: int, datagram: bytes) -> None:
        """Process a datagram of the receiver that arrived at ``t_ns``."""
        self.back.add(t_ns + self._return_delay_ns, datagram)

    def next_ns(self) -> int | None:
        """Return the due time of the next datagram in either direction, or ``None``."""
        return min((t_ns for way in (self.there, self.back) if (t_ns := way.next_ns()) is not None), default=None)
