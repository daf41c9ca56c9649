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
    """Return R, the rate of the link in payload bytes per ns: mss * r / (8 * mtu * 10^9).

    ``r``: rate in bit/s, with headers. Each packet of ``mtu`` bytes contains ``mss`` bytes of payload.
    """
    return Fraction(mss * r, 8 * mtu * SECOND)


def slow_start(r: int, tau: int, s: int, mss: int, mtu: int, w: int, b: int) -> tuple[int, Fraction]:
    """Return psi and Gamma of slow start, by equations (1) and (2) of Scharf, Networking 2009.

    psi: number of rounds, except the last, with an idle link after them. Gamma: time in ns from the first packet until
    the last packet is sent. ``w``: initial window in segments; each round sends (b + 1) / b times as many as the
    previous round. ``b``: segments that one ACK acknowledges. ``r``: rate of the link in bit/s. ``tau``: RTT in ns.
    ``s``: bytes to transfer. ``mss`` and ``mtu``: payload and size of a packet.
    """
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
    """Return psi and Gamma of Initial-Start: slow start with an initial window ``w`` above the standard one.

    psi: number of rounds, except the last, with an idle link after them. Gamma: time in ns from the first packet until
    the last packet is sent. ``w`` is in segments. ``b``: segments that one ACK acknowledges. ``r``: rate of the link in
    bit/s. ``tau``: RTT in ns. ``s``: bytes to transfer. ``mss`` and ``mtu``: payload and size of a packet.
    """
    return slow_start(r, tau, s, mss, mtu, w, b)  # [transfer-time.initial-start]


def paced(first: Fraction, r: int, tau: int, s: int, mss: int, mtu: int, b: int) -> tuple[int, Fraction]:
    """Return psi and Gamma of a paced start, by equations (3) and (4) of Scharf, Networking 2009.

    psi: number of rounds before the first round at the rate of the link, at most all rounds before the last one. Gamma:
    time in ns from the first packet until the last packet is sent. A round takes ``tau`` ns. ``first``: rate of the
    first round in bytes per ns; each further round has (b + 1) / b times the previous rate. ``b``: segments that one
    ACK acknowledges. ``r``: rate of the link in bit/s. ``s``: bytes to transfer. ``mss`` and ``mtu``: payload and size
    of a packet.
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
    """Return psi and Gamma of Quick-Start: a paced start at ``q`` bit/s, the rate that the routers approved.

    psi: number of rounds before the first round at the rate of the link, at most all rounds before the last one. Gamma:
    time in ns from the first packet until the last packet is sent. ``b``: segments that one ACK acknowledges; each
    round has (b + 1) / b times the previous rate. ``r``: rate of the link in bit/s. ``tau``: RTT in ns. ``s``: bytes to
    transfer. ``mss`` and ``mtu``: payload and size of a packet.
    """
    return paced(link_rate(q, mss, mtu), r, tau, s, mss, mtu, b)  # [transfer-time.quick-start]


def more_start(r: int, tau: int, s: int, mss: int, mtu: int, b: int, q: int) -> tuple[int, Fraction]:
    """Return psi and Gamma of More-Start: a paced start at ``q`` bit/s, any rate that the application chooses.

    psi: number of rounds before the first round at the rate of the link, at most all rounds before the last one. Gamma:
    time in ns from the first packet until the last packet is sent. ``b``: segments that one ACK acknowledges; each
    round has (b + 1) / b times the previous rate. ``r``: rate of the link in bit/s. ``tau``: RTT in ns. ``s``: bytes to
    transfer. ``mss`` and ``mtu``: payload and size of a packet.
    """
    return paced(link_rate(q, mss, mtu), r, tau, s, mss, mtu, b)  # [transfer-time.more-start]


def jump_start(r: int, tau: int, s: int, mss: int, mtu: int, b: int, u: int) -> tuple[int, Fraction]:
    """Return psi and Gamma of Jump-Start: the first round paces the smaller of ``s`` and ``u`` bytes over one RTT.

    psi: number of rounds before the first round at the rate of the link, at most all rounds before the last one. Gamma:
    time in ns from the first packet until the last packet is sent. ``s``: bytes to transfer. ``u``: threshold, the most
    bytes of the first round. ``b``: segments that one ACK acknowledges; each round has (b + 1) / b times the previous
    rate. ``r``: rate of the link in bit/s. ``tau``: RTT in ns. ``mss`` and ``mtu``: payload and size of a packet.

    Scharf's text does not cover s = 0 and tau = 0. Here s = 0 gives 0 and 0. With tau = 0, psi is 0 and all bytes are
    sent at the rate of the link.
    """
    if s == 0:
        return 0, Fraction(0)  # [transfer-time.paced.nothing]
    if tau == 0:
        return 0, Fraction(s, link_rate(r, mss, mtu))  # [transfer-time.paced.at-once]
    return paced(Fraction(min(s, u), tau), r, tau, s, mss, mtu, b)  # [transfer-time.jump-start]


def quick_start_rate(requested_rate_bps: int) -> tuple[int, int]:
    """Return the Quick-Start code N and its rate in bit/s for a request, or (0, 0) below the smallest rate.

    The rate is the largest 40000 * 2^N bit/s, with N from 1 to 15, that is not above the requested rate.
    """
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
    """Return the outputs of a profile (a startup scheme) by name, for ``inputs`` by name.

    ``psi``: number of rounds that leave the link idle (slow start) or are slower than the link (other schemes); the
    last round of the transfer never counts. ``gamma``: time in ns from the first packet until the last packet is sent,
    an exact fraction. ``gamma_ns``: the same, rounded down. ``response_time_ns``: ``gamma_ns`` plus one RTT. The
    profile ``quick-start-rate`` has two other outputs: ``code``, the code N of a Rate Request in RFC 4782, and
    ``approved_rate_bps``, its rate in bit/s. Both are 0 for a request below the smallest rate.
    """
    if profile == "quick-start-rate":
        code, rate_bps = quick_start_rate(**inputs)
        return {"code": code, "approved_rate_bps": rate_bps}
    psi, gamma = MODELS[profile](**{SYMBOLS[name]: value for name, value in inputs.items()})
    gamma_ns = gamma.numerator // gamma.denominator  # [transfer-time.floor]
    response_time_ns = gamma_ns + inputs["rtt_ns"]  # [transfer-time.response-time]
    return {"psi": psi, "gamma": gamma, "gamma_ns": gamma_ns, "response_time_ns": response_time_ns}
