"""The path of a scenario for datagrams that are really sent: when each is to be delivered (``spec/simulator.md``)."""

from collections import deque
from dataclasses import dataclass, field

from firstflight_conformance.simulate.path import Bottleneck
from firstflight_conformance.simulate.scenario import Scenario


@dataclass(slots=True)
class Way:
    """What is on its way in one direction, in order, with the time at which it is due."""

    due: deque[tuple[int, bytes]] = field(default_factory=deque)
    delivered: int = 0
    #: How late each datagram was that was delivered, in ns.
    lateness_ns: list[int] = field(default_factory=list)

    def add(self, due_ns: int, datagram: bytes) -> None:
        """Take a datagram that is due then."""
        self.due.append((due_ns, datagram))

    def next_ns(self) -> int | None:
        """Return when the next datagram is due, ``None`` if there is none."""
        return self.due[0][0] if self.due else None

    def pop(self, now_ns: int) -> bytes | None:
        """Return the next datagram that is due by now, ``None`` if there is none."""
        if not self.due or self.due[0][0] > now_ns:
            return None
        due_ns, datagram = self.due.popleft()
        self.delivered += 1
        self.lateness_ns.append(now_ns - due_ns)
        return datagram


class Path:
    """The bottleneck there, the delay back. The path begins with the first datagram."""

    def __init__(self, scenario: Scenario) -> None:
        """Take link and seed of the scenario; what it says of sender and receiver they do themselves."""
        self._return_delay_ns = scenario.link.return_delay_ns
        self.bottleneck = Bottleneck(scenario.link, scenario.seed)
        self.there, self.back = Way(), Way()

    def send(self, t_ns: int, datagram: bytes) -> None:
        """Take a datagram of the sender that came at ``t_ns``."""
        due_ns = self.bottleneck.carry(t_ns, len(datagram))
        if due_ns is not None:
            self.there.add(due_ns, datagram)

    def answer(self, t_ns: int, datagram: bytes) -> None:
        """Take a datagram of the receiver."""
        self.back.add(t_ns + self._return_delay_ns, datagram)

    def next_ns(self) -> int | None:
        """Return when the next datagram is due in either direction, ``None`` if there is none."""
        return min((t_ns for way in (self.there, self.back) if (t_ns := way.next_ns()) is not None), default=None)
