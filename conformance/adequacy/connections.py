"""Random connections that could be vectors. They detect edits of the model that no vector detects."""

import zlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import TypeVar

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
#: Largest number of packets of a ``sent`` event.
_MOST_PACKETS = 200
#: Largest number of packets in flight that the next event may acknowledge or lose.
_MOST_IN_FLIGHT = 5_000

T = TypeVar("T")


def connections(algorithm: str, profile: str, count: int) -> Iterator[Replay]:
    """Yield connections of a profile with the answers of the model, always the same. Skip impossible ones."""
    rng = SplitMix64(zlib.crc32(f"{algorithm}/{profile}".encode()))
    for number in range(count):
        name = f"connection {number} of {algorithm}/{profile}"
        size_bytes = pick(rng, 1000, 1200, 1500)
        config = Config(size_bytes, pick(rng, None, 10 * size_bytes, 4 * size_bytes, 150 * size_bytes))
        data = DataLedger() if algorithm == "jumpstart" else None
        builder = StreamBuilder(size_bytes, config.initial_window_bytes, data=data)
        connection = Connection(rng, Replay(name, algorithm, profile, config, [], [], []), builder)
        opening = ("resume",) if algorithm == "careful-resume" and rng.below(8) else ()
        replay = connection.play(name, (*opening, *actions(rng, algorithm, pick(rng, *ACTIONS))))
        if replay is not None:
            yield replay


def actions(rng: SplitMix64, algorithm: str, count: int) -> Iterator[str]:
    """Yield names of random actions of a connection."""
    known = _USUAL + _ADDED.get(algorithm, ())
    for _ in range(count):
        yield pick(rng, *known)


def pick(rng: SplitMix64, *choices: T) -> T:
    """Return one of the choices."""
    return choices[rng.below(len(choices))]


class Connection:
    """A connection played against the model, which limits it to the window.

    ``replay``: an earlier connection that this one continues, with ``rtt_ns``, its RTT. For a new one it lacks events.
    """

    def __init__(self, rng: SplitMix64, replay: Replay, builder: StreamBuilder, rtt_ns: int = _RTT_NS) -> None:
        self._rng, self._replay, self._builder, self._rtt_ns = rng, replay, builder, rtt_ns
        self._model: Controller = create(replay.algorithm, replay.profile, replay.config)
        for event in replay.events:
            self._model, _ = step(self._model, event)
        self._t_ns = builder.events[-1].t_ns - builder.origin_ns if builder.events else 0
        # All packets of some connections are acknowledged at once: an RTT may be less than the unit of a clock.
        self._is_instant = self._rng.below(16) == 0
        self._acked: list[tuple[int, int]] = []
        self._lost: list[tuple[int, int]] = []

    def play(self, name: str, actions: Iterable[str]) -> Replay | None:
        """Play the actions and return the connection, or ``None`` if it is impossible."""
        answers = list(self._replay.expected)
        for action in actions:
            try:
                getattr(self, f"_{action}")()
                for event in self._builder.events[len(answers) :]:
                    self._model, observation = step(self._model, event)
                    answers.append(observables(observation))
            except (LedgerError, DomainError):
                break
        events = self._builder.events[: len(answers)]
        try:
            check_stream(events, config_to_json(self._replay.config), self._replay.algorithm)
            check_rtts(events, self._replay.algorithm)
        except StreamError:
            return None
        allowed = [*self._replay.allowed, *({} for _ in events[len(self._replay.events) :])]
        return replace(self._replay, id=name, events=events, expected=answers, allowed=allowed)

    def _pick(self, *choices: T) -> T:
        return pick(self._rng, *choices)

    def _in_flight(self) -> list[int]:
        """Advance the time by an RTT; return the packets in flight that may be acknowledged then, oldest first."""
        runs = self._builder.ledger.in_flight
        rtt_ns = self._rtt_ns
        if runs and not self._is_instant:
            later_ns = self._pick(rtt_ns, rtt_ns, rtt_ns * 11 // 10, rtt_ns * 3 // 5, 4 * rtt_ns)
            self._t_ns = max(self._t_ns, self._since_origin_ns(runs[0].sent_t_ns) + later_ns)
        latest_ns = self._t_ns if self._is_instant else self._t_ns - rtt_ns // 2
        arrived = (run for run in runs if self._since_origin_ns(run.sent_t_ns) <= latest_ns)
        return list(islice((packet for run in arrived for packet in range(run.first, run.last + 1)), _MOST_IN_FLIGHT))

    def _since_origin_ns(self, t_ns: int | None) -> int:
        assert t_ns is not None
        return t_ns - self._builder.origin_ns

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
        self._builder.send(self._t_ns, packets, size_bytes, app_limited=app_limited, repeats=repeats)

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
        self._note_acked(last)
        self._builder.ack(self._t_ns, (first, last), app_limited=self._rng.below(8) == 0)
        self._t_ns += self._pick(0, 0, MS)

    def _note_acked(self, packet: int) -> None:
        run = self._builder.ledger.find(packet)
        assert run is not None
        self._acked.append((packet, self._since_origin_ns(run.sent_t_ns)))

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
            packet, sent_ns = self._pick(self._acked[-1], self._acked[-1], self._acked[0])
            self._builder.ce(self._t_ns, packet, sent_ns)

    def _persistent_congestion(self) -> None:
        if self._lost:
            self._builder.persistent_congestion(self._t_ns)

    def _idle_restart(self) -> None:
        if not self._builder.ledger.in_flight and self._builder.ledger.next_packet:
            self._t_ns += self._pick(300 * MS, S)
            self._builder.idle_restart(self._t_ns)

    def _spurious_loss(self) -> None:
        if self._lost:
            self._builder.spurious_loss(self._t_ns)

    def _datagram_size(self) -> None:
        self._builder.datagram_size(self._t_ns, self._pick(1000, 1200, 1500))

    def _path_change(self) -> None:
        self._t_ns += 1
        if not confirms_address(self._replay.algorithm):
            self._builder.events.append(PathChange(self._t_ns + self._builder.origin_ns))
        elif not self._builder.ledger.in_flight:
            self._builder.path_change(self._t_ns)
        self._t_ns += 1

    def _backlog(self) -> None:
        size_bytes = self._builder.max_datagram_size_bytes
        queued_bytes = self._pick(10**6, 10**6, 20 * size_bytes, 3 * size_bytes, 0)
        receive_window_bytes = self._pick(10**6, 10**6, 25 * size_bytes, 10 * size_bytes)
        latest_ns = self._pick(self._rtt_ns, self._rtt_ns, self._rtt_ns * 7 // 10, None)
        self._builder.backlog(self._t_ns, queued_bytes, receive_window_bytes, latest_ns)

    def _resume(self) -> None:
        """Offer saved parameters, confirm the path and queue data."""
        self._save(240_000, _RTT_NS, most_bytes=self._pick(None, None, None, 50_000))
        self._send_packets(self._allowed(), self._builder.max_datagram_size_bytes, app_limited=True)
        last = self._builder.ledger.next_packet - 1
        self._t_ns += self._pick(_RTT_NS, _RTT_NS, 120 * MS)
        self._note_acked(last)
        self._builder.ack(self._t_ns, (0, last))
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
