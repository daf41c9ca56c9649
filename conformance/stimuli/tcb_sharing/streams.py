"""Random events for TCB sharing: sets near all limits, ACKs that leave any flight, losses in a startup or later."""

from dataclasses import replace

from firstflight.controller import Config, Controller
from firstflight.events import Ack, Event, IdleRestart, Lost, SavedPath, Sent
from firstflight.limits import BETA_MAX, TIME_MAX_NS, WINDOW_MAX_BYTES
from firstflight_conformance.prng import SplitMix64
from stimuli.streams import AckStream, Compared

BETAS = ((1, 2), (1, 2), (7, 10), (1, 1), (1, 1), (32768, BETA_MAX), (BETA_MAX, BETA_MAX))


class Stream(AckStream):
    """A sender with occasional sets, most of them before the first packet."""

    def __init__(self, rng: SplitMix64) -> None:
        """Draw the parameters of the connection."""
        super().__init__(rng)
        self.size = self.pick((1, 100, 1000, 1200, 1201, 65535))
        self.few = self.pick((False, False, False, True))
        window = self.pick((None, None, 1, 10 * self.size, 10**6, WINDOW_MAX_BYTES))
        self.config = Config(self.size, window)
        self.begin()
        self.offers = self.pick((0, 1, 1, 1, 3))

    def samples(self) -> tuple[int | None, int | None, int | None]:
        """Return RTTs, sometimes None."""
        rtt_ns = self.pick((None, *(10**8,) * 9))
        return rtt_ns, rtt_ns, rtt_ns

    def event(self, model: Controller) -> Event:
        """Return the next event: a set, or an event of the common stream with the bytes in flight."""
        if self.offers or self.rng.chance_ppm(10_000):
            self.offers = max(self.offers - 1, 0)
            return self._saved_path(model)
        if self.rng.chance_ppm(10_000):
            return IdleRestart(min(max(self.t_ns, model.t_ns), TIME_MAX_NS))
        event = super().event(model)
        match event:
            case Sent() | Lost():
                return replace(event, bytes_in_flight=self._in_flight(model))
            case Ack():
                few = self.pick((0, 4 * self.size, 5 * self.size))
                return replace(event, bytes_in_flight=few if self.few else self._in_flight(model))
        return event

    def _saved_path(self, model: Controller) -> SavedPath:
        self.t_ns = min(max(self.t_ns, model.t_ns), TIME_MAX_NS)
        near = 10 * self.size + self.pick((0, self.size - 1, self.size, 2 * self.size))
        expires_t_ns = self.pick((None, None, None, self.t_ns, self.t_ns - 1, TIME_MAX_NS))
        return SavedPath(
            self.t_ns,
            self.pick((0, 1, near, near, 40 * self.size, 10**6 + 1, 10**9, WINDOW_MAX_BYTES)),
            self.pick((0, 1, 10**8, 10**8, 10**8 + 1, TIME_MAX_NS)),
            self.pick((True, True, True, True, False)),
            self.pick((False, False, False, True)),
            expires_t_ns,
            self.pick((None, None, None, 1, near, 15 * self.size + 1, WINDOW_MAX_BYTES)),
            *self.pick(BETAS),
        )

    def _in_flight(self, model: Controller) -> int:
        cwnd = model.base.cwnd_bytes
        return self.pick((0, 5 * self.size, 5 * self.size + 1, 12 * self.size, cwnd // 2, cwnd, 2**64 - 1))


#: For the reference implementations, and to compare model and port: see stimuli/streams.py.
STREAMS = {"tcb-sharing": (lambda rng, profile: Stream(rng), 150, 0)}
COMPARED = Compared(500, 20_000, ("slow-start", "tcb-sharing"))
