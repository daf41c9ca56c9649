"""The connection of a capture that is judged, and why one cannot be: where it was taken, and what is missing in it."""

from collections import defaultdict
from dataclasses import dataclass

from firstflight_conformance.capture.frames import Host, Segment

_SEQUENCES = 1 << 32
_HEADERS_BYTES, _TIMESTAMPS_BYTES = 40, 12


class UnfitError(ValueError):
    """Nothing can be said of the sender by this capture; the text says why."""


@dataclass(frozen=True, slots=True)
class Connection:
    """A connection from its handshake on. ``start``: the sequence number of the sender's first byte of data.

    ``mss``: bytes of data in a full segment. ``scale``: of the receiver's windows. ``others``: how many more connections carry data.
    """

    sender: Host
    start: int
    mss: int
    scale: int
    segments: tuple[Segment, ...]
    others: int


def distance(later: int, earlier: int) -> int:
    """Return how far a sequence number lies behind another; less than 0 if it lies before it."""
    return (later - earlier + _SEQUENCES // 2) % _SEQUENCES - _SEQUENCES // 2


def connection_of(segments: list[Segment]) -> Connection:
    """Return the connection with most data. Raise :class:`UnfitError` where the capture says nothing of its sender."""
    groups: dict[frozenset[Host], list[Segment]] = defaultdict(list)
    for segment in segments:
        groups[frozenset((segment.source, segment.destination))].append(segment)
    carried = {key: sum(each.payload_bytes for each in group) for key, group in groups.items()}
    if not any(carried.values()):
        raise UnfitError("has no TCP segment with data")
    group = groups[max(carried, key=lambda key: carried[key])]
    syn, answer, rest = _handshake(group)
    sent: dict[Host, int] = defaultdict(int)
    for segment in rest:
        sent[segment.source] += segment.payload_bytes
    sender = max(sent, key=lambda host: sent[host])
    _at_the_sender(sender, syn, answer, rest)
    own, peer = (syn, answer) if sender == syn.source else (answer, syn)
    scaled = syn.scale is not None and answer.scale is not None
    mss = min(syn.mss or 536, answer.mss or 536) - _TIMESTAMPS_BYTES * (syn.timestamps and answer.timestamps)
    largest = max(segment.payload_bytes for segment in rest if segment.source == sender)
    others = sum(bytes_ > 0 for bytes_ in carried.values()) - 1
    return Connection(
        sender, (own.seq + 1) % _SEQUENCES, min(mss, largest), (peer.scale or 0) * scaled, tuple(rest), others
    )


def _handshake(group: list[Segment]) -> tuple[Segment, Segment, list[Segment]]:
    """Return SYN, its answer, and what follows; of a SYN that is sent again the last."""
    answer = next((index for index, each in enumerate(group) if each.syn and each.ack is not None), None)
    syns = [each for each in group[:answer] if each.syn and each.ack is None]
    if answer is None or not syns:
        raise UnfitError("begins after the handshake: start the capture before the connection")
    return syns[-1], group[answer], [each for each in group[answer + 1 :] if not each.syn]


def _at_the_sender(sender: Host, syn: Segment, answer: Segment, rest: list[Segment]) -> None:
    """Refuse a capture that was taken elsewhere: at the sender, its own part of the handshake takes no time."""
    third = next((each for each in rest if each.source == syn.source), None)
    if third is None:
        raise UnfitError("has no end of the handshake")
    to_server_ns, to_client_ns = answer.t_ns - syn.t_ns, third.t_ns - answer.t_ns
    away_ns, own_ns = (to_server_ns, to_client_ns) if sender == syn.source else (to_client_ns, to_server_ns)
    if 4 * own_ns > away_ns:
        raise UnfitError(
            f"was taken at the receiver or between: in the handshake the sender took {own_ns / 1e6:.3f} ms to answer, "
            f"the other side {away_ns / 1e6:.3f} ms; capture at the sender"
        )
