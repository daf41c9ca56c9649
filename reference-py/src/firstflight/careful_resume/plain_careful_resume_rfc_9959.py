"""RFC 9959: Careful Resume over the NewReno of RFC 9002, its "normal CC".

Written from draft-ietf-tsvwg-careful-resume-24, whose section numbers are used. "Open": the text leaves the choice to
the implementer; the page gives the reasons for the choice here. Observing (3.1) changes no window and is not
implemented.
"""

from dataclasses import dataclass

from firstflight.events import (
    Ack,
    Backlog,
    Ce,
    DatagramSize,
    Event,
    Lost,
    PathChange,
    PersistentCongestion,
    SavedPath,
    Sent,
)
from firstflight.limits import TIME_MAX_NS, WINDOW_MAX_BYTES
from firstflight.newreno import plain_newreno_rfc_9002 as newreno
from firstflight.observables import Outcome, Phase, Trigger

PROFILE = "careful-resume/rfc-9959"

#: The saved set of a connection without one.
NO_SET = SavedPath(0, 0, 0, False, False, None, None, 1, 2)
#: Absent packet number.
NONE = -1
#: The jump window is saved_cwnd divided by this number (section 3.3).
JUMP_DIVISOR = 2
#: Safe Retreat begins with PipeSize divided by this number (section 3.5).
PIPE_DIVISOR = 2
#: The RTT is valid above saved_rtt divided by this number (section 3.2).
RTT_LOW_DIVISOR = 2
#: The RTT is valid up to saved_rtt times this number (section 4.2.1).
RTT_HIGH_FACTOR = 10


@dataclass(slots=True)
class CarefulResume:
    """State of Careful Resume (the terms of section 2.4) and of the controller below it."""

    base: newreno.NewReno
    #: IW, in bytes: the window at the start of the connection.
    initial_window: int
    #: Current phase; ``normal`` before and after Careful Resume.
    phase: Phase = Phase.NORMAL
    #: Triggers of the phase change of the current event, for the observable ``trigger``.
    triggers: tuple[Trigger, ...] = ()
    #: Bytes in flight, in bytes.
    flight_size: int = 0
    #: The latest RTT sample, in ns.
    current_rtt: int = 0
    #: Largest packet number sent.
    highest_sent: int = NONE
    #: Largest packet number acknowledged so far.
    highest_acked: int = NONE
    #: Unsent data within flow control limits, in bytes.
    waiting: int = 0
    #: The accepted saved set: saved_cwnd, saved_rtt, Lifetime, max_jump and Beta.
    saved: SavedPath = NO_SET
    #: First packet of the initial data.
    first_initial_packet: int = NONE
    #: Last packet of the initial data; NONE before its first ACK.
    last_initial_packet: int = NONE
    #: Unacknowledged initial data, in bytes.
    initial_data: int = 0
    #: Smallest RTT sample of the Reconnaissance Phase, in ns.
    minimum_rtt: int | None = None
    #: The jump window, in bytes.
    jump_cwnd: int = 0
    #: PipeSize, in bytes.
    pipesize: int = 0
    #: Start of the Unvalidated Phase.
    entry_ns: int = 0
    #: First packet sent in the Unvalidated Phase.
    first_unvalidated_packet: int = NONE
    #: Last packet sent in the Unvalidated Phase.
    last_unvalidated_packet: int = NONE
    #: Start of the pacing schedule: jump_cwnd bytes leave per RTT from then on.
    paced_from_ns: int = 0
    #: Data sent since then, in bytes.
    paced: int = 0
    #: RTT of the schedule, in ns.
    paced_rtt: int = 0

    @property
    def next_release_ns(self) -> int | None:
        """The earliest time of the next packet in ns in the Unvalidated Phase, which is paced (3.3), otherwise None."""
        return release_time(self) if self.phase is Phase.UNVALIDATED else None


def begin(max_datagram_size_bytes: int, initial_window_bytes: int | None) -> CarefulResume:
    """Begin with normal CC, before connection setup is complete."""
    base = newreno.begin(max_datagram_size_bytes, initial_window_bytes)
    return CarefulResume(base, base.congestion_window)


def on_event(s: CarefulResume, event: Event) -> Outcome:
    """Call the function for the event; return the outcome.

    If the Lifetime of the saved set is over in Reconnaissance (3.2), first return to normal CC. Then normal CC
    processes the event, and the outcome is LIFETIME_EXCEEDED.
    """
    s.triggers = ()
    if s.phase is Phase.RECONNAISSANCE and lifetime_exceeded(s.saved, event.t_ns):
        s.phase = Phase.NORMAL
        dispatch(s, event)
        return Outcome.LIFETIME_EXCEEDED  # [careful-resume.reconnaissance.lifetime]
    return dispatch(s, event)


def dispatch(s: CarefulResume, event: Event) -> Outcome:
    """Call the function for the event; return the outcome.

    The Unvalidated Phase has a time limit: it ends if more time than the latest RTT sample has elapsed since the jump.
    Events without a function, such as the expiry of a probe timer, only test this limit. The loss of a PMTU probe also
    stores the bytes in flight. A change of the datagram size also goes to normal CC.
    """
    match event:
        case SavedPath():
            return on_saved_path(s, event)
        case Backlog():
            return on_backlog(s, event)
        case Sent():
            return on_sent(s, event)
        case Ack():
            return on_ack(s, event)
        case Lost():
            s.flight_size = min(event.bytes_in_flight, WINDOW_MAX_BYTES)
            if event.pmtu_probe:
                return leave_unvalidated_if(s, event.t_ns, Outcome.UNCHANGED)  # [careful-resume.pmtu-probe]
            return on_detected_congestion(s, event, Trigger.PACKET_LOSS)
        case Ce():
            return on_detected_congestion(s, event, Trigger.ECN_CE)
        case PathChange():
            return on_path_change(s, event)
        case PersistentCongestion():
            return on_persistent_congestion(s, event)
        case DatagramSize():
            newreno.on_event(s.base, event)  # in every phase
    return leave_unvalidated_if(s, event.t_ns, Outcome.UNCHANGED)


def stop(s: CarefulResume, outcome: Outcome, *triggers: Trigger) -> Outcome:
    """3.7: stop using Careful Resume and return to normal CC."""
    s.phase, s.triggers = Phase.NORMAL, triggers  # [careful-resume.end]
    return outcome


# Reconnaissance Phase (3.2)


def on_saved_path(s: CarefulResume, path: SavedPath) -> Outcome:
    """Accept a saved set after connection setup and enter the Reconnaissance Phase, or refuse it and stay in normal CC.

    The outcome is RESUMING or the reason for the refusal. The text leaves open how many sets a connection uses; here it
    accepts one. A refused set does not count as this one.
    """
    if s.saved is not NO_SET:
        return Outcome.ALREADY_USED  # [careful-resume.saved.one-use]
    if path.saved_cwnd_bytes == 0 or path.saved_rtt_ns == 0:
        return Outcome.SAVED_SET_ABSENT  # [careful-resume.saved.absent]
    if path.in_use:
        return Outcome.SAVED_SET_IN_USE  # [careful-resume.saved.in-use]
    if not path.endpoint_matches:
        return Outcome.ENDPOINT_MISMATCH  # [careful-resume.saved.endpoint]
    if lifetime_exceeded(path, path.t_ns):
        return Outcome.LIFETIME_EXCEEDED  # [careful-resume.saved.lifetime]
    s.saved, s.phase = path, Phase.RECONNAISSANCE  # [careful-resume.reconnaissance.begin]
    s.first_initial_packet = s.highest_sent + 1
    return Outcome.RESUMING


def lifetime_exceeded(saved: SavedPath, now: int) -> bool:
    """Return whether ``now`` is after the Lifetime (3.1), the last time when the saved set may be used."""
    return saved.expires_t_ns is not None and now > saved.expires_t_ns


def on_backlog(s: CarefulResume, backlog: Backlog) -> Outcome:
    """Store the bytes that wait and that flow control (4.7) permits. Then test whether to change the phase.

    Reconnaissance may end with the jump, and the Unvalidated Phase when its time is over.
    """
    s.waiting = min(backlog.queued_bytes, backlog.receive_window_bytes)  # [careful-resume.flow-control]
    if s.phase is Phase.RECONNAISSANCE:
        return enter_unvalidated_if(s, backlog.t_ns, Outcome.UNCHANGED)
    return leave_unvalidated_if(s, backlog.t_ns, Outcome.UNCHANGED)


def on_ack_in_reconnaissance(s: CarefulResume, ack: Ack) -> Outcome:
    """Increase CWND by normal CC. Then stop Careful Resume if the RTT does not fit, or jump if the path is confirmed.

    All initial data must be acknowledged before the jump. The RFC leaves open which packets belong to the initial data;
    here these are the packets sent in Reconnaissance before the first acknowledgement of one of them.
    """
    outcome = on_ack_in_normal_cc(s, ack)  # [careful-resume.reconnaissance.unchanged]
    if s.last_initial_packet == NONE and ack.packets[-1].last >= s.first_initial_packet:
        s.last_initial_packet = s.highest_sent  # [careful-resume.reconnaissance.initial-data]
    for run in ack.packets:
        packets = min(run.last, s.last_initial_packet) - max(run.first, s.first_initial_packet) + 1
        s.initial_data -= max(packets, 0) * run.size_bytes
    if ack.latest_rtt_ns is not None:
        s.minimum_rtt = min(s.minimum_rtt or ack.latest_rtt_ns, ack.latest_rtt_ns)
        if not rtt_is_valid(s, s.minimum_rtt):
            return stop(s, Outcome.RTT_NOT_VALIDATED, Trigger.RTT_NOT_VALIDATED)
    return enter_unvalidated_if(s, ack.t_ns, outcome)


def rtt_is_valid(s: CarefulResume, rtt: int) -> bool:
    """Return whether ``rtt`` exceeds half of saved_rtt (3.2), and the latest RTT is at most 10 * saved_rtt (4.2.1)."""
    if RTT_LOW_DIVISOR * rtt <= s.saved.saved_rtt_ns:
        return False  # [careful-resume.reconnaissance.rtt]
    return s.current_rtt <= RTT_HIGH_FACTOR * s.saved.saved_rtt_ns  # [careful-resume.reconnaissance.rtt-high]


def enter_unvalidated_if(s: CarefulResume, now: int, otherwise: Outcome) -> Outcome:
    """Enter the Unvalidated Phase if the path is confirmed and more data waits than normal CC permits to send.

    The path is confirmed once all the initial data is acknowledged and an RTT sample exists. If the path is not
    confirmed, or if too little data waits, return ``otherwise`` and stay in Reconnaissance. The next ACK, or the next
    report of waiting data, tests both conditions again.
    """
    if s.last_initial_packet == NONE or s.initial_data > 0 or s.minimum_rtt is None:
        return otherwise  # [careful-resume.reconnaissance.sample]
    if s.waiting <= max(s.base.congestion_window - s.flight_size, 0):
        return otherwise  # [careful-resume.reconnaissance.wait]
    return enter_unvalidated(s, now)  # [careful-resume.reconnaissance.confirmed]


# Unvalidated Phase (3.3)


def enter_unvalidated(s: CarefulResume, now: int) -> Outcome:
    """Jump: set PipeSize to flight_size and CWND to jump_cwnd, which is saved_cwnd / 2 but at most max_jump.

    PipeSize is the validated capacity in bytes. If jump_cwnd is not larger than CWND, Careful Resume ends and CWND
    stays (JUMP_NOT_LARGER). The text leaves this case open.
    """
    jump_cwnd = s.saved.saved_cwnd_bytes // JUMP_DIVISOR  # [careful-resume.jump.half]
    if s.saved.max_jump_bytes is not None:
        jump_cwnd = min(s.saved.max_jump_bytes, jump_cwnd)  # [careful-resume.jump.maximum]
    if jump_cwnd <= s.base.congestion_window:
        return stop(s, Outcome.JUMP_NOT_LARGER)  # [careful-resume.jump.not-larger]
    s.phase, s.triggers = Phase.UNVALIDATED, (Trigger.CONGESTION_WINDOW_LIMITED,)
    s.pipesize = s.flight_size  # [careful-resume.pipesize.begin]
    s.jump_cwnd = s.base.congestion_window = jump_cwnd  # [careful-resume.jump.enter]
    s.entry_ns = s.paced_from_ns = now
    s.paced_rtt = s.current_rtt
    return Outcome.JUMPED


def on_sent_in_unvalidated(s: CarefulResume, sent: Sent) -> Outcome:
    """Update the numbers of the first and last unvalidated packet, and the pacing. Then leave the phase if it is over.

    It is over if all unvalidated packets are sent: less than one packet of CWND is unused. It can also end by its time
    limit. Otherwise the outcome is SENT.
    """
    if s.first_unvalidated_packet == NONE:
        s.first_unvalidated_packet = sent.packets[0].first  # [careful-resume.marks.first]
    s.last_unvalidated_packet = sent.packets[-1].last  # [careful-resume.marks.last]
    pace(s, sent)
    if s.base.congestion_window - s.flight_size < s.base.max_datagram_size:
        return leave_unvalidated_if(s, sent.t_ns, Outcome.SENT, Trigger.LAST_UNVALIDATED_PACKET_SENT)
    return leave_unvalidated_if(s, sent.t_ns, Outcome.SENT)


def release_time(s: CarefulResume) -> int:
    """Return the earliest time of the next packet in ns, but at most TIME_MAX_NS, the largest time of the model.

    It is the start of the pacing schedule plus the time of the bytes sent since then, at jump_cwnd bytes per RTT.
    """
    return min(s.paced_from_ns + transmission_time(s, s.paced), TIME_MAX_NS)  # [careful-resume.pacing.rounding]


def transmission_time(s: CarefulResume, size: int) -> int:
    """Return size * RTT / jump_cwnd in ns, rounded up: the time of ``size`` bytes at jump_cwnd bytes per RTT.

    For a packet this is the inter-packet time ITT of 4.3.2. The RTT is ``paced_rtt``, the RTT of the pacing schedule.
    """
    return -(-size * s.paced_rtt // s.jump_cwnd)  # [careful-resume.pacing.schedule] [careful-resume.pacing.rounding]


def pace(s: CarefulResume, sent: Sent) -> None:
    """Count sent bytes in the pacing schedule (4.3.2), which has a start and the bytes sent since then.

    A packet sent more than ``burst`` after its release time restarts the schedule ``burst`` before now, with 0 bytes.
    ``burst`` is the time of IW minus one packet at jump_cwnd bytes per RTT, so that no burst of packets exceeds IW.
    """
    burst = transmission_time(s, max(s.initial_window - s.base.max_datagram_size, 0))
    if sent.t_ns > release_time(s) + burst:
        s.paced_from_ns, s.paced = sent.t_ns - burst, 0  # [careful-resume.pacing.burst]
    s.paced = min(s.paced + sent.bytes, WINDOW_MAX_BYTES)


def on_ack_in_unvalidated(s: CarefulResume, ack: Ack) -> Outcome:
    """Keep CWND. Retreat if the RTT sample of the ACK does not fit the saved path; else leave the phase if it is over.

    It is over if the ACK acknowledges the first unvalidated packet or a later one, or by its time limit. A new RTT also
    changes the pacing, from the next release time on.
    """
    if ack.latest_rtt_ns is not None and not rtt_is_valid(s, ack.latest_rtt_ns):
        return enter_safe_retreat(s, Trigger.PATH_CHANGED, ack.t_ns)  # [careful-resume.unvalidated.rtt-change]
    if s.current_rtt != s.paced_rtt:
        s.paced_from_ns, s.paced = release_time(s), 0
        s.paced_rtt = s.current_rtt  # [careful-resume.pacing.current-rtt] [careful-resume.pacing.new-sample]
    kept = Outcome.WINDOW_KEPT  # [careful-resume.unvalidated.no-growth]
    if NONE < s.first_unvalidated_packet <= ack.packets[-1].last:
        return leave_unvalidated_if(s, ack.t_ns, kept, Trigger.FIRST_UNVALIDATED_PACKET_ACKNOWLEDGED)
    return leave_unvalidated_if(s, ack.t_ns, kept)


def leave_unvalidated_if(s: CarefulResume, now: int, otherwise: Outcome, *triggers: Trigger) -> Outcome:
    """Leave the Unvalidated Phase if there is a trigger, a reason to leave it. Otherwise return ``otherwise``.

    In other phases, also return ``otherwise``. If more than the latest RTT has elapsed since the jump, the time limit
    is a further trigger.

    PipeSize is the validated capacity in bytes, IW the initial window. On a trigger with flight_size below IW or at
    most PipeSize, the jump was hardly used. CWND then becomes the larger of PipeSize and IW, and Careful Resume ends.
    Otherwise CWND becomes flight_size, and the Validating Phase begins.
    """
    if s.phase is not Phase.UNVALIDATED:
        return otherwise
    if now - s.entry_ns > s.current_rtt:
        triggers = (*triggers, Trigger.RTT_EXCEEDED)  # [careful-resume.unvalidated.one-rtt]
    if not triggers:
        return otherwise
    if s.flight_size < s.initial_window or s.flight_size <= s.pipesize:
        s.base.congestion_window = max(s.pipesize, s.initial_window)  # [careful-resume.unvalidated.rate-limited]
        return stop(s, Outcome.RATE_LIMITED, Trigger.RATE_LIMITED)
    s.base.congestion_window = s.flight_size  # [careful-resume.validating.begin]
    s.phase, s.triggers = Phase.VALIDATING, triggers
    return Outcome.VALIDATION_BEGUN


# Validating Phase (3.4)


def on_ack_in_validating(s: CarefulResume, ack: Ack) -> Outcome:
    """Update CWND by normal CC. Careful Resume ends at the ACK of the last unvalidated packet or of a later one."""
    outcome = on_ack_in_normal_cc(s, ack)  # [careful-resume.validating.growth]
    if s.highest_acked >= s.last_unvalidated_packet:
        trigger = Trigger.LAST_UNVALIDATED_PACKET_ACKNOWLEDGED
        return stop(s, Outcome.VALIDATED, trigger)  # [careful-resume.validating.end]
    return outcome


# Safe Retreat Phase (3.5)


def enter_safe_retreat(s: CarefulResume, trigger: Trigger, now: int) -> Outcome:
    """Reduce CWND to PipeSize / 2, in QUIC not below two packets, and begin a recovery period at ``now``.

    Later connections cannot use the saved set. This connection keeps it in ``saved``, because it contains the factor
    Beta. At the end of Safe Retreat, ssthresh becomes at most Beta times PipeSize. Until then ssthresh stays.
    """
    s.phase, s.triggers = Phase.SAFE_RETREAT, (trigger,)
    s.base.congestion_window = max(s.pipesize // PIPE_DIVISOR, s.base.minimum_window)  # [careful-resume.retreat.window]
    s.base.congestion_recovery_start_time = now  # [careful-resume.retreat.recovery]
    if s.last_unvalidated_packet == NONE:
        s.last_unvalidated_packet = s.highest_sent  # [careful-resume.retreat.mark]
    return Outcome.RETREATED


def on_ack_in_safe_retreat(s: CarefulResume) -> Outcome:
    """Keep CWND until the last unvalidated packet, or a later one, is acknowledged; then end Safe Retreat."""
    if s.highest_acked < s.last_unvalidated_packet:
        return Outcome.WINDOW_KEPT  # [careful-resume.retreat.no-growth]
    leave_safe_retreat(s)
    return stop(s, Outcome.RETREAT_ENDED, Trigger.EXIT_RECOVERY)  # [careful-resume.retreat.end]


def leave_safe_retreat(s: CarefulResume) -> None:
    """Lower ssthresh to at most PipeSize * Beta, rounded down, at the end of Safe Retreat. Beta is in the saved set."""
    ssthresh = s.pipesize * s.saved.beta_numerator // s.saved.beta_denominator
    if s.base.ssthresh is None or ssthresh < s.base.ssthresh:
        s.base.ssthresh = ssthresh  # [careful-resume.retreat.threshold]


# In every phase


def on_sent(s: CarefulResume, sent: Sent) -> Outcome:
    """Update the bytes in flight, the bytes waiting to be sent and the highest sent packet; then process by phase.

    In Reconnaissance, packets sent before the first ACK of initial data add to the initial data.
    """
    s.flight_size = min(sent.bytes_in_flight, WINDOW_MAX_BYTES)
    s.highest_sent = sent.packets[-1].last
    s.waiting = 0 if sent.app_limited else max(s.waiting - sent.bytes, 0)
    if s.phase is Phase.UNVALIDATED:
        return on_sent_in_unvalidated(s, sent)
    if s.phase is Phase.RECONNAISSANCE and s.last_initial_packet == NONE:
        s.initial_data += sent.bytes
    return newreno.on_sent(s.base, sent)


def on_ack(s: CarefulResume, ack: Ack) -> Outcome:
    """Add all newly acknowledged bytes to PipeSize, store the RTT sample, then process the ACK by phase."""
    s.flight_size = min(ack.bytes_in_flight, WINDOW_MAX_BYTES)
    s.highest_acked = max(s.highest_acked, ack.packets[-1].last)
    if ack.latest_rtt_ns is not None:
        s.current_rtt = ack.latest_rtt_ns
    s.pipesize = min(s.pipesize + ack.bytes, WINDOW_MAX_BYTES)  # [careful-resume.pipesize.all]
    match s.phase:
        case Phase.RECONNAISSANCE:
            return on_ack_in_reconnaissance(s, ack)
        case Phase.UNVALIDATED:
            return on_ack_in_unvalidated(s, ack)
        case Phase.VALIDATING:
            return on_ack_in_validating(s, ack)
        case Phase.SAFE_RETREAT:
            return on_ack_in_safe_retreat(s)
    return on_ack_in_normal_cc(s, ack)


def on_ack_in_normal_cc(s: CarefulResume, ack: Ack) -> Outcome:
    """Let NewReno process the ACK, in slow start also if CWND equals ssthresh.

    This follows the example in 3.7. RFC 9002 has slow start only below ssthresh, so ssthresh is one byte higher during
    the call if CWND equals it.
    """
    ssthresh = s.base.ssthresh
    if s.base.congestion_window == ssthresh:
        s.base.ssthresh = ssthresh + 1  # [careful-resume.normal.at-threshold]
    outcome = newreno.on_ack(s.base, ack)  # [careful-resume.normal]
    s.base.ssthresh = ssthresh
    return outcome


def on_detected_congestion(s: CarefulResume, event: Lost | Ce, trigger: Trigger) -> Outcome:
    """React to a loss or ECN-CE mark of any packet: Safe Retreat from the Unvalidated and Validating Phases.

    In Safe Retreat CWND is not reduced again; the text leaves this open. In the other phases NewReno reacts, and in
    Reconnaissance Careful Resume ends.
    """
    if s.phase is Phase.SAFE_RETREAT:
        return Outcome.ALREADY_REDUCED  # [careful-resume.retreat.once]
    if s.phase in (Phase.UNVALIDATED, Phase.VALIDATING):
        return enter_safe_retreat(s, trigger, event.t_ns)  # [careful-resume.unvalidated.loss]
    outcome = newreno.on_event(s.base, event)
    if s.phase is Phase.RECONNAISSANCE:
        stop(s, outcome, trigger)  # [careful-resume.reconnaissance.congestion]
    return outcome


def on_path_change(s: CarefulResume, event: PathChange) -> Outcome:
    """React to a signal that the path is different. In Reconnaissance Careful Resume ends, and CWND stays.

    In the Unvalidated Phase, Safe Retreat begins. In other phases nothing changes.
    """
    if s.phase is Phase.RECONNAISSANCE:
        return stop(s, Outcome.PATH_CHANGED)  # [careful-resume.reconnaissance.path]
    if s.phase is Phase.UNVALIDATED:
        return enter_safe_retreat(s, Trigger.PATH_CHANGED, event.t_ns)  # [careful-resume.unvalidated.path]
    return Outcome.UNCHANGED


def on_persistent_congestion(s: CarefulResume, event: PersistentCongestion) -> Outcome:
    """Stop Careful Resume in any phase (3.6). NewReno collapses the window.

    If this event ends Safe Retreat, ssthresh first becomes at most PipeSize * Beta, as at every end of that phase.
    """
    if s.phase is Phase.SAFE_RETREAT:
        leave_safe_retreat(s)  # [careful-resume.persistent.threshold]
    return stop(s, newreno.on_persistent_congestion(s.base, event))  # [careful-resume.persistent]
