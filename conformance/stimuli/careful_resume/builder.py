"""Builds streams for Careful Resume: the fixture of its vectors, with 1200 bytes each millisecond after the jump."""

from dataclasses import dataclass
from typing import Any

from firstflight.events import PathChange, SavedPath
from firstflight.limits import WINDOW_MAX_BYTES
from firstflight_conformance.format.builder import MS, StreamBuilder

RTT = 100 * MS
#: The saved set of the fixture: a jump of 120000 bytes, a hundred packets.
SAVED_CWND = 240_000
#: Times of the ACK of the initial data, and of the end of sleep in `empty_entry`.
CONFIRMED = RTT
ENTRY = 150 * MS


@dataclass(slots=True)
class ResumeBuilder(StreamBuilder):
    """Events in order, including events that only Careful Resume needs. Times are given in ns after the origin."""

    def saved_path(
        self,
        t_ns: int,
        cwnd_bytes: int = SAVED_CWND,
        rtt_ns: int = RTT,
        *,
        endpoint_matches: bool = True,
        in_use: bool = False,
        expires_ns: int | None = None,
        max_jump_bytes: int | None = None,
        beta: tuple[int, int] = (1, 2),
    ) -> None:
        """Offer a saved set."""
        expires_t_ns = None if expires_ns is None else expires_ns + self.origin_ns
        self.events.append(
            SavedPath(
                t_ns + self.origin_ns, cwnd_bytes, rtt_ns, endpoint_matches, in_use, expires_t_ns, max_jump_bytes, *beta
            )
        )

    def wake(self, t_ns: int, queued_bytes: int = 10**9, receive_window_bytes: int = WINDOW_MAX_BYTES) -> None:
        """Announce waiting data."""
        self.backlog(t_ns, queued_bytes, receive_window_bytes, self.rtt.latest_ns)

    def path_change(self, t_ns: int) -> None:
        """Signal a change of the path; the RTT estimator continues."""
        self.events.append(PathChange(t_ns + self.origin_ns))

    def begin(self, packets: int = 10, **offer: Any) -> None:
        """Offer the saved set and send the initial data."""
        self.saved_path(0, **offer)
        self.send(0, packets, app_limited=True)

    def confirm(self, packets: int = 10, rtt_ns: int = RTT) -> None:
        """Begin, and acknowledge all initial data; then the flight is empty and the window is 24000."""
        self.begin(packets)
        self.ack(rtt_ns, (0, packets - 1))

    def enter_empty(self, **offer: Any) -> None:
        """Enter the Unvalidated phase at ENTRY with an empty flight: the application slept. The next packet is 10."""
        self.begin(**offer)
        self.ack(CONFIRMED, (0, 9))
        self.wake(ENTRY)

    def enter_with_flight(self, packets: int = 20, **offer: Any) -> None:
        """Enter at ENTRY with packets in flight, sent when the path was confirmed."""
        self.begin(**offer)
        self.ack(CONFIRMED, (0, 9))
        self.send(CONFIRMED, packets, app_limited=True)
        self.wake(ENTRY)

    def jump(self, packets: int, entry_ns: int = ENTRY, itt_ns: int = MS) -> None:
        """Send packets of the jump: one at once, then groups of ten, each when its last packet is released."""
        self.send(entry_ns, 1)
        for done in range(1, packets, 10):
            now = min(10, packets - done)
            self.send(entry_ns + (done + now - 1) * itt_ns, now)

    def rounds(self, *packets: int) -> None:
        """Send and acknowledge packets in each round trip after the confirmation, before sending more."""
        for number, count in enumerate(packets, 1):
            first = self.ledger.next_packet
            self.send(number * RTT, count, app_limited=True)
            self.ack((number + 1) * RTT, (first, first + count - 1))
