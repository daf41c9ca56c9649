"""Delivery-rate samples of a recording, with the intervals that the kernel measured.

The times of a recording come from calls and segments, to some microseconds. The kernel's data about its last sample
come from its own clock.
"""

from firstflight.delivery_rate import RateSampler
from firstflight.events import Ack, Lost
from firstflight_conformance.logs.recording.recorder import Recorder
from studies.live.kernel.tcp_info import TcpInfo

#: If the kernel's interval differs by more from the recording's interval, it belongs to another sample.
_NEAR_NS = 500_000
_SECOND_US = 1_000_000


class Rates:
    """Adds samples to the events of a recorder."""

    def __init__(self, recorder: Recorder) -> None:
        """Begin before the first packet."""
        self._recorder, self._sampler = recorder, RateSampler()

    def sample(self, info: TcpInfo | None = None) -> None:
        """Add a sample to the last event. ``info``: TCP_INFO after the event."""
        event = self._sampler.sampled(self._recorder.steps[-1].event)
        if isinstance(event, Ack | Lost):
            names = [name for name in event.__dataclass_fields__ if name.startswith("rate_")]
            self._recorder.amend(**{name: getattr(event, name) for name in names})
        if isinstance(event, Ack) and info is not None:
            self._correct(event, info)

    def _correct(self, ack: Ack, info: TcpInfo) -> None:
        """Use the kernel's interval, and raise RTTs to its minimum, which may come from the handshake."""
        if ack.min_rtt_ns is not None and ack.latest_rtt_ns is not None:
            least_ns = info.min_rtt_us * 1000
            self._recorder.amend(min_rtt_ns=least_ns, latest_rtt_ns=max(ack.latest_rtt_ns, least_ns))
        if ack.rate_delivered_bytes is None or ack.rate_interval_ns is None or not info.delivery_rate:
            return
        interval_us = (ack.rate_delivered_bytes * _SECOND_US + info.delivery_rate // 2) // info.delivery_rate
        if abs(interval_us * 1000 - ack.rate_interval_ns) <= _NEAR_NS:
            self._recorder.amend(rate_interval_ns=interval_us * 1000)
