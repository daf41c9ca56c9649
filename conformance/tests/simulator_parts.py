"""The parts of the C simulator one by one, through ``simulator_parts.c``: links, the receiver's policy, and the sender."""

from collections.abc import Sequence
from ctypes import CDLL, RTLD_GLOBAL, Structure, byref, c_bool, c_uint64, c_void_p
from enum import IntEnum
from functools import cache
from pathlib import Path
from typing import Any

from firstflight.events import Event
from firstflight_conformance.built import built
from firstflight_conformance.simulate import native
from firstflight_conformance.simulate import native_layout as layout
from firstflight_conformance.simulate.native_events import NONE, event_of
from firstflight_conformance.simulate.transfer import Receiver, Transfer

ORIGIN_NS = 10**9


class Kind(IntEnum):
    """``enum sim_hop_kind``."""

    DELAY = 0
    WIRE = 1
    BUCKET = 2
    CODEL = 4


class _Link(Structure):
    _fields_ = layout._numbers("kind rate_bps delay_ns bytes")


class _Packet(Structure):
    _fields_ = layout._numbers("t_ns size_bytes arrived_ns")


class _Range(Structure):
    _fields_ = layout._numbers("first last")


class State(Structure):
    """``struct part_state``."""

    _fields_ = layout._numbers(
        "sent_packets lost_packets latest_rtt_ns last_sent_ns probes loss_timer_ns probe_timer_ns"
    )


@cache
def library() -> CDLL:
    """Return the library of the parts, after loading the library of the simulator."""
    CDLL(native.library()._name, RTLD_GLOBAL)
    source = Path(__file__).with_suffix(".c")
    headers = sorted(native.SOURCES.glob("*.h"))
    parts = CDLL(str(built("firstflight-parts.so", [source], (*native.FLAGS, f"-I{native.SOURCES}"), of=headers)))
    parts.parts_cross.restype = c_uint64
    parts.parts_acks_begin.restype = parts.parts_sender_begin.restype = c_void_p
    parts.parts_acks_arrived.restype = c_bool
    return parts


def transmission_ns(size_bytes: int, rate_bps: int) -> int:
    """Return the time of a packet on an access link."""
    function = native.library().sim_transmission_ns
    function.restype = c_uint64
    return int(function(c_uint64(size_bytes), c_uint64(rate_bps)))


#: Kind, rate, delay or latency, and bytes of a link.
Link = tuple[Kind, int, int, int]


def cross(links: Sequence[Link], packets: Sequence[tuple[int, int]]) -> tuple[list[tuple[int, int]], int]:
    """Send packets, given as time and size, over links. Return the arrivals in order, and the number of drops."""
    on_way = (_Packet * len(packets))(*packets)
    dropped = library().parts_cross((_Link * len(links))(*links), len(links), on_way, len(packets))
    arrived = [(number, packet.arrived_ns) for number, packet in enumerate(on_way) if packet.arrived_ns != NONE]
    return sorted(arrived, key=lambda arrival: arrival[1]), dropped


class AckPolicy:
    """The receiver's policy."""

    def __init__(self, receiver: Receiver) -> None:
        self._receiver = layout._receiver(receiver)
        self._policy = c_void_p(library().parts_acks_begin(byref(self._receiver)))
        self.deadline_ns: int | None = None

    def arrived(self, now_ns: int, packet: int) -> bool:
        deadline_ns = c_uint64()
        at_once = library().parts_acks_arrived(self._policy, c_uint64(now_ns), c_uint64(packet), byref(deadline_ns))
        self.deadline_ns = None if deadline_ns.value == NONE else deadline_ns.value
        return bool(at_once)

    def acknowledge(self, now_ns: int) -> tuple[list[tuple[int, int]], int]:
        ranges, delay_ns = (_Range * 2)(), c_uint64()
        count = library().parts_acks_acknowledge(self._policy, c_uint64(now_ns), ranges, byref(delay_ns))
        self.deadline_ns = None
        return [(packet_range.first, packet_range.last) for packet_range in ranges[:count]], delay_ns.value


class Sender:
    """A sender with a fixed window. ``events``: the events that its controller received."""

    def __init__(self, transfer: Transfer, window_bytes: int) -> None:
        self.events: list[Event] = []
        self._window_bytes = window_bytes
        self._outside = layout.Outside(window_bytes, 0, on_event=layout.ON_ANSWER(self._on_event))
        self._transfer = layout._transfer(transfer)
        self._sender = c_void_p(library().parts_sender_begin(byref(self._transfer), byref(self._outside)))

    def _on_event(self, _: object, event: Any, answer: Any) -> bool:
        self.events.append(event_of(event.contents))
        answer.contents.cwnd_bytes = self._window_bytes
        answer.contents.in_slow_start = True
        return True

    def _call(self, name: str, *numbers: int) -> None:
        getattr(library(), f"parts_sender_{name}")(self._sender, *map(c_uint64, numbers))

    @property
    def state(self) -> State:
        sender_state = State()
        library().parts_sender_state(self._sender, byref(sender_state))
        return sender_state

    def window(self, window_bytes: int) -> None:
        """Change the window of the controller."""
        self._window_bytes = window_bytes
        self._call("window", window_bytes)

    def handshake(self, now_ns: int, sent_ns: int) -> None:
        self._call("handshake", now_ns, sent_ns)

    def send(self, now_ns: int) -> int:
        """Send all packets that may leave; return their number."""
        self._call("send", now_ns)
        return int(self.state.sent_packets)

    def probe(self, now_ns: int) -> int:
        self._call("probe", now_ns)
        return int(self.state.sent_packets)

    def on_ack(self, now_ns: int, packets: tuple[int, int], ack_delay_ns: int = 0) -> None:
        self._call("on_ack", now_ns, *packets, ack_delay_ns)

    def detect_losses(self, now_ns: int) -> None:
        self._call("detect_losses", now_ns)
