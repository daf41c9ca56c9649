"""Reads repeated output of ``ss -tinm``: samples of a Linux socket, with the first window and the exit threshold."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from firstflight_conformance.logs.recording.files import RecordingError

_NS_PER_S = 10**9
#: The addresses of a socket, after its state and queues.
_SOCKET = re.compile(r"^\s*(?:[A-Z][A-Z0-9-]*\s+)?\d+\s+\d+\s+(\S+:\S+)\s+(\S+:\S+)")
#: A time on a separate line, as printed by ``date +%s.%N``.
_TIME = re.compile(r"^\s*(\d{9,12}(?:\.\d{1,9})?)\s*$")
_NUMBER = re.compile(r"\b(cwnd|ssthresh|mss|bytes_acked|delivered_ce|lost|sacked):(\d+)")
_RETRANS = re.compile(r"\bretrans:\d+/(\d+)")
_CONTROL = re.compile(r"(?:^|\s)([a-z]\w+) wscale:")
#: The SYN counts as one acknowledged byte.
_HANDSHAKE_BYTES = 1


@dataclass(frozen=True, slots=True)
class Sample:
    """State of a socket at one time. ``marks``: retransmissions, losses and congestion marks so far."""

    t_ns: int | None
    cwnd: int
    ssthresh: int | None
    mss_bytes: int
    acked_bytes: int
    marks: int


@dataclass(frozen=True, slots=True)
class Sampled:
    """The samples of one connection. ``control``: its congestion control, or None. ``notes``: notes on its file."""

    name: str
    addresses: str
    control: str | None
    samples: tuple[Sample, ...]
    others: int
    notes: tuple[str, ...] = ()

    @property
    def first(self) -> Sample | None:
        """The first sample, if no data was acknowledged in it: its window is the initial window."""
        sample = self.samples[0]
        return sample if sample.acked_bytes <= _HANDSHAKE_BYTES and sample.ssthresh is None else None

    @property
    def left(self) -> Sample | None:
        """The first sample with an ssthresh, which shows that slow start has ended.

        None if the first sample of the connection has one already, or if no sample has one. Also None for BBR, whose
        ssthresh does not show an exit.
        """
        if (self.control or "").startswith("bbr") or self.samples[0].ssthresh is not None:
            return None
        return next((sample for sample in self.samples if sample.ssthresh is not None), None)


def is_sampled(data: bytes) -> bool:
    """Return whether a text has sockets of ``ss -i``."""
    head = data[:65536]
    return head.lstrip()[:1] not in (b"{", b"[") and re.search(rb"\bmss:\d+.*\bcwnd:\d+", head) is not None


def read_sampled(path: Path, data: bytes) -> Sampled:
    """Return the samples of the connection whose peer acknowledged most bytes between the first and the last sample.

    Raise :class:`RecordingError` if no socket is sampled twice.
    """
    sockets: dict[str, list[Sample]] = {}
    controls: dict[str, str] = {}
    for addresses, t_ns, text in _sockets(data):
        sample = _sample(t_ns, text)
        if sample is not None:
            sockets.setdefault(addresses, []).append(sample)
            if (control := _CONTROL.search(text)) is not None:
                controls[addresses] = control[1]
    whole = {addresses: samples for addresses, samples in sockets.items() if len(samples) > 1}
    if not whole:
        raise RecordingError(
            path, "file", "no socket is sampled twice: repeat ss -tinm, as every 5 ms from the start on"
        )
    addresses = max(whole, key=lambda socket: _progress(whole[socket]))
    return Sampled(path.name, addresses, controls.get(addresses), tuple(whole[addresses]), len(sockets) - 1)


def _progress(samples: Sequence[Sample]) -> tuple[int, int]:
    return samples[-1].acked_bytes - samples[0].acked_bytes, len(samples)


def _sockets(data: bytes) -> Iterator[tuple[str, int | None, str]]:
    """Yield addresses, time in ns and state of each socket in the output of ``ss``.

    The time is the last output of ``date +%s.%N`` before the socket, or None without such a line. The state is on
    the line of the addresses (option ``-O`` of ``ss``) or on the next line.
    """
    t_ns: int | None = None
    addresses: str | None = None
    for line in data.decode("utf-8", "replace").splitlines():
        if (time := _TIME.match(line)) is not None:
            t_ns = int(Decimal(time[1]) * _NS_PER_S)
            continue
        if (socket := _SOCKET.match(line)) is not None:
            opening = line.lstrip().startswith("SYN-")  # the size of a segment is not negotiated yet
            addresses = None if opening else f"{socket[1]} to {socket[2]}"
        if addresses is not None and " cwnd:" in line:
            yield addresses, t_ns, line
            addresses = None


def _sample(t_ns: int | None, text: str) -> Sample | None:
    numbers = {name: int(value) for name, value in _NUMBER.findall(text)}
    if not numbers.get("mss") or not numbers.get("cwnd"):
        return None
    retrans = _RETRANS.search(text)
    marks = (int(retrans[1]) if retrans else 0) + numbers.get("lost", 0) + numbers.get("delivered_ce", 0)
    return Sample(t_ns, numbers["cwnd"], numbers.get("ssthresh"), numbers["mss"], numbers.get("bytes_acked", 0), marks)
