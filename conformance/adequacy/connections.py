"""Random connections that could be vectors. They detect edits of the model that no vector detects."""

import zlib
from collections.abc import Iterator
from typing import Any, TypeVar

from adequacy.kill import Replay
from firstflight.controller import Config, Controller, create, step
from firstflight.errors import DomainError
from firstflight.events import PathChange, SavedPath
from firstflight.limits import WINDOW_MAX_BYTES
from firstflight_conformance.format.builder import MS, S, StreamBuilder
from firstflight_conformance.format.ledger import DataLedger, LedgerError
from firstflight_conformance.format.stream import StreamError, check_rtts, check_stream, confirms_address
from firstflight_conformance.format.wire import observables
from firstflight_conformance.prng import SplitMix64
from firstflight_conformance.replay.measure import config_to_json

#: Numbers of actions of a connection, each action with one or two events. One connection in four is longer.
ACTIONS = (40, 40, 40, 90)
#: Actions of every connection, weighted by the number of their entries.
_USUAL = (
    ("send",) * 8 + ("ack",) * 8 + ("lose_and_ack",) * 4 + ("pto", "ce", "ce", "persistent_congestion", "idle_restart")
)
#: Additional actions of some algorithms.
_ADDED = {
    "careful-resume": ("saved_path", "backlog", "path_change", "spurious_loss", "datagram_size"),
    "cubic": ("path_change", "spurious_loss", "datagram_size"),
    "jumpstart": ("backlog",) * 3 + ("path_change", "datagram_size"),
    "slow-start": ("path_change", "spurious_loss", "datagram_size"),
}
_RTT_NS = 100 * MS
_MOST_PACKETS = 200

T = TypeVar("T")


def connections(algorithm: str, profile: str, count: int) -> Iterator[Replay]:
    """Yield connections of a profile with the answers of the model, always the same. Skip impossible ones."""
    rng = SplitMix64(zlib.crc32(f"{algorithm}/{profile}".encode()))
    for number in range(count):
        replay = _Connection(rng, algorithm, profile).replay(f"connection {number} of {algorithm}/{profile}")
        if replay is not None:
            yield replay


class _Connection:
    """A connection played against the model, which limits it to the window."""

    def __init__(self, rng: SplitMix64, algorithm: str, profile: str) -> None:
        self._rng, self._algorithm, self._profile = rng, algorithm, profile
        size_bytes = self._pick(1000, 1200, 1500)
        self._config = Config(size_bytes, self._pick(None, 10 * size_bytes, 4 * size_bytes, 150 * size_bytes))
        data = DataLedger() if algorithm == "jumpstart" else None
        self._builder = StreamBuilder(size_bytes, self._config.initial_window_bytes, data=data)
        self._model: Controller = create(algorithm, profile, self._config)
        self._t_ns = 0
        # All packets of some connections are acknowledged at once: an RTT may be less than the unit of a clock.
        self._is_instant = self._rng.below(16) == 0
        self._sent_ns: dict[int, int] = {}
        self._acked: list[int] = []
        self._lost: list[tuple[int, int]] = []

    def replay(self, name: str) -> Replay | None:
        """Play all actions and return the connection, or ``None`` if it is impossible."""
        answers: list[dict[str, Any]] = []
        opening = ("resume",) if self._algorithm == "careful-resume" and self._rng.below(8) else ()
        usual = _USUAL + _ADDED.get(self._algorithm, ())
        for action in (*opening, *(self._pick(*usual) for _ in range(self._pick(*ACTIONS)))):
            try:
                getattr(self, f"_{action}")()
                for event in self._builder.events[len(answers) :]:
                    self._model, observation = step(self._model, event)
                    answers.append(observables(observation))
            except (LedgerError, DomainError):
                break
        events = self._builder.events[: len(answers)]
        try:
            check_stream(events, config_to_json(self._config), self._algorithm)
            check_rtts(events, self._algorithm)
        except StreamError:
            return None
        return Replay(name, self._algorithm, self._profile, self._config, events, answers, [{} for _ in events])

    def _pick(self, *choices: T) -> T:
        return choices[self._rng.below(len(choices))]

    def _in_flight(self) -> list[int]:
        """Advance the time by an RTT; return the packets in flight that may be acknowledged then, oldest first."""
        packets = [packet for run in self._builder.ledger.in_flight for packet in range(run.first, run.last + 1)]
        if self._is_instant:
            return packets
        if packets:
            later_ns = self._pick(_RTT_NS, _RTT_NS, _RTT_NS + 10 * MS, 60 * MS, 4 * _RTT_NS)
            self._t_ns = max(self._t_ns, self._sent_ns[packets[0]] + later_ns)
        return [packet for packet in packets if self._sent_ns[packet] + 50 * MS <= self._t_ns]

    def _allowed(self) -> int:
        """Return the number of packets that the window allows."""
        free_bytes = self._model.base.cwnd_bytes - self._builder.ledger.bytes_in_flight
        return min(free_bytes // self._builder.max_datagram_size_bytes, _MOST_PACKETS)

    def _send(self) -> None:
        allowed = self._allowed()
        if allowed <= 0:
            return
        packets = min(self._pick(1, 1, 2, allowed, allowed, max(allowed // 2, 1)), allowed)
        full_bytes = self._builder.max_datagram_size_bytes
        size_bytes = self._pick(full_bytes, full_bytes, full_bytes, full_bytes - 1, full_bytes // 2, 1)
        repeats: tuple[tuple[int, int], ...] = ()
        if self._builder.data is not None and self._lost and self._pick(True, True, False):
            lost_first, lost_last = self._lost.pop(0)
            repeats = ((lost_first, min(lost_last, lost_first + packets - 1)),)
        self._send_packets(packets, size_bytes, repeats, app_limited=self._rng.below(8) == 0)
        self._t_ns += self._pick(0, MS, 5 * MS)

    def _send_packets(
        self, packets: int, size_bytes: int, repeats: tuple[tuple[int, int], ...] = (), *, app_limited: bool
    ) -> None:
        first = self._builder.ledger.next_packet
        self._builder.send(self._t_ns, packets, size_bytes, app_limited=app_limited, repeats=repeats)
        self._sent_ns |= dict.fromkeys(range(first, first + packets), self._t_ns)

    def _ack(self) -> None:
        packets = self._in_flight()
        if packets:
            start = self._pick(0, 0, 0, self._rng.below(len(packets)))
            self._acknowledge(packets, start)

    def _acknowledge(self, packets: list[int], start: int) -> None:
        """Acknowledge consecutive packets from index ``start``."""
        stop = self._pick(len(packets), len(packets), start + 1, start + 1 + self._rng.below(len(packets) - start))
        first = last = packets[start]
        while last + 1 in packets[start:stop]:
            last += 1
        self._builder.ack(self._t_ns, (first, last), app_limited=self._rng.below(8) == 0)
        self._acked.append(last)
        self._t_ns += self._pick(0, 0, MS)

    def _lose_and_ack(self) -> None:
        """Let one ACK frame reveal a loss; with probability 1/4 the ACK event comes first."""
        packets = self._in_flight()
        if len(packets) < 2:
            return
        start = 1 + self._pick(0, 0, self._rng.below(len(packets) - 1))
        first = self._pick(0, start - 1)
        lost = packets[first], packets[start - 1]
        if lost[1] - lost[0] != start - 1 - first:
            return
        self._lost.append(lost)
        ack_first = self._rng.below(4) == 0
        if ack_first:
            self._acknowledge(packets, start)
        self._builder.lose(self._t_ns, lost)
        if not ack_first:
            self._acknowledge(packets, start)

    def _pto(self) -> None:
        if self._builder.ledger.in_flight:
            self._t_ns += self._pick(200 * MS, 300 * MS)
            self._builder.pto(self._t_ns)

    def _ce(self) -> None:
        if self._acked:
            packet = self._pick(self._acked[-1], self._acked[-1], self._acked[0])
            self._builder.ce(self._t_ns, packet, self._sent_ns[packet])

    def _persistent_congestion(self) -> None:
        if self._lost:
            self._builder.persistent_congestion(self._t_ns)

    def _idle_restart(self) -> None:
        if not self._builder.ledger.in_flight and self._sent_ns:
            self._t_ns += self._pick(300 * MS, S)
            self._builder.idle_restart(self._t_ns)

    def _spurious_loss(self) -> None:
        if self._lost:
            self._builder.spurious_loss(self._t_ns)

    def _datagram_size(self) -> None:
        self._builder.datagram_size(self._t_ns, self._pick(1000, 1200, 1500))

    def _path_change(self) -> None:
        self._t_ns += 1
        if not confirms_address(self._algorithm):
            self._builder.events.append(PathChange(self._t_ns + self._builder.origin_ns))
        elif not self._builder.ledger.in_flight:
            self._builder.path_change(self._t_ns)
        self._t_ns += 1

    def _backlog(self) -> None:
        size_bytes = self._builder.max_datagram_size_bytes
        queued_bytes = self._pick(10**6, 10**6, 20 * size_bytes, 3 * size_bytes, 0)
        receive_window_bytes = self._pick(10**6, 10**6, 25 * size_bytes, 10 * size_bytes)
        self._builder.backlog(
            self._t_ns, queued_bytes, receive_window_bytes, self._pick(_RTT_NS, _RTT_NS, 70 * MS, None)
        )

    def _resume(self) -> None:
        """Offer saved parameters, confirm the path and queue data."""
        self._save(240_000, _RTT_NS, most_bytes=self._pick(None, None, None, 50_000))
        self._send_packets(self._allowed(), self._builder.max_datagram_size_bytes, app_limited=True)
        last = self._builder.ledger.next_packet - 1
        self._t_ns += self._pick(_RTT_NS, _RTT_NS, 120 * MS)
        self._builder.ack(self._t_ns, (0, last))
        self._acked.append(last)
        self._builder.backlog(self._t_ns, 10**9, WINDOW_MAX_BYTES, self._builder.rtt.latest_ns)

    def _saved_path(self) -> None:
        cwnd_bytes, rtt_ns = self._pick(240_000, 60_000, 12_000, 0), self._pick(_RTT_NS, _RTT_NS, 60 * MS, 0)
        self._save(cwnd_bytes, rtt_ns, most_bytes=self._pick(None, None, 50_000))

    def _save(self, cwnd_bytes: int, rtt_ns: int, *, most_bytes: int | None) -> None:
        t_ns = self._t_ns + self._builder.origin_ns
        matches, in_use = self._rng.below(16) > 0, self._rng.below(16) == 0
        expires_t_ns, beta = self._pick(None, None, t_ns + S, t_ns), self._pick((1, 2), (1, 2), (7, 10))
        saved = SavedPath(t_ns, cwnd_bytes, rtt_ns, matches, in_use, expires_t_ns, most_bytes, *beta)
        self._builder.events.append(saved)
