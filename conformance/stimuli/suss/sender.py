"""Shared by the stimuli of SUSS: profiles, sources, and the sender in the loop with the model.

Defaults: packets of 1200 bytes, an initial window of ten packets sent over 9 ms, an RTT of 100 ms. At every
ACK the sender fills the window; paced packets leave when they are released.
"""

from dataclasses import dataclass

from firstflight.suss.state import Suss, next_release_ns
from firstflight_conformance.format.builder import StreamBuilder
from stimuli.clocked import Clocked

NEW, OLD = "linux-6-8", "linux-5-19"
BOTH = (NEW, OLD)
CUBIC, INPUT, OUTPUT = (
    f"SUSSdeveloper/SUSSprg @ dc2a493, {file}" for file in ("tcp_cubic.c", "tcp_input.c", "tcp_output.c")
)


@dataclass(slots=True)
class Paced(Clocked):
    """A sender whose paced packets leave when they are released."""

    def _suss(self) -> Suss:
        """Return the state of the model after all events."""
        self._free()
        state = self.controller.startup
        assert isinstance(state, Suss)
        return state

    def place(self) -> tuple[int, int]:
        """Return the packets whose ACKs begin the next round and end its blue train."""
        return self._suss().head_packet, self._suss().tail_packet

    def _release_ns(self) -> int | None:
        """Return the release time of the next packet in ns, or None if it is not paced."""
        release_ns = next_release_ns(self._suss())
        return None if release_ns is None else release_ns - self.builder.origin_ns

    def _free(self) -> int:
        free_bytes = max(self.cwnd_bytes - self.builder.ledger.bytes_in_flight, 0)
        return free_bytes // self.builder.max_datagram_size_bytes

    def fill(self, t_ns: int) -> None:
        """Fill the window; send paced packets only if they are released."""
        while free := self._free():
            release_ns = self._release_ns()
            if release_ns is not None and release_ns > t_ns:
                return
            self.send(t_ns, free if release_ns is None else 1)

    def until(self, t_ns: int) -> None:
        """Send the packets released up to a time."""
        while self._free():
            release_ns = self._release_ns()
            if release_ns is None or release_ns > t_ns:
                return
            self.send(max(release_ns, self.now_ns), 1)

    def ack_paced(self, packet: int, packets: int = 1) -> None:
        """Acknowledge every packet up to and including a number, and send packets released meanwhile."""
        while self.acked <= packet:
            count = min(packets, packet + 1 - self.acked)
            while self.acked + count > len(self.due_ns):
                release_ns = self._release_ns()
                if release_ns is None or not self._free():
                    raise ValueError(f"packet {self.acked + count - 1} is never sent")
                self.until(release_ns)
            self.until(self.due_ns[self.acked + count - 1])
            self.ack(count)


def sender(b: StreamBuilder, profile: str = NEW) -> Paced:
    """Return a sender in the loop with SUSS."""
    return Paced(b, "suss", profile)
