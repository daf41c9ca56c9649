"""The bound of BBR: what follows Drain (draft-ietf-ccwg-bbr-06, section 5.3.3)."""

from fractions import Fraction
from typing import Any

from firstflight.events import Event
from firstflight_conformance.freedoms.bounds.bound import Bound, Taken


class AfterDrain(Bound):
    """The cycle that follows is not modelled: window and pacing are those of the implementation, as long as it is in the phase of the model."""

    def follow(self, before: Any, state: Any, event: Event, observation: Any, observed: dict[str, Any]) -> Taken | None:
        """Take what was answered to an event after Drain."""
        phase, own_bytes = observation.phase.value, state.base.cwnd_bytes
        if before.startup.phase.value != "probe_bw" or observed.get("phase", phase) != phase:
            return None
        state.base.cwnd_bytes = window_bytes = observed.get("cwnd_bytes", own_bytes)
        shows = {name: value for name, value in observed.items() if name == "next_release_ns"}
        shows |= {name: type(observation.outcome)(value) for name, value in observed.items() if name == "outcome"}
        share = Fraction(window_bytes, own_bytes)
        return Taken(self.point, "window after Drain", window_bytes, share, "that of ours", shows=shows)


BOUNDS = {"after_drain": AfterDrain}
