"""Reasons for the end of slow start: the rule of a profile with its two numbers, and the path in the recording."""

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from firstflight.events import Ack, Event
from firstflight.observables import Outcome
from firstflight_conformance.judge.explain import ComparedProfile
from firstflight_conformance.judge.follow import Question, observed
from firstflight_conformance.judge.subject import JudgedSender

_NS_PER_MS, _NS_PER_S, _BITS = 1_000_000, 1_000_000_000, 8
#: Largest number of algorithms explained, with one profile each.
_SHOWN = 4


@dataclass(frozen=True, slots=True)
class Path:
    """The network path: its least RTT, its highest acknowledged rate over at least this RTT, and their product."""

    bytes_per_s: int
    least_rtt_ns: int

    @property
    def product_bytes(self) -> int:
        """The bandwidth-delay product in bytes."""
        return self.bytes_per_s * self.least_rtt_ns // _NS_PER_S

    @property
    def bits_per_s(self) -> int:
        """The rate in bit/s."""
        return self.bytes_per_s * _BITS


@dataclass(frozen=True, slots=True)
class Why:
    """Reason for a profile's exit from slow start at event ``event``: a rule, the ``observed`` number and its limit.

    ``against``: the limit that the observed number reached.
    """

    profile: str
    event: int
    rule: str
    observed: str
    against: str

    def __str__(self) -> str:
        """Return the rule, the observed number and the limit that it reached, as text."""
        return f"{self.rule}: {self.observed} against {self.against}"


def path_of(subject: JudgedSender) -> Path | None:
    """Return rate and smallest RTT of the network path, computed from the sender's ACKs, or None.

    The rate is the highest rate of acknowledged bytes in intervals of at least the smallest RTT. Return None for a
    recording without RTT samples or with less than a round of ACKs.
    """
    acks = [event for event in subject.events if isinstance(event, Ack)]
    least_ns = min((event.latest_rtt_ns for event in acks if event.latest_rtt_ns), default=None)
    if least_ns is None:
        return None
    most, total = 0, 0
    window: deque[tuple[int, int]] = deque()
    for event in acks:
        while len(window) > 1 and event.t_ns - window[1][0] >= least_ns:
            total -= window.popleft()[1]
        since_ns = event.t_ns - window[0][0] if window else 0
        if since_ns >= least_ns:
            most = max(most, (total - window[0][1] + event.bytes) * _NS_PER_S // since_ns)
        window.append((event.t_ns, event.bytes))
        total += event.bytes
    return Path(most, least_ns) if most else None


def reasons(subject: JudgedSender, explained: Sequence[ComparedProfile], names: Sequence[str]) -> list[Why]:
    """Return the reasons of the exit from slow start, for up to four algorithms.

    Each algorithm is represented by the first profile in ``names`` whose exit has a reason. ``explained``: the
    comparison of each profile with the sender.
    """
    by_algorithm: dict[str, Why] = {}
    by_name = {compared.profile: compared for compared in explained}
    for name in names:
        algorithm = name.partition("/")[0]
        if algorithm in by_algorithm or len(by_algorithm) == _SHOWN or not by_name[name].exits:
            continue
        why = _why(subject, name, by_name[name].exits[0])
        if why is not None:
            by_algorithm[algorithm] = why
    return list(by_algorithm.values())


def _why(subject: JudgedSender, name: str, index: int) -> Why | None:
    events: Sequence[Event] = subject.events[: index + 1]
    unknown: list[int | None] = [None] * len(events)
    known_windows = unknown if subject.at_least else subject.given[: index + 1]
    config = subject.recording.header.config
    observation = observed(Question(config, events, known_windows, unknown, subject.begin, len(events)), name)
    rule = None if observation is None else _RULES.get((name.partition("/")[0], observation.outcome))
    if observation is None or rule is None:
        return None
    words, numbers = rule
    value, against = numbers(observation.state)
    return Why(name, index, words, value, against)


def _ms(ns: int | None) -> str:
    return "no RTT" if ns is None else f"{ns / _NS_PER_MS:.3f}".rstrip("0").rstrip(".") + " ms"


def _delay(least: str) -> Callable[[Mapping[str, int | None]], tuple[str, str]]:
    return lambda state: (_ms(state["current_min_rtt_ns"]), f"{_ms(state[least])} + 1/8 (4 ms to 16 ms)")


def _train(state: Mapping[str, int | None]) -> tuple[str, str]:
    return _ms(state["train_ns"]), f"half of {_ms(state['min_rtt_ns'])}"


def _bins(state: Mapping[str, int | None]) -> tuple[str, str]:
    return f"{state['current_bytes']} bytes", f"twice {state['previous_bytes']} bytes"


def _plateau(state: Mapping[str, int | None]) -> tuple[str, str]:
    return f"{state['full_bw_count']} rounds", "3 rounds"


_RULES: dict[tuple[str, Outcome], tuple[str, Callable[[Mapping[str, int | None]], tuple[str, str]]]] = {
    ("hystart", Outcome("exited_by_delay")): ("least RTT of the round", _delay("min_rtt_ns")),
    ("hystart", Outcome("exited_by_train")): ("length of the ACK train", _train),
    ("suss", Outcome("exited_by_delay")): ("least RTT of the round", _delay("min_rtt_ns")),
    ("hystartpp", Outcome("conservative_begun")): ("least RTT of the round", _delay("last_min_rtt_ns")),
    ("search", Outcome("exited")): ("delivered in the last bins, where slow start delivers", _bins),
    ("bbr", Outcome("exited_by_plateau")): ("rounds in which the bandwidth grew by less than a quarter", _plateau),
}


def why_lines(path: Path | None, window_bytes: int | None, exit_reasons: Sequence[Why]) -> Iterator[str]:
    """Yield the lines of a report on the network path and on the reasons for the exit from slow start.

    The first line contains rate, least RTT and their product, and ``window_bytes``, the window at the exit, as a
    multiple of the product. Each further line contains the rule of a profile that ends slow start, with its observed
    number and limit.
    """
    if path is not None and path.product_bytes:
        part = "" if window_bytes is None else f"; slow start was left at {window_bytes / path.product_bytes:.2f} of it"
        rate = f"{path.bits_per_s / 1e6:.3g} Mbit/s"
        yield f"path: about {rate} and {_ms(path.least_rtt_ns)}, a product of {path.product_bytes} bytes{part}"
    for reason in exit_reasons:
        yield f"why, by {reason.profile}, event {reason.event}: {reason}"


def why_json(path: Path | None, window_bytes: int | None, exit_reasons: Sequence[Why]) -> dict[str, Any]:
    """Return the members ``path`` and ``why`` of a JSON report.

    ``path``: rate and least RTT of the network path, and their product, or None if unknown. ``path`` also contains the
    window at the exit as a multiple of the product. ``why``: for each profile, the rule that ends its slow start, with
    its observed number and limit.
    """
    return {
        "path": None
        if path is None or not path.product_bytes
        else {
            "rate_bps": path.bits_per_s,
            "least_rtt_ms": path.least_rtt_ns / _NS_PER_MS,
            "product_bytes": path.product_bytes,
            "exit_products": None if window_bytes is None else round(window_bytes / path.product_bytes, 3),
        },
        "why": [
            {
                "profile": reason.profile,
                "event": reason.event,
                "rule": reason.rule,
                "observed": reason.observed,
                "against": reason.against,
            }
            for reason in exit_reasons
        ],
    }
