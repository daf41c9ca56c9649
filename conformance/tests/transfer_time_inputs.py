"""Random inputs of the transfer-time models: over the whole domain, mostly near points where an answer changes."""

from fractions import Fraction

from firstflight.transfer_time import transfer_time as model
from firstflight.transfer_time.growth import begin_growth, next_round, sum_so_far
from firstflight.transfer_time.transfer_time import Inputs
from firstflight_conformance.prng import SplitMix64

LIMITS = {
    "rate_bps": model.RATE_MAX_BPS,
    "rtt_ns": model.RTT_MAX_NS,
    "size_bytes": model.SIZE_MAX_BYTES,
    "mss_bytes": model.PACKET_MAX_BYTES,
    "mtu_bytes": model.PACKET_MAX_BYTES,
    "initial_window_segments": model.INITIAL_WINDOW_MAX_SEGMENTS,
    "segments_per_ack": model.SEGMENTS_PER_ACK_MAX,
    "threshold_bytes": model.SIZE_MAX_BYTES,
    "approved_rate_bps": model.RATE_MAX_BPS,
}
_USUAL = {
    "rate_bps": (64_000, 10_000_000, 12_000_000, 10**9, 10**11),
    "rtt_ns": (0, 1_000_000, 23_000_000, 200_000_000, 10**10),
    "size_bytes": (0, 1, 65536, 2_000_000, 10**9),
    "mss_bytes": (1, 536, 1448),
    "mtu_bytes": (590, 1500, 9000),
    "initial_window_segments": (1, 2, 3, 4, 10, 168),
    "segments_per_ack": (1, 1, 1, 2),
    "threshold_bytes": (65536,),
    "approved_rate_bps": tuple(40_000 << code for code in range(1, 16)),
}
SCHEMES = tuple(model.SCHEMES)


def magnitude(rng: SplitMix64, most: int) -> int:
    """Return a number up to ``most``, with all bit lengths equally likely."""
    return min(rng.below(1 << rng.below(most.bit_length() + 1)) + rng.below(2), most)


def draw(rng: SplitMix64) -> tuple[str, Inputs]:
    """Return a scheme and inputs. About one in twelve is outside the domain."""
    scheme = SCHEMES[rng.below(len(SCHEMES))]
    values: dict[str, int] = {}
    for name, most in LIMITS.items():
        usual = _USUAL[name]
        values[name] = usual[rng.below(len(usual))] if rng.chance_ppm(400_000) else magnitude(rng, most)
        if name != "rtt_ns" and name != "size_bytes":
            values[name] = max(values[name], 1)
    values["mss_bytes"] = min(values["mss_bytes"], values["mtu_bytes"])
    if scheme == "quick-start" and rng.chance_ppm(950_000):
        values["approved_rate_bps"] = 40_000 << (1 + rng.below(15))
    kind = rng.below(12)
    if kind == 0:
        _leave_domain(rng, values)
    elif kind <= 3:
        _extreme(rng, values)
    elif kind <= 7:
        _at_end_of_round(rng, scheme, values)
    elif kind <= 9:
        _at_link_rate(rng, scheme, values)
    return scheme, Inputs(**values)


def _leave_domain(rng: SplitMix64, values: dict[str, int]) -> None:
    name = list(LIMITS)[rng.below(len(LIMITS))]
    choices = (0, LIMITS[name] + 1, 2 * LIMITS[name], 2**63, 2**64 - 1)
    values[name] = choices[rng.below(len(choices))]
    if rng.chance_ppm(200_000):
        values["mss_bytes"], values["mtu_bytes"] = 1449, 1448


def _extreme(rng: SplitMix64, values: dict[str, int]) -> None:
    """Set some inputs to an end of their range, for the longest loops and the widest numbers."""
    for name, most in LIMITS.items():
        if rng.chance_ppm(500_000) and not (name == "approved_rate_bps" and rng.chance_ppm(900_000)):
            values[name] = most if rng.chance_ppm(500_000) else 1
    values["mss_bytes"] = min(values["mss_bytes"], values["mtu_bytes"])


def _at_end_of_round(rng: SplitMix64, scheme: str, values: dict[str, int]) -> None:
    """Make the response end within a byte or a segment of the end of some round."""
    growth = begin_growth(values["segments_per_ack"])
    for _ in range(rng.below(24)):
        next_round(growth)
    factor = Fraction(sum_so_far(growth), growth.denominator)
    if scheme in ("slow-start", "initial-start"):
        whole = int(values["initial_window_segments"] * factor) * values["mss_bytes"]
    elif scheme == "jump-start":
        whole = int(values["threshold_bytes"] * factor)
    else:
        packet = model.BIT_NS_PER_BYTE_S * values["mtu_bytes"]
        whole = int(values["mss_bytes"] * values["approved_rate_bps"] * values["rtt_ns"] * factor / packet)
    step = (0, 1, -1, values["mss_bytes"], 1 - values["mss_bytes"])[rng.below(5)]
    values["size_bytes"] = min(max(whole + step, 0), model.SIZE_MAX_BYTES)


def _at_link_rate(rng: SplitMix64, scheme: str, values: dict[str, int]) -> None:
    """Make the window reach the BDP, or the rate reach the link rate, at the end of a round, or just miss it."""
    growth = begin_growth(values["segments_per_ack"])
    for _ in range(rng.below(20)):
        next_round(growth)
    if rng.chance_ppm(500_000):
        values["size_bytes"] = min(values["size_bytes"] * 1000 + 10**9, model.SIZE_MAX_BYTES)
    packet = model.BIT_NS_PER_BYTE_S * values["mtu_bytes"]
    factor = Fraction(growth.numerator, growth.denominator)
    miss = rng.below(3) - 1
    if scheme in ("slow-start", "initial-start"):
        rtt_ns = int((values["initial_window_segments"] * factor - 1) * packet / values["rate_bps"]) + miss
        values["rtt_ns"] = min(max(rtt_ns, 0), model.RTT_MAX_NS)
    elif scheme == "jump-start":
        flight = min(values["size_bytes"], values["threshold_bytes"])
        rtt_ns = int(flight * factor * packet / (values["mss_bytes"] * values["rate_bps"])) + miss
        values["rtt_ns"] = min(max(rtt_ns, 0), model.RTT_MAX_NS)
    else:
        values["rate_bps"] = min(max(int(values["approved_rate_bps"] * factor) + miss, 1), model.RATE_MAX_BPS)
