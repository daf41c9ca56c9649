"""Linux, net/ipv4/tcp_hybla.c: Hybla on NewReno.

The text is the code, in its version with the bound of 16 on the shift. The unit of rho is 1/8; increments are in 128ths
of a segment, for each ACK. The window is in bytes here, and its segments are whole segments.
The author of the model wrote this program, with the model or after it.
"""

from dataclasses import dataclass

from firstflight.events import Ack, Event
from firstflight.newreno import plain_newreno_rfc_9002 as newreno
from firstflight.observables import Outcome, Phase

PROFILE = "hybla/linux"

#: RTT of the reference connection, in ns.
RTT0 = 25_000_000
#: Limit of rho, in 1/8. This project's limit: rho below 256, so that 64 bits suffice.
RHO_3LS_MAX = 2047
#: Limit of the whole part of rho in the power of 2.
SHIFT_MAX = 16
#: Limit of the window (snd_cwnd_clamp), in segments.
WINDOW_CLAMP = 65_535
#: 2^(k/8) for k from 0 to 7, in 1/128.
FRACTIONS = (128, 139, 152, 165, 181, 197, 215, 234)


@dataclass(slots=True)
class Hybla:
    """The variables of the code: rho in eighths, rest of growth in 128ths of a segment, smallest smoothed RTT."""

    base: newreno.NewReno
    rho_3ls: int = 8
    cents: int = 0
    min_rtt: int | None = None


def begin(max_datagram_size_bytes: int, initial_window_bytes: int | None) -> Hybla:
    """Begin a connection without an RTT."""
    return Hybla(newreno.begin(max_datagram_size_bytes, initial_window_bytes))  # [hybla.begin] [hybla.rho.unknown]


def on_event(s: Hybla, event: Event) -> Outcome:
    """Process ACKs outside of recovery, and the RTT of all ACKs; NewReno processes all other events."""
    if isinstance(event, Ack):
        on_rtt(s, event.smoothed_rtt_ns)
        if s.base.phase is not Phase.RECOVERY:
            return on_ack(s, event)  # [hybla.scope]
    return newreno.on_event(s.base, event)  # [hybla.loss]


def on_rtt(s: Hybla, srtt: int | None) -> None:
    """Recompute rho if this is the smallest smoothed RTT."""
    if srtt is None or (s.min_rtt is not None and srtt >= s.min_rtt):
        return
    s.min_rtt = srtt  # [hybla.rtt]
    rho_3ls = min(8 * srtt // RTT0, RHO_3LS_MAX)  # [hybla.rho] [hybla.rho.eighths] [hybla.rho.limit]
    s.rho_3ls = max(rho_3ls, 8)  # [hybla.rho.minimum]


def on_ack(s: Hybla, ack: Ack) -> Outcome:
    """Grow the window for an ACK of at least one packet sent since the last recovery began.

    Without an earlier recovery all packets count. In slow start the window grows by ``slow_start_increment``, up to
    ssthresh, otherwise by ``avoidance_increment``. An app-limited ACK does not grow it.
    """
    if ack.app_limited:
        return Outcome.APP_LIMITED  # [slow-start.app-limited]
    old = [newreno.in_congestion_recovery(s.base, run.sent_t_ns) for run in ack.packets]
    slow = s.base.in_slow_start
    if not all(old):
        gain(s, slow_start_increment(s) if slow else avoidance_increment(s))  # [hybla.unit.ack]
        if slow and s.base.ssthresh is not None:
            s.base.congestion_window = min(s.base.congestion_window, s.base.ssthresh)  # [hybla.threshold]
    if old[-1]:
        return Outcome.IN_RECOVERY
    return Outcome.GROWN if slow else Outcome.GROWN_AVOIDANCE


def slow_start_increment(s: Hybla) -> int:
    """Return the growth in slow start for an ACK: 2^rho - 1 segments, in 128ths of a segment.

    The ratio rho is the smallest smoothed RTT divided by 25 ms, at least 1.
    """
    shift = min(s.rho_3ls // 8, SHIFT_MAX)  # [hybla.power.limit]
    return (FRACTIONS[s.rho_3ls % 8] << shift) - 128  # [hybla.power.eighths] [hybla.slow-start]


def avoidance_increment(s: Hybla) -> int:
    """Return the growth in congestion avoidance for an ACK: rho^2 / W segments, in 128ths of a segment, rounded down.

    The ratio rho is the smallest smoothed RTT divided by 25 ms, at least 1. W is the window in whole segments, at
    least 1.
    """
    segments = max(s.base.congestion_window // s.base.max_datagram_size, 1)
    return 2 * s.rho_3ls * s.rho_3ls // segments  # [hybla.avoidance.datagrams]


def gain(s: Hybla, increment: int) -> None:
    """Add ``increment`` to the credit ``cents``, and grow the window by the whole segments of the credit.

    Both are in 128ths of a segment; the rest remains as credit. The window grows to at most 65535 segments.
    """
    segments, s.cents = divmod(s.cents + increment, 128)  # [hybla.gain.datagrams]
    size = s.base.max_datagram_size
    room = max(WINDOW_CLAMP * size - s.base.congestion_window, 0)  # [hybla.window.maximum]
    s.base.congestion_window += min(segments * size, room)
