"""The arithmetic of CUBIC (``spec/cubic/rules.md``, section Arithmetic). Mirrors ``reference-c/firstflight/cubic/window.c``.

C is 0.4 segments per second cubed. At t ns from K, the distance of the window from W_max is
2 * datagram_bytes * t^3 / CUBE_DIVISOR bytes, with segments of ``datagram_bytes``.
"""

from firstflight.limits import WINDOW_MAX_BYTES

#: 10^27 ns^3 is a second cubed, and C is 2/5.
CUBE_DIVISOR = 5 * 10**27
#: Fractions of a byte are counted in units of 2^-32.
FRACTION = 2**32
#: Roots are below 2^52: (2^62 - 1) * CUBE_DIVISOR / 2 < 2^156.
ROOT_BITS = 52


def seven_tenths(count: int) -> int:
    """Return 7/10 of ``count``, rounded down. The form of the expression fits in 64 bits in the C port."""
    return count // 10 * 7 + count % 10 * 7 // 10


def seventeen_twentieths(count: int) -> int:
    """Return 17/20 of ``count``, rounded down; 17/20 is (1 + 7/10) / 2."""
    return count // 20 * 17 + count % 20 * 17 // 20


def _cube(factor: int) -> int:
    return factor * factor * factor


def cube_root(number: int) -> int:
    """Return the largest integer whose cube is at most a number below 2^156."""
    root = 0
    for bit in reversed(range(ROOT_BITS)):
        candidate = root | 1 << bit
        if _cube(candidate) <= number:
            root = candidate
    return root


def cube_time_ns(distance_bytes: int, datagram_bytes: int) -> int:
    """Return the time in ns that the cubic curve needs for a distance from W_max, rounded down.

    For the distance W_max - cwnd_epoch this time is K.
    """
    return cube_root(distance_bytes * CUBE_DIVISOR // (2 * datagram_bytes))  # [cubic.root]


def _distance_bytes(datagram_bytes: int, distance_ns: int) -> int:
    """Return the distance of W_cubic from W_max in bytes at ``distance_ns`` before or after the time K."""
    return 2 * datagram_bytes * _cube(distance_ns) // CUBE_DIVISOR  # [cubic.window] [cubic.window.constant]


def window_bytes(w_max_bytes: int, k_ns: int, datagram_bytes: int, t_ns: int) -> int:
    """Return W_cubic(t) in bytes, rounded towards W_max, and limited to 0..``WINDOW_MAX_BYTES``."""
    if t_ns < k_ns:
        return max(w_max_bytes - _distance_bytes(datagram_bytes, k_ns - t_ns), 0)  # [cubic.window.concave]
    return min(w_max_bytes + _distance_bytes(datagram_bytes, t_ns - k_ns), WINDOW_MAX_BYTES)


def share(acked_bytes: int, distance_bytes: int, cwnd_bytes: int) -> tuple[int, int]:
    """Return acked * distance / cwnd as (whole bytes, rest in units of 2^-32 bytes), rounded down."""
    whole_bytes, rest = divmod(acked_bytes * distance_bytes, cwnd_bytes)
    return whole_bytes, rest * FRACTION // cwnd_bytes


def friendly_increase(datagram_bytes: int, acked_bytes: int, cwnd_bytes: int, *, reached: bool) -> int:
    """Return the increase of W_est, alpha * datagram * acked / cwnd, in units of 2^-32 bytes, rounded down.

    ``alpha`` is 1 if ``reached`` (W_est has reached cwnd_prior), otherwise 9/17.
    """
    numerator = datagram_bytes * acked_bytes * FRACTION
    if reached:
        return numerator // cwnd_bytes  # [cubic.friendly.alpha-one]
    return 9 * numerator // cwnd_bytes // 17  # [cubic.friendly.alpha]
