"""Builds a recording from the groups of a qlog, and compares the computed bytes in flight with the logged ones."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from decimal import Decimal
from typing import Any

from firstflight import Config, events
from firstflight.events import Ack, Ce
from firstflight.limits import TIME_MAX_NS
from firstflight_conformance.format.wire import encode_int, event_from_json
from firstflight_conformance.logs.qlog.flight import SentTwiceError, Space
from firstflight_conformance.logs.qlog.groups import Group
from firstflight_conformance.logs.qlog.items import Acked, Discarded, Lost, Own, Range, Received, Sent
from firstflight_conformance.logs.qlog.peer import UNSEEN
from firstflight_conformance.logs.qlog.values import NS_PER_MS, FieldError
from firstflight_conformance.logs.qlog.writers import Writer
from firstflight_conformance.logs.recording.recorder import Recorder
from firstflight_conformance.logs.recording.recording import Header, Recording

_HANDSHAKE = ("initial", "handshake")
_APPLICATION = "application_data"
#: Frames of a padded packet with ACKs alone.
_PADDED_ACK = {"ack", "padding"}
#: Default max_ack_delay, the largest ACK delay that an endpoint subtracts (RFC 9000, section 18.2).
_MAX_ACK_DELAY_NS = 25 * NS_PER_MS
#: Percentage of the logged bytes in flight that must agree with the events.
AGREEMENT_PERCENT = 95
_REPORTED = ("cwnd_bytes", "ssthresh_bytes", "state")


@dataclass(slots=True)
class Build:
    """A recording under construction. ``rtt_unit_ns``: unit of the RTTs in the log, or None if they are not used.

    ``silent``: the log records no losses. It is then read up to the first reduction, which sets ``unlogged_loss``.

    ``logged``: number of logged values of bytes in flight. ``agreed``: number of these that agree with the events.
    ``rtts``: RTT samples as logged, each with the sample computed from the times. ``first_mismatch``: the first value
    that does not agree: its position among the logged values, its time, the value, and the value from the packets.
    """

    writer: Writer
    rtt_unit_ns: int | None = NS_PER_MS
    silent: bool = False
    unlogged_loss: bool = False
    recorder: Recorder = field(default_factory=Recorder)
    spaces: dict[str, Space] = field(default_factory=dict)
    agreed: int = 0
    logged: int = 0
    rtts: list[tuple[Decimal, int]] = field(default_factory=list)
    first_mismatch: tuple[int, int, int, int] | None = None
    counts: dict[str, int] = field(default_factory=dict)
    steps_of: dict[str, int] = field(default_factory=dict)
    _flight_logged: int | None = None
    _known: dict[str, Any] = field(default_factory=dict)
    _no_growth: set[int] = field(default_factory=set)
    _ce_count: int = 0
    _min_rtt_ns: int | None = None
    _largest_acked_bytes: int = 0
    _last_ns: int = 1
    _long_header_ns: int | None = None

    def run(self, groups: Sequence[Group]) -> None:
        """Record all groups in order. A group has the log records of one event, and the metrics logged with them.

        In a log without records of losses, stop at the first reduction of the window. Raise :class:`FieldError` if a
        packet number is used twice.
        """
        for group in groups:
            before = len(self.recorder.steps)
            try:
                self._take(group)
            except SentTwiceError as error:
                raise FieldError(f"{error}: are there several connections in the log?") from error
            if self.silent and len(self.recorder.steps) > before:
                self._lose_unacknowledged(group)
            self._discard_a_probe(group)
            if len(self.recorder.steps) > before:
                self._report(group)
            self._compare(group)
            if self.unlogged_loss:
                break

    def _take(self, group: Group) -> None:
        self._last_ns = t_ns = max(group.t_ns, self._last_ns)
        match group.items[0]:
            case Sent():
                self._sent(t_ns, group)
            case Received() as packet:
                self._received(t_ns, packet, group)
            case Acked() as acked:
                self._acked(t_ns, self._space(acked.space).take(acked.ranges), group)
            case Lost() as lost:
                self._lost(t_ns, lost.probe, group)
            case Discarded() as keys:
                self._discard(keys.space)
            case Own() as own:
                time = {} if self.writer.every_window else {"t_ns": encode_int(t_ns)}
                self.recorder.event(event_from_json(own.raw | time))

    def _lose_unacknowledged(self, group: Group) -> None:
        """Record packets that leave flight unacknowledged as lost when the window decreases or ssthresh is set."""
        window, flight = group.metrics.get("cwnd_bytes"), group.metrics.get("bytes_in_flight")
        threshold = group.metrics.get("ssthresh_bytes")
        falls = window is not None and window < self._known.get("cwnd_bytes", 0)
        # quiche scales its window to a larger datagram size without logging the size: a reduced window may look larger.
        is_set = threshold is not None and threshold != self._known.get("ssthresh_bytes")
        if flight is None or not (falls or is_set) or not self._acked_data:
            return
        lost: list[int] = []
        lost_bytes = self._flight - flight
        for packet, size_bytes in self.recorder.oldest_in_flight():
            if lost_bytes <= 0:
                break
            lost_bytes -= size_bytes + self.writer.tag_bytes
            lost.append(packet)
        if lost:
            self.recorder.lost(self._last_ns, lost)
            self.unlogged_loss = True

    def _discard_a_probe(self, group: Group) -> None:
        """Remove a lost probe of the path MTU from flight. quinn does not log the loss; the bytes in flight show it.

        The probe is larger than every acknowledged packet. Its loss is not congestion (RFC 9000, section 14.4).
        """
        flight = group.metrics.get("bytes_in_flight")
        if flight is None or flight >= self._flight or not isinstance(group.items[0], Received | Acked | Lost):
            return
        large = [packet for packet in self.recorder.oldest_in_flight() if packet[1] > self._largest_acked_bytes > 0]
        if len(large) == 1 and self._flight - flight == large[0][1] + self.writer.tag_bytes:
            self.recorder.discarded(
                packet_range for space in self.spaces.values() for packet_range in space.take_number(large[0][0])
            )
            self._count("probes_discarded", 1)

    @property
    def _acked_data(self) -> bool:
        return "first_application_step" in self.steps_of

    @property
    def _flight(self) -> int:
        """The bytes in flight as the writer counts them."""
        return self.recorder.bytes_in_flight + self.writer.tag_bytes * self.recorder.packets_in_flight

    def _space(self, name: str) -> Space:
        return self.spaces.setdefault(name, Space())

    def _sent(self, t_ns: int, group: Group) -> None:
        items = [item for item in group.items if isinstance(item, Sent) and self._in_flight(item)]
        sizes = [(item.last - item.first + 1, self._size(item, group)) for item in items]
        if not items:
            return
        number = self.recorder.next_packet
        for item, (packets, _) in zip(items, sizes, strict=True):
            self._space(item.space).send(item.first, item.last, number)
            self._no_growth |= {number} if item.frames is not None and UNSEEN in item.frames else set()
            number += packets
        self.recorder.sent(t_ns, sizes, app_limited=self._app_limited(group))
        if any(item.data for item in items):
            self.steps_of.setdefault("first_data_step", len(self.recorder.steps) - 1)
            self.steps_of["last_data_step"] = len(self.recorder.steps) - 1

    def _in_flight(self, item: Sent) -> bool:
        """Return whether the writer counts packets as in flight."""
        frames = item.frames
        return item.in_flight and (self.writer.padding_counts or frames is None or not frames <= _PADDED_ACK)

    def _size(self, item: Sent, group: Group) -> int:
        """Return the size of a packet in bytes: its logged size, or the increase of the logged bytes in flight.

        The increase is used if no size is logged, and in the handshake, where a logged size may be wrong. It may lack
        padding that counts in flight, and neqo logs the length of the whole datagram for its last packet. Raise
        :class:`FieldError` if the log has neither value.
        """
        now, before = group.metrics.get("bytes_in_flight"), self._flight
        alone = len(group.items) == 1 and item.first == item.last
        handshake = item.long_header or item.t_ns == self._long_header_ns
        if item.long_header:
            self._long_header_ns = item.t_ns
        known = item.size_bytes is not None and not (handshake and self._flight_logged in (None, before))
        if now is not None and alone and not known:
            size_bytes: int = now - before - self.writer.tag_bytes
            if 0 < size_bytes <= 65535:
                self._count("sizes_of_the_flight", size_bytes != item.size_bytes)
                return size_bytes
        if item.size_bytes is None:
            raise FieldError(
                f"packet {item.first}: neither a length nor a change of the bytes in flight gives its size"
            )
        return item.size_bytes

    def _received(self, t_ns: int, packet: Received, group: Group) -> None:
        if packet.confirms:
            self._discard("handshake")
        if not packet.ranges:
            return
        if packet.space == _APPLICATION:
            for name in _HANDSHAKE:
                self._discard(name)
        space = self._space(packet.space)
        sample = space.holds(packet.ranges[-1][1])
        if packet.ce_count is not None and packet.ce_count > self._ce_count and sample:
            self._ce_count = packet.ce_count
            (largest,) = Space([*space.pieces]).take([(packet.ranges[-1][1],) * 2])
            self.recorder.event(Ce(t_ns, largest[0], self.recorder.sent_t_ns(largest[0]), packet.ce_count))
        acked = space.take(packet.ranges)
        if acked and packet.space == _APPLICATION:
            self.steps_of.setdefault("first_application_step", len(self.recorder.steps))
        self._acked(t_ns, acked, group, sample=sample, ack_delay_ns=packet.ack_delay_ns)

    def _acked(
        self, t_ns: int, acked: list[Range], group: Group, *, sample: bool = True, ack_delay_ns: int = 0
    ) -> None:
        if still := [packets for packets in acked if packets[0] in self._no_growth]:  # quinn: no window growth
            self.recorder.discarded(still)
            acked = [packets for packets in acked if packets not in still]
        if not acked:
            return
        logged = group.metrics.get("latest_rtt")
        if self.writer.rtt_with_each_sample:
            sample = logged is not None
        elif logged is None and group.metrics:  # unchanged: metrics omit it
            logged = self._known.get("latest_rtt")
        computed_ns = t_ns - self.recorder.sent_t_ns(acked[-1][1])
        latest_ns = None if logged is None else self._rtt_ns(logged, computed_ns, ack_delay_ns)
        self.recorder.acked(
            t_ns, acked, sample=sample, latest_rtt_ns=latest_ns, ack_delay_ns=ack_delay_ns,
            app_limited=self._app_limited(group), **_members_of(Ack, group, self._space(_APPLICATION)),
        )  # fmt: skip
        if isinstance(event := self.recorder.steps[-1].event, Ack):
            self._largest_acked_bytes = max(self._largest_acked_bytes, *(run.size_bytes for run in event.packets))
        if sample and logged is not None and latest_ns is not None:
            self.rtts.append((logged, computed_ns))
            self.recorder.report(latest_rtt_ns=latest_ns)
        self._count("acks_without_a_logged_rtt", sample and logged is None)

    def _rtt_ns(self, logged: Decimal, computed_ns: int, ack_delay_ns: int) -> int | None:
        """Return the controller's RTT sample in ns, computed from the logged RTT in the unit of the log.

        Some writers log the sample less the ACK delay; the delay is then added again. RFC 9002, section 5.3, subtracts
        it only from a sample of at least the smallest RTT plus the delay. If both cases are possible, the result nearer
        to ``computed_ns``, the RTT computed from the times of the log, is returned. Return None if the logged RTT is
        invalid (0 or above ``TIME_MAX_NS``), or if RTTs of the log are not used.
        """
        if self.rtt_unit_ns is None or not 0 < logged * self.rtt_unit_ns <= TIME_MAX_NS:
            return None
        rtt_ns = int((logged * self.rtt_unit_ns).to_integral_value())
        if not self.writer.rtt_less_delay:
            return rtt_ns
        delay_ns = min(ack_delay_ns, _MAX_ACK_DELAY_NS)
        subtracted = self._min_rtt_ns is not None and rtt_ns > self._min_rtt_ns
        included = self._min_rtt_ns is None or rtt_ns <= self._min_rtt_ns + delay_ns
        if subtracted and included:  # both are possible: the times decide
            subtracted = abs(rtt_ns + delay_ns - computed_ns) < abs(rtt_ns - computed_ns)
        full_ns = rtt_ns + delay_ns if subtracted else rtt_ns
        self._min_rtt_ns = full_ns if self._min_rtt_ns is None else min(full_ns, self._min_rtt_ns)
        return full_ns

    def _lost(self, t_ns: int, probe: bool, group: Group) -> None:
        lost = [
            packet_range
            for item in group.items
            if isinstance(item, Lost)
            for packet_range in self._space(item.space).take([(item.first, item.last)])
        ]
        if lost and probe:
            self.recorder.discarded(lost)
        elif lost:
            self.recorder.lost(t_ns, lost)

    def _discard(self, name: str) -> None:
        discarded = self._space(name).take_all()
        if discarded:
            self.recorder.discarded(discarded)
            self._count("packets_discarded_with_their_keys", len(discarded))

    def _app_limited(self, group: Group) -> bool:
        if "app_limited" in group.metrics:
            self._known["app_limited"] = group.metrics["app_limited"]
        return self._known.get("app_limited") is True

    def _report(self, group: Group) -> None:
        """Add the logged state of the sender to the last recorded event: cwnd, ssthresh, state, bytes in flight.

        ``group``: the log records of this event, with their metrics. A member that the metrics omit keeps its last
        logged value, except bytes in flight, which is then not added.
        """
        self._known |= {name: group.metrics[name] for name in _REPORTED if name in group.metrics}
        if isinstance(group.items[0], Received | Acked) and "latest_rtt" in group.metrics:
            # Only with an ACK: quinn starts with its initial RTT, which is not a sample.
            self._known["latest_rtt"] = group.metrics["latest_rtt"]
        if group.metrics or self.writer.every_window:
            self.recorder.report(**{name: self._known[name] for name in _REPORTED if name in self._known})
        if "bytes_in_flight" in group.metrics:
            self.recorder.report(bytes_in_flight=group.metrics["bytes_in_flight"])
        if sent := _members_of(events.Sent, group, self._space(_APPLICATION)):
            self.recorder.amend(**sent)

    def _compare(self, group: Group) -> None:
        now = group.metrics.get("bytes_in_flight")
        if now is not None:
            self.logged += 1
            self.agreed += now == self._flight
            if now != self._flight and self.first_mismatch is None:
                self.first_mismatch = (self.logged, group.t_ns, now, self._flight)
            self._flight_logged = now

    def _count(self, name: str, times: int) -> None:
        if times:
            self.counts[name] = self.counts.get(name, 0) + times

    @property
    def agreement(self) -> float:
        """Share of the logged bytes in flight that agree with the events."""
        return self.agreed / self.logged if self.logged else 1.0

    @property
    def whole(self) -> bool:
        """Whether at least 95% of the logged values of bytes in flight agree with the recorded packets.

        One value may always differ. If more differ, records of the log are missing or out of order.
        """
        return self.logged - self.agreed <= max(self.logged * (100 - AGREEMENT_PERCENT) // 100, 1)

    @property
    def acks(self) -> int:
        """Number of ACKs."""
        return sum(isinstance(step.event, Ack) for step in self.recorder.steps)

    def recording(self, source: dict[str, Any], config: Config, resolutions_ns: tuple[int, int]) -> Recording:
        """Return the recording. ``resolutions_ns``: resolution of the times and resolution of the RTTs in the log.

        ``source``: kind, writer and origin of the log.
        """
        quality: dict[str, Any] = {"in_flight_agreed": self.agreed, "in_flight_logged": self.logged}
        quality |= self.counts | self.steps_of
        if self.writer.every_window:
            quality["app_limited"] = "stated"
        return self.recorder.recording(Header(source, config, *resolutions_ns, quality))


def _members_of(kind: type[events.Event], group: Group, space: Space) -> dict[str, Any]:
    """Return the members of an event that a group of records contains, in the form of the model.

    Packets get the numbers of the recording, which counts only packets in flight.
    """
    names = {field.name for field in fields(kind)}
    members = {name: value for name, value in group.members.items() if name in names}
    for name, value in members.items():
        if name == "oldest_unacked_packet":
            members[name] = space.recorded(value)
        elif name == "retransmits":
            members[name] = tuple((space.recorded(first), space.recorded(last)) for first, last in value)
        elif isinstance(value, list):
            members[name] = tuple(map(tuple, value))
    return members
