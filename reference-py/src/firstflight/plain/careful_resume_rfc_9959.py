"""RFC 9959: Careful Resume, read as draft-ietf-tsvwg-careful-resume-24, with the NewReno of RFC 9002 as its normal CC.

Sections are those of the draft. "Open": the text leaves it to the implementer, and the page says why this was chosen.
"""

from dataclasses import dataclass, field

from firstflight.events import (
    Ack,
    Backlog,
    Ce,
    Event,
    Lost,
    PathChange,
    PersistentCongestion,
    SavedPath,
    Sent,
)
from firstflight.limits import TIME_MAX_NS, WINDOW_MAX_BYTES
from firstflight.observables import Outcome, Phase, Trigger
from firstflight.plain import newreno_rfc_9002 as newreno

PROFILE = "careful-resume/rfc-9959"


@dataclass(slots=True)
class CarefulResume:
    """The variables of section 2.4; ``saved`` is the set of CC parameters in use."""

    base: newreno.NewReno
    initial_window: int
    phase: Phase = Phase.NORMAL
    triggers: tuple[Trigger, ...] = ()
    flight_size: int = 0
    current_rtt: int | None = None
    # Reconnaissance
    saved: SavedPath | None = None
    first_packet: int = 0
    last_initial_packet: int | None = None
    initial_bytes: int = 0
    minimum_rtt: int | None = None
    waiting_bytes: int = 0
    # From the Unvalidated Phase on
    jump_cwnd: int = 0
    pipesize: int = 0
    entry_ns: int = 0
    first_unvalidated_packet: int | None = None
    last_unvalidated_packet: int | None = None
    highest_sent: int | None = None
    highest_acked: int = -1
    #: Pacing: so many bytes were sent since, at jump_cwnd bytes in an RTT.
    paced_since_ns: int = 0
    paced_bytes: int = 0
    paced_rtt: int = 0

    @property
    def next_release_ns(self) -> int | None:
        """3.3: all packets sent in the Unvalidated Phase are paced."""
        if self.phase is not Phase.UNVALIDATED:
            return None
        return min(self.paced_since_ns + transmission_time(self, self.paced_bytes), TIME_MAX_NS)


def begin(max_datagram_size_bytes: int, initial_window_bytes: int | None) -> CarefulResume:
    """Normal CC, until there is a set of saved CC parameters."""
    base = newreno.begin(max_datagram_size_bytes, initial_window_bytes)
    return CarefulResume(base, base.congestion_window)


def on_event(s: CarefulResume, event: Event) -> Outcome:
    """Hand the event to its function. In Reconnaissance the end of the Lifetime comes first (3.2)."""
    s.triggers = ()
    if s.phase is Phase.RECONNAISSANCE and lifetime_exceeded(s.saved, event.t_ns):
        s.phase = Phase.NORMAL
        dispatch(s, event)
        return Outcome.LIFETIME_EXCEEDED
    return dispatch(s, event)


def dispatch(s: CarefulResume, event: Event) -> Outcome:
    """Hand the event to the function for it, which knows the phases."""
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
            return on_lost(s, event)
        case Ce():
            return on_ce(s, event)
        case PersistentCongestion():
            return on_persistent_congestion(s, event)
        case PathChange():
            return on_path_change(s, event)
    if s.phase is Phase.UNVALIDATED and time_is_over(s, event.t_ns):
        return leave_unvalidated(s, Trigger.RTT_EXCEEDED)
    return newreno.on_event(s.base, event)


# Reconnaissance Phase (3.2)


def on_saved_path(s: CarefulResume, path: SavedPath) -> Outcome:
    """Connection setup is complete: enter the phase, or return to normal CC."""
    if s.saved is not None:
        return Outcome.ALREADY_USED
    if path.saved_cwnd_bytes == 0 or path.saved_rtt_ns == 0:
        return Outcome.SAVED_SET_ABSENT
    if path.in_use:
        return Outcome.SAVED_SET_IN_USE
    if not path.endpoint_matches:
        return Outcome.ENDPOINT_MISMATCH
    if lifetime_exceeded(path, path.t_ns):
        return Outcome.LIFETIME_EXCEEDED
    s.saved = path
    s.phase = Phase.RECONNAISSANCE
    s.first_packet = 0 if s.highest_sent is None else s.highest_sent + 1
    return Outcome.RESUMING


def lifetime_exceeded(saved: SavedPath, now: int) -> bool:
    """Lifetime: the time after which the set must not be used."""
    return saved.expires_t_ns is not None and now >= saved.expires_t_ns


def on_backlog(s: CarefulResume, backlog: Backlog) -> Outcome:
    """More data may be there than normal CC permits to send."""
    s.waiting_bytes = min(backlog.queued_bytes, backlog.receive_window_bytes)
    if s.phase is Phase.UNVALIDATED and time_is_over(s, backlog.t_ns):
        return leave_unvalidated(s, Trigger.RTT_EXCEEDED)
    if s.phase is Phase.RECONNAISSANCE:
        return confirm_path(s, backlog.t_ns) or Outcome.UNCHANGED
    return Outcome.UNCHANGED


def on_ack_in_reconnaissance(s: CarefulResume, ack: Ack) -> Outcome:
    """CWND is increased using normal CC; the ACK may confirm the path."""
    outcome = normal_ack(s, ack)
    if s.last_initial_packet is None and ack.packets[-1].last >= s.first_packet:
        s.last_initial_packet = s.highest_sent
    if ack.latest_rtt_ns is not None:
        s.minimum_rtt = min(s.minimum_rtt or ack.latest_rtt_ns, ack.latest_rtt_ns)
    if s.last_initial_packet is not None:
        for run in ack.packets:
            packets = min(run.last, s.last_initial_packet) - max(run.first, s.first_packet) + 1
            s.initial_bytes -= max(packets, 0) * run.size_bytes
    if ack.latest_rtt_ns is not None and not rtt_is_valid(s, s.minimum_rtt):
        return stop(s, Outcome.RTT_NOT_VALIDATED, Trigger.RTT_NOT_VALIDATED)
    return confirm_path(s, ack.t_ns) or outcome


def rtt_is_valid(s: CarefulResume, lowest_rtt: int) -> bool:
    """The RTT is more than half of the saved_rtt (3.2), and no more than ten times it (4.2.1)."""
    return s.saved.saved_rtt_ns < 2 * lowest_rtt and s.current_rtt <= 10 * s.saved.saved_rtt_ns


def confirm_path(s: CarefulResume, now: int) -> Outcome | None:
    """Path confirmed: the RTT, and all the initial data acknowledged; deferred until the window limits the sender."""
    if s.last_initial_packet is None or s.initial_bytes > 0 or s.minimum_rtt is None:
        return None
    if s.waiting_bytes <= max(s.base.congestion_window - s.flight_size, 0):
        return None
    return enter_unvalidated(s, now)


def stop(s: CarefulResume, outcome: Outcome, *triggers: Trigger) -> Outcome:
    """Stop using Careful Resume and return to normal CC (3.7), which goes on as it is."""
    s.phase = Phase.NORMAL
    s.triggers = triggers
    return outcome


# Unvalidated Phase (3.3)


def enter_unvalidated(s: CarefulResume, now: int) -> Outcome:
    """PipeSize is the flight size; CWND is the jump_cwnd, no more than half of the saved_cwnd."""
    jump_cwnd = s.saved.saved_cwnd_bytes // 2
    if s.saved.max_jump_bytes is not None:
        jump_cwnd = min(s.saved.max_jump_bytes, jump_cwnd)
    if jump_cwnd <= s.base.congestion_window:
        return stop(s, Outcome.JUMP_NOT_LARGER)
    s.phase = Phase.UNVALIDATED
    s.triggers = (Trigger.CONGESTION_WINDOW_LIMITED,)
    s.pipesize = s.flight_size
    s.jump_cwnd = s.base.congestion_window = jump_cwnd
    s.entry_ns = now
    s.paced_since_ns, s.paced_bytes, s.paced_rtt = now, 0, s.current_rtt
    return Outcome.JUMPED


def on_sent(s: CarefulResume, sent: Sent) -> Outcome:
    """Keep count; in the Unvalidated Phase look whether it has ended."""
    s.flight_size = sent.bytes_in_flight
    s.highest_sent = sent.packets[-1].last
    s.waiting_bytes = 0 if sent.app_limited else max(s.waiting_bytes - sent.bytes, 0)
    if s.phase is Phase.RECONNAISSANCE and s.last_initial_packet is None:
        s.initial_bytes += sent.bytes
    if s.phase is Phase.UNVALIDATED:
        return on_sent_in_unvalidated(s, sent)
    return newreno.on_sent(s.base, sent)


def on_sent_in_unvalidated(s: CarefulResume, sent: Sent) -> Outcome:
    """Pacing; completed sending all unvalidated packets; limiting time."""
    if s.first_unvalidated_packet is None:
        s.first_unvalidated_packet = sent.packets[0].first
    s.last_unvalidated_packet = s.highest_sent
    pace(s, sent)
    triggers = []
    if s.base.congestion_window - s.flight_size < s.base.max_datagram_size:
        triggers.append(Trigger.LAST_UNVALIDATED_PACKET_SENT)
    if time_is_over(s, sent.t_ns):
        triggers.append(Trigger.RTT_EXCEEDED)
    return leave_unvalidated(s, *triggers) if triggers else Outcome.SENT


def transmission_time(s: CarefulResume, size: int) -> int:
    """4.3.2: ITT = (current RTT x MPS) / jump_cwnd, for any number of bytes; rounded up."""
    return -(-size * s.paced_rtt // s.jump_cwnd)


def pace(s: CarefulResume, sent: Sent) -> None:
    """4.3.2: no burst greater than IW: who is late catches up with that at most."""
    late = sent.t_ns - transmission_time(s, max(s.initial_window - s.base.max_datagram_size, 0))
    if late > s.next_release_ns:
        s.paced_since_ns, s.paced_bytes = late, 0
    s.paced_bytes = min(s.paced_bytes + sent.bytes, WINDOW_MAX_BYTES)


def time_is_over(s: CarefulResume, now: int) -> bool:
    """Limiting time: more than one RTT has elapsed in the Unvalidated Phase."""
    return now - s.entry_ns > s.current_rtt


def on_ack_in_unvalidated(s: CarefulResume, ack: Ack) -> Outcome:
    """Track PipeSize; confirm the path; look for the acknowledgement of an unvalidated packet."""
    track_pipesize(s, ack)
    if ack.latest_rtt_ns is not None and not rtt_is_valid(s, ack.latest_rtt_ns):
        return enter_safe_retreat(s, Trigger.PATH_CHANGED, ack.t_ns)
    if s.current_rtt != s.paced_rtt:
        s.paced_since_ns, s.paced_bytes, s.paced_rtt = s.next_release_ns, 0, s.current_rtt
    triggers = []
    if s.first_unvalidated_packet is not None and ack.packets[-1].last >= s.first_unvalidated_packet:
        triggers.append(Trigger.FIRST_UNVALIDATED_PACKET_ACKNOWLEDGED)
    if time_is_over(s, ack.t_ns):
        triggers.append(Trigger.RTT_EXCEEDED)
    return leave_unvalidated(s, *triggers) if triggers else Outcome.WINDOW_KEPT


def track_pipesize(s: CarefulResume, ack: Ack) -> None:
    """PipeSize is increased by the volume of data that is newly acknowledged."""
    s.pipesize = min(s.pipesize + ack.bytes, WINDOW_MAX_BYTES)


def leave_unvalidated(s: CarefulResume, *triggers: Trigger) -> Outcome:
    """Check flight_size."""
    if s.flight_size < s.initial_window or s.flight_size <= s.pipesize:
        s.base.congestion_window = max(s.pipesize, s.initial_window)
        return stop(s, Outcome.RATE_LIMITED, Trigger.RATE_LIMITED)
    s.base.congestion_window = s.flight_size
    s.phase = Phase.VALIDATING
    s.triggers = triggers
    return Outcome.VALIDATION_BEGUN


# Validating Phase (3.4)


def on_ack_in_validating(s: CarefulResume, ack: Ack) -> Outcome:
    """CWND is updated by normal CC, until the last unvalidated packet (or a higher one) is acknowledged."""
    track_pipesize(s, ack)
    outcome = normal_ack(s, ack)
    if s.highest_acked >= s.last_unvalidated_packet:
        return stop(s, Outcome.VALIDATED, Trigger.LAST_UNVALIDATED_PACKET_ACKNOWLEDGED)
    return outcome


# Safe Retreat Phase (3.5)


def enter_safe_retreat(s: CarefulResume, trigger: Trigger, now: int) -> Outcome:
    """CWND is reduced to PipeSize / 2; the minimum in QUIC is two packets. Loss recovery commences."""
    s.phase = Phase.SAFE_RETREAT
    s.triggers = (trigger,)
    s.base.congestion_window = max(s.pipesize // 2, s.base.minimum_window)
    s.base.congestion_recovery_start_time = now
    s.base.in_recovery = True
    if s.last_unvalidated_packet is None:
        s.last_unvalidated_packet = s.highest_sent
    return Outcome.RETREATED


def on_ack_in_safe_retreat(s: CarefulResume, ack: Ack) -> Outcome:
    """CWND is not increased. When the last unvalidated packet (or a later one) is acknowledged, ssthresh is PipeSize * Beta."""
    track_pipesize(s, ack)
    newreno.end_recovery(s.base, ack)
    if s.highest_acked < s.last_unvalidated_packet:
        return Outcome.WINDOW_KEPT
    leave_safe_retreat(s)
    return stop(s, Outcome.RETREAT_ENDED, Trigger.EXIT_RECOVERY)


def leave_safe_retreat(s: CarefulResume) -> None:
    """On leaving the phase, ssthresh is no larger than PipeSize * Beta."""
    ssthresh = s.pipesize * s.saved.beta_numerator // s.saved.beta_denominator
    s.base.ssthresh = ssthresh if s.base.ssthresh is None else min(ssthresh, s.base.ssthresh)


# In every phase


def on_ack(s: CarefulResume, ack: Ack) -> Outcome:
    """Hand the ACK to its phase, after what it says of RTT and flight."""
    s.flight_size = ack.bytes_in_flight
    s.highest_acked = max(s.highest_acked, ack.packets[-1].last)
    if ack.latest_rtt_ns is not None:
        s.current_rtt = ack.latest_rtt_ns
    match s.phase:
        case Phase.RECONNAISSANCE:
            return on_ack_in_reconnaissance(s, ack)
        case Phase.UNVALIDATED:
            return on_ack_in_unvalidated(s, ack)
        case Phase.VALIDATING:
            return on_ack_in_validating(s, ack)
        case Phase.SAFE_RETREAT:
            return on_ack_in_safe_retreat(s, ack)
    return normal_ack(s, ack)


def normal_ack(s: CarefulResume, ack: Ack) -> Outcome:
    """3.7: slow start when CWND is less than or equal to ssthresh; RFC 9002 has it below."""
    equal = s.base.congestion_window == s.base.ssthresh
    s.base.ssthresh = s.base.congestion_window + 1 if equal else s.base.ssthresh
    outcome = newreno.on_ack(s.base, ack)
    s.base.ssthresh = s.base.ssthresh - 1 if equal else s.base.ssthresh
    return outcome


def on_lost(s: CarefulResume, lost: Lost) -> Outcome:
    """Detected congestion: packet loss."""
    s.flight_size = lost.bytes_in_flight
    if s.phase in (Phase.NORMAL, Phase.RECONNAISSANCE):
        outcome = newreno.on_lost(s.base, lost)
        return outcome if s.phase is Phase.NORMAL else stop(s, outcome, Trigger.PACKET_LOSS)
    return on_detected_congestion(s, Trigger.PACKET_LOSS, lost.t_ns)


def on_ce(s: CarefulResume, ce: Ce) -> Outcome:
    """Detected congestion: ECN-CE marking."""
    if s.phase in (Phase.NORMAL, Phase.RECONNAISSANCE):
        outcome = newreno.on_ce(s.base, ce)
        return outcome if s.phase is Phase.NORMAL else stop(s, outcome, Trigger.ECN_CE)
    return on_detected_congestion(s, Trigger.ECN_CE, ce.t_ns)


def on_detected_congestion(s: CarefulResume, trigger: Trigger, now: int) -> Outcome:
    """While packets are unvalidated."""
    if s.phase is Phase.SAFE_RETREAT:
        return Outcome.ALREADY_REDUCED
    return enter_safe_retreat(s, trigger, now)


def on_path_change(s: CarefulResume, event: PathChange) -> Outcome:
    """The path is now different to the observed one."""
    if s.phase is Phase.RECONNAISSANCE:
        return stop(s, Outcome.PATH_CHANGED)
    if s.phase is Phase.UNVALIDATED:
        return enter_safe_retreat(s, Trigger.PATH_CHANGED, event.t_ns)
    return Outcome.UNCHANGED


def on_persistent_congestion(s: CarefulResume, event: PersistentCongestion) -> Outcome:
    """3.6: stop using Careful Resume."""
    if s.phase is Phase.SAFE_RETREAT:
        leave_safe_retreat(s)
    return stop(s, newreno.on_persistent_congestion(s.base, event))
