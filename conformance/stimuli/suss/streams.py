"""Random events for SUSS: trains and RTTs near the conditions, windows that fill, losses while red packets leave."""

from dataclasses import replace

from firstflight.controller import Config, Controller
from firstflight.events import Ack, Ce, Event, Lost, Run, Sent
from firstflight.limits import PACKET_MAX, TIME_MAX_NS, WINDOW_MAX_BYTES
from firstflight.suss.state import Mode, Suss
from firstflight_conformance.prng import SplitMix64
from stimuli.streams import AckStream, Compared


class Stream(AckStream):
    """A sender that mostly fills the window, with ACKs in order at a random pace, and RTTs near the conditions."""

    def __init__(self, rng: SplitMix64) -> None:
        """Draw the parameters of the connection."""
        super().__init__(rng)
        self.size = self.pick((1, 100, 1000, 1200, 1200, 65535))
        window = self.pick((None, None, None, 1, 10 * self.size, 20 * self.size, 64 * self.size, WINDOW_MAX_BYTES))
        self.config = Config(self.size, window)
        self.rtt_ns = self.pick(
            (0, 10**6, 10_000_000, 10_001_000, 3 * 10**7, 10**8, 10**8, 6 * 10**8, 2**41, TIME_MAX_NS)
        )
        self.gap_ns = self.pick((0, 0, 1, 10**5, 5 * 10**5, 10**6, self.rtt_ns // 45, 2_000_000, 2_000_001))
        self.calm = self.pick((True, True, True, False))
        self.begin()

    def samples(self) -> tuple[int | None, int | None, int | None]:
        """Return an RTT, sometimes None."""
        rtt_ns = self.pick((None, *(self._rtt_ns(),) * 30))
        return rtt_ns, rtt_ns, rtt_ns

    def _rtt_ns(self) -> int:
        if self.pick((True, *(False,) * 60)):
            self.rtt_ns = self.pick((self.rtt_ns, self.rtt_ns - self.rtt_ns // 3, self.rtt_ns + self.rtt_ns // 5, 1))
        rise_ns = self.pick((0, 0, 0, 0, self.rtt_ns // 12, self.rtt_ns // 20, 1))
        return min(self.rtt_ns + rise_ns, TIME_MAX_NS)

    def event(self, model: Controller) -> Event:
        """Return the next event; one in a hundred is outside the domain."""
        state = model.startup
        assert isinstance(state, Suss)
        now_ns = self._now_ns(model, state)
        if self.calm and self.acked < self.packet <= PACKET_MAX - 100 and self.rng.below(100) < 90:
            return self._clocked(now_ns, model, state)
        event = super().event(model)
        match event:
            case Sent() | Ack() | Lost():
                return replace(event, bytes_in_flight=self._in_flight(model))
            case Ce() if event.t_ns > 0:
                return replace(event, packet=max(self.acked - 1, 0))
        return event

    def _now_ns(self, model: Controller, state: Suss) -> int:
        """Return the time of the next event: after a gap, or when a packet is released."""
        now_ns = max(self.t_ns, model.t_ns) + self.pick((0, 0, self.gap_ns, self.gap_ns, self.gap_ns // 2))
        if state.release_ns is not None and self.pick((True, False)):
            now_ns = max(now_ns, state.release_ns)
        self.t_ns = min(now_ns, TIME_MAX_NS)
        return self.t_ns

    def _clocked(self, now_ns: int, model: Controller, state: Suss) -> Event:
        """Return an ACK of the next packets, or packets that fill the window."""
        if state.mode is Mode.PACED and self.pick((True, False)):
            return self._filled(now_ns, 1, model)
        if self.pick((True, False, False)):
            return self._filled(now_ns, self.pick((1, 2, 2, 4, 40)), model)
        count = min(self.pick((1, 1, 2, 2, 10)), self.packet - self.acked)
        run = Run(self.acked, self.acked + count - 1, self.size, max(now_ns - self.rtt_ns, 1))
        self.acked += count
        latest_ns, min_ns, smoothed_ns = self.samples()
        return Ack(
            *(
                now_ns,
                (run,),
                count * self.size,
                self._in_flight(model),
                self.packet,
                self.pick((False,) * 30 + (True,)),
            ),
            *(latest_ns, min_ns, smoothed_ns, 0, None),
        )

    def _filled(self, now_ns: int, count: int, model: Controller) -> Sent:
        run = Run(self.packet, self.packet + count - 1, self.size, now_ns)
        self.packet += count
        return Sent(now_ns, (run,), count * self.size, self._in_flight(model), False)

    def _in_flight(self, model: Controller) -> int:
        cwnd = model.base.cwnd_bytes
        return self.pick(
            (cwnd, cwnd, cwnd, max(cwnd - self.size, 0), max(cwnd - self.size + 1, 0), cwnd // 2, 0, 2**64 - 1)
        )


#: For the reference implementations, and to compare model and port: see stimuli/streams.py.
STREAMS = {"suss": (lambda rng, profile: Stream(rng), 150, 0)}
COMPARED = Compared(701, 10_000, ("slow-start", "suss"))
