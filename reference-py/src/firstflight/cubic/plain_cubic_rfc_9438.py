"""RFC 9438, section 4: CUBIC, with slow start and the recovery period of RFC 9002.

Windows are in bytes, as section 4.1 allows, and times in ns. The text uses real numbers. Here W_est and the
window have a fraction in units of 2^-32 bytes and are compared in whole bytes. K is in whole ns, and W_cubic in whole
bytes from W_max. Every division is rounded down. Written from draft-ietf-tcpm-rfc8312bis-15, the last before the RFC.
Slow start is plain (4.10, MAY), without the recommended HyStart++ (SHOULD). The timer of a sender with a window of one
segment and further marks (4.6, MUST) is not implemented. Fast convergence is always on; 4.7 turns it off (SHOULD) if
one flow has the bottleneck alone, which no event reports. No event reports a spurious timeout (4.9.1).
U1 to U12: the open points of the page.
"""

from dataclasses import dataclass, replace

from firstflight.events import Ack, Ce, DatagramSize, Event, Lost, PersistentCongestion, Sent, SpuriousLoss
from firstflight.limits import WINDOW_MAX_BYTES
from firstflight.newreno import plain_newreno_rfc_9002 as newreno
from firstflight.observables import Outcome, Phase

PROFILE = "cubic/rfc-9438"

#: Fractions of the window are in units of 1 / UNIT bytes.
UNIT = 2**32
#: A second to the third power, in ns^3.
SECOND_CUBED = 10**27


@dataclass(slots=True)
class Cubic:
    """The variables of section 4.1.2; ``w_max`` and ``t_epoch`` are ``None`` until set.

    ``limited_since`` and ``idle_since``: start of the time with unused window. ``left_out``: total of past time with
    unused window; t_epoch is a time of a clock without it. ``undo``: this state before the last loss.
    """

    base: newreno.NewReno
    cwnd_fraction: int = 0
    cwnd_prior: int = 0
    w_max: int | None = None
    k: int = 0
    t_epoch: int | None = None
    w_est: int = 0
    limited_since: int | None = None
    idle_since: int | None = None
    left_out: int = 0
    undo: "Cubic | None" = None

    @property
    def mss(self) -> int:
        """The segment size of section 4, in bytes: the maximum datagram size of a QUIC sender."""
        return self.base.max_datagram_size

    @property
    def phase(self) -> Phase:
        """The phase of RFC 9002."""
        return self.base.phase


def begin(max_datagram_size_bytes: int, initial_window_bytes: int | None) -> Cubic:
    """Begin in slow start."""
    return Cubic(newreno.begin(max_datagram_size_bytes, initial_window_bytes))  # [cubic.begin]


def on_event(s: Cubic, event: Event) -> Outcome:
    """Call the function for the event."""
    match event:
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
        case SpuriousLoss():
            return on_spurious_loss(s)
        case DatagramSize():
            return on_datagram_size(s, event)
    return newreno.on_event(s.base, event)


def on_sent(s: Cubic, sent: Sent) -> Outcome:
    """4.2: end a time without bytes in flight; t, the time since the stage began, does not include this time."""
    end_idle_time(s, sent.t_ns)
    return newreno.on_sent(s.base, sent)


def end_idle_time(s: Cubic, now: int) -> None:
    """4.2: leave the time that has passed without bytes in flight out of t, the time since the stage began."""
    if s.idle_since is not None:
        s.left_out += now - s.idle_since  # [cubic.limited.idle]
        s.idle_since = None


def on_ack(s: Cubic, ack: Ack) -> Outcome:
    """A new ACK: slow start packet by packet, and congestion avoidance once for all other bytes."""
    newreno.end_recovery(s.base, ack)
    end_idle_time(s, ack.t_ns)
    if ack.app_limited:
        if s.limited_since is None:
            s.limited_since = ack.t_ns
        return Outcome.APP_LIMITED  # [cubic.limited.growth]
    bytes_acked = 0
    for run in ack.packets:
        outcome = Outcome.IN_RECOVERY
        if not newreno.in_congestion_recovery(s.base, run.sent_t_ns):
            outcome = Outcome.GROWN
            # At cwnd = ssthresh the text has slow start (4.10), RFC 9002 has congestion avoidance (7.3.3), used here
            # (U9).
            packets = newreno.slow_start_packets(s.base, run)
            newreno.increase(s.base, packets * run.size_bytes)
            if packets < run.count:
                bytes_acked += (run.count - packets) * run.size_bytes
                outcome = Outcome.GROWN_AVOIDANCE
    if bytes_acked > 0:
        on_new_ack_in_congestion_avoidance(s, bytes_acked, ack)
    if ack.bytes_in_flight == 0 and s.limited_since is None:
        s.idle_since = ack.t_ns
    return outcome


def on_new_ack_in_congestion_avoidance(s: Cubic, bytes_acked: int, ack: Ack) -> None:
    """4.2 to 4.5: grow cwnd in congestion avoidance for ``bytes_acked`` newly acknowledged bytes.

    If W_cubic(t) is below W_est, the estimate of a Reno window, cwnd rises to W_est but never decreases. Otherwise cwnd
    grows by (target - cwnd) / cwnd of these bytes; the target is W_cubic(t + RTT), from cwnd to 1.5 cwnd. The first ACK
    of a stage begins it, and t is the time since then without application-limited and idle time.
    """
    cwnd = s.base.congestion_window
    if s.limited_since is not None:
        s.left_out += ack.t_ns - s.limited_since  # [cubic.limited.time]
        s.limited_since = None
    t_current = ack.t_ns - s.left_out
    if s.t_epoch is None:
        s.t_epoch = t_current  # [cubic.epoch.begin]
        begin_stage(s, cwnd)
    t = t_current - s.t_epoch
    rtt = ack.smoothed_rtt_ns or 0
    bytes_acked = min(bytes_acked, cwnd)  # [cubic.grow.at-most-a-window] this project's bound
    alpha, of = 9, 17  # [cubic.friendly.alpha]
    if s.w_est >= s.cwnd_prior * UNIT:
        alpha, of = 1, 1  # [cubic.friendly.alpha-one]
    s.w_est += UNIT * alpha * s.mss * bytes_acked // (of * cwnd)  # [cubic.friendly.estimate]
    if w_cubic(s, t) < s.w_est // UNIT:
        # If W_est is below cwnd, the text lowers cwnd to it; elsewhere in the text cwnd only grows. Here it only grows
        # (U8).
        if s.w_est // UNIT > cwnd:  # [cubic.friendly.never-lowers]
            set_cwnd(s, s.w_est)  # [cubic.friendly.region]
    else:
        target = w_cubic(s, t + rtt)  # [cubic.target]
        target = max(target, cwnd)  # [cubic.target.least]
        target = min(target, cwnd + cwnd // 2)  # [cubic.target.most]
        # The text grows by (target - cwnd) / cwnd segments for each new ACK; here for each acknowledged segment (U1).
        increment = UNIT * (target - cwnd) * bytes_acked // cwnd  # [cubic.grow] [cubic.grow.share]
        set_cwnd(s, cwnd * UNIT + s.cwnd_fraction + increment)


def begin_stage(s: Cubic, cwnd_epoch: int) -> None:
    """4.2: begin a stage of congestion avoidance with the window cwnd_epoch: set W_max, K in ns, and W_est.

    After a timeout (4.8) W_max is cwnd_epoch, and K is 0. The text does not define K for cwnd_epoch above W_max. In
    that case this program also sets W_max to cwnd_epoch and K to 0 (open point U11 of the specification page). Section
    4.10 also sets cwnd_prior to cwnd_epoch after HyStart++, which this program does not have.
    """
    if s.w_max is None or s.w_max < cwnd_epoch:
        s.w_max = cwnd_epoch  # [cubic.epoch.no-maximum] [cubic.epoch.low-maximum]
    s.k = cube_root((s.w_max - cwnd_epoch) * 5 * SECOND_CUBED // (2 * s.mss))  # [cubic.k]
    s.w_est = cwnd_epoch * UNIT + s.cwnd_fraction  # [cubic.friendly.begin]


def rise(mss: int, time: int) -> int:
    """4.2: C * time^3 in bytes, rounded down, with C = 2/5 segments of ``mss`` bytes per s^3. ``time`` is in ns."""
    return 2 * mss * time**3 // (5 * SECOND_CUBED)


def w_cubic(s: Cubic, t: int) -> int:
    """4.2: C * (t - K)^3 + W_max, in bytes, rounded towards W_max; C is 2/5 segments per s^3.

    ``t``: time since the beginning of the congestion avoidance stage, in ns, like K. The result is at most
    ``WINDOW_MAX_BYTES``.
    """
    assert s.w_max is not None
    if t < s.k:
        return s.w_max - rise(s.mss, s.k - t)  # [cubic.window.concave]
    return min(s.w_max + rise(s.mss, t - s.k), WINDOW_MAX_BYTES)  # [cubic.window]


def cube_root(number: int) -> int:
    """Return the largest integer whose cube is at most ``number``."""
    root = 0
    for bit in reversed(range(number.bit_length() // 3 + 1)):
        if (root + (1 << bit)) ** 3 <= number:
            root += 1 << bit  # [cubic.root]
    return root


def set_cwnd(s: Cubic, cwnd_units: int) -> None:
    """Set the window to ``cwnd_units`` / 2^32 bytes, at most ``WINDOW_MAX_BYTES``; keep the fraction of a byte."""
    s.base.congestion_window, s.cwnd_fraction = divmod(cwnd_units, UNIT)
    if s.base.congestion_window > WINDOW_MAX_BYTES:
        s.base.congestion_window, s.cwnd_fraction = WINDOW_MAX_BYTES, 0


def on_congestion_event(s: Cubic, minimum_window: int, sent_time: int, now: int) -> Outcome:
    """4.6 and 4.7: reduce cwnd and ssthresh to 7/10 of cwnd, once for each recovery period of RFC 9002.

    ``minimum_window``: smallest cwnd in bytes; ssthresh is at least two segments. 4.6 reduces flight_size, but lets a
    sender use cwnd if an unused window does not grow, as here (open point U3 of the specification page). Fast
    convergence is always on (open point U5).
    """
    cwnd = s.base.congestion_window
    if newreno.on_congestion_event(s.base, sent_time, now) is Outcome.ALREADY_REDUCED:
        return Outcome.ALREADY_REDUCED
    if s.w_max is not None and cwnd < s.w_max:
        s.w_max = cwnd * 17 // 20  # [cubic.maximum.fast-convergence]
    else:
        s.w_max = cwnd
    s.cwnd_prior = cwnd  # [cubic.maximum]
    ssthresh = cwnd * 7 // 10  # [cubic.reduce]
    s.base.congestion_window = max(ssthresh, minimum_window)  # [cubic.reduce.at-once]
    s.base.ssthresh = max(ssthresh, 2 * s.mss)  # [cubic.reduce.minimum]
    s.cwnd_fraction = 0
    s.t_epoch = None
    return Outcome.REDUCED


def on_lost(s: Cubic, lost: Lost) -> Outcome:
    """4.6: reduce the window on a loss. 4.9.2: save the variables before the reduction, in case the loss is spurious.

    The loss of a PMTU probe changes nothing (RFC 9000, section 14.4).
    """
    if lost.pmtu_probe:
        return Outcome.UNCHANGED  # [slow-start.loss.pmtu-probe]
    saved = replace(s, base=replace(s.base), undo=None)  # [cubic.spurious.save]
    sent_time_of_last_loss = max(run.sent_t_ns for run in lost.packets)
    outcome = on_congestion_event(s, 2 * s.mss, sent_time_of_last_loss, lost.t_ns)
    if outcome is Outcome.REDUCED:
        s.undo = saved
    return outcome


def on_ce(s: Cubic, ce: Ce) -> Outcome:
    """4.6: the reduction on ECE. This project's rule: the reductions of earlier losses can no longer be undone."""
    outcome = on_congestion_event(s, s.mss, ce.sent_t_ns, ce.t_ns)  # [cubic.reduce.minimum-ce]
    if outcome is Outcome.REDUCED:
        s.undo = None
    return outcome


def on_persistent_congestion(s: Cubic, event: PersistentCongestion) -> Outcome:
    """4.8: a timeout, in QUIC persistent congestion. Set cwnd to the minimum window, and forget W_max.

    The loss before this event has set ssthresh (open point U10 of the specification page). K of the next stage is 0,
    since W_max is then its first window. Earlier reductions can no longer be undone (open point U7).
    """
    s.w_max = None  # [cubic.persistent]
    s.t_epoch = None
    s.cwnd_fraction = 0
    s.undo = None  # [cubic.spurious.persistent]
    return newreno.on_persistent_congestion(s.base, event)


def on_spurious_loss(s: Cubic) -> Outcome:
    """4.9.2: undo the last reduction, which a spurious loss caused, unless cwnd has reached cwnd_prior again.

    The recovery period of RFC 9002 from before the reduction is restored too. It is over if an ACK has ended the period
    that the reduction began. The text does not mention this (open point U7 of the specification page). Time with unused
    window since the reduction does not count in the restored stage (open point U12).
    """
    if s.undo is None or s.base.congestion_window >= s.cwnd_prior:
        return Outcome.UNCHANGED  # [cubic.spurious.late]
    undo, s.undo = s.undo, None
    # An ACK that ended this recovery period also ended the previous period, which began earlier.
    in_recovery = undo.base.in_recovery and s.base.in_recovery  # [cubic.spurious.recovery]
    s.base = replace(undo.base, in_recovery=in_recovery, max_datagram_size=s.mss)  # [cubic.spurious]
    s.cwnd_fraction, s.cwnd_prior, s.w_max = undo.cwnd_fraction, undo.cwnd_prior, undo.w_max
    s.k, s.t_epoch, s.w_est = undo.k, undo.t_epoch, undo.w_est
    return Outcome.RESTORED


def on_datagram_size(s: Cubic, event: DatagramSize) -> Outcome:
    """RFC 9002, 7.2: change the maximum datagram size. The window in bytes stays the same.

    Exception: a decrease in the handshake limits the window to the recommended initial window. K is computed for one
    segment size, so the next growth in congestion avoidance begins another stage. The text leaves this open.
    """
    s.t_epoch = None
    s.cwnd_fraction = 0
    if s.undo is not None:
        s.undo = replace(s.undo, t_epoch=None, cwnd_fraction=0)
    return newreno.on_event(s.base, event)
