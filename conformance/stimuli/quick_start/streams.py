"""Random events for Quick-Start: answers with data, with ACKs or never, windows near QS-cwnd, losses."""

from dataclasses import replace

from firstflight.controller import Config, Controller
from firstflight.events import Ack, Backlog, Ce, Event, IdleRestart, Lost, Run, Sent
from firstflight.limits import PACKET_MAX, TIME_MAX_NS, WINDOW_MAX_BYTES
from firstflight_conformance.prng import SplitMix64
from stimuli.streams import AckStream, Compared


class Stream(AckStream):
    """A sender of packets before, in and after the mode; they are acknowledged, marked and lost in any order."""

    def __init__(self, rng: SplitMix64) -> None:
        """Draw the parameters of the connection."""
        super().__init__(rng)
        self.size = self.pick((1, 100, 1000, 1200, 1201, 65535))
        self.rtt_ns = self.pick((1, 10**6, 10**8, 10**8, 2_080_000_000, 10**12, TIME_MAX_NS))
        window = self.pick((None, None, 1, 10 * self.size, 61 * self.size, 10**6, WINDOW_MAX_BYTES))
        self.config = Config(self.size, window)
        self.begin()

    def samples(self) -> tuple[int | None, int | None, int | None]:
        """Return RTTs, sometimes None."""
        rtt_ns = self.pick((None, *(self._rtt_ns(),) * 9))
        return rtt_ns, rtt_ns, rtt_ns

    def _rtt_ns(self) -> int:
        return max(self.rtt_ns - self.pick((0, 0, 0, 1, self.rtt_ns // 2)), 0)

    def event(self, model: Controller) -> Event:
        """Return the next event: data, an idle period, or an event of the common stream with the bytes in flight."""
        draw = self.rng.below(100)
        if draw < 8:
            now_ns = min(max(self.t_ns, model.t_ns), TIME_MAX_NS)
            self.t_ns = now_ns
            if draw < 3:
                rtt_ns = self.pick((None, *(self._rtt_ns(),) * 5))
                return Backlog(now_ns, 10**6, self.pick((0, 10**6, WINDOW_MAX_BYTES)), rtt_ns)
            return IdleRestart(now_ns)
        event = super().event(model)
        match event:
            case Sent() | Ack():
                return replace(event, bytes_in_flight=self._in_flight(model))
            case Lost():
                runs = (self._old(model),)
                lost_bytes = sum(run.count * run.size_bytes for run in runs)
                return replace(event, packets=runs, bytes=lost_bytes, bytes_in_flight=self._in_flight(model))
            case Ce() if event.t_ns > 0:
                return replace(event, packet=self._old(model).first)
        return event

    def _in_flight(self, model: Controller) -> int:
        cwnd = model.base.cwnd_bytes
        return self.pick((0, 1, self.size, 2 * self.size, cwnd // 2, cwnd, 2**64 - 1))

    def _old(self, model: Controller) -> Run:
        """Return packets near the start and end of the mode."""
        state = model.startup
        borders = [0, self.acked, max(self.packet - 1, 0)]
        for border in (state.request_packet, state.first_quick, state.end_quick):
            if border is not None:
                borders += [max(border - 1, 0), border]
        first = min(self.pick(tuple(borders)), PACKET_MAX)
        last = min(first + self.pick((0, 0, 1, 30)), PACKET_MAX)
        return Run(first, last, self.size, self._sent_t_ns(model))


#: For the reference implementations, and to compare model and port: see stimuli/streams.py.
STREAMS = {"quick-start": (lambda rng, profile: Stream(rng), 150, 0)}
COMPARED = Compared(400, 15_000, ("slow-start", "limited-slow-start", "quick-start"))
