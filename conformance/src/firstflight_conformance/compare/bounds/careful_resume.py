"""The bounds of Careful Resume (RFC 9959): jump and its moment, pacing, window and threshold of Safe Retreat.

A modified copy of the model has its own classes; the classes of phases and events are shared.
"""

from fractions import Fraction
from typing import Any

from firstflight.events import Backlog, Ce, Event, Lost, Sent
from firstflight.limits import WINDOW_MAX_BYTES
from firstflight.observables import Outcome, Phase, Trigger
from firstflight_conformance.compare.bounds.bound import Advance, Bound, Taken

_OF_SAVED = "of the saved window"


def _phase(controller: Any) -> Phase:
    phase: Phase = controller.startup.resume.phase
    return phase


def _entered(before: Any, state: Any, phase: Phase) -> bool:
    return _phase(state) is phase and _phase(before) is not phase


def _is_congestion(state: Any, event: Event) -> bool:
    return _phase(state) is Phase.SAFE_RETREAT and isinstance(event, Lost | Ce)


def _usual(advance: Advance, before: Any, event: Event) -> Any:
    """Return the observation after the event if normal congestion control continues from ``before`` without a jump."""
    usual = before.copy()
    usual.startup.resume.phase = Phase.NORMAL
    return advance(usual, event)


def _most_bytes(used: Any) -> int:
    """Return the largest jump: half of the saved window, at most the configured maximum (RFC 9959, 3.3)."""
    half_bytes: int = used.saved_cwnd_bytes // 2
    return half_bytes if used.max_jump_bytes is None else min(half_bytes, used.max_jump_bytes)


def _least_bytes(controller: Any, window_bytes: int, most_bytes: int) -> int:
    """Return the exclusive lower limit of the window after a jump, in bytes.

    The limit is ``window_bytes``, the window without a jump. It is 0 if ``most_bytes``, the largest permitted jump, is
    at most this window and the profile (one version of the algorithm) jumps nevertheless. The window then shrinks to
    the jump, which RFC 9959, section 3.3, permits.
    """
    shrinks = controller.readings.jump_not_larger.value != "stop" and most_bytes <= window_bytes
    return 0 if shrinks else window_bytes


class Jump(Bound):
    """RFC 9959, 3.3: the jump is at most half of the saved window. Section 3.2: a sender may jump, but need not."""

    def follow(self, before: Any, state: Any, event: Event, observation: Any, observed: dict[str, Any]) -> Taken | None:
        """Accept a smaller jump than the model's, or none, when the model jumps.

        Without a jump the window is the window of normal congestion control, and the model continues in Reconnaissance.
        A jump is above this window unless the profile permits a smaller one, and at most half of the saved window and
        the configured maximum. Return the accepted jump in bytes as a value, 0 for none. Return None for other windows
        and events.
        """
        window_bytes, base, resume = observed.get("cwnd_bytes"), state.base, state.startup.resume
        if window_bytes is None or not _entered(before, state, Phase.UNVALIDATED):
            return None
        usual = _usual(self.advance, before, event)
        if window_bytes == usual.cwnd_bytes != base.cwnd_bytes:
            earlier = before.copy().startup.resume
            resume.phase, resume.jump_bytes = Phase.RECONNAISSANCE, earlier.jump_bytes
            resume.pipesize_bytes, resume.limit_from_ns = earlier.pipesize_bytes, earlier.limit_from_ns
            resume.schedule, base.cwnd_bytes = earlier.schedule, window_bytes
            shows = {"phase": resume.phase, "outcome": usual.outcome, "next_release_ns": None, "triggers": ()}
            return Taken(self.point, "jump", 0, Fraction(0), _OF_SAVED, acts=False, shows=shows)
        most_bytes = _most_bytes(resume.used)
        least_bytes = _least_bytes(state, usual.cwnd_bytes, most_bytes)
        if not least_bytes < window_bytes <= most_bytes or window_bytes == base.cwnd_bytes:
            return None
        base.cwnd_bytes = resume.jump_bytes = window_bytes
        share = Fraction(window_bytes, resume.used.saved_cwnd_bytes)
        return Taken(self.point, "jump", window_bytes, share, _OF_SAVED)


def _would_jump(advance: Advance, state: Any, now_ns: int) -> bool:
    """Return whether the window would jump if data waited now: all other conditions of RFC 9959, 3.2, hold."""
    trial_state = state.copy()
    advance(trial_state, Backlog(now_ns, WINDOW_MAX_BYTES, WINDOW_MAX_BYTES, None))
    return _phase(trial_state) is Phase.UNVALIDATED


class JumpMoment(Bound):
    """RFC 9959, section 3.2: once the path is confirmed, a sender can jump at once or later."""

    def follow(self, before: Any, state: Any, event: Event, observation: Any, observed: dict[str, Any]) -> Taken | None:
        """Accept a jump of the implementation while the model waits in Reconnaissance for more data to send.

        The model would jump now if enough data waited. The window is at most half of the saved window, and at most the
        configured maximum. It is above the model's window unless the profile permits a smaller jump. Return the window
        as the value taken; the model then continues in the Unvalidated phase. Return None otherwise.
        """
        window_bytes, base, resume = observed.get("cwnd_bytes"), state.base, state.startup.resume
        if window_bytes is None or _phase(state) is not Phase.RECONNAISSANCE:
            return None
        most_bytes = _most_bytes(resume.used)
        least_bytes = _least_bytes(state, base.cwnd_bytes, most_bytes)
        if not (least_bytes < window_bytes <= most_bytes and _would_jump(self.advance, state, event.t_ns)):
            return None
        resume.phase, resume.pipesize_bytes = Phase.UNVALIDATED, resume.flight_bytes
        resume.jump_bytes = base.cwnd_bytes = window_bytes
        resume.limit_from_ns = event.t_ns
        resume.schedule = type(resume.schedule)(event.t_ns, 0, resume.rtt.latest_ns)
        share = Fraction(window_bytes, resume.used.saved_cwnd_bytes)
        shows = {
            "phase": resume.phase,
            "outcome": Outcome.JUMPED,
            "next_release_ns": event.t_ns,
            "triggers": (Trigger.CONGESTION_WINDOW_LIMITED,),
        }
        return Taken(self.point, "jump before data waits", window_bytes, share, _OF_SAVED, shows=shows)


class RetreatWindow(Bound):
    """RFC 9959, 3.5: on entry to Safe Retreat the window is at most half of PipeSize, in QUIC at least two packets."""

    def follow(self, before: Any, state: Any, event: Event, observation: Any, observed: dict[str, Any]) -> Taken | None:
        """Accept a smaller window than the model's on entry to Safe Retreat.

        The window is at least two datagrams and at most half of PipeSize, the estimated capacity of the path in bytes.
        Return the window as the value taken, and set the model's window to it. Return None for other windows and
        events.
        """
        window_bytes, base, resume = observed.get("cwnd_bytes"), state.base, state.startup.resume
        if window_bytes is None or not _entered(before, state, Phase.SAFE_RETREAT):
            return None
        if not 2 * base.max_datagram_size_bytes <= window_bytes < min(base.cwnd_bytes, resume.pipesize_bytes // 2 + 1):
            return None
        base.cwnd_bytes = window_bytes
        share = Fraction(window_bytes, resume.pipesize_bytes)
        return Taken(self.point, "window of Safe Retreat", window_bytes, share, "of PipeSize")


class RetreatThreshold(Bound):
    """RFC 9959, 3.5: on leaving Safe Retreat the threshold is at most PipeSize * Beta, with Beta at most 1 (2.4)."""

    def follow(self, before: Any, state: Any, event: Event, observation: Any, observed: dict[str, Any]) -> Taken | None:
        """Accept a slow start threshold that differs from the model's, up to a limit that depends on the event.

        On leaving Safe Retreat the limit is the larger of PipeSize (the estimated capacity in bytes) and the model's
        threshold. On entry to Safe Retreat, and at congestion in it, the limit is the model's threshold. Set the
        model's threshold to the accepted threshold, and return it as the value taken. Return None above the limit, at
        other events, and if the answer lacks a threshold.
        """
        ssthresh_bytes, base, resume = observed.get("ssthresh_bytes"), state.base, state.startup.resume
        if ssthresh_bytes is None or ssthresh_bytes == base.ssthresh_bytes:
            return None
        most_bytes = base.ssthresh_bytes
        if _phase(before) is Phase.SAFE_RETREAT and _phase(state) is Phase.NORMAL:
            bound_bytes = resume.pipesize_bytes  # Beta is at most 1
            most_bytes = bound_bytes if most_bytes is None else max(bound_bytes, most_bytes)
        elif not _entered(before, state, Phase.SAFE_RETREAT) and not _is_congestion(state, event):
            return None
        if most_bytes is not None and ssthresh_bytes > most_bytes:
            return None
        base.ssthresh_bytes = ssthresh_bytes
        share = Fraction(ssthresh_bytes, max(resume.pipesize_bytes, 1))
        quantity, extreme = "threshold of Safe Retreat", ssthresh_bytes == 0
        return Taken(self.point, quantity, ssthresh_bytes, share, "of PipeSize", extreme=extreme)


class ReleaseTime(Bound):
    """RFC 9959, 3.3 and 4.3.2: packets are paced by the current RTT. The text gives the interval only as an example.

    The text leaves rounding open. A packet may leave up to an RTT later than scheduled, or earlier by the effect of
    rounding each interval down. If the RTT becomes shorter, the next release may use it at once.
    """

    def follow(self, before: Any, state: Any, event: Event, observation: Any, observed: dict[str, Any]) -> Taken | None:
        """Accept another release time of the next packet in the Unvalidated phase, in ns.

        The latest time is one RTT after the model's time or the event, whichever is later. The earliest time is the
        model's time, lowered for rounding. It is lowered by 1 ns for each packet of a ``Sent`` event, and by 1 ns at
        any other event.

        The model uses a new RTT only after the next packet. If the event shortens the RTT, the schedule is therefore
        also computed with the new RTT. This time is the start of the schedule, plus the new RTT times the bytes sent
        since, divided by the jump window. If it is before the model's time, it replaces the model's time in the limit
        for the earliest time.

        The schedule continues from the accepted time, which is returned as the value taken. Return None outside these
        limits, in other phases, and if the answer or the model lacks a time or both times are equal.
        """
        release_ns, expected_ns = observed.get("next_release_ns"), observation.next_release_ns
        resume = state.startup.resume
        if release_ns is None or expected_ns in (None, release_ns) or _phase(state) is not Phase.UNVALIDATED:
            return None
        schedule, old, earliest_ns = resume.schedule, before.startup.resume.schedule, expected_ns
        rtt_ns = max(schedule.rtt_ns, 1)
        if _phase(before) is Phase.UNVALIDATED and rtt_ns < old.rtt_ns:
            earliest_ns = min(expected_ns, old.t_ns + old.bytes * rtt_ns // resume.jump_bytes)
        earliest_ns -= sum(run.count for run in event.packets) if isinstance(event, Sent) else 1
        if not earliest_ns <= release_ns <= max(expected_ns, event.t_ns) + rtt_ns:
            return None
        schedule.t_ns += release_ns - expected_ns
        share = Fraction(release_ns - expected_ns, rtt_ns)
        shows = {"next_release_ns": release_ns}
        return Taken(self.point, "release after the schedule", release_ns, share, "of the RTT", shows=shows)


BOUNDS = {
    "jump": Jump,
    "jump_moment": JumpMoment,
    "retreat_window": RetreatWindow,
    "retreat_threshold": RetreatThreshold,
    "release": ReleaseTime,
}
