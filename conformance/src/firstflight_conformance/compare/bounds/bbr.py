"""The bound of BBR: the phases after Drain (draft-ietf-ccwg-bbr-06, section 5.3.3), and ProbeRTT (section 5.3.4)."""

from fractions import Fraction
from typing import Any

from firstflight.bbr.control import min_pipe_cwnd_bytes
from firstflight.bbr.model import PROBE_RTT_INTERVAL_NS
from firstflight.events import Ack, Event
from firstflight.limits import TIME_MAX_NS
from firstflight_conformance.compare.bounds.bound import Bound, Taken


class NotModelled(Bound):
    """Accepts any window and pacing once the model has left Drain, and also any phase from ProbeRTT on.

    Before ProbeRTT, an implementation that reports a phase must report the model's phase. ProbeRTT is due five seconds
    after the smallest RTT sample. It begins with a window of at most half the BDP (or the minimum window, if larger).
    """

    due = probes_rtt = False
    min_rtt_ns = stamp_ns = TIME_MAX_NS

    def follow(self, before: Any, state: Any, event: Event, observation: Any, observed: dict[str, Any]) -> Taken | None:
        """Accept the answer of an implementation where BBR is not modelled: after Drain, and in ProbeRTT.

        After Drain, accept any window, release time and outcome while a reported phase equals the model's. ProbeRTT is
        due five seconds after the smallest RTT sample. It begins with a window of at most half the BDP, or of at most
        the minimum window if larger. From this event on, accept any phase as well. Return the accepted window in bytes
        as the value taken, or None in all other cases.
        """
        self.settle(before, state, event)
        phase, own_bytes = observation.phase.value, state.base.cwnd_bytes
        window_bytes = observed.get("cwnd_bytes", own_bytes)
        drained = before.startup.phase.value == "probe_bw" and observed.get("phase", phase) == phase
        most_bytes = max(state.startup.bdp_bytes // 2, min_pipe_cwnd_bytes(state.base))
        self.probes_rtt |= self.due and window_bytes <= most_bytes
        if not (drained or self.probes_rtt):
            return None
        state.base.cwnd_bytes = window_bytes
        shows = {name: value for name, value in observed.items() if name == "next_release_ns"}
        kinds = {name: type(getattr(observation, name)) for name in observed.keys() & {"outcome", "phase"}}
        shows |= {name: kind(observed[name]) for name, kind in kinds.items()}
        quantity = "window from ProbeRTT on" if self.probes_rtt else "window after Drain"
        return Taken(
            self.point, quantity, window_bytes, Fraction(window_bytes, own_bytes), "of the model's window", shows=shows
        )

    def settle(self, before: Any, state: Any, event: Event) -> None:
        """Record that ProbeRTT is due: at an ACK at least five seconds after the smallest RTT."""
        if isinstance(event, Ack):
            self.due |= event.t_ns - self.stamp_ns >= PROBE_RTT_INTERVAL_NS
            if event.latest_rtt_ns is not None and event.latest_rtt_ns < self.min_rtt_ns:
                self.min_rtt_ns, self.stamp_ns = event.latest_rtt_ns, event.t_ns


BOUNDS = {"not_modelled": NotModelled}
