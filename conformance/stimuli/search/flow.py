"""Streams for SEARCH, given as deliveries; the sending times follow from the RTTs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from firstflight.events import Ack
from firstflight_conformance.format.builder import MS, StreamBuilder

#: The usual initial RTT; bins of 35 ms follow.
RTT = 100 * MS
BIN = 35 * MS
#: Time of the first ACK, which opens bin 0.
FIRST_ACK = RTT
#: A window that never limits the sender.
LARGE_WINDOW = 10_000_000

#: Bytes per bin that grow by 2^0.35, i.e. double in one RTT of 20/7 bins: 1000 * 2^(7 i / 20), rounded.
DOUBLING = (
    1000, 1275, 1625, 2071, 2639, 3364, 4287, 5464, 6964, 8877, 11314, 14420, 18379, 23425, 29857, 38055, 48503, 61820,
    78793, 100427, 128000, 163144, 207937, 265028,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Delivery:
    """One ACK at ``t_ns`` of bytes that were sent ``rtt_ns`` before.

    ``unacked_bytes``: sent with them and never acknowledged. ``lost``: the bytes are declared lost instead. ``ce``: the
    frame also carries a CE mark, processed ``before`` or ``after`` the ACK.
    """

    t_ns: int
    size_bytes: int
    rtt_ns: int = RTT
    app_limited: bool = False
    sample: bool = True
    ack_delay_ns: int = 0
    unacked_bytes: int = 0
    lost: bool = False
    ce: Literal["", "before", "after"] = ""


def deliver(builder: StreamBuilder, deliveries: Iterable[Delivery]) -> None:
    """Send and acknowledge the deliveries in the order of time; an ACK precedes packets sent at the same time."""
    deliveries = list(deliveries)
    sends = [(delivery.t_ns - delivery.rtt_ns, 1, index) for index, delivery in enumerate(deliveries)]
    acks = [(delivery.t_ns, 0, index) for index, delivery in enumerate(deliveries)]
    ranges: dict[int, tuple[int, int]] = {}
    for t_ns, is_send, index in sorted(sends + acks):
        delivery = deliveries[index]
        if is_send:
            first = builder.ledger.next_packet
            builder.send_bytes(t_ns, delivery.size_bytes)
            ranges[index] = (first, builder.ledger.next_packet - 1)
            if delivery.unacked_bytes:
                builder.send_bytes(t_ns, delivery.unacked_bytes)
        else:
            _arrive(builder, delivery, ranges[index])


def _arrive(builder: StreamBuilder, delivery: Delivery, packets: tuple[int, int]) -> None:
    t_ns = delivery.t_ns
    if delivery.lost:
        builder.lose(t_ns, packets)
        return
    if delivery.ce == "before":
        builder.ce(t_ns, packets[1], t_ns - delivery.rtt_ns)
    builder.ack(
        t_ns, packets, app_limited=delivery.app_limited, sample=delivery.sample, ack_delay_ns=delivery.ack_delay_ns
    )
    if delivery.ce == "after":
        builder.ce(t_ns, packets[1], t_ns - delivery.rtt_ns)


def in_bin(index: int, offset_ns: int = MS, bin_ns: int = BIN, first_ack_ns: int = FIRST_ACK) -> int:
    """Return a time in bin ``index``: ``offset_ns`` after its start. Bin 0 starts with the first ACK."""
    return first_ack_ns + index * bin_ns + (offset_ns if index else 0)


def one_ack_per_bin(sizes: Sequence[int], rtts_ns: Sequence[int] | int = RTT) -> list[Delivery]:
    """Return one delivery for each bin, 1 ms after its start; bins of 0 bytes get no delivery."""
    rtts = [rtts_ns] * len(sizes) if isinstance(rtts_ns, int) else rtts_ns
    return [Delivery(in_bin(i), size, rtt) for i, (size, rtt) in enumerate(zip(sizes, rtts, strict=True)) if size]


def rates(*parts: tuple[int, int]) -> list[int]:
    """Return the bytes of each bin, given as (number of bins, bytes in each)."""
    return [size for count, size in parts for _ in range(count)]


def nth_ack(builder: StreamBuilder, count: int) -> int:
    """Return the index of the event with the ACK of this count, from 0. With one ACK per bin the count is the bin."""
    return [index for index, event in enumerate(builder.events) if isinstance(event, Ack)][count]
