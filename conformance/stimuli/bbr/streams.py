"""Random events for BBR: samples near 5/4 of the baseline and 2 % of the flight, round starts, loss ranges, filters."""

from dataclasses import replace

from firstflight.bbr.state import Bbr
from firstflight.controller import Config, Controller
from firstflight.events import Ack, Event, Lost, Run, Sent, SpuriousLoss
from firstflight.limits import PACKET_MAX, TIME_MAX_NS, WINDOW_MAX_BYTES
from firstflight.observables import Phase
from firstflight_conformance.prng import SplitMix64
from stimuli.streams import AckStream, Compared

MS = 10**6


class Stream(AckStream):
    """A sender whose samples follow the state of the model: each member is near a threshold."""

    def __init__(self, rng: SplitMix64) -> None:
        """Draw the parameters of the connection."""
        super().__init__(rng)
        self.size = self.pick((1, 2, 100, 1000, 1200, 1200, 65535))
        window = self.pick((None, None, 1, 2 * self.size, 10 * self.size, 100 * self.size, WINDOW_MAX_BYTES))
        self.config = Config(self.size, window)
        self.rtt_ns = self.pick((0, 1, MS, 40 * MS, 100 * MS, 100 * MS, 6000 * MS, TIME_MAX_NS))
        self.gap_ns = self.pick((0, 1, MS, 10 * MS, 100 * MS, 2500 * MS))
        self.lossy = self.pick((True, False, False))
        self.patient = self.pick((True, False))
        self.long_rounds = self.pick((True, *(False,) * 5))
        self.app_limited = self.pick((True, *(False,) * 5))
        self.begin()

    def event(self, model: Controller) -> Event:
        """Return the next event; one in a hundred is outside the domain."""
        state = model.startup
        assert isinstance(state, Bbr)
        self.t_ns = min(self.t_ns + self.pick((0, 0, self.gap_ns, self.gap_ns // 7)), TIME_MAX_NS)
        if self.pick((True, *(False,) * (4 if state.undo_startup else 60))):
            return SpuriousLoss(max(self.t_ns, model.t_ns))
        if self.lossy and self.acked < self.packet <= PACKET_MAX - 100 and self.pick((True, False, False)):
            return self._lost(model, state)
        event = super().event(model)
        match event:
            case Ack():
                return self._sampled(event, state)
            case Sent():
                limited = self.pick((True, *(False,) * 9))
                return replace(event, bytes_in_flight=event.bytes + self._in_flight(state), app_limited=limited)
            case Lost():
                return replace(event, bytes_in_flight=self._in_flight(state))
        return event

    def samples(self) -> tuple[int | None, int | None, int | None]:
        """Return the RTT samples: the RTT sometimes changes, and a sample is sometimes None."""
        if self.pick((True, *(False,) * 40)):
            self.rtt_ns = self.pick((self.rtt_ns, self.rtt_ns // 2, min(2 * self.rtt_ns, TIME_MAX_NS), 100 * MS))
        return self.pick((None, *(self.rtt_ns,) * 9)), self.pick((None, *(self.rtt_ns,) * 9)), self.rtt_ns

    def _in_flight(self, state: Bbr) -> int:
        bdp = state.bdp_bytes
        if self.patient and state.phase is Phase.DRAIN:
            return WINDOW_MAX_BYTES
        return self.pick(
            (0, bdp, bdp, bdp + 1, 2 * bdp, 4 * self.size, 5 * self.size, 50 * self.size, WINDOW_MAX_BYTES)
        )

    def _delivered(self, ack: Ack, state: Bbr) -> tuple[int, int]:
        """Return bytes and time of a sample: a little more or less than 5/4 of the baseline, or anything."""
        interval_ns = self.pick((self.rtt_ns, self.rtt_ns, max(self.rtt_ns - 1, 0), 1, 0, 2 * MS, TIME_MAX_NS))
        base = state.full_bw
        grown = base.delivered_bytes * 5 // 4
        delivered = self.pick((ack.bytes, grown, grown + 1, max(grown - 1, 0), base.delivered_bytes, 10 * ack.bytes))
        if self.pick((True, False, False)):
            interval_ns = base.interval_ns
        return min(delivered, WINDOW_MAX_BYTES), min(interval_ns, TIME_MAX_NS)

    def _sampled(self, ack: Ack, state: Bbr) -> Ack:
        """Return the ACK, in most cases with a sample."""
        ack = replace(ack, bytes_in_flight=self._in_flight(state))
        if self.pick((True, *(False,) * 30)):
            return ack
        delivered_bytes, interval_ns = self._delivered(ack, state)
        borders = (state.next_round_delivered_bytes, state.loss_round_delivered_bytes, state.recovery_delivered_bytes)
        prior_bytes = max(self.pick((state.delivered_bytes, *borders)) - self.pick((0, 0, 0, 1)), 0)
        if self.long_rounds and self.pick((True,) * 9 + (False,)):
            prior_bytes = max(state.loss_round_delivered_bytes - 1, 0)
        flight_bytes = self.pick((100 * self.size, 50 * self.size, 0, WINDOW_MAX_BYTES))
        share_bytes = self.pick((flight_bytes // 50, flight_bytes // 50, flight_bytes * 5 // 256))
        lost_bytes = share_bytes + self.pick((0, 0, 1, 1, self.size))
        return replace(
            ack,
            rate_delivered_bytes=delivered_bytes,
            rate_interval_ns=interval_ns,
            rate_prior_delivered_bytes=min(prior_bytes, WINDOW_MAX_BYTES),
            rate_app_limited=self.app_limited and self.pick((True, False)),
            rate_in_flight_bytes=flight_bytes,
            rate_lost_bytes=min(lost_bytes, WINDOW_MAX_BYTES),
        )

    def _lost(self, model: Controller, state: Bbr) -> Lost:
        """Lose a packet, or three in two ranges or more."""
        now_ns = self.t_ns = max(self.t_ns, model.t_ns, 1)
        first = self.acked
        numbers = self.pick(((first,), (first, first + 1), (first, first + 2, first + 4)))
        runs = tuple(Run(number, number, self.size, max(self._sent_t_ns(model), 1)) for number in numbers)
        runs = tuple(replace(run, sent_t_ns=min(run.sent_t_ns, now_ns)) for run in runs)
        self.acked = numbers[-1] + 1
        self.packet = max(self.packet, self.acked)
        return Lost(now_ns, runs, len(runs) * self.size, self._in_flight(state), self.packet)


#: For the reference implementations, and to compare model and port: see stimuli/streams.py.
STREAMS = {"bbr": (lambda rng, profile: Stream(rng), 200, 0)}
COMPARED = Compared(801, 40_000, ("bbr",))
