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
        """3.3: all packets sent in the Unvalidated Phase are paced."""
        return release_time(self) if self.phase is Phase.UNVALIDATED else None


def begin(max_datagram_size_bytes: int, initial_window_bytes: int | None) -> CarefulResume:
    """Begin with normal CC, before connection setup is complete."""
    base = newreno.begin(max_datagram_size_bytes, initial_window_bytes)
    return CarefulResume(base, base.congestion_window)


def on_event(s: CarefulResume, event: Event) -> Outcome:
    """Call the function for the event. In Reconnaissance the end of the Lifetime comes first (3.2).

    The event is still processed, by normal CC.
    """
    s.triggers = ()
    if s.phase is Phase.RECONNAISSANCE and lifetime_exceeded(s.saved, event.t_ns):
        s.phase = Phase.NORMAL
        dispatch(s, event)
        return Outcome.LIFETIME_EXCEEDED  # [careful-resume.reconnaissance.lifetime]
    return dispatch(s, event)


def dispatch(s: CarefulResume, event: Event) -> Outcome:
    """Call the function for the event; other events can only end the time of the Unvalidated Phase."""
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
    """Connection setup is complete: enter the phase, or continue with normal CC. A connection resumes once (open).

    A refused set does not count.
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
    """3.1: Lifetime is a timestamp; after it the parameters must not be used."""
    return saved.expires_t_ns is not None and now > saved.expires_t_ns


def on_backlog(s: CarefulResume, backlog: Backlog) -> Outcome:
    """There is data to send; flow control (4.7) may allow more than the window."""
    s.waiting = min(backlog.queued_bytes, backlog.receive_window_bytes)  # [careful-resume.flow-control]
    if s.phase is Phase.RECONNAISSANCE:
        return enter_unvalidated_if(s, backlog.t_ns, Outcome.UNCHANGED)
    return leave_unvalidated_if(s, backlog.t_ns, Outcome.UNCHANGED)


def on_ack_in_reconnaissance(s: CarefulResume, ack: Ack) -> Outcome:
    """CWND is increased using normal CC. The initial data is all data sent before its first ACK (open)."""
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
    """More than half of saved_rtt (3.2); the current RTT is at most ten times saved_rtt (4.2.1)."""
    if RTT_LOW_DIVISOR * rtt <= s.saved.saved_rtt_ns:
        return False  # [careful-resume.reconnaissance.rtt]
    return s.current_rtt <= RTT_HIGH_FACTOR * s.saved.saved_rtt_ns  # [careful-resume.reconnaissance.rtt-high]


def enter_unvalidated_if(s: CarefulResume, now: int, otherwise: Outcome) -> Outcome:
    """Path confirmed: all the initial data is acknowledged. Deferred until there is more data than normal CC permits."""
    if s.last_initial_packet == NONE or s.initial_data > 0 or s.minimum_rtt is None:
        return otherwise  # [careful-resume.reconnaissance.sample]
    if s.waiting <= max(s.base.congestion_window - s.flight_size, 0):
        return otherwise  # [careful-resume.reconnaissance.wait]
    return enter_unvalidated(s, now)  # [careful-resume.reconnaissance.confirmed]


# Unvalidated Phase (3.3)


def enter_unvalidated(s: CarefulResume, now: int) -> Outcome:
    """PipeSize is the flight_size. CWND = jump_cwnd, if that is larger (open)."""
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
    """Completed sending all unvalidated packets: less than one packet of CWND is unused."""
    if s.first_unvalidated_packet == NONE:
        s.first_unvalidated_packet = sent.packets[0].first  # [careful-resume.marks.first]
    s.last_unvalidated_packet = sent.packets[-1].last  # [careful-resume.marks.last]
    pace(s, sent)
    if s.base.congestion_window - s.flight_size < s.base.max_datagram_size:
        return leave_unvalidated_if(s, sent.t_ns, Outcome.SENT, Trigger.LAST_UNVALIDATED_PACKET_SENT)
    return leave_unvalidated_if(s, sent.t_ns, Outcome.SENT)


def release_time(s: CarefulResume) -> int:
    """Return the earliest time of the next packet, at most the largest time."""
    return min(s.paced_from_ns + transmission_time(s, s.paced), TIME_MAX_NS)  # [careful-resume.pacing.rounding]


def transmission_time(s: CarefulResume, size: int) -> int:
    """4.3.2: ITT = (current RTT x MPS) / jump_cwnd, for any number of bytes; rounded up."""
    return -(-size * s.paced_rtt // s.jump_cwnd)  # [careful-resume.pacing.schedule] [careful-resume.pacing.rounding]


def pace(s: CarefulResume, sent: Sent) -> None:
    """4.3.2: no burst is larger than IW, even if the sender is late."""
    burst = transmission_time(s, max(s.initial_window - s.base.max_datagram_size, 0))
    if sent.t_ns > release_time(s) + burst:
        s.paced_from_ns, s.paced = sent.t_ns - burst, 0  # [careful-resume.pacing.burst]
    s.paced = min(s.paced + sent.bytes, WINDOW_MAX_BYTES)


def on_ack_in_unvalidated(s: CarefulResume, ack: Ack) -> Outcome:
    """Confirm the path during transmission; receiving acknowledgement for an unvalidated packet."""
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
    """Limiting time: more than one RTT has elapsed. Upon any trigger check flight_size."""
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
    """CWND is updated using the normal rules, until the last unvalidated packet, or a higher one, is acknowledged."""
    outcome = on_ack_in_normal_cc(s, ack)  # [careful-resume.validating.growth]
    if s.highest_acked >= s.last_unvalidated_packet:
        trigger = Trigger.LAST_UNVALIDATED_PACKET_ACKNOWLEDGED
        return stop(s, Outcome.VALIDATED, trigger)  # [careful-resume.validating.end]
    return outcome


# Safe Retreat Phase (3.5)


def enter_safe_retreat(s: CarefulResume, trigger: Trigger, now: int) -> Outcome:
    """CWND is reduced to PipeSize / 2, in QUIC not below two packets, and loss recovery commences.

    Later flows cannot use the set of saved CC parameters. This flow keeps it in ``saved``, since leaving Safe Retreat
    uses its Beta. ssthresh stays until the phase ends.
    """
    s.phase, s.triggers = Phase.SAFE_RETREAT, (trigger,)
    s.base.congestion_window = max(s.pipesize // PIPE_DIVISOR, s.base.minimum_window)  # [careful-resume.retreat.window]
    s.base.congestion_recovery_start_time = now  # [careful-resume.retreat.recovery]
    if s.last_unvalidated_packet == NONE:
        s.last_unvalidated_packet = s.highest_sent  # [careful-resume.retreat.mark]
    return Outcome.RETREATED


def on_ack_in_safe_retreat(s: CarefulResume) -> Outcome:
    """CWND is not increased, until the last unvalidated packet, or a later one, has been acknowledged."""
    if s.highest_acked < s.last_unvalidated_packet:
        return Outcome.WINDOW_KEPT  # [careful-resume.retreat.no-growth]
    leave_safe_retreat(s)
    return stop(s, Outcome.RETREAT_ENDED, Trigger.EXIT_RECOVERY)  # [careful-resume.retreat.end]


def leave_safe_retreat(s: CarefulResume) -> None:
    """On leaving, ssthresh is at most PipeSize * Beta."""
    ssthresh = s.pipesize * s.saved.beta_numerator // s.saved.beta_denominator
    if s.base.ssthresh is None or ssthresh < s.base.ssthresh:
        s.base.ssthresh = ssthresh  # [careful-resume.retreat.threshold]


# In every phase


def on_sent(s: CarefulResume, sent: Sent) -> Outcome:
    """Update the counts of packets and bytes."""
    s.flight_size = min(sent.bytes_in_flight, WINDOW_MAX_BYTES)
    s.highest_sent = sent.packets[-1].last
    s.waiting = 0 if sent.app_limited else max(s.waiting - sent.bytes, 0)
    if s.phase is Phase.UNVALIDATED:
        return on_sent_in_unvalidated(s, sent)
    if s.phase is Phase.RECONNAISSANCE and s.last_initial_packet == NONE:
        s.initial_data += sent.bytes
    return newreno.on_sent(s.base, sent)


def on_ack(s: CarefulResume, ack: Ack) -> Outcome:
    """Add newly acknowledged bytes to PipeSize before any decision."""
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
    """3.7: slow start if CWND is less than or equal to ssthresh; RFC 9002: only below."""
    ssthresh = s.base.ssthresh
    if s.base.congestion_window == ssthresh:
        s.base.ssthresh = ssthresh + 1  # [careful-resume.normal.at-threshold]
    outcome = newreno.on_ack(s.base, ack)  # [careful-resume.normal]
    s.base.ssthresh = ssthresh
    return outcome


def on_detected_congestion(s: CarefulResume, event: Lost | Ce, trigger: Trigger) -> Outcome:
    """Packet loss or ECN-CE marking of any packet. The reaction to another one in Safe Retreat is open."""
    if s.phase is Phase.SAFE_RETREAT:
        return Outcome.ALREADY_REDUCED  # [careful-resume.retreat.once]
    if s.phase in (Phase.UNVALIDATED, Phase.VALIDATING):
        return enter_safe_retreat(s, trigger, event.t_ns)  # [careful-resume.unvalidated.loss]
    outcome = newreno.on_event(s.base, event)
    if s.phase is Phase.RECONNAISSANCE:
        stop(s, outcome, trigger)  # [careful-resume.reconnaissance.congestion]
    return outcome


def on_path_change(s: CarefulResume, event: PathChange) -> Outcome:
    """A signal that the path is different."""
    if s.phase is Phase.RECONNAISSANCE:
        return stop(s, Outcome.PATH_CHANGED)  # [careful-resume.reconnaissance.path]
    if s.phase is Phase.UNVALIDATED:
        return enter_safe_retreat(s, Trigger.PATH_CHANGED, event.t_ns)  # [careful-resume.unvalidated.path]
    return Outcome.UNCHANGED


def on_persistent_congestion(s: CarefulResume, event: PersistentCongestion) -> Outcome:
    """3.6: stop using Careful Resume; that leaves Safe Retreat, too."""
    if s.phase is Phase.SAFE_RETREAT:
        leave_safe_retreat(s)  # [careful-resume.persistent.threshold]
    return stop(s, newreno.on_persistent_congestion(s.base, event))  # [careful-resume.persistent]
