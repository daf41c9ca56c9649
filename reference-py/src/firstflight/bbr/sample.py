"""The sample of an ACK, RS (``spec/bbr/rules.md``).

Mirrors ``reference-c/firstflight/bbr/sample.c``.
"""

from firstflight.bbr.packets import in_packets, packets_rate_of, packets_rate_up, whole_ns
from firstflight.bbr.profiles import Readings, ShortSample, Units
from firstflight.bbr.rate import ZERO, Rate
from firstflight.bbr.state import Bbr, Sample, saturate
from firstflight.events import Ack, Sent
from firstflight.newreno.newreno import BaseState


def clocked_ns(readings: Readings, time_ns: int) -> int:
    """Return a time in ns, in the resolution of the clock of the readings."""
    if in_packets(readings):
        return whole_ns(time_ns)  # [bbr.units.time]
    return time_ns


def _delivery_rate(
    readings: Readings, base: BaseState, ack: Ack, delivered_bytes: int, interval_ns: int
) -> Rate | None:
    """Return the rate of a sample, or ``None`` if the sample is ignored."""
    short = ack.min_rtt_ns is not None and interval_ns < clocked_ns(readings, ack.min_rtt_ns)
    if readings.short_sample is ShortSample.NOTHING and (short or ack.min_rtt_ns is None or interval_ns == 0):
        return None  # [bbr.sample.short.nothing]
    if short:
        return ZERO  # [bbr.sample.short]
    if interval_ns == 0:
        return ZERO  # [bbr.sample.no-time]
    if readings.units is Units.PACKETS:
        return packets_rate_of(delivered_bytes, interval_ns, base.max_datagram_size_bytes)  # [bbr.units.rate]
    if readings.units is Units.PACKETS_V3:
        return packets_rate_up(delivered_bytes, interval_ns, base.max_datagram_size_bytes)  # [bbr.units.v3.rate]
    return Rate(delivered_bytes, interval_ns)  # [bbr.sample.rate]


def limit_sent(state: Bbr, sent: Sent) -> None:
    """Mark the connection as application-limited if the packets leave nothing more to send."""
    if sent.app_limited:
        state.app_limited_bytes = max(state.delivered_bytes + state.in_flight_bytes, 1)  # [bbr.idle.limited]


def _clear_limited(state: Bbr) -> None:
    if state.delivered_bytes > state.app_limited_bytes:
        state.app_limited_bytes = 0  # [bbr.idle.cleared]


def generate_rate_sample(readings: Readings, state: Bbr, base: BaseState, ack: Ack) -> Sample:
    """Return the sample of an ACK, and update the delivered bytes and the bytes in flight."""
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
    _clear_limited(state)
    rate = _delivery_rate(readings, base, ack, delivered_bytes, clocked_ns(readings, interval_ns))
    limited, in_flight_bytes = bool(ack.rate_app_limited), ack.rate_in_flight_bytes or 0
    lost_bytes = ack.rate_lost_bytes or 0
    if rate is None:
        return Sample(ZERO, 0, None, limited, in_flight_bytes, lost_bytes)
    return Sample(rate, delivered_bytes, prior_bytes, limited, in_flight_bytes, lost_bytes)
