"""The path simulator in one file, for the tests, written from ``spec/simulator.md``.

It runs scenarios and networks, not presets. It shares no code with the C simulator and gives the same events to the
nanosecond. Its author knew the C simulator: it is not an independent reading of the text. A run takes a value of
``firstflight_conformance.simulator`` and a controller for each flow. A controller has ``initial_window_bytes``,
``samples_rate``, in networks ``phase``, and ``on_event``, which returns an :class:`Answer`. A run begins at one second.
"""

import heapq
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import takewhile
from typing import Any, NamedTuple

from firstflight.events import Ack, Backlog, Event, Lost, PersistentCongestion, Pto, Run, SavedPath, Sent

S, MS = 10**9, 10**6
ORIGIN_NS, INITIAL_RTT_NS, GRANULARITY_NS = S, 333 * MS, MS
#: Announced for data without end, and for a receive window without bound.
UNBOUNDED_BYTES = 2**62 - 1
#: Maximum of a growing receive window, in bytes.
MOST_WINDOW_BYTES = 2**40
#: Packet threshold of loss detection, and maximum number of doublings of the timers of probes, SYN and FIN.
PACKET_THRESHOLD, MOST_DOUBLINGS = 3, 10


class Answer(NamedTuple):
    """Answer of a controller: window, release time of the next packet if it paces, and whether slow start continues."""

    cwnd_bytes: int
    next_release_ns: int | None = None
    in_slow_start: bool = True


class Packet(NamedTuple):
    """Data, with the packet whose data it repeats as ``name``; an ACK; or a part of handshake or teardown."""

    wire_bytes: int
    kind: str
    number: int = 0
    name: int | None = None
    size_bytes: int = 0
    last: bool = False
    ranges: tuple[tuple[int, int], ...] = ()
    ack_delay_ns: int = 0
    max_data_bytes: int | None = None


def random_numbers(seed: int) -> Iterator[int]:
    """Yield the numbers of splitmix64 (``spec/prng.md``)."""
    mask = 2**64 - 1
    while True:
        seed = (seed + 0x9E3779B97F4A7C15) & mask
        z = (seed ^ seed >> 30) * 0xBF58476D1CE4E5B9 & mask
        z = (z ^ z >> 27) * 0x94D049BB133111EB & mask
        yield z ^ z >> 31


def ranges_of(packets: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Return packets as ranges, in their order."""
    ranges: list[tuple[int, int]] = []
    for packet in packets:
        follows = bool(ranges) and ranges[-1][1] == packet - 1
        ranges[-1:] = [(ranges[-1][0], packet)] if follows else [*ranges[-1:], (packet, packet)]
    return tuple(ranges)


class Clock:
    """Actions run in the order of time and, at one time, of scheduling, at multiples of ``tick_ns``."""

    def __init__(self, tick_ns: int = 1) -> None:
        self.now_ns, self.events, self._tick_ns, self._scheduled, self._queue = ORIGIN_NS, 0, tick_ns, 0, []

    def at(self, t_ns: int, action: Callable[..., None], *arguments: Any) -> None:
        self._scheduled += 1
        heapq.heappush(self._queue, (-(-t_ns // self._tick_ns) * self._tick_ns, self._scheduled, action, arguments))

    def run(self, stop_ns: int, finished: Callable[[], bool]) -> bool:
        """Run until ``finished`` or ``stop_ns``. Return whether one was reached before the queue became empty."""
        while self._queue and not finished():
            self.now_ns = self._queue[0][0]
            if self.now_ns > stop_ns:
                return True
            _, _, action, arguments = heapq.heappop(self._queue)
            self.events += 1
            action(*arguments)
        return finished()


def transmission_ns(size_bytes: int, rate_bps: int) -> int:
    """Return the time of a packet as in ns-3: a quotient with 64 binary digits after the point, rounded to ns."""
    return ((8 * size_bytes << 64) // rate_bps * S + (1 << 63)) >> 64


class Wire:
    """An access link with room for every packet; without a rate only a delay. ``carry``: as :class:`Bottleneck`."""

    def __init__(self, rate_bps: int | None, delay_ns: int) -> None:
        self._rate_bps, self._delay_ns, self._busy_until_ns = rate_bps, delay_ns, 0

    def carry(self, t_ns: int, size_bytes: int) -> int:
        if self._rate_bps is not None:
            t_ns = max(t_ns, self._busy_until_ns) + transmission_ns(size_bytes, self._rate_bps)
            self._busy_until_ns = t_ns
        return t_ns + self._delay_ns


class TokenBucket:
    """Passes bursts; other packets wait for tokens of 1/(8e9) bytes up to ``latency_ns``, or are dropped."""

    def __init__(self, rate_bps: int, burst_bytes: int, latency_ns: int) -> None:
        self._rate_bps, self._latency_ns, self._counted_ns = rate_bps, latency_ns, ORIGIN_NS
        self._tokens = self._burst = 8 * S * burst_bytes
        self.dropped_packets = 0

    def carry(self, t_ns: int, size_bytes: int) -> int | None:
        from_ns = max(self._counted_ns, t_ns)
        tokens = min(self._tokens + (from_ns - self._counted_ns) * self._rate_bps, self._burst)
        wait_ns = -(-max(8 * S * size_bytes - tokens, 0) // self._rate_bps)
        if from_ns + wait_ns - t_ns > self._latency_ns:
            self.dropped_packets += 1
            return None
        self._tokens = tokens + wait_ns * self._rate_bps - 8 * S * size_bytes
        self._counted_ns = from_ns + wait_ns
        return self._counted_ns


class Bottleneck:
    """A link with a queue, delay steps, and random loss, jitter and early drops (purposes 1, 2 and 3 of the seed)."""

    def __init__(self, link: Any, seed: int) -> None:
        self._link, self._waiting = link, deque()
        self.busy_until_ns = self._last_arrival_ns = self.waiting_bytes = 0
        self.dropped_packets = self.early_dropped_packets = self.lost_packets = 0
        self._loss, self._jitter, self._early = (random_numbers(seed ^ purpose) for purpose in (1, 2, 3))

    def carry(self, now_ns: int, size_bytes: int) -> int | None:
        """Enqueue a packet now; return its arrival time, or ``None`` if it is dropped or lost."""
        link, starts_ns = self._link, max(now_ns, self.busy_until_ns)
        self.leave(now_ns)
        if starts_ns > now_ns:
            if not self._takes(size_bytes):
                self.dropped_packets += 1
                return None
            self._waiting.append((starts_ns, size_bytes))
            self.waiting_bytes += size_bytes
        self.busy_until_ns = starts_ns - (-8 * S * size_bytes // link.rate_bps)
        if link.loss_ppm and next(self._loss) % 10**6 < link.loss_ppm:
            self.lost_packets += 1
            return None
        past = takewhile(lambda step: self.busy_until_ns - ORIGIN_NS >= step[0], link.steps)
        arrival_ns = self.busy_until_ns + link.forward_delay_ns + [0, *(longer_ns for _, longer_ns in past)][-1]
        arrival_ns += next(self._jitter) % (link.jitter_ns + 1) if link.jitter_ns else 0
        self._last_arrival_ns = max(arrival_ns, self._last_arrival_ns)
        return self._last_arrival_ns

    def leave(self, now_ns: int) -> None:
        """Let packets leave the queue when their service begins."""
        while self._waiting and self._waiting[0][0] <= now_ns:
            self.waiting_bytes -= self._waiting.popleft()[1]

    def _takes(self, size_bytes: int) -> bool:
        link, early = self._link, False
        if link.queue_packets is not None and len(self._waiting) >= link.queue_packets:
            return False
        if link.queue_packets is None and self.waiting_bytes + size_bytes > link.queue_bytes:
            return False
        if link.early_drop_ppm and self.waiting_bytes > link.early_drop_above_bytes:
            early = next(self._early) % 10**6 < link.early_drop_ppm
            self.early_dropped_packets += early
        return not early


def send(clock: Clock, links: Sequence[Any], deliver: Callable[[Packet], None], packet: Packet) -> None:
    """Send a packet over links in order. Later bottlenecks are simulated at their time, other links at once."""
    t_ns = clock.now_ns
    for index, link in enumerate(links):
        if isinstance(link, Bottleneck) and index > 0:
            clock.at(t_ns, send, clock, links[index:], deliver, packet)
            return
        t_ns = link.carry(t_ns, packet.wire_bytes)
        if t_ns is None:
            return
    clock.at(t_ns, deliver, packet)


class AckPolicy:
    """Packets that the receiver has not acknowledged yet; an ACK is due at ``deadline_ns``."""

    def __init__(self, receiver: Any) -> None:
        self._receiver, self._largest, self._largest_arrival_ns = receiver, -1, 0
        self.pending, self.deadline_ns = [], None

    def arrived(self, now_ns: int, packet: int) -> bool:
        """Process a packet; return whether an ACK is due at once."""
        in_order = packet == self._largest + 1
        if packet > self._largest:
            self._largest, self._largest_arrival_ns = packet, now_ns
        self.pending.append(packet)
        first = packet == 0 and self._receiver.first_at_once
        if not in_order or first or len(self.pending) >= self._receiver.ack_every_packets:
            return True
        self.deadline_ns = self.deadline_ns or now_ns + self._receiver.max_ack_delay_ns
        return False

    def acknowledge(self, now_ns: int) -> tuple[tuple[tuple[int, int], ...], int]:
        """Return the newly acknowledged ranges in rising order, and the acknowledgement delay."""
        acked_ranges = ranges_of(sorted(self.pending))
        self.pending, self.deadline_ns = [], None
        return acked_ranges, now_ns - self._largest_arrival_ns


class Sampler:
    """Delivery-rate samples (``spec/events.md``). A run begins application-limited, until anything is delivered."""

    def __init__(self) -> None:
        self._delivered_bytes = self._delivered_ns = self._first_send_ns = self._lost_bytes = 0
        #: By packet: delivered bytes, time of the last delivery, first send time, lost bytes, in flight, limited.
        self._limited_bytes, self._notes = 1, {}

    def hold_back(self, in_flight_bytes: int) -> None:
        """Mark the sender as application-limited until more than the current bytes in flight is delivered."""
        self._limited_bytes = max(self._delivered_bytes + in_flight_bytes, 1)

    def sampled(self, event: Event) -> Event:
        """Return the event with its sample."""
        if isinstance(event, Sent):
            self._send(event)
        if not isinstance(event, Ack | Lost):
            return event
        notes = [self._notes.pop(run.first) for run in event.packets]
        delivered_bytes, delivered_ns, first_send_ns, lost_bytes, in_flight_bytes, limited = notes[-1]
        self._lost_bytes += event.bytes if isinstance(event, Lost) and not event.pmtu_probe else 0
        news = {"rate_lost_bytes": self._lost_bytes - lost_bytes, "rate_in_flight_bytes": in_flight_bytes}
        if isinstance(event, Ack):
            self._delivered_bytes += event.bytes
            self._delivered_ns, self._first_send_ns = event.t_ns, event.packets[-1].sent_t_ns
            if self._delivered_bytes > self._limited_bytes:
                self._limited_bytes = 0
            news["rate_delivered_bytes"] = self._delivered_bytes - delivered_bytes
            news["rate_interval_ns"] = max(self._first_send_ns - first_send_ns, event.t_ns - delivered_ns)
            news["rate_prior_delivered_bytes"] = delivered_bytes
        return replace(event, rate_app_limited=limited, **news)

    def _send(self, event: Sent) -> None:
        in_flight_bytes = event.bytes_in_flight - event.bytes
        if in_flight_bytes == 0:
            self._first_send_ns = self._delivered_ns = event.t_ns
        before = self._delivered_bytes, self._delivered_ns, self._first_send_ns, self._lost_bytes
        for run in event.packets:
            for packet in range(run.first, run.last + 1):
                in_flight_bytes += run.size_bytes
                self._notes[packet] = (*before, in_flight_bytes, self._limited_bytes > 0)
        if event.app_limited:
            self.hold_back(in_flight_bytes)


class Outbox:
    """Data to send. Named data has the number of its first packet, and is repeated in the same size."""

    def __init__(self, transfer: Any) -> None:
        self._transfer, self._left_bytes = transfer, transfer.transfer_bytes
        self._again, self._names, self._closed, self.oldest, self._probing = deque(), {}, set(), 0, False
        self._new_bytes, self.max_data_bytes = 0, transfer.max_data_bytes

    @property
    def empty(self) -> bool:
        return self._left_bytes == 0 and not self._again

    def next_size_bytes(self) -> int:
        """Return the size of the next packet, or 0 without data to send now."""
        while self._again and not self._probing and self._is_acked(self._again[0][0]):
            self._again.popleft()
        if self._again:
            return self._again[0][1]
        bounds = self._left_bytes, None if self.max_data_bytes is None else self.max_data_bytes - self._new_bytes
        full_bytes = self._transfer.config.max_datagram_size_bytes
        return min(full_bytes, *(full_bytes if bound is None else bound for bound in bounds))

    def take(self, packet: int, size_bytes: int) -> int | None:
        """Put data into a packet. Return the packet whose data it repeats, ``None`` for new or nameless data."""
        if self._again:
            self._names[packet], self._probing = self._again.popleft()[0], False
            self._close(packet)
            return self._names[packet]
        self._left_bytes = None if self._left_bytes is None else self._left_bytes - size_bytes
        self._new_bytes += size_bytes
        return None

    def lost(self, packet: int, size_bytes: int) -> None:
        """Take back the data of a lost packet, unless it has arrived in another one."""
        name = self._names.get(packet, packet)
        if self._transfer.named_data and not self._is_acked(name):
            self._again.append((name, size_bytes))
        elif not self._transfer.named_data and self._left_bytes is not None:
            self._left_bytes += size_bytes

    def acked(self, packets: Sequence[int]) -> None:
        """Process packets that arrived."""
        for packet in packets:
            self._close(self._names.pop(packet, packet))

    def probe(self, oldest: int, size_bytes: int) -> None:
        """Queue data of the oldest packet, even if it arrived in another packet, unless other data can be sent."""
        if self.next_size_bytes() == 0:
            name = self._names.get(oldest, oldest)
            self._probing = self._is_acked(name)
            self._again.append((oldest if self._probing else name, size_bytes))

    def _is_acked(self, name: int) -> bool:
        return name < self.oldest or name in self._closed

    def _close(self, name: int) -> None:
        if name >= self.oldest:
            self._closed.add(name)
        while self.oldest in self._closed:
            self._closed.remove(self.oldest)
            self.oldest += 1


class Sender:
    """The sender: asks the controller for the window and makes every event. ``in_flight``: size and time by packet."""

    def __init__(self, transfer: Any, controller: Any) -> None:
        self.transfer, self.controller, self.outbox, self.events = transfer, controller, Outbox(transfer), []
        self._sampler = Sampler() if transfer.samples_rate or controller.samples_rate else None
        self.answer, self.in_flight = Answer(controller.initial_window_bytes), {}
        self.in_flight_bytes = self.next_packet = self.release_ns = self.last_sent_ns = 0
        self.probes = self.probe_timeouts = self.lost_packets = 0
        self.slow_start_end_ns = self.first_sent_ns = self._first_sample_ns = self._limited_from = None
        self.latest_ns = self.min_ns = self.smoothed_ns = None
        self.variation_ns, self._largest_acked, self._begun = 0, -1, False

    @property
    def done(self) -> bool:
        return self.in_flight_bytes == 0 and self.outbox.empty

    def send(self, now_ns: int, *, probing: bool = False) -> list[Packet]:
        """Send the data that windows and pacer allow; a probe is one packet even if they allow none."""
        if not self._begun:
            self._begin(now_ns)
        packets: list[Packet] = []
        while size_bytes := self.outbox.next_size_bytes():
            held = self._is_paced() and self.release_ns > now_ns
            if (held or not self._fits(size_bytes)) and (packets or not probing):
                break
            name = self.outbox.take(self.next_packet, size_bytes)
            wire_bytes = size_bytes + self.transfer.header_bytes
            packets.append(Packet(wire_bytes, "data", self.next_packet, name, size_bytes))
            self.in_flight[self.next_packet] = size_bytes, now_ns
            self.in_flight_bytes += size_bytes
            self.next_packet += 1
            if self._is_paced():
                self._hold_back(size_bytes, now_ns)
            if self.answer.next_release_ns is not None:
                break
        if packets:
            self._record_sent(packets, now_ns)
            packets[-1] = packets[-1]._replace(last=self.outbox.empty)
        return packets

    def probe(self, now_ns: int) -> list[Packet]:
        """Send a probe: new data, or the data of the oldest packet (RFC 9002, section 6.2.4)."""
        self.record(Pto(now_ns))
        self.check_app_limited()
        self.probes, self.probe_timeouts = self.probes + 1, self.probe_timeouts + 1
        oldest = next(iter(self.in_flight))
        self.outbox.probe(oldest, self.in_flight[oldest][0])
        return self.send(now_ns, probing=True)

    def wants_pacer(self) -> bool:
        """Return whether only the pacer delays the next packet."""
        size_bytes = self.outbox.next_size_bytes()
        return self._is_paced() and size_bytes > 0 and self._fits(size_bytes)

    def on_ack(
        self, now_ns: int, acked: Sequence[tuple[int, int]], ack_delay_ns: int, max_data_bytes: int | None
    ) -> None:
        """Process an ACK frame: losses first, then the acknowledged packets (RFC 9002, appendix A.7)."""
        self.check_app_limited()
        self.outbox.max_data_bytes = max_data_bytes
        packets = [packet for first, last in acked for packet in range(first, last + 1)]
        runs = tuple(self._take(packet) for packet in packets if packet in self.in_flight)
        acked_bytes, latest_ns = sum(run.size_bytes for run in runs), None
        self.outbox.acked(packets)
        if not runs:
            return  # all packets were declared lost before
        if runs[-1].last > self._largest_acked:
            self._largest_acked = runs[-1].last
            latest_ns = self.sample(now_ns, runs[-1].sent_t_ns, ack_delay_ns)
        self.probes = 0
        self.detect_losses(now_ns, acked_bytes)
        limited = self._limited_from is not None and runs[-1].last >= self._limited_from
        ack_fields = now_ns, runs, acked_bytes, self.in_flight_bytes, self.next_packet, limited
        oldest = min(self.outbox.oldest, self.next_packet) if self.transfer.named_data else None
        self.record(Ack(*ack_fields, latest_ns, self.min_ns, self.smoothed_ns, ack_delay_ns, oldest))

    def detect_losses(self, now_ns: int, acked_bytes: int = 0) -> None:
        """Declare packets lost. ``acked_bytes`` have left flight here, but not yet for the controller."""
        largest, overdue_ns = self._largest_acked, now_ns - self._loss_delay_ns()
        older = takewhile(lambda entry: entry[0] <= largest, self.in_flight.items())
        gone = [number for number, (_, sent) in older if number + PACKET_THRESHOLD <= largest or sent <= overdue_ns]
        lost = tuple(map(self._take, gone))
        for run in lost:
            self.outbox.lost(run.first, run.size_bytes)
        if lost:
            self.lost_packets += len(lost)
            lost_bytes = sum(run.size_bytes for run in lost)
            self.record(Lost(now_ns, lost, lost_bytes, self.in_flight_bytes + acked_bytes, self.next_packet))
        if lost and self.transfer.probes and self._is_persistent(lost):
            self.record(PersistentCongestion(now_ns))
            self.min_ns = None  # the minimum is reset (RFC 9002, section 5.2)

    def loss_timer_ns(self) -> int | None:
        """Return the time when the oldest packet below the largest acknowledged becomes overdue."""
        oldest = next(iter(self.in_flight), self._largest_acked + 1)
        return None if oldest > self._largest_acked else self.in_flight[oldest][1] + self._loss_delay_ns()

    def probe_timer_ns(self) -> int | None:
        """Return the time when a probe is due (RFC 9002, section 6.2.1)."""
        if not self.transfer.probes or self.in_flight_bytes == 0:
            return None
        return self.last_sent_ns + (self._probe_timeout_ns() << min(self.probes, MOST_DOUBLINGS))

    def sample(self, now_ns: int, sent_ns: int, ack_delay_ns: int = 0) -> int:
        """Process an RTT sample and return it (RFC 9002, section 5)."""
        latest_ns, self._first_sample_ns = now_ns - sent_ns, self._first_sample_ns or now_ns
        self.latest_ns = latest_ns
        if self.min_ns is None:
            self.min_ns, self.smoothed_ns, self.variation_ns = latest_ns, latest_ns, latest_ns // 2
            return latest_ns
        self.min_ns = min(self.min_ns, latest_ns)
        adjusted_ns = latest_ns - ack_delay_ns if latest_ns >= self.min_ns + ack_delay_ns else latest_ns
        self.variation_ns = (3 * self.variation_ns + abs(self.smoothed_ns - adjusted_ns)) // 4
        self.smoothed_ns = (7 * self.smoothed_ns + adjusted_ns) // 8
        return latest_ns

    def check_app_limited(self) -> None:
        """Check at the beginning of an ACK or of a timer whether the application limits the sender."""
        limited = self.in_flight_bytes < self.answer.cwnd_bytes and self.outbox.next_size_bytes() == 0
        if self._sampler is not None and limited:
            self._sampler.hold_back(self.in_flight_bytes)

    def record(self, event: Event) -> None:
        """Pass an event to the controller."""
        event = event if self._sampler is None else self._sampler.sampled(event)
        self.events.append(event)
        self.answer = self.controller.on_event(event)
        if self.answer.next_release_ns is not None:
            self.release_ns = self.answer.next_release_ns
        if self.slow_start_end_ns is None and not self.answer.in_slow_start:
            self.slow_start_end_ns = event.t_ns

    def _begin(self, now_ns: int) -> None:
        """Offer the saved window, then announce the data that waits."""
        self._begun, transfer = True, self.transfer
        saved = transfer.saved_cwnd_bytes, transfer.saved_rtt_ns
        if saved[0] is not None:
            self.record(SavedPath(now_ns, *saved, True, False, None, None, 1, 2))
        if saved[0] is not None or transfer.announced:
            bounds = transfer.transfer_bytes, transfer.receive_window_bytes, transfer.max_data_bytes
            waiting_bytes, *windows = (UNBOUNDED_BYTES if bound is None else bound for bound in bounds)
            window_bytes = min(windows)
            self.record(Backlog(now_ns, waiting_bytes, window_bytes, self.latest_ns))

    def _record_sent(self, packets: Sequence[Packet], now_ns: int) -> None:
        runs: list[Run] = []
        for packet in packets:
            follows = bool(runs) and runs[-1].size_bytes == packet.size_bytes
            first = runs.pop().first if follows else packet.number
            runs.append(Run(first, packet.number, packet.size_bytes, now_ns))
        limited = self.outbox.next_size_bytes() == 0 and self._fits(self.transfer.config.max_datagram_size_bytes)
        self._limited_from = packets[0].number if limited else None
        self.last_sent_ns, self.first_sent_ns = now_ns, self.first_sent_ns or now_ns
        sent_bytes = sum(packet.size_bytes for packet in packets)
        repeated = ranges_of([packet.name for packet in packets if packet.name is not None])
        self.record(Sent(now_ns, tuple(runs), sent_bytes, self.in_flight_bytes, limited, repeated))

    def _fits(self, size_bytes: int) -> bool:
        bounds = self.answer.cwnd_bytes, self.transfer.receive_window_bytes
        return all(bound is None or self.in_flight_bytes + size_bytes <= bound for bound in bounds)

    def _is_paced(self) -> bool:
        return self.answer.next_release_ns is not None or self.transfer.pacing.value != "none"

    def _hold_back(self, size_bytes: int, now_ns: int) -> None:
        """Set the release time of the packet after one that is sent now."""
        cwnd_bytes, rtt_ns = self.answer.cwnd_bytes, INITIAL_RTT_NS if self.smoothed_ns is None else self.smoothed_ns
        self.release_ns = max(self.release_ns, now_ns) - (-4 * size_bytes * rtt_ns // (5 * max(cwnd_bytes, 1)))

    def _take(self, packet: int) -> Run:
        size_bytes, sent_ns = self.in_flight.pop(packet)
        self.in_flight_bytes -= size_bytes
        return Run(packet, packet, size_bytes, sent_ns)

    def _loss_delay_ns(self) -> int:
        return 9 * max(self.latest_ns or 0, self.smoothed_ns or 0) // 8

    def _probe_timeout_ns(self) -> int:
        timeout_ns = 3 * INITIAL_RTT_NS
        if self.smoothed_ns is not None:
            timeout_ns = self.smoothed_ns + max(4 * self.variation_ns, GRANULARITY_NS)
        return timeout_ns + self.transfer.max_ack_delay_ns

    def _is_persistent(self, lost: Sequence[Run]) -> bool:
        """Return whether lost packets, with none between them that arrived, span three timeouts (section 7.6.1)."""
        began_ns, next_packet = -1, -1
        for run in lost:
            if run.first != next_packet or began_ns < self._first_sample_ns:
                began_ns = run.sent_t_ns
            next_packet = run.last + 1
            if began_ns >= self._first_sample_ns and run.sent_t_ns - began_ns > 3 * self._probe_timeout_ns():
                return True
        return False


class Flow:
    """A sender and a receiver with links between them. Times of later events are ``None``."""

    def __init__(self, clock: Clock, plan: Any, controller: Any, forward: Sequence[Any], back: Sequence[Any]) -> None:
        self._clock, self._transfer, self._connection = clock, plan.transfer, plan.transfer.connection
        self.sender, self._acks = Sender(plan.transfer, controller), AckPolicy(plan.receiver)
        self._there = partial(send, clock, forward, self._at_receiver)
        self._back = partial(send, clock, back, self._at_sender)
        #: Data at the receiver: time since the start, packet, packet whose data it repeats, and size.
        self.arrivals, self._arrived = [], set()
        self.started_ns = self.completed_ns = self.acknowledged_ns = self.finished_ns = self._loss_timer_ns = None
        self._probe_waits = self._pacer_waits = self._established = self._fin_arrived = False
        self.delivered_bytes = self._syn_repeats = self._fin_repeats = 0
        self._max_data_bytes = self._window_bytes = plan.transfer.max_data_bytes

    def start(self) -> None:
        self.started_ns = self._clock.now_ns
        (self._send if self._connection is None else self._send_syn)()

    def _send_syn(self) -> None:
        if not self._established and self._syn_repeats <= MOST_DOUBLINGS:
            self._clock.at(self._clock.now_ns + (self._connection.retry_ns << self._syn_repeats), self._send_syn)
            self._syn_repeats += 1
            self._there(Packet(self._connection.syn_bytes, "syn"))

    def _on_syn_ack(self) -> None:
        if not self._established:
            self._established, now_ns = True, self._clock.now_ns
            if self._syn_repeats == 1:  # only then the SYN that was answered is known
                self.sender.sample(now_ns, self.started_ns)
            self._there(Packet(self._transfer.ack_bytes, "syn acked"))
            self._clock.at(now_ns + self._connection.data_after_ns, self._send)

    def _send_fin(self, ranges: Sequence[tuple[int, int]] = (), ack_delay_ns: int = 0) -> None:
        """Send a FIN, which may carry an ACK."""
        if self.finished_ns is None and self._fin_repeats <= MOST_DOUBLINGS:
            self._clock.at(self._clock.now_ns + (self._connection.retry_ns << self._fin_repeats), self._send_fin)
            self._fin_repeats += 1
            acked = ranges, ack_delay_ns, self._max_data_bytes
            self._back(Packet(self._transfer.ack_bytes, "fin", 0, None, 0, False, *acked))

    def _send(self, *, by_pacer: bool = False) -> None:
        self._pacer_waits &= not by_pacer
        self._forward(self.sender.send(self._clock.now_ns))
        if not self._pacer_waits and self.sender.wants_pacer():
            self._pacer_waits = True
            self._clock.at(max(self.sender.release_ns, self._clock.now_ns), partial(self._send, by_pacer=True))

    def _forward(self, packets: Sequence[Packet]) -> None:
        for packet in packets:
            self._there(packet)
        if packets:
            self._set_probe_timer()

    def _at_receiver(self, packet: Packet) -> None:
        if packet.kind == "data":
            self._on_data(packet)
        elif packet.kind == "syn":
            self._back(Packet(self._connection.syn_bytes, "syn ack"))
        elif packet.kind == "fin acked":
            self.finished_ns = self.finished_ns or self._clock.now_ns

    def _on_data(self, packet: Packet) -> None:
        now_ns, fills_gap = self._clock.now_ns, self._fin_arrived
        self.arrivals.append((now_ns - ORIGIN_NS, packet.number, packet.name, packet.size_bytes))
        if packet.name is None or packet.name not in self._arrived:  # data counts once, however often it was sent
            self.delivered_bytes += packet.size_bytes
        self._arrived |= {packet.number, packet.name}
        self._raise_max_data()
        at_once = self._acks.arrived(now_ns, packet.number)
        self._fin_arrived |= packet.last
        if self.delivered_bytes == self._transfer.transfer_bytes:
            self.completed_ns = self.completed_ns or now_ns
        if self._fin_arrived and self.completed_ns is not None and self._connection is not None:
            self._close(fills_gap=fills_gap)
        elif at_once:
            self._acknowledge()
        elif len(self._acks.pending) == 1:
            self._clock.at(self._acks.deadline_ns, self._delayed_ack, self._acks.deadline_ns)

    def _raise_max_data(self) -> None:
        """Announce a new limit with the next ACK once half of the window is used."""
        if self._window_bytes is None or 2 * (self._max_data_bytes - self.delivered_bytes) > self._window_bytes:
            return
        self._window_bytes = min(self._window_bytes * self._transfer.max_data_factor, MOST_WINDOW_BYTES)
        self._max_data_bytes = self.delivered_bytes + self._window_bytes

    def _close(self, *, fills_gap: bool) -> None:
        """Answer the FIN, now that all data is there. ``fills_gap``: the FIN had come before the missing data."""
        repeated = self._fin_repeats > 0
        if fills_gap and self._connection.fin_acknowledges and not repeated:
            self._send_fin(*self._acks.acknowledge(self._clock.now_ns))
            return
        self._acknowledge()
        if not repeated:
            self._send_fin()

    def _delayed_ack(self, deadline_ns: int) -> None:
        if self._acks.deadline_ns == deadline_ns:
            self._acknowledge()

    def _acknowledge(self) -> None:
        acked, delay_ns = self._acks.acknowledge(self._clock.now_ns)
        self._back(Packet(self._transfer.ack_bytes, "ack", 0, None, 0, False, acked, delay_ns, self._max_data_bytes))

    def _at_sender(self, packet: Packet) -> None:
        if packet.kind == "syn ack":
            self._on_syn_ack()
        elif packet.ranges:
            self.sender.on_ack(self._clock.now_ns, packet.ranges, packet.ack_delay_ns, packet.max_data_bytes)
            self._after_losses()
            if self.acknowledged_ns is None and self.sender.done:
                self.acknowledged_ns = self._clock.now_ns
                self.finished_ns = self.finished_ns if self._connection else self._clock.now_ns
        if packet.kind == "fin":
            self._there(Packet(packet.wire_bytes, "fin acked"))

    def _after_losses(self) -> None:
        timer_ns = self.sender.loss_timer_ns()
        if timer_ns is not None and timer_ns != self._loss_timer_ns:
            self._loss_timer_ns = timer_ns
            self._clock.at(max(timer_ns, self._clock.now_ns), self._on_loss_timer, timer_ns)
        self._send()
        self._set_probe_timer()

    def _on_loss_timer(self, timer_ns: int) -> None:
        if timer_ns == self._loss_timer_ns:
            self._loss_timer_ns = None
            self.sender.check_app_limited()
            self.sender.detect_losses(self._clock.now_ns)
            self._after_losses()

    def _set_probe_timer(self) -> None:
        """Schedule one action for the probe timer; the action checks the timer again when it runs."""
        timer_ns = self.sender.probe_timer_ns()
        if not self._probe_waits and timer_ns is not None:
            self._probe_waits = True
            self._clock.at(max(timer_ns, self._clock.now_ns), self._on_probe_timer)

    def _on_probe_timer(self) -> None:
        self._probe_waits = False
        due_ns = self.sender.probe_timer_ns()
        if due_ns is not None and due_ns <= self._clock.now_ns:
            self._forward(self.sender.probe(self._clock.now_ns))
        self._set_probe_timer()


class ScenarioRun:
    """A run of one flow over one bottleneck. ``stalled``: the sender waits for ACKs that will not come."""

    def __init__(self, scenario: Any, controller: Any, clock_ns: int = 1) -> None:
        link, self._after_ns, self.clock = scenario.link, scenario.after_slow_start_ns, Clock(clock_ns)
        self.bottleneck, back = Bottleneck(link, scenario.seed), Wire(None, link.return_delay_ns)
        self.flow = Flow(self.clock, scenario, controller, [self.bottleneck], [back])
        if scenario.announced:
            self.flow.sender.sample(ORIGIN_NS, ORIGIN_NS - scenario.empty_rtt_ns)
        self.clock.at(ORIGIN_NS, self.flow.start)
        self.stalled = not self.clock.run(ORIGIN_NS + scenario.stop_ns, self._finished)

    def _finished(self) -> bool:
        sender = self.flow.sender
        ended_ns = sender.slow_start_end_ns
        over = ended_ns is not None and self.clock.now_ns > ended_ns + self._after_ns
        return over or (sender.done and bool(sender.events))


class NetworkRun:
    """A run of several flows over one bottleneck, with a controller for each; and its samples."""

    def __init__(self, network: Any, controllers: Sequence[Any]) -> None:
        self.clock, self._network, link = Clock(), network, network.link
        self.bottleneck, self._way_back = Bottleneck(link, network.seed), Wire(None, link.return_delay_ns)
        if network.return_rate_bps is not None:
            back = replace(link, rate_bps=network.return_rate_bps, forward_delay_ns=link.return_delay_ns, steps=())
            self._way_back = Bottleneck(replace(back, loss_ppm=0, jitter_ns=0, early_drop_ppm=0), network.seed)
        #: Samples at each interval: the bytes in the queue; delivered bytes, window, flight and phase of each flow.
        self.buckets, self.flows, self.queue_bytes, self.samples = [], [], [], []
        for plan, controller in zip(network.flows, controllers, strict=True):
            self._add(plan, controller)
        self.clock.at(ORIGIN_NS + network.sample_ns, self._sample)
        self.clock.run(ORIGIN_NS + network.stop_ns, self._finished)

    def _add(self, plan: Any, controller: Any) -> None:
        forward, back, bucket, access = [self.bottleneck], [self._way_back], plan.bucket, plan.access
        if access is not None:
            wires = [Wire(access.rate_bps, access.delay_ns) for _ in range(4)]
            forward, back = [wires[0], *forward, wires[1]], [wires[2], *back, wires[3]]
        self.buckets.append(bucket and TokenBucket(bucket.rate_bps, bucket.burst_bytes, bucket.latency_ns))
        forward = [*filter(None, self.buckets[-1:]), *forward]
        self.flows.append(Flow(self.clock, plan, controller, forward, back))
        self.clock.at(ORIGIN_NS + plan.start_ns, self.flows[-1].start)

    def _finished(self) -> bool:
        return all(flow.finished_ns is not None for flow in self.flows)

    def _sample(self) -> None:
        self.bottleneck.leave(self.clock.now_ns)
        self.queue_bytes.append(self.bottleneck.waiting_bytes)
        flows = [(flow.delivered_bytes, flow.sender) for flow in self.flows]
        self.samples.append([(n, s.answer.cwnd_bytes, s.in_flight_bytes, s.controller.phase) for n, s in flows])
        if not self._finished():
            self.clock.at(self.clock.now_ns + self._network.sample_ns, self._sample)
