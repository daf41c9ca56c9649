"""Simple senders with known verdicts, one rule each, over one bottleneck, recorded as a stack would log them."""

from collections import deque
from dataclasses import dataclass
from fractions import Fraction
from math import sin, tau
from random import Random
from types import ModuleType

from firstflight import Config, advance, create
from firstflight.events import Backlog, SavedPath
from firstflight.observables import Outcome
from firstflight_conformance.logs.recording.recorder import Recorder
from firstflight_conformance.logs.recording.recording import Header, Recording
from plain.judge import Run

_DATAGRAM_BYTES = 1200
_DELAY_NS, _PACKET_NS = 20_000_000, 1_000_000  # one-way delay; transmission time of a datagram
_BEGIN_NS, _LONGEST_NS, _AFTER_NS = 1_000_000_000, 3_000_000_000, 100_000_000


@dataclass(frozen=True, slots=True)
class Sender:
    """A window-based sender. ``growth``: bytes of window per byte acknowledged in slow start.

    ``exit_bytes``: window of its exit from slow start. Without it the sender leaves by loss, and reduces by ``factor``.
    ``tells``: it logs its threshold. ``rests``: its application pauses in every second period of 30 ms.
    """

    initial_datagrams: int = 10
    growth: Fraction = Fraction(1)
    exit_bytes: int | None = None
    factor: Fraction = Fraction(1, 2)
    queue_packets: int = 100
    tells: bool = True
    rests: bool = False


class _Run:
    """One connection with a queue of deliveries, each with its packet and the arrival time of its ACK."""

    def __init__(self, sender: Sender, delay_ns: int = _DELAY_NS, packet_ns: int = _PACKET_NS) -> None:
        self.sender, self.recorder = sender, Recorder()
        self.delay_ns, self.packet_ns = delay_ns, packet_ns
        self.window_bytes = sender.initial_datagrams * _DATAGRAM_BYTES
        self.end_ns = _BEGIN_NS + _LONGEST_NS
        self.threshold_bytes: int | None = None
        self.coming: deque[tuple[int, int]] = deque()
        self.gone: list[int] = []
        self.free_ns = 0

    def recording(self) -> Recording:
        """Run until shortly after the exit from slow start; return the recording."""
        now_ns = _BEGIN_NS
        self._send(now_ns)
        while self.coming and now_ns < self.end_ns:
            now_ns, first = self.coming.popleft()
            packets = [first]
            if self.coming and self.coming[0][0] - now_ns <= self.packet_ns:  # an ACK for two
                now_ns, second = self.coming.popleft()
                packets.append(second)
            self._ack(now_ns, packets)
            self._send(now_ns)
        header = Header(
            {"kind": "peer", "name": "a toy"}, Config(_DATAGRAM_BYTES, self.sender.initial_datagrams * _DATAGRAM_BYTES)
        )
        return self.recorder.recording(header)

    def _send(self, now_ns: int) -> None:
        if self.sender.rests and (now_ns // 30_000_000) % 2 and self.coming:
            return
        count = (self.window_bytes - self.recorder.bytes_in_flight) // _DATAGRAM_BYTES
        if count <= 0:
            return
        first = self.recorder.next_packet
        self.recorder.sent(now_ns, [(count, _DATAGRAM_BYTES)])
        self._report()
        for packet in range(first, first + count):
            waiting = max(self.free_ns - now_ns - self.delay_ns, 0) // self.packet_ns
            if waiting >= self.sender.queue_packets:
                self.gone.append(packet)
                continue
            self.free_ns = max(self.free_ns, now_ns + self.delay_ns) + self.packet_ns
            self.coming.append((self.free_ns + self.delay_ns, packet))

    def _ack(self, now_ns: int, packets: list[int]) -> None:
        self.recorder.acked(now_ns, packets)
        acked_bytes = len(packets) * _DATAGRAM_BYTES
        exit_bytes = self.sender.exit_bytes
        if self.threshold_bytes is None:
            self.window_bytes += int(self.sender.growth * acked_bytes)
            if exit_bytes is not None and self.window_bytes >= exit_bytes:
                self.threshold_bytes = self.window_bytes
                self.end_ns = now_ns + 2 * _AFTER_NS
        else:
            self.window_bytes += _DATAGRAM_BYTES * acked_bytes // self.window_bytes
        self._report()
        if self._lose(now_ns, packets):
            self.window_bytes = int(self.window_bytes * self.sender.factor)
            self.end_ns = min(self.end_ns, now_ns + _AFTER_NS)
            self.threshold_bytes = self.window_bytes
            self._report()
            self.gone.clear()

    def _lose(self, now_ns: int, packets: list[int]) -> bool:
        """Declare lost the packets that an ACK reveals as lost, and return whether there are any."""
        lost = [packet for packet in self.gone if packet + 3 <= max(packets)]
        if lost:
            self.gone = [packet for packet in self.gone if packet not in lost]
            self.recorder.lost(now_ns, lost)
        return bool(lost)

    def _report(self) -> None:
        threshold = {"ssthresh_bytes": self.threshold_bytes} if self.sender.tells else {}
        self.recorder.report(cwnd_bytes=self.window_bytes, **threshold)


def recorded_sender(sender: Sender) -> Recording:
    """Return the recording of a sender until shortly after its exit from slow start."""
    return _Run(sender).recording()


@dataclass(frozen=True, slots=True)
class Path:
    """A path and its events. ``drops``: a lost packet. ``caps``: first packet, and datagrams in flight from it on.

    ``saved_datagrams``: Careful Resume is offered this saved window, and data waits after thirty ACKs.
    """

    delay_ms: int = 20
    packet_us: int = 1000
    drops: int | None = None
    caps: tuple[int, int] | None = None
    saved_datagrams: int | None = None


class _Program(_Run):
    """A connection of a program that answers each event with its window."""

    def __init__(self, program: Run, path: Path) -> None:
        super().__init__(Sender(queue_packets=3000, tells=False), path.delay_ms * 10**6, path.packet_us * 1000)
        self.program, self.path, self.acks = program, path, 0
        if path.saved_datagrams is not None:
            saved_bytes, rtt_ns = path.saved_datagrams * _DATAGRAM_BYTES, 2 * self.delay_ns
            self.recorder.event(SavedPath(_BEGIN_NS, saved_bytes, rtt_ns, True, False, None, None, 7, 10))
            self._report()

    def _send(self, now_ns: int) -> None:
        window_bytes, caps = self.window_bytes, self.path.caps
        if caps is not None and self.recorder.next_packet >= caps[0]:
            self.window_bytes = min(window_bytes, caps[1] * _DATAGRAM_BYTES)
        super()._send(now_ns)
        drops = [packet for packet in self.coming if packet[1] == self.path.drops]
        for packet in drops:
            self.coming.remove(packet)
            self.gone.append(packet[1])

    def _ack(self, now_ns: int, packets: list[int]) -> None:
        self.recorder.acked(now_ns, packets)
        self._report()
        self.acks += 1
        if self._lose(now_ns, packets):
            self._report()
            self.end_ns = min(self.end_ns, now_ns + _AFTER_NS)
        if self.path.saved_datagrams is not None and self.acks > 30:
            self.recorder.event(Backlog(now_ns, 10**7, 10**7, None))
            self._report()
        elif self.threshold_bytes is not None:
            self.end_ns = min(self.end_ns, now_ns + _AFTER_NS)

    def _report(self) -> None:
        answer = self.program.step(self.recorder.steps[-1].event)
        self.window_bytes, self.threshold_bytes = answer["cwnd_bytes"], answer["ssthresh_bytes"]
        super()._report()


def recorded_program(program: ModuleType, path: Path) -> Recording:
    """Return the recording of a self-contained program on a path until shortly after its exit or first loss."""
    return _Program(Run(program, Config(_DATAGRAM_BYTES, 10 * _DATAGRAM_BYTES)), path).recording()


@dataclass(frozen=True, slots=True)
class Swaying:
    """A HyStart++ sender with a window in datagrams, as in the kernel; cross traffic varies the delay of its path."""

    seed: int
    sway_ns: int


def recorded_in_datagrams(sender: Swaying) -> tuple[Recording, bool]:
    """Return the recording up to three RTTs after the exit or up to the first loss, and whether slow start resumed."""
    random, datagram_bytes = Random(sender.seed), _DATAGRAM_BYTES
    config, recorder = Config(datagram_bytes, 10 * datagram_bytes), Recorder()
    model = create("hystartpp", "rfc-9406", config)
    delay_ns = random.choice((10, 15, 20, 30)) * 10**6
    packet_ns, queue_packets = random.choice((3, 5, 10)) * 10**5, random.choice((400, 1000, 3000))
    begin, period_ns = random.random(), random.choice((7, 20, 55, 130)) * 10**6
    window, rest_bytes, resumed, free_ns, now_ns = 10, 0, False, 0, _BEGIN_NS
    end_ns = _BEGIN_NS + 2 * _LONGEST_NS
    coming: deque[tuple[int, int]] = deque()
    gone: list[int] = []

    def take() -> int:
        """Pass the last event to the model with the sender's window; return the growth of the model's window."""
        nonlocal resumed
        model.base.cwnd_bytes = window * datagram_bytes
        observation = advance(model, recorder.steps[-1].event)
        resumed = resumed or observation.outcome is Outcome.SLOW_START_RESUMED
        return observation.cwnd_bytes - window * datagram_bytes

    def send() -> None:
        nonlocal free_ns
        room = window - recorder.bytes_in_flight // datagram_bytes
        first = recorder.next_packet
        if room > 0:
            recorder.sent(now_ns, [(room, datagram_bytes)])
            take()
            recorder.report(cwnd_bytes=window * datagram_bytes)
        for packet in range(first, first + max(room, 0)):
            if free_ns - now_ns - delay_ns >= queue_packets * packet_ns:
                gone.append(packet)
                continue
            free_ns = max(free_ns, now_ns + delay_ns) + packet_ns
            sway_ns = int(sender.sway_ns * (1 + sin(tau * (begin + free_ns / period_ns))))
            coming.append((free_ns + delay_ns + sway_ns, packet))

    send()
    while coming and now_ns < end_ns:
        arrived = [coming.popleft() for _ in range(min(2, len(coming)))]
        now_ns = max(now_ns + 1000, *(t_ns for t_ns, _ in arrived))
        recorder.acked(now_ns, [packet for _, packet in arrived])
        rest_bytes += take()
        window, rest_bytes = window + rest_bytes // datagram_bytes, rest_bytes % datagram_bytes
        recorder.report(cwnd_bytes=window * datagram_bytes)
        if model.base.ssthresh_bytes is not None:
            end_ns = min(end_ns, now_ns + 6 * delay_ns)
        if lost := [packet for packet in gone if packet + 3 <= arrived[-1][1]]:
            recorder.lost(now_ns, lost)
            recorder.report(cwnd_bytes=window // 2 * datagram_bytes)
            break
        send()
    return recorder.recording(Header({"kind": "kernel", "name": "HyStart++"}, config, 1000)), resumed
