"""Write the initial fuzzing corpus from the vectors: ``python conformance/fuzz/seeds.py FOLDER ADAPTER``.

FOLDER/controller contains the cases of all profiles, FOLDER/header-NAME the cases of a plain header, both in the format
of ``events.h`` and truncated. FOLDER/adapter contains conversations of the adapter protocol, FOLDER/loader short
vectors.
"""

import hashlib
import json
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

from firstflight.events import KINDS, Ack, Backlog, Ce, DatagramSize, Event, Lost, Run, SavedPath, Sent
from firstflight_conformance.adapters import messages
from firstflight_conformance.adapters.script import Script
from firstflight_conformance.beside import reach
from firstflight_conformance.format import vectors
from firstflight_conformance.format.ledger import RttEstimator
from firstflight_conformance.format.stream import repeated
from firstflight_conformance.format.wire import optional_members
from firstflight_conformance.paths import VECTORS
from firstflight_conformance.replay.measure import config_from_json

reach("plain")
from plain.headers import HEADERS, NONE  # noqa: E402
from plain.judge import cases_of, programs  # noqa: E402

#: Longest seeds in bytes, and most runs of an event, as in ``events.h``.
LONGEST, RUNS = 1500, 16
#: Longest JSON seeds in bytes.
LONGEST_TEXT = 6000
_2_64 = 2**64


def number(value: int | None, expected: int) -> bytes:
    """Encode a number as its difference from the expected one; ``None`` is UINT64_MAX."""
    value = NONE if value is None else value
    difference = (value - expected) % _2_64
    if value == NONE:
        return bytes([255])
    if difference < 160:
        return bytes([difference])
    if difference >= _2_64 - 32:
        return bytes([159 + _2_64 - difference])
    size = (difference.bit_length() + 7) // 8
    return bytes([191 + size]) + difference.to_bytes(size, "little")


class Writer:
    """Encodes a stream, with the expected values of ``fuzz_stream`` in ``events.h``."""

    def __init__(self, mss: int, initial_window: int | None) -> None:
        """Begin."""
        self.text = number(mss, 1200) + number(initial_window or 0, 0)
        self._mss, self._t_ns, self._next, self._flight, self._front = mss, 1, 0, 0, 0
        self._sends: list[tuple[int, int]] = []
        self._rtt = RttEstimator()

    def write(self, event: Event) -> None:
        """Write an event. Events with more than RUNS runs are skipped."""
        if isinstance(event, Sent | Ack | Lost) and len(event.packets) > RUNS:
            return
        limited = isinstance(event, Sent | Ack) and event.app_limited
        optional = bool(optional_members(event).keys() - {"pmtu_probe", "not_in_flight"})
        probe = isinstance(event, Sent | Lost) and event.pmtu_probe
        flags = 8 * probe + 4 * _samples(event) + 2 * optional + limited
        if isinstance(event, Sent | Ack) and event.not_in_flight:
            flags += 4 if isinstance(event, Sent) else 8
        if isinstance(event, DatagramSize):
            flags = event.handshake
        if isinstance(event, SavedPath):
            flags = 2 * event.in_use + event.endpoint_matches
        self.text += bytes([flags << 4 | list(KINDS.values()).index(type(event))]) + number(event.t_ns, self._t_ns)
        self._t_ns = event.t_ns
        match event:
            case Sent():
                self._sent(event)
            case Ack():
                self._ack(event)
            case Lost():
                self._taken(event)
            case Ce():
                self._numbers((event.packet, self._front), (event.sent_t_ns, self._t_ns), (event.ce_count, 0))
            case Backlog():
                self._numbers((event.queued_bytes, 0), (event.receive_window_bytes, 0), (event.latest_rtt_ns, 0))
            case DatagramSize():
                self._numbers((event.max_datagram_size_bytes, self._mss))
            case SavedPath():
                self._numbers((event.saved_cwnd_bytes, 0), (event.saved_rtt_ns, 0), (event.expires_t_ns, self._t_ns))
                self._numbers((event.max_jump_bytes, 0), (event.beta_numerator, 1), (event.beta_denominator, 2))

    def _numbers(self, *pairs: tuple[int | None, int]) -> None:
        for value, expected in pairs:
            self.text += number(value, expected)

    def _runs(self, runs: tuple[Run, ...], first: int, *, are_sent: bool) -> int:
        self.text += bytes([len(runs) - 1])
        for run in runs:
            sent_t_ns = self._t_ns if are_sent else self._sent_t_ns(run.first)
            self._numbers(
                (run.first, first), (run.last, run.first), (run.size_bytes, self._mss), (run.sent_t_ns, sent_t_ns)
            )
            first = run.last + 1
        return sum(run.count * run.size_bytes for run in runs)

    def _sent_t_ns(self, packet: int) -> int:
        return next((t_ns for first, t_ns in reversed(self._sends[-64:]) if first <= packet), self._t_ns)

    def _sent(self, event: Sent) -> None:
        total = self._runs(event.packets, self._next, are_sent=True)
        self._numbers((event.bytes, total), (event.bytes_in_flight, self._flight + event.bytes))
        if ranges := repeated(event)[:RUNS]:
            self.text += bytes([len(ranges)])
            for first, last in ranges:
                self._numbers((first, self._front), (last, first))
        self._flight = event.bytes_in_flight
        self._sends.append((event.packets[0].first, self._t_ns))
        self._next = event.packets[-1].last + 1

    def _taken(self, event: Ack | Lost) -> None:
        total = self._runs(event.packets, self._front, are_sent=False)
        self._numbers(
            (event.bytes, total), (event.bytes_in_flight, self._flight - event.bytes), (event.next_packet, self._next)
        )
        self._flight = event.bytes_in_flight
        if isinstance(event, Lost):
            self._front = event.packets[-1].last + 1
            self._sample(event)

    def _sample(self, event: Ack | Lost) -> None:
        if _samples(event):
            self._numbers(*((getattr(event, field.name), 0) for field in fields(event) if field.name[:5] == "rate_"))

    def _ack(self, event: Ack) -> None:
        self._taken(event)
        sampled = self._t_ns - event.packets[-1].sent_t_ns
        self._numbers((event.latest_rtt_ns, sampled), (event.ack_delay_ns, 0))
        if event.latest_rtt_ns is not None:
            self._rtt.sample(event.latest_rtt_ns, event.ack_delay_ns)
        least, smoothed = (NONE if rtt is None else rtt for rtt in (self._rtt.min_ns, self._rtt.smoothed_ns))
        self._numbers((event.min_rtt_ns, least), (event.smoothed_rtt_ns, smoothed))
        self._front = event.packets[-1].last + 1
        if optional_members(event):
            optional = [f.name for f in fields(event) if f.default is None and not f.name.startswith("rate_")]
            self._numbers(*((getattr(event, name), self._front) for name in optional))
        self._sample(event)


def _samples(event: Event) -> bool:
    return isinstance(event, Ack | Lost) and event.rate_lost_bytes is not None


def stream(case: vectors.Case) -> bytes:
    """Return the encoded case, truncated to LONGEST bytes."""
    config = config_from_json(case.vector.config)
    writer = Writer(config.max_datagram_size_bytes, config.initial_window_bytes)
    text = writer.text
    for event in case.events:
        writer.write(event)
        if len(writer.text) > LONGEST:
            break
        text = writer.text
    return text


def conversation(case: vectors.Case) -> bytes:
    """Return the messages that the runner sends to an adapter for a case."""
    script = Script(case)
    return messages.encode(messages.HELLO) + messages.encode(script.start) + script.lines


def main() -> None:
    """Write the corpus. The index of a profile is its position in the adapter's hello answer."""
    folder, adapter = Path(sys.argv[1]), sys.argv[2]
    hello = subprocess.run([adapter], input=messages.encode(messages.HELLO), capture_output=True, check=True).stdout
    named = [(algorithm, profile) for algorithm, names in json.loads(hello)["algorithms"].items() for profile in names]
    every_case = list(vectors.cases(vectors.load_all()))
    texts: dict[str, list[bytes]] = {"controller": [], "adapter": [], "loader": []}
    for case in every_case:
        place = named.index((case.vector.algorithm, case.profile))
        texts["controller"].append(bytes([place]) + stream(case))
        texts["adapter"].append(conversation(case))
    for name in HEADERS:
        texts[f"header-{name}"] = [bytes(1) + stream(case) for case in cases_of(programs()[name], every_case)]
    texts["loader"] = [path.read_bytes() for path in sorted(VECTORS.rglob("*.json"))]
    for target, seeds in texts.items():
        (folder / target).mkdir(parents=True, exist_ok=True)
        for seed in seeds:
            if len(seed) <= LONGEST_TEXT:
                (folder / target / hashlib.sha256(seed).hexdigest()[:16]).write_bytes(seed)


if __name__ == "__main__":
    main()
