"""The bound of Rapid Start: window fractions in the first recovery (draft-kazuho-ccwg-rapid-start, section 3.3)."""

from fractions import Fraction
from typing import Any

from firstflight.events import Event
from firstflight_conformance.compare.bounds.bound import Bound, Taken

_RECOVERY = "recovery"


class KeptFractions(Bound):
    """Windows in the first recovery that keep the fractions of a byte which the model rounds down.

    The draft specifies no rounding. The model rounds down after each statement of the draft's pseudocode, by less than
    a byte. A window may exceed the model's by one byte for each earlier reduction in this recovery, and by one more
    byte. The model continues from its own window after each event, so that accepted differences do not add up.
    ``reductions``: number of reductions in this recovery. ``own``: window and threshold of the model.
    """

    reductions = 0
    own: tuple[int, int | None] | None = None

    def follow(self, before: Any, state: Any, event: Event, observation: Any, observed: dict[str, Any]) -> Taken | None:
        """Accept a window in the first recovery that is larger than the model's, and a threshold raised with it.

        Both may be larger by one byte for each earlier reduction of the window, and by one more byte. A threshold that
        the model sets to its window equals the accepted window. Return the window as the value taken, or None outside
        these limits and outside the first recovery.
        """
        window_bytes, base = observed.get("cwnd_bytes"), state.base
        if window_bytes is None or _RECOVERY not in (_stage(before), _stage(state)):
            return None
        own_bytes, own_ssthresh_bytes = base.cwnd_bytes, base.ssthresh_bytes
        most_bytes = self.reductions + 1
        if not own_bytes < window_bytes <= own_bytes + most_bytes:
            return None
        ssthresh_bytes = observed.get("ssthresh_bytes", own_ssthresh_bytes)
        if own_ssthresh_bytes == own_bytes:
            ssthresh_bytes = window_bytes
        elif None in (ssthresh_bytes, own_ssthresh_bytes) or not 0 <= ssthresh_bytes - own_ssthresh_bytes <= most_bytes:
            return None
        self.own = own_bytes, own_ssthresh_bytes
        base.cwnd_bytes, base.ssthresh_bytes = window_bytes, ssthresh_bytes
        share = Fraction(window_bytes, own_bytes)
        return Taken(self.point, "window with fractions", window_bytes, share, "of the rounded window")

    def settle(self, before: Any, state: Any, event: Event) -> None:
        """Restore the model's own window and threshold after an accepted answer, and count a reduction of the window.

        An accepted answer has a larger window than the model, within the permitted interval, and ``state`` was set to
        it. Restoring applies while ``state`` is in the first recovery, so that accepted differences do not add up. At
        the end of this recovery, keep the accepted window and threshold, and set the number of reductions to 0.
        """
        recovers, base = _stage(state) == _RECOVERY, state.base
        if recovers and self.own is not None:
            base.cwnd_bytes, base.ssthresh_bytes = self.own
        self.reductions = self.reductions + (base.cwnd_bytes < before.base.cwnd_bytes) if recovers else 0
        self.own = None


def _stage(controller: Any) -> str:
    return str(controller.startup.stage.value)


BOUNDS = {"kept_fractions": KeptFractions}
