"""Segments, TCP_INFO and the receiver of kernel recordings, tested without a kernel."""

import struct
from dataclasses import replace

import pytest

from firstflight_conformance.paths import SCENARIOS
from firstflight_conformance.simulate.scenario import Link, Scenario, load_scenario
from firstflight_conformance.simulate.transfer import Receiver as Policy
from studies.live.kernel import namespace, tcp_info
from studies.live.kernel.receiver import Arrived, Receiver
from studies.live.kernel.segments import Addresses, Flags, Segment, checksum, distance, pack, parse

MS = 1_000_000
ADDRESSES = Addresses(b"\2\0\0\0\0\1", b"\2\0\0\0\0\2", bytes([10, 0, 0, 1]), bytes([10, 0, 0, 2]))
SEGMENTS = {
    "plain": Segment(443, 50000, 7, 9, Flags.ACK, 65535),
    "timestamps": Segment(443, 50000, 7, 9, Flags.ACK, 1, timestamps=(5, 2**32 - 1)),
    "one block": Segment(443, 50000, 7, 9, Flags.ACK, 1, timestamps=(5, 6), sack=((1200, 2400),)),
    "three blocks": Segment(443, 50000, 7, 9, Flags.ACK, 1, timestamps=(5, 6), sack=((9, 12), (6, 7), (2, 4))),
    "syn": Segment(
        443, 50000, 0, 9, Flags.SYN | Flags.ACK, 1, timestamps=(5, 0), mss=1212, window_scale=14, sack_permitted=True
    ),
}


@pytest.mark.parametrize("segment", SEGMENTS.values(), ids=list(SEGMENTS))
def test_packed_segment_round_trips(segment: Segment) -> None:
    """A packed segment with any options is parsed to the same segment, also from a padded frame."""
    frame = pack(segment, ADDRESSES)
    assert parse(frame) == segment
    assert parse(frame + bytes(20)) == segment


@pytest.mark.parametrize("segment", SEGMENTS.values(), ids=list(SEGMENTS))
def test_checksums_of_packed_segment_are_zero(segment: Segment) -> None:
    """The checksums over IP header, and over pseudo header and segment (RFC 9293, section 3.1), are 0."""
    frame = pack(segment, ADDRESSES)
    ip, tcp = frame[14:34], frame[34:]
    assert checksum(ip) == 0
    assert checksum(ip[12:20] + struct.pack("!BBH", 0, 6, len(tcp)) + tcp) == 0
    assert struct.unpack_from("!H", ip, 2)[0] == len(ip) + len(tcp)


def test_checksum_of_rfc_1071_example() -> None:
    """The sum of the example in RFC 1071, section 3 is ddf2; an odd byte is the higher byte of its word."""
    assert checksum(bytes.fromhex("0001f203f4f5f6f7")) == 0xFFFF - 0xDDF2
    assert checksum(b"\x12") == 0xFFFF - 0x1200


def test_sequence_numbers_wrap() -> None:
    """Sequence numbers wrap: 2**32 - 1 precedes 0."""
    assert distance(0, 2**32 - 1) == 1
    assert distance(2**32 - 1, 0) == -1
    assert parse(pack(replace(SEGMENTS["plain"], seq=2**32 + 5), ADDRESSES)) == replace(SEGMENTS["plain"], seq=5)


def test_payload_size_of_truncated_frame() -> None:
    """The payload size of a truncated frame follows from its IP header."""
    frame = bytearray(pack(SEGMENTS["timestamps"], ADDRESSES))
    struct.pack_into("!H", frame, 16, 52 + 1200)
    parsed = parse(bytes(frame))
    assert parsed is not None
    assert parsed.payload_bytes == 1200


@pytest.mark.parametrize("length", range(66))
def test_truncated_options_are_ignored(length: int) -> None:
    """Truncated options are ignored."""
    parsed = parse(pack(SEGMENTS["one block"], ADDRESSES)[:length])
    assert parsed is None or parsed.source_port == 443


@pytest.mark.parametrize("options", ["08", "0800", "05ff0000", "00080a", "01010101", "080300000000"])
def test_invalid_options_are_ignored(options: str) -> None:
    """Options with length 0, options beyond the header, and bytes after the end of the list are ignored."""
    content = bytes.fromhex(options)
    content += bytes(-len(content) % 4)
    frame = bytearray(pack(SEGMENTS["plain"], ADDRESSES)) + content
    frame[14 + 20 + 12] = (20 + len(content)) // 4 << 4
    parsed = parse(bytes(frame))
    assert parsed is not None
    assert (parsed.timestamps, parsed.sack) == (None, ())


def test_tcp_info_is_parsed() -> None:
    """The state is the second byte, words start after eight bytes, and a large ssthresh is parsed as ``None``."""
    words = [0] * 40
    words[4], words[6], words[15], words[17], words[18], words[35], words[38], words[39] = (
        14,
        2,
        61831,
        0x7FFFFFFF,
        20,
        60123,
        7,
        1,
    )
    answer = bytes([1, 3, 0, 0, 0, 0, 0, 0]) + struct.pack("=40I", *words)
    info = tcp_info.parse(answer + bytes(100))
    assert info == tcp_info.TcpInfo(tcp_info.State.RECOVERY, 20, None, 14, 2, 61831, 60123, (1 << 32) + 7)
    words[17] = 10
    assert tcp_info.parse(answer[:8] + struct.pack("=40I", *words)).ssthresh == 10


def test_route_message_contains_nested_metrics() -> None:
    """The message has the lengths of the whole and of each attribute; the last nests initial window and feature."""
    message = namespace.route_message(3, 10, 16)
    assert struct.unpack_from("=I", message)[0] == len(message) == 16 + 12 + 8 + 8 + 20
    assert message[-20:] == struct.pack("=HHHHIHHI", 20, 8, 8, 11, 10, 8, 12, 16)
    assert len(namespace.route_message(3, 10, 0)) == len(message) - 8


def test_blocks_join_when_a_gap_is_filled() -> None:
    """Data above a gap forms blocks, latest first; data that fills a gap joins the front with adjacent blocks."""
    arrived = Arrived()
    for first in (0, 3, 5, 7, 6):
        arrived.add(100 * first, 100 * first + 100)
    assert (arrived.next_byte, arrived.blocks) == (100, [(500, 800), (300, 400)])
    arrived.add(100, 300)
    assert (arrived.next_byte, arrived.blocks) == (400, [(500, 800)])


def scenario(**link: int) -> Scenario:
    """Return a scenario of 8 Mbit/s and 20 ms, with an ACK for every second packet or after 5 ms."""
    base = load_scenario(SCENARIOS / "closed-loop" / "deep-queue.json")
    path = {"rate_bps": 8_000_000, "forward_delay_ns": 10 * MS, "return_delay_ns": 10 * MS, "queue_bytes": 10**6}
    return replace(base, link=Link(**path | {"loss_ppm": 0, "jitter_ns": 0} | link), receiver=Policy(2, 5 * MS))


def data(first_byte: int, stamp: int) -> Segment:
    """Return a segment with 1000 bytes of a connection whose data begins at 101."""
    return Segment(50000, 443, 101 + first_byte, 1, Flags.ACK, 1, 1000, timestamps=(stamp, 0))


def answers(receiver: Receiver, until_ns: int) -> list[tuple[int, int, tuple[tuple[int, int], ...], int]]:
    """Return the answers due until a time: time, first unacknowledged byte, blocks, and timestamp echo."""
    receiver.advance(until_ns)
    return [(t_ns, *receiver.acknowledges(answer), (answer.timestamps or (0, 0))[1]) for t_ns, answer in receiver.back]


def connected(**link: int) -> Receiver:
    """Return a receiver that got a SYN at 1 ms."""
    receiver = Receiver(scenario(**link))
    receiver.accept(MS, Segment(50000, 443, 100, 0, Flags.SYN, timestamps=(1, 0), sack_permitted=True), 1212)
    assert receiver.due_ns() == 21 * MS
    assert receiver.back.popleft()[1].sack_permitted
    return receiver


def test_every_second_packet_is_acknowledged() -> None:
    """Every second packet is acknowledged at once; the ACK of an odd last packet waits 5 ms."""
    receiver = connected()
    for index in range(3):
        receiver.take(30 * MS, data(1000 * index, 50 + index))
    assert receiver.due_ns() == 41 * MS
    assert answers(receiver, 47 * MS) == [(52 * MS, 2000, (), 50)]
    assert answers(receiver, 48 * MS)[1:] == [(58 * MS, 3000, (), 52)]


def test_out_of_order_data_is_acknowledged_at_once() -> None:
    """Out-of-order data is acknowledged at once, with its block and the timestamp of the last in-order segment."""
    receiver = connected()
    for index in (0, 1, 3):
        receiver.take(30 * MS, data(1000 * index, 50 + index))
    assert answers(receiver, 43 * MS)[1:] == [(53 * MS, 2000, ((3000, 4000),), 50)]


def test_packet_dropped_by_the_queue_gets_no_ack() -> None:
    """The link serves the first packet, queues the second, and drops the third, which gets no ACK."""
    receiver = connected(queue_bytes=1000)
    for index in range(3):
        receiver.take(30 * MS, data(1000 * index, 50))
    assert receiver.bottleneck.dropped_packets == 1
    assert answers(receiver, 100 * MS) == [(52 * MS, 2000, (), 50)]
    assert receiver.due_ns() == 52 * MS
