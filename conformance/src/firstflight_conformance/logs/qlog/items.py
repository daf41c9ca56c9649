"""Reads the records of a qlog that a recording needs, independent of their names and units."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from firstflight_conformance.logs.qlog.values import (
    NS_PER_MS,
    FieldError,
    event_name,
    member,
    ns_of,
    number,
    space_of,
    threshold,
    whole,
)

#: A packet with only these frames does not count as in flight.
_NOT_IN_FLIGHT = {"ack", "connection_close"}
#: Trigger of a packet_lost by neqo when the PTO expires. The packet is still in flight (RFC 9002, section 6.2).
_NO_LOSS = "pto_expired"
_PACKET_MAX_BYTES = 65535
_NUMBER_MAX = 2**62 - 1
Range = tuple[int, int]


@dataclass(slots=True)
class Sent:
    """Packets first..last sent, each of ``size_bytes``, or ``None`` if not logged.

    ``frames``: kinds of their frames, or ``None`` if not logged. ``data``: a frame carries stream data not sent before.
    """

    t_ns: int
    space: str
    first: int
    last: int
    size_bytes: int | None
    frames: frozenset[str] | None
    long_header: bool
    data: bool = False

    @property
    def in_flight(self) -> bool:
        """Whether the packets count as in flight."""
        return self.frames is None or not self.frames <= _NOT_IN_FLIGHT


@dataclass(slots=True)
class Received:
    """A received packet. ``ranges``: acknowledged by its ACK frames, or ``None`` if its frames are not logged.

    ``confirms``: it contains HANDSHAKE_DONE, which discards the handshake keys (RFC 9001, section 4.9.2).
    """

    t_ns: int
    space: str
    packet: int
    ranges: list[Range] | None
    ack_delay_ns: int = 0
    ce_count: int | None = None
    confirms: bool = False


@dataclass(slots=True)
class Acked:
    """Newly acknowledged packets, in logs with events ``packets_acked``."""

    t_ns: int
    space: str
    ranges: list[Range]


@dataclass(slots=True)
class Lost:
    """Packets declared lost. ``probe``: a probe of the path MTU, whose loss is not congestion."""

    t_ns: int
    space: str
    first: int
    last: int
    probe: bool = False


@dataclass(slots=True)
class Metrics:
    """Recovery metrics of one record. ``latest_rtt`` is in the unit of the log."""

    t_ns: int
    values: dict[str, Any]


@dataclass(slots=True)
class Discarded:
    """The keys of a packet number space were discarded."""

    t_ns: int
    space: str


@dataclass(slots=True)
class Parameters:
    """Parameters of the recovery."""

    t_ns: int
    values: dict[str, int]


@dataclass(slots=True)
class Own:
    """A record of this project in a qlog: ``raw`` is an event without a counterpart in qlog, in its JSON form.

    If ``raw`` lacks the member ``ev`` (the kind of event), its members are added to the previous event of the log.
    """

    t_ns: int
    raw: dict[str, Any]


Item = Sent | Received | Acked | Lost | Metrics | Discarded | Parameters | Own

_STATES = {
    "slow_start": "slow_start",
    "conservative_slow_start": "conservative_slow_start",
    "css": "conservative_slow_start",
    "congestion_avoidance": "congestion_avoidance",
    "recovery": "recovery",
    "recovery_start": "recovery",
    "persistent_congestion": "recovery",
}
_METRICS = {
    "congestion_window": "cwnd_bytes",
    "cwnd": "cwnd_bytes",
    "current_cwnd": "cwnd_bytes",
    "bytes_in_flight": "bytes_in_flight",
    "app_limited": "app_limited",
}


@dataclass(slots=True)
class Reader:
    """Turns records of a qlog into items: objects of the classes in :data:`Item`, such as ``Sent`` or ``Metrics``.

    ``sent_to``: end of the data sent so far, by stream.
    """

    sent_to: dict[int, int] = field(default_factory=dict)

    def item(self, t_ns: int, name: object, data: Mapping[str, Any]) -> Item | None:
        """Return the item of a record, or ``None`` if unused. Raise :class:`FieldError` for invalid values."""
        kind = event_name(name)
        read = _READERS.get(kind)
        return None if read is None else read(self, t_ns, data)

    def _sent(self, t_ns: int, data: Mapping[str, Any]) -> Item | None:
        space, packet, packet_type = _header(data)
        if space is None or packet is None:
            return None
        frames = _frames(data)
        kinds = None if frames is None else frozenset(map(_kind, frames))
        long_header = space != "application_data" or packet_type.lower().startswith("0")
        return Sent(t_ns, space, packet, packet, _size(data), kinds, long_header, self._new_data(frames or []))

    def _new_data(self, frames: list[Mapping[str, Any]]) -> bool:
        new = False
        for frame in frames:
            if _kind(frame) == "stream" and frame.get("offset") is not None and _length(frame) is not None:
                stream = whole(frame.get("stream_id", 0), "stream_id")
                end = whole(frame["offset"], "offset") + whole(_length(frame), "length")
                if end > self.sent_to.get(stream, 0):
                    self.sent_to[stream], new = end, True
        return new

    def _sent_run(self, t_ns: int, data: Mapping[str, Any]) -> Item:
        first, last = _range(data)
        return Sent(t_ns, "application_data", first, last, whole(data["length"], "length"), None, False)

    def _received(self, t_ns: int, data: Mapping[str, Any]) -> Item | None:
        space, packet, packet_type = _header(data)
        if packet_type.replace("_", "").lower() == "versionnegotiation":
            return Discarded(t_ns, "initial")  # packets sent in the other version do not count
        if space is None:
            return None
        frames = _frames(data)
        if frames is None:
            return Received(t_ns, space, packet or 0, None)
        acks = [frame for frame in frames if _kind(frame) == "ack"]
        received_packet = received(t_ns, space, packet or 0, acks)
        received_packet.confirms = any(_kind(frame) == "handshake_done" for frame in frames)
        return received_packet

    def _acked(self, t_ns: int, data: Mapping[str, Any]) -> Item | None:
        space = space_of(data.get("packet_number_space", "application_data"))
        numbers = sorted(whole(number, "packet_numbers", _NUMBER_MAX) for number in data.get("packet_numbers") or [])
        return Acked(t_ns, space, [(number, number) for number in numbers]) if space and numbers else None

    def _lost(self, t_ns: int, data: Mapping[str, Any]) -> Item | None:
        space, packet, _ = _header(data, "unknown")
        if space is None or packet is None or data.get("trigger") == _NO_LOSS:
            return None
        return Lost(t_ns, space, packet, packet, data.get("is_mtu_probe_packet") is True)

    def _lost_run(self, t_ns: int, data: Mapping[str, Any]) -> Item:
        return Lost(t_ns, "application_data", *_range(data))

    def _metrics(self, t_ns: int, data: Mapping[str, Any]) -> Item | None:
        values: dict[str, Any] = {}
        for key, value in data.items():
            if key in _METRICS and isinstance(value, bool):
                values[_METRICS[key]] = value
            elif key in _METRICS:
                values[_METRICS[key]] = whole(value, key)
            elif key == "ssthresh":
                values["ssthresh_bytes"] = threshold(value)
            elif key == "latest_rtt":
                values["latest_rtt"] = number(value, key)
        return Metrics(t_ns, values) if values else None

    def _state(self, t_ns: int, data: Mapping[str, Any]) -> Item | None:
        state = _STATES.get(str(data.get("new")).lower())
        return None if state is None else Metrics(t_ns, {"state": state})

    def _keys(self, t_ns: int, data: Mapping[str, Any]) -> Item | None:
        kind = str(data.get("key_type"))
        space = next((name for name in ("initial", "handshake") if name in kind), None)
        return None if space is None else Discarded(t_ns, space)

    def _parameters(self, t_ns: int, data: Mapping[str, Any]) -> Item | None:
        names = {"initial_congestion_window": "initial_window_bytes", "max_datagram_size": "max_datagram_size_bytes"}
        values = {ours: whole(data[name], name) for name, ours in names.items() if name in data}
        return Parameters(t_ns, values) if values else None

    def _own(self, t_ns: int, data: Mapping[str, Any]) -> Item:
        return Own(t_ns, dict(data))


_READERS = {
    "packet_sent": Reader._sent,
    "packet_received": Reader._received,
    "packets_acked": Reader._acked,
    "packet_lost": Reader._lost,
    "metrics_updated": Reader._metrics,
    "metric_update": Reader._metrics,  # qlog before draft-01, written by aioquic in 2019
    "congestion_metric_update": Reader._metrics,  # mvfst
    "congestion_state_updated": Reader._state,
    "key_discarded": Reader._keys,
    "key_retired": Reader._keys,
    "parameters_set": Reader._parameters,
    "firstflight_packets_sent": Reader._sent_run,
    "firstflight_packets_lost": Reader._lost_run,
    "firstflight_event": Reader._own,
    "firstflight_members": Reader._own,
}


def received(t_ns: int, space: str, packet: int, acks: list[Mapping[str, Any]]) -> Received:
    """Return a received packet with these ACK frames."""
    ranges = [_acked_range(entry) for frame in acks for entry in frame.get("acked_ranges") or []]
    delay = acks[-1].get("ack_delay") if acks else None
    delay_ns = 0 if delay is None else ns_of(delay, "ack_delay", NS_PER_MS)
    counts = [whole(frame["ce"], "ce") for frame in acks if frame.get("ce") is not None]
    return Received(t_ns, space, packet, sorted(ranges), delay_ns, max(counts, default=None))


def _acked_range(entry: object) -> Range:
    if not isinstance(entry, list) or len(entry) not in (1, 2):
        raise FieldError(f"acked_ranges: expected [first] or [first, last], got {entry!r}")
    first, last = (whole(bound, "acked_ranges", _NUMBER_MAX) for bound in (entry[0], entry[-1]))
    if last < first:
        raise FieldError(f"acked_ranges: {first} to {last} is not a rising range")
    return first, last


def _header(data: Mapping[str, Any], untyped: str | None = None) -> tuple[str | None, int | None, str]:
    """Return packet number space, packet number and packet type; in old drafts they are outside the header.

    ``untyped``: type of a packet without one.
    """
    header = member(data, "header")
    kind = header.get("packet_type", data.get("packet_type", data.get("type", untyped)))
    packet = header.get("packet_number", data.get("packet_number"))
    return space_of(kind), None if packet is None else whole(packet, "packet_number", _NUMBER_MAX), str(kind)


def _size(data: Mapping[str, Any]) -> int | None:
    header = member(data, "header")
    for size in (_length(data), header.get("length"), header.get("packet_size")):
        if size is not None:
            size_bytes = whole(size, "length")
            if not 0 < size_bytes <= _PACKET_MAX_BYTES:
                raise FieldError(f"length: {size_bytes} is outside 1..65535")
            return size_bytes
    return None


def _length(data: Mapping[str, Any]) -> object:
    return member(data, "raw").get("length", data.get("length"))


def _frames(data: Mapping[str, Any]) -> list[Mapping[str, Any]] | None:
    frames = data.get("frames")
    if frames is None:
        return None
    if not isinstance(frames, list) or not all(isinstance(frame, dict) for frame in frames):
        raise FieldError("frames: expected a list of objects")
    return frames


def _kind(frame: Mapping[str, Any]) -> str:
    return str(frame.get("frame_type")).lower()


def _range(data: Mapping[str, Any]) -> Range:
    first, last = (whole(data.get(key), key, _NUMBER_MAX) for key in ("first", "last"))
    if last < first:
        raise FieldError(f"first: {first} is above last, {last}")
    return first, last
