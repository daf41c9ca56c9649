"""The state of SUSS, and the pacing of red packets (``spec/suss/rules.md``). Mirrors ``reference-c/firstflight/suss/state.c``."""

from dataclasses import dataclass

from firstflight.enums import Enum
from firstflight.events import Sent
from firstflight.hystart.hystart import HyStart
from firstflight.limits import TIME_MAX_NS, WINDOW_MAX_BYTES
from firstflight.values import copied

#: Packets of the first round, whatever the initial window is.
FIRST_PACKETS = 10
#: Bytes of a sent event that the pacing counts. 2**33 * 10**9 < 2**63.
PACED_MAX_BYTES = 2**33
_SECOND_NS = 10**9


class Mode(Enum):
    """What SUSS does. The value is the number in the kernel, where 4 is a second name of 3."""

    CLOCKED = 1  #: the round is not sped up
    PACED = 2  #: the round is sped up: red packets are paced
    STOPPED = 3  #: HyStart has ended slow start
    REDUCED = 9  #: a loss or a CE mark has ended SUSS
    DISABLED = 10  #: the trains of the second round were no help: HyStart alone


class Part(Enum):
    """Where in its round the last ACK stood: in the clocked ("blue") part, at its tail, or beyond it ("red")."""

    RED = 0  #: beyond the clocked part
    BLUE = 1  #: in the clocked part
    TAIL = 2  #: at the end of the clocked part


@dataclass(slots=True)
class Suss:
    """State of SUSS.

    ``growing`` until a condition fails. The round: its number ``round_no``, ``round_start_us``, ``head_packet``, whose ACK begins the next one, and
    ``tail_packet``, whose ACK ends the train of blue ones, of which ``blue_packets`` were acknowledged. ``train_us``: how long that of the
    round sped up last was. ``jumps``: rounds sped up. ``min_round``: the round in which the minimum RTT fell last.

    The red packets: while paced the window opens to ``limit_bytes``, at ``rate`` bytes per second from ``start_ns`` on; ``release_ns``
    is ``None`` until the window has opened once. ``cap_bytes``: the window at which slow start ends, ``None`` while none is set.
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
        """Return a copy that shares nothing that changes."""
        copy = copied(self)
        copy.hystart = self.hystart.copy()
        return copy


def set_in_flight(state: Suss, bytes_in_flight: int) -> None:
    """Note how much is in flight; the number saturates as windows do."""
    state.in_flight_bytes = min(bytes_in_flight, WINDOW_MAX_BYTES)


def is_active(state: Suss) -> bool:
    """Return whether rounds are followed."""
    return state.mode is Mode.CLOCKED or state.mode is Mode.PACED


def min_us(state: Suss) -> int:
    """Return the minimum RTT in microseconds, 0 if there is none."""
    return (state.hystart.min_ns or 0) // 1000


def next_release_ns(state: Suss) -> int | None:
    """Return when the next packet may leave, ``None`` while packets are clocked by ACKs; it may be past."""
    return state.release_ns if state.mode is Mode.PACED else None


def pace_sent(state: Suss, sent: Sent) -> None:
    """Let the next packet leave when these have taken their time; of what they came late, half of that is made up for."""
    if state.release_ns is None or state.rate == 0:
        return
    gap_ns = min(sent.bytes, PACED_MAX_BYTES) * _SECOND_NS // state.rate  # [suss.pacing.gap]
    late_ns = max(sent.t_ns - state.release_ns, 0)
    gap_ns -= min(gap_ns // 2, late_ns)  # [suss.pacing.late]
    state.release_ns = min(max(state.release_ns, sent.t_ns) + gap_ns, TIME_MAX_NS)
