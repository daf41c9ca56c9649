"""The slow-start transfer-time models of Bodamer and Scharf: equations (1) to (4), in exact rationals.

Inputs: ``r`` rate of the link at the IP layer in bit/s, ``tau`` minimum RTT in ns, ``s`` bytes to transfer, ``mss`` (L)
payload and ``mtu`` size of a packet in bytes. ``w``: initial window in segments. ``b``: segments for each ACK. ``u``:
threshold of Jump-Start in bytes. ``q``: approved rate in bit/s. Derived: R, rate of the link in payload bytes per ns,
and gamma = (b + 1) / b, growth factor of a round. Results: psi, number of rounds until the sender idles or is slower
than the link, and Gamma, time from the first packet until the last packet is sent.

Written from the equations printed in section 3, and compared with its prose later.
"""

from collections.abc import Callable
from fractions import Fraction

SECOND = 10**9


def link_rate(r: int, mss: int, mtu: int) -> Fraction:
    """Return R: each packet of MTU bytes contains L bytes of payload."""
    return Fraction(mss * r, 8 * mtu * SECOND)


def slow_start(r: int, tau: int, s: int, mss: int, mtu: int, w: int, b: int) -> tuple[int, Fraction]:
    """Return psi and Gamma by equations (1) and (2); ``before`` are the segments of psi rounds."""
    link, gamma = link_rate(r, mss, mtu), Fraction(b + 1, b)
    segments = -(-s // mss)  # [transfer-time.slow-start.segments]
    psi, window, before = 0, Fraction(w), Fraction(0)
    while (
        window < link * Fraction(tau, mss) + 1  # [transfer-time.slow-start.idle]
        and before + window < segments  # [transfer-time.slow-start.end]
    ):
        psi, window, before = psi + 1, window * gamma, before + window
    packet = Fraction(mss, link)
    return psi, Fraction(s, link) + (tau + packet) * psi - packet * before  # [transfer-time.slow-start.gamma]


def initial_start(r: int, tau: int, s: int, mss: int, mtu: int, w: int, b: int) -> tuple[int, Fraction]:
    """Begin slow start with a larger w."""
    return slow_start(r, tau, s, mss, mtu, w, b)  # [transfer-time.initial-start]


def paced(first: Fraction, r: int, tau: int, s: int, mss: int, mtu: int, b: int) -> tuple[int, Fraction]:
    """Return psi and Gamma by equations (3) and (4).

    A round takes tau; its rate is gamma times the previous rate, from R(1) = ``first``. ``before``: bytes of psi
    rounds.
    """
    link, gamma = link_rate(r, mss, mtu), Fraction(b + 1, b)
    psi, rate, before = 0, first, Fraction(0)
    while (
        rate < link  # [transfer-time.paced.rate]
        and before + rate * tau < s  # [transfer-time.paced.end]
    ):
        psi, rate, before = psi + 1, rate * gamma, before + rate * tau
    last = Fraction(s - before, min(link, rate))  # [transfer-time.paced.link] [transfer-time.paced.below]
    return psi, tau * psi + last


def quick_start(r: int, tau: int, s: int, mss: int, mtu: int, b: int, q: int) -> tuple[int, Fraction]:
    """Begin at the rate that the routers approved."""
    return paced(link_rate(q, mss, mtu), r, tau, s, mss, mtu, b)  # [transfer-time.quick-start]


def more_start(r: int, tau: int, s: int, mss: int, mtu: int, b: int, q: int) -> tuple[int, Fraction]:
    """Begin at any rate."""
    return paced(link_rate(q, mss, mtu), r, tau, s, mss, mtu, b)  # [transfer-time.more-start]


def jump_start(r: int, tau: int, s: int, mss: int, mtu: int, b: int, u: int) -> tuple[int, Fraction]:
    """Send up to the threshold in the first round. The text does not cover s = 0 and tau = 0."""
    if s == 0:
        return 0, Fraction(0)  # [transfer-time.paced.nothing]
    if tau == 0:
        return 0, Fraction(s, link_rate(r, mss, mtu))  # [transfer-time.paced.at-once]
    return paced(Fraction(min(s, u), tau), r, tau, s, mss, mtu, b)  # [transfer-time.jump-start]


def quick_start_rate(requested_rate_bps: int) -> tuple[int, int]:
    """Return code N and rate of the largest 40000 * 2^N bit/s that is not above the request, or (0, 0)."""
    codes = [n for n in range(1, 16) if 40_000 << n <= requested_rate_bps]
    return (codes[-1], 40_000 << codes[-1]) if codes else (0, 0)  # [transfer-time.quick-start.code]


#: The model of each profile, and the symbols of its inputs.
MODELS: dict[str, Callable[..., tuple[int, Fraction]]] = {
    "slow-start": slow_start,
    "initial-start": initial_start,
    "quick-start": quick_start,
    "more-start": more_start,
    "jump-start": jump_start,
}
SYMBOLS = {
    "rate_bps": "r",
    "rtt_ns": "tau",
    "size_bytes": "s",
    "mss_bytes": "mss",
    "mtu_bytes": "mtu",
    "initial_window_segments": "w",
    "segments_per_ack": "b",
    "threshold_bytes": "u",
    "approved_rate_bps": "q",
}


def compute(profile: str, inputs: dict[str, int]) -> dict[str, int | Fraction]:
    """Return the outputs of a profile: psi, Gamma, and the response time T = Gamma + tau, in whole ns."""
    if profile == "quick-start-rate":
        code, rate_bps = quick_start_rate(**inputs)
        return {"code": code, "approved_rate_bps": rate_bps}
    psi, gamma = MODELS[profile](**{SYMBOLS[name]: value for name, value in inputs.items()})
    gamma_ns = gamma.numerator // gamma.denominator  # [transfer-time.floor]
    response_time_ns = gamma_ns + inputs["rtt_ns"]  # [transfer-time.response-time]
    return {"psi": psi, "gamma": gamma, "gamma_ns": gamma_ns, "response_time_ns": response_time_ns}
