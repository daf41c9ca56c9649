"""The sample of an ACK, RS (``spec/bbr/rules.md``).

Mirrors ``reference-c/firstflight/bbr/sample.c``.
"""

from firstflight.bbr.packets import packets_rate_of, whole_ns
from firstflight.bbr.profiles import Readings, ShortSample, Units
from firstflight.bbr.rate import ZERO, Rate
from firstflight.bbr.state import Bbr, Sample, saturate
from firstflight.events import Ack
from firstflight.newreno.newreno import NewReno


def clocked_ns(readings: Readings, time_ns: int) -> int:
    """Return a time as the clock of the readings shows it."""
    if readings.units is Units.PACKETS:
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
    return Rate(delivered_bytes, interval_ns)  # [bbr.sample.rate]


def generate_rate_sample(readings: Readings, state: Bbr, base: NewReno, ack: Ack) -> Sample:
    """Return the sample of an ACK, and keep what is delivered in all and in flight."""
    state.in_flight_bytes = saturate(ack.bytes_in_flight)
    delivered_bytes, interval_ns, prior_bytes = (
        ack.rate_delivered_bytes,
        ack.rate_interval_ns,
        ack.rate_prior_delivered_bytes,
    )
    sample = Sample(ZERO, 0, None, False, 0, 0)
    rate = None
    if delivered_bytes is None or interval_ns is None or prior_bytes is None:
        state.delivered_bytes = saturate(state.delivered_bytes + ack.bytes)  # [bbr.sample.none]
    else:
        state.delivered_bytes = saturate(prior_bytes + delivered_bytes)  # [bbr.sample.delivered]
        rate = _delivery_rate(readings, base, ack, delivered_bytes, clocked_ns(readings, interval_ns))
    if rate is not None:
        in_flight_bytes, lost_bytes = ack.rate_in_flight_bytes or 0, ack.rate_lost_bytes or 0
        sample = Sample(
            rate, delivered_bytes or 0, prior_bytes, bool(ack.rate_app_limited), in_flight_bytes, lost_bytes
        )
    if state.delivered_bytes > state.app_limited_bytes:
        state.app_limited_bytes = 0  # [bbr.idle.cleared]
    return sample
