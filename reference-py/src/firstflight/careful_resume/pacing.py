"""The pacing of the Unvalidated phase (``spec/careful-resume/rules.md``). Mirrors ``reference-c/firstflight/careful_resume/pacing.c``."""

from firstflight.careful_resume.state import CarefulResume, Schedule, saturated, share
from firstflight.events import Sent
from firstflight.limits import TIME_MAX_NS
from firstflight.newreno.newreno import BaseState
from firstflight.observables import Phase


def _duration_ns(state: CarefulResume, total_bytes: int, rtt_ns: int) -> int:
    """Return the time in ns, rounded up, to send ``total_bytes`` at a rate of ``state.jump_bytes`` per ``rtt_ns``.

    ``state.jump_bytes`` is the window of the Unvalidated phase.
    """
    divisor = max(state.jump_bytes, 1)  # [careful-resume.pacing.schedule]
    wait_ns = share(total_bytes, rtt_ns, divisor, up=True)  # [careful-resume.pacing.rounding]
    return min(wait_ns, TIME_MAX_NS)


def _release_ns(state: CarefulResume) -> int:
    """Return the release time of the next packet."""
    schedule = state.schedule
    return min(schedule.t_ns + _duration_ns(state, schedule.bytes, schedule.rtt_ns), TIME_MAX_NS)


def next_release_ns(state: CarefulResume) -> int | None:
    """Return the earliest time for the next packet, ``None`` outside the Unvalidated phase."""
    if state.phase is not Phase.UNVALIDATED:
        return None
    return _release_ns(state)  # [careful-resume.pacing]


def pace_sent(state: CarefulResume, base: BaseState, sent: Sent) -> None:
    """Advance the schedule by packets sent; a late sender catches up by at most an initial window."""
    burst_bytes = max(0, state.initial_window_bytes - base.max_datagram_size_bytes)
    lag_ns = _duration_ns(state, burst_bytes, state.schedule.rtt_ns)
    if sent.t_ns > _release_ns(state) + lag_ns:
        state.schedule.t_ns = sent.t_ns - lag_ns  # [careful-resume.pacing.burst]
        state.schedule.bytes = 0
    state.schedule.bytes = saturated(state.schedule.bytes + sent.bytes)


def pace_rtt(state: CarefulResume) -> None:
    """Use the current RTT to space packets after the next packet."""
    latest_ns = state.rtt.latest_ns or 0  # there is a sample: a jump needs one
    if latest_ns == state.schedule.rtt_ns:
        return
    state.schedule = Schedule(_release_ns(state), 0, latest_ns)  # [careful-resume.pacing.new-sample]
