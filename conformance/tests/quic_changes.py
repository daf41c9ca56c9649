"""Adds PMTU probes, packets that are not in flight and datagram sizes to random streams without them."""

from dataclasses import replace

from firstflight.controller import Controller
from firstflight.events import Ack, DatagramSize, Event, Lost, Sent
from firstflight_conformance.prng import SplitMix64

#: Probability that lost packets are PMTU probes, and that the datagram size changes at an event, in millionths.
PROBE_PPM, SIZE_PPM = 250_000, 20_000
#: Probability that an event with packets has packets that are not in flight, in millionths.
NOT_IN_FLIGHT_PPM = 5_000
SIZES = (1, 1200, 1200, 1400, 1500, 9000, 65_535)


def probe_or_not(rng: SplitMix64, event: Event) -> Event:
    """Return the event; some losses become losses of PMTU probes."""
    if isinstance(event, Lost) and rng.chance_ppm(PROBE_PPM):
        return replace(event, pmtu_probe=True)
    return event


def in_flight_or_not(event: Event) -> Event:
    """Return the event; a few ``sent`` and ``ack`` events get ``not_in_flight``.

    The time of the event decides, so that the draws of the stream do not change.
    """
    if isinstance(event, Sent | Ack) and SplitMix64(event.t_ns).chance_ppm(NOT_IN_FLIGHT_PPM):
        return replace(event, not_in_flight=True)
    return event


def next_size(rng: SplitMix64, model: Controller, ppm: int = SIZE_PPM) -> DatagramSize | None:
    """Return a change of the datagram size now, or None most of the time."""
    if model.t_ns == 0 or not rng.chance_ppm(ppm):
        return None
    return DatagramSize(model.t_ns, SIZES[rng.below(len(SIZES))], rng.chance_ppm(300_000))
