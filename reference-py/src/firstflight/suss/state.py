"""The state of SUSS, and the pacing of red packets (``spec/suss/rules.md``). Mirrors ``reference-c/firstflight/suss/state.c``."""

from dataclasses import dataclass

from firstflight.enums import Enum
from firstflight.events import Sent
from firstflight.hystart.hystart import HyStart
from firstflight.limits import TIME_MAX_NS, WINDOW_MAX_BYTES
from firstflight.values import copied

#: Packets of the first round, independent of the initial window.
FIRST_PACKETS = 10
#: Bytes of a sent event that the pacing counts. 2**33 * 10**9 < 2**63.
PACED_MAX_BYTES = 2**33
_SECOND_NS = 10**9


class Mode(Enum):
    """Mode of SUSS. The value is the number in the kernel, where 4 is equivalent to 3."""

    CLOCKED = 1  #: the round is not sped up
    PACED = 2  #: the round is sped up: red packets are paced
    STOPPED = 3  #: HyStart has ended slow start
    REDUCED = 9  #: a loss or a CE mark has ended SUSS
    DISABLED = 10  #: the second round did not allow a speed-up: HyStart alone


class Part(Enum):
    """The three parts of a round of ACKs; ``Suss.part`` is the part of the last ACK.

    A round begins with the blue part: ACKs of packets that plain slow start sent in the previous round. Its packets are
    clocked, that is, sent at ACKs. The tail is the ACK that ends the blue part. All later ACKs of the round are red.
    """

    RED = 0  #: beyond the clocked part
    BLUE = 1  #: in the clocked part
    TAIL = 2  #: at the end of the clocked part


@dataclass(slots=True)
class Suss:
    """State of SUSS. Blue packets are sent at ACKs, as in plain slow start. Red packets are sent in addition, paced.

    A round that sends red packets is sped up. ``growing``: rounds may be sped up; false once the prediction of growth
    failed. The round: its number ``round_no``, its start ``round_start_us``, ``head_packet``, whose ACK begins the next
    round, and ``tail_packet``, whose ACK ends the blue part. ``blue_packets``: blue packets acknowledged in the round.
    ``train_us``: the estimated time from the first to the last blue ACK, of the round that last predicted growth.
    ``jumps``: number of rounds sped up. ``min_round``: round of the last decrease of the minimum RTT.

    In a sped-up round the window grows up to ``limit_bytes``, paced at ``rate`` bytes per second from ``start_ns`` on.
    ``release_ns``: release time of the next packet, ``None`` until the window has grown once in this way.
    ``cap_bytes``: slow start ends when the window exceeds it, ``None`` until set.
    """

    hystart: HyStart
    mode: Mode = Mode.CLOCKED
    part: Part = Part.RED
    growing: bool = True
    round_no: int = 1
    round_start_us: int = 0
    head_packet: int = 0
    tail_packet: int = FIRST_PACKETS - 1
    blue_packets: int = 0
    train_us: int = 0
    jumps: int = 0
    min_round: int = 0
    limit_bytes: int = 0
    rate: int = 0
    start_ns: int = 0
    release_ns: int | None = None
    cap_bytes: int | None = None
    in_flight_bytes: int = 0

    def copy(self) -> "Suss":
        """Return a copy that shares no mutable state."""
        copy = copied(self)
        copy.hystart = self.hystart.copy()
        return copy


def set_in_flight(state: Suss, bytes_in_flight: int) -> None:
    """Store the bytes in flight, at most WINDOW_MAX_BYTES, the limit of windows."""
    state.in_flight_bytes = min(bytes_in_flight, WINDOW_MAX_BYTES)


def is_active(state: Suss) -> bool:
    """Return whether SUSS is clocked or paced: not ended by HyStart or a loss, and not disabled."""
    return state.mode is Mode.CLOCKED or state.mode is Mode.PACED


def min_us(state: Suss) -> int:
    """Return the minimum RTT in microseconds, or 0 without one."""
    return (state.hystart.min_ns or 0) // 1000


def next_release_ns(state: Suss) -> int | None:
    """Return the earliest time of the next packet, which may be past, or ``None`` while packets are clocked by ACKs."""
    return state.release_ns if state.mode is Mode.PACED else None


def pace_sent(state: Suss, sent: Sent) -> None:
    """Set ``release_ns``, the release time of the next packet, after the packets of ``sent`` left at ``sent.t_ns``.

    The gap is their bytes / ``rate``. Lateness is the time from the old release time to ``sent.t_ns``, at least 0. It
    shortens the gap, by at most half of the gap. The new release time is the later of the old one and ``sent.t_ns``,
    plus the gap. Without a release time, or with a rate of 0, do nothing.
    """
    if state.release_ns is None or state.rate == 0:
        return
    gap_ns = min(sent.bytes, PACED_MAX_BYTES) * _SECOND_NS // state.rate  # [suss.pacing.gap]
    late_ns = max(sent.t_ns - state.release_ns, 0)
    gap_ns -= min(gap_ns // 2, late_ns)  # [suss.pacing.late]
    state.release_ns = min(max(state.release_ns, sent.t_ns) + gap_ns, TIME_MAX_NS)
