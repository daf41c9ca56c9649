"""Event processing of SEARCH (``spec/search/rules.md``). Functions change the state and the base in place.

The bins are in ``bins``, their comparison in ``windows``, the exit in ``exit``.

Mirrors ``reference-c/firstflight/search/search.c``.
"""

from firstflight.events import Ack
from firstflight.newreno.newreno import BaseState
from firstflight.observables import Outcome
from firstflight.search.bins import (
    Search,
    advance,
    bin_duration_ticks,
    forget,
    late_ticks,
    open_first_bin,
    passed_bins,
    reopen,
    zero_counters,
)
from firstflight.search.exit import begin_drain, drain, leave
from firstflight.search.profiles import (
    AppLimited,
    Boundary,
    Compared,
    CountedIn,
    CrossingCredit,
    Evaluated,
    ExitBin,
    FirstAck,
    IdleRestart,
    InitialRtt,
    Lower,
    MissedBinsRestart,
    MissingRtt,
    Persistent,
    Readings,
    RestartCounters,
)
from firstflight.search.rtt import latest_units, units
from firstflight.search.windows import WINDOW_BINS, Evaluation, evaluate

__all__ = ["Search", "on_ack", "on_ack_elsewhere", "on_idle_restart", "on_persistent_congestion", "on_sent"]


def on_sent(readings: Readings, state: Search, sent_bytes: int, *, slow_start: bool) -> None:
    """Count the bytes of packets being sent, in the open bin and in total, if the profile compares sent bytes.

    ``slow_start``: whether SEARCH is active. Otherwise ``counted_in`` = ``slow_start`` excludes the bytes.
    """
    if readings.compared is Compared.DELIVERED or (not slow_start and readings.counted_in is CountedIn.SLOW_START):
        return
    state.sent.check_room(sent_bytes)
    state.sent.credit(sent_bytes)  # [search.bins.sent]


def on_ack_elsewhere(readings: Readings, state: Search, ack: Ack) -> None:
    """Process an ACK outside slow start: store its RTT sample, and its bytes if the profile counts in every phase."""
    state.keep_sample(ack)
    if readings.counted_in is CountedIn.SLOW_START:
        return  # [search.slow-start-only]
    state.delivered.credit(ack.bytes)  # [search.bins.every-phase]


def clear(readings: Readings, state: Search) -> None:
    """Reset the bins, but not the last RTT sample. The byte counters continue, or with ``zeroed`` restart at 0.

    ``zeroed`` is a choice of ``restart_counters``.
    """
    if readings.restart_counters is RestartCounters.ZEROED:
        zero_counters(state)
        forget(state)
    else:
        forget(state)  # [search.restart.counters]


def on_persistent_congestion(readings: Readings, state: Search) -> None:
    """Process persistent congestion, which leads back to slow start."""
    if readings.persistent is Persistent.REINITIALISE:
        clear(readings, state)  # [search.restart]


def on_idle_restart(readings: Readings, state: Search) -> None:
    """Process the end of an idle period so long that cwnd is no longer validated.

    With the profile's choice ``idle_restart`` = ``reinitialise``, reset the bins. Otherwise change nothing.
    """
    if readings.idle_restart is IdleRestart.REINITIALISE:
        clear(readings, state)  # [search.idle-restart]


def duration_ticks(readings: Readings, state: Search) -> int:
    """Return the bin duration for the last RTT sample, which must exist.

    The duration is in ticks of 1/20 unit of the profile's clock.
    """
    assert state.sample is not None
    return bin_duration_ticks(readings, latest_units(readings, state.sample))


def pass_over(readings: Readings, state: Search) -> Outcome:
    """Skip an app-limited ACK; return APP_LIMITED.

    With ``initial_rtt`` = ``first_sample``, the latest RTT sample sets the bin duration if it is not set yet.
    """
    if readings.initial_rtt is InitialRtt.FIRST_SAMPLE and state.bin_ticks == 0 and state.sample is not None:
        state.bin_ticks = duration_ticks(readings, state)  # [search.init.first-sample]
    return Outcome.APP_LIMITED  # [search.app-limited]


def ignored(readings: Readings, state: Search, ack: Ack) -> Outcome | None:
    """Return why an ACK is ignored, or ``None``. An ignored ACK starts and ends no bin; only its bytes count."""
    if ack.app_limited and readings.app_limited is AppLimited.COUNT_BYTES:
        return Outcome.APP_LIMITED  # [search.app-limited.bytes]
    if state.sample is None:
        return Outcome.NO_RTT_SAMPLE  # [search.init.wait-for-sample]
    if ack.latest_rtt_ns is None and readings.missing_rtt is MissingRtt.SKIP:
        return Outcome.NO_RTT_SAMPLE  # [search.rtt.skip]
    return None


def start(readings: Readings, state: Search, ack: Ack) -> Outcome:
    """Open bin 0 at the time of this ACK; return STARTED.

    If no bin duration is set, compute it from the last RTT sample. The bytes of the ACK are added to the total and,
    with ``first_ack`` = ``in_bin_0``, to bin 0.
    """
    bin_ticks = state.bin_ticks if state.bin_ticks > 0 else duration_ticks(readings, state)
    open_first_bin(state, bin_ticks, units(readings, ack.t_ns))
    if readings.first_ack is FirstAck.IN_BIN_0:
        state.delivered.credit(ack.bytes)
    else:
        state.delivered.count(ack.bytes)  # [search.init.before-bin-0]
    return Outcome.STARTED


def restart(readings: Readings, state: Search, ack: Ack, bins: int) -> Outcome:
    """Restart because too many bins end with this ACK."""
    bin_ticks = state.bin_ticks
    clear(readings, state)  # [search.missed-bins]
    if readings.missed_bins_restart is MissedBinsRestart.NEXT_ACK:
        return Outcome.RESTARTED  # [search.missed-bins.next-ack]
    if readings.missed_bins_restart is MissedBinsRestart.NEXT_ACK_THIS_RTT:
        state.bin_ticks = duration_ticks(readings, state)  # [search.missed-bins.this-rtt]
        return Outcome.RESTARTED
    if readings.missed_bins_restart is MissedBinsRestart.NOW_OLD_DURATION and bins <= WINDOW_BINS:
        state.bin_ticks = bin_ticks  # [search.missed-bins.old-duration]
    start(readings, state, ack)
    return Outcome.RESTARTED


def decide(readings: Readings, state: Search, base: BaseState, ack: Ack, evaluation: Evaluation) -> Outcome:
    """Evaluate the windows and return the outcome. With EXITED, leave slow start or begin the drain.

    The drain, for profiles with ``lower`` = ``drain``, lowers the bytes in flight to a target before slow start ends.
    """
    outcome = evaluate(readings, state, evaluation)
    if outcome is Outcome.EXITED:
        if readings.lower is Lower.DRAIN:
            begin_drain(readings, state, base)
        else:
            leave(readings, state, base, ack)
    return outcome


def on_boundary(readings: Readings, state: Search, base: BaseState, ack: Ack, evaluation: Evaluation) -> Outcome:
    """Process an ACK that arrives after the end of the open bin: end bins and evaluate the windows, or restart SEARCH.

    If ``crossing_credit`` is ``last_bin``, the bytes of the ACK go to the last ended bin. Otherwise they go to the new
    open bin, before the evaluation if ``evaluated`` is ``every_ack``, else after it.
    """
    bins = passed_bins(readings, state, ack.t_ns)
    if ack.app_limited and readings.app_limited is AppLimited.RESTART:
        start(readings, state, ack)
        return Outcome.RESTARTED  # [search.app-limited.restart]
    if 0 < readings.missed_bins_maximum < bins:
        return restart(readings, state, ack, bins)
    if readings.crossing_credit is CrossingCredit.LAST_BIN:
        state.delivered.credit(ack.bytes)  # [search.bins.credit-before]
        advance(readings, state, ack.t_ns)
        return decide(readings, state, base, ack, evaluation)
    advance(readings, state, ack.t_ns)
    if readings.evaluated is Evaluated.EVERY_ACK:
        state.delivered.credit(ack.bytes)
        return decide(readings, state, base, ack, evaluation)
    outcome = decide(readings, state, base, ack, evaluation)
    if outcome is Outcome.EXITED and readings.exit_bin is ExitBin.LEFT_OPEN and state.target_bytes is None:
        reopen(state)  # [search.exit.bin-left-open]
    else:
        state.delivered.credit(ack.bytes)
    return outcome


def in_open_bin(readings: Readings, state: Search, t_ns: int) -> bool:
    """Return whether an ACK arrives before the open bin ends."""
    late = late_ticks(readings, state, t_ns)
    return late < 0 or (late == 0 and readings.boundary is Boundary.AFTER)


def on_counted_ack(readings: Readings, state: Search, base: BaseState, ack: Ack, evaluation: Evaluation) -> Outcome:
    """Process an ACK that is not ignored: start SEARCH, add its bytes to a bin, end bins, evaluate the windows."""
    if state.bin_end_ticks == 0:
        return start(readings, state, ack)
    if not in_open_bin(readings, state, ack.t_ns):
        return on_boundary(readings, state, base, ack, evaluation)
    state.delivered.credit(ack.bytes)
    if readings.evaluated is Evaluated.EVERY_ACK:
        return decide(readings, state, base, ack, evaluation)  # [search.evaluate.every-ack]
    return Outcome.SAME_BIN  # [search.bins.same-bin]


def on_ignorable_ack(readings: Readings, state: Search, base: BaseState, ack: Ack, evaluation: Evaluation) -> Outcome:
    """Process an app-limited ACK, or an ACK without RTT sample, as the profile's choices require.

    With ``app_limited`` = ``skip``, no bytes of an app-limited ACK are counted. With ``count_bytes``, an
    app-limited ACK only adds its bytes to the total and, if a bin is open, to that bin. ACKs before the first RTT
    sample also only add their bytes. With ``missing_rtt`` = ``skip``, so do all ACKs without RTT sample. The remaining
    ACKs are processed normally.
    """
    if ack.app_limited and readings.app_limited is AppLimited.SKIP:
        return pass_over(readings, state)
    why = ignored(readings, state, ack)
    if why is None:
        return on_counted_ack(readings, state, base, ack, evaluation)
    if state.bin_end_ticks > 0:
        state.delivered.credit(ack.bytes)
    else:
        state.delivered.count(ack.bytes)  # [search.bins.none-open]
    return why


def on_ack(readings: Readings, state: Search, base: BaseState, ack: Ack, evaluation: Evaluation) -> Outcome:
    """Process an ACK in slow start, before the base controller. Store the values of an evaluation in ``evaluation``."""
    state.keep_sample(ack)
    if state.target_bytes is not None:
        return drain(readings, state, base, ack)
    if ack.app_limited or ack.latest_rtt_ns is None:
        return on_ignorable_ack(readings, state, base, ack, evaluation)
    return on_counted_ack(readings, state, base, ack, evaluation)
