"""Adds frames from the log of the peer: the frames of a received packet are those that its sender logged."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from firstflight_conformance.logs.qlog.container import Record
from firstflight_conformance.logs.qlog.items import Discarded, Item, Received, Sent, received
from firstflight_conformance.logs.qlog.values import event_name, member, space_of, whole

#: A larger packet with an ACK alone is padded, and counts in flight (RFC 9002, section 2). quic-go does not log
#: padding.
_PADDED_BYTES, UNSEEN = 600, "unseen padding"


def frames_of(records: Iterable[tuple[str, Record]], name: str) -> dict[tuple[str, int], list[Record]]:
    """Return the frames in the records with this name, by packet number space and packet number."""
    frames_by_packet: dict[tuple[str, int], list[Record]] = {}
    for _, record in records:
        if event_name(record.get("name")) != name:
            continue
        data = member(record, "data")
        header = member(data, "header")
        space, packet, frames = space_of(header.get("packet_type")), header.get("packet_number"), data.get("frames")
        if space is not None and packet is not None and isinstance(frames, list):
            frames_by_packet[space, whole(packet, "packet_number")] = [
                frame for frame in frames if isinstance(frame, dict)
            ]
    return frames_by_packet


def joined(
    items: Iterable[Item],
    peer_sent: dict[tuple[str, int], list[Record]],
    peer_received: dict[tuple[str, int], list[Record]],
) -> list[Item]:
    """Return the items, with the frames that the peer logged for items without frames."""
    joined_items: list[Item] = []
    for item in items:
        if isinstance(item, Received) and item.ranges is None:
            frames = peer_sent.get((item.space, item.packet), [])
            acks: list[Mapping[str, Any]] = [frame for frame in frames if frame.get("frame_type") == "ack"]
            if any(frame.get("frame_type") == "handshake_done" for frame in frames):  # RFC 9001, section 4.9.2
                joined_items.append(Discarded(item.t_ns, "handshake"))
            joined_items.append(received(item.t_ns, item.space, item.packet, acks))
        elif isinstance(item, Sent) and item.frames is None and (item.space, item.first) in peer_received:
            kinds = frozenset(str(frame.get("frame_type")) for frame in peer_received[item.space, item.first])
            kinds |= {UNSEEN} if (item.size_bytes or 0) > _PADDED_BYTES and kinds == {"ack"} else set()
            joined_items.append(replace(item, frames=kinds))
        else:
            joined_items.append(item)
    return joined_items
