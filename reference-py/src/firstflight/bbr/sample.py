"""The sample of an ACK, RS (``spec/bbr/rules.md``).

Mirrors ``reference-c/firstflight/bbr/sample.c``.
"""

from firstflight.bbr.kibibytes import kibibytes_rate_of
from firstflight.bbr.packets import in_packets, packets_rate_of, packets_rate_up, whole_ns
from firstflight.bbr.profiles import LimitedPackets, Readings, SampleOf, ShortSample, Units
from firstflight.bbr.rate import ZERO, Rate
from firstflight.bbr.state import Bbr, Sample, Taken, saturate
from firstflight.events import Ack, Lost, Sent
from firstflight.newreno.newreno import NewReno


def clocked_ns(readings: Readings, time_ns: int) -> int:
    """Return a time as the clock of the readings shows it."""
    if in_packets(readings):
        return whole_ns(time_ns)  # [bbr.units.time]
    return time_ns


def _delivery_rate(readings: Readings, base: NewReno, ack: Ack, delivered_bytes: int, interval_ns: int) -> Rate | None:
    """Return the rate of a sample, ``None`` for one that counts for nothing."""
    short = ack.min_rtt_ns is not None and interval_ns < clocked_ns(readings, ack.min_rtt_ns)
    if readings.short_sample is ShortSample.NOTHING and (short or interval_ns == 0):
        return None  # [bbr.sample.short.nothing]
    if short:
        return ZERO  # [bbr.sample.short]
    if interval_ns == 0:
        return ZERO  # [bbr.sample.no-time]
    if readings.units is Units.PACKETS:
        return packets_rate_of(delivered_bytes, interval_ns, base.max_datagram_size_bytes)  # [bbr.units.rate]
    if readings.units is Units.PACKETS_V3:
        return packets_rate_up(delivered_bytes, interval_ns, base.max_datagram_size_bytes)  # [bbr.units.v3.rate]
    if readings.units is Units.KIBIBYTES:
        return kibibytes_rate_of(delivered_bytes, interval_ns)  # [bbr.units.kibibytes]
    return Rate(delivered_bytes, interval_ns)  # [bbr.sample.rate]


def limit_sent(state: Bbr, sent: Sent) -> None:
    """Note which packets a write without more to send leaves application-limited."""
    if sent.app_limited:
        if state.app_limited_bytes == 0:
            state.limited_first_packet, state.limited_end_packet = sent.packets[0].first, None
        state.app_limited_bytes = max(state.delivered_bytes + state.in_flight_bytes, 1)  # [bbr.idle.limited]
    state.next_packet = sent.packets[-1].last + 1


def _clear_limited(state: Bbr) -> None:
    if state.delivered_bytes > state.app_limited_bytes:
        if state.app_limited_bytes > 0:
            state.limited_end_packet = state.next_packet
        state.app_limited_bytes = 0  # [bbr.idle.cleared]


def note_lost(readings: Readings, state: Bbr, lost: Lost) -> None:
    """Take what was lost into the sample that is kept, and off the gap that the application left."""
    state.lost_since_taken_bytes = saturate(state.lost_since_taken_bytes + lost.bytes)
    if readings.limited_packets is LimitedPackets.OWN and state.app_limited_bytes > 0:
        state.app_limited_bytes = max(state.app_limited_bytes - lost.bytes, 1)  # [bbr.app-limited.own.lost]


def _is_limited(readings: Readings, state: Bbr, ack: Ack) -> bool:
    """Return whether the packet of the sample was application-limited when it was sent."""
    if readings.limited_packets is LimitedPackets.LATER:
        return bool(ack.rate_app_limited)
    packet, first, end = ack.packets[-1].last, state.limited_first_packet, state.limited_end_packet
    return first is not None and first <= packet and (end is None or packet < end)  # [bbr.app-limited.own]


def _take(readings: Readings, state: Bbr, ack: Ack) -> Taken:
    """Return what the packet of this ACK gives, or what was taken before."""
    prior_bytes, interval_ns = ack.rate_prior_delivered_bytes or 0, clocked_ns(readings, ack.rate_interval_ns or 0)
    limited = _is_limited(readings, state, ack)
    taken = Taken(prior_bytes, interval_ns, limited, ack.rate_in_flight_bytes or 0, ack.rate_lost_bytes or 0)
    if readings.sample_of is SampleOf.LATER and 0 < state.taken.prior_delivered_bytes >= prior_bytes:
        return state.taken  # [bbr.sample.later]
    state.taken, state.lost_since_taken_bytes = taken, 0
    return taken


def generate_rate_sample(readings: Readings, state: Bbr, base: NewReno, ack: Ack) -> Sample:
    """Return the sample of an ACK, and keep what is delivered in all and in flight."""
    state.in_flight_bytes = saturate(ack.bytes_in_flight)
    delivered_bytes, interval_ns, prior_bytes = (
        ack.rate_delivered_bytes,
        ack.rate_interval_ns,
        ack.rate_prior_delivered_bytes,
    )
    if delivered_bytes is None or interval_ns is None or prior_bytes is None:
        state.delivered_bytes = saturate(state.delivered_bytes + ack.bytes)  # [bbr.sample.none]
        _clear_limited(state)
        return Sample(ZERO, 0, None, False, 0, 0)
    state.delivered_bytes = saturate(prior_bytes + delivered_bytes)  # [bbr.sample.delivered]
    taken = _take(readings, state, ack)
    _clear_limited(state)
    if taken.prior_delivered_bytes != prior_bytes:
        delivered_bytes = max(state.delivered_bytes - taken.prior_delivered_bytes, 0)
    rate = _delivery_rate(readings, base, ack, delivered_bytes, taken.interval_ns)
    lost_bytes = saturate(taken.lost_bytes + state.lost_since_taken_bytes)
    if rate is None:
        return Sample(ZERO, 0, None, taken.app_limited, taken.in_flight_bytes, lost_bytes)
    return Sample(rate, delivered_bytes, prior_bytes, taken.app_limited, taken.in_flight_bytes, lost_bytes)
