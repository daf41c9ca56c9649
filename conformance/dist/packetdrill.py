"""Writes vectors as packetdrill scripts, which test a kernel with the same writes and ACKs.

``conformance/packetdrill/README.md`` describes how to run them, and their limits.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from firstflight import Config, Observation, create
from firstflight.errors import DomainError
from firstflight.events import Ack, Event, Sent
from firstflight.observables import EXITS, LEAVES
from firstflight_conformance.replay.measure import config_from_json, replay
from firstflight_conformance.format.vectors import Case
from firstflight_conformance.logs.recording.recorder import Recorder

#: The profiles of kernels, and the name of the congestion control.
KERNELS = {
    "slow-start/rfc-9002": "reno",
    "hystart/linux": "cubic",
    "search/linux-4": "search",
}
#: Maximum delay of kernel and packetdrill, and number of random tries: an answer that depends on it excludes the
#: script.
_LATE_NS, _SEEDS = 300_000, 4
#: Maximum excess of an RTT over earlier ones: the retransmission timer is at least 200 ms longer.
_STEP_NS = 150_000_000
_INITIAL_DATAGRAMS, _LEAST_ACKS = 10, 3
_DATAGRAM_BYTES = range(88, 1461)
_LONGEST_NS = 10 * 10**9
_NO_THRESHOLD = 2147483647

_HEAD = """\
// {id}, {profile}: {title}.
// The writes and ACKs of the vector; after each ACK, window and ssthresh in segments. {ends}
`sysctl -q net.ipv4.tcp_early_retrans=0 net.ipv4.tcp_slow_start_after_idle=0 net.ipv4.tcp_no_metrics_save=1 net.ipv4.tcp_wmem="4096 4194304 33554432"`
0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 setsockopt(3, SOL_SOCKET, SO_REUSEADDR, [1], 4) = 0
+0 setsockopt(3, SOL_TCP, TCP_CONGESTION, "{control}", {length}) = 0
+0 bind(3, ..., ...) = 0
+0 listen(3, 1) = 0
+0 < S 0:0(0) win 65535 <mss {mss},nop,nop,sackOK,nop,wscale 14>
+0 > S. 0:0(0) ack 1 <...>
+{rtt} < . 1:1(0) ack 1 win 65535
+0 accept(3, ..., ...) = 4
"""


@dataclass(frozen=True, slots=True)
class _Part:
    """The beginning of a vector that a script can express, with the answers. ``ends``: a sentence about its end."""

    events: Sequence[Event]
    answers: Sequence[Observation]
    ends: str


def scripts(cases: Iterable[Case]) -> Iterator[tuple[str, str]]:
    """Yield name and text of the script of each case that packetdrill can express."""
    for case in cases:
        profile = f"{case.vector.algorithm}/{case.profile}"
        if profile in KERNELS and (part := _part(case)) is not None:
            yield f"{case.vector.id}.pkt", _script(case, profile, part)


def _part(case: Case) -> _Part | None:
    config = config_from_json(case.vector.config)
    mss = config.max_datagram_size_bytes
    if mss not in _DATAGRAM_BYTES or config.initial_window_bytes not in (None, _INITIAL_DATAGRAMS * mss):
        return None
    answers = replay(create(case.vector.algorithm, case.profile, config), list(case.vector.events))
    part = _expressible(case.vector.events, answers, config)
    if sum(isinstance(event, Ack) for event in part.events) < _LEAST_ACKS:
        return None
    profile = f"{case.vector.algorithm}/{case.profile}"
    windows = _windows(profile, part.events, config)
    others = [_windows(profile, _late(part.events, seed), config) for seed in range(_SEEDS)]
    return part if windows is not None and all(each == windows for each in others) else None


def _expressible(events: Sequence[Event], answers: Sequence[Observation], config: Config) -> _Part:
    """Return the beginning up to the exit, or up to the first event that packetdrill or TCP cannot produce."""
    mss = config.max_datagram_size_bytes
    cwnd_bytes, acked, longest_ns = _INITIAL_DATAGRAMS * mss, 0, 0
    for index, (event, answer) in enumerate(zip(events, answers, strict=False)):
        reason = None
        if event.t_ns - events[0].t_ns > _LONGEST_NS:
            reason = "the rest takes longer than ten seconds"
        elif isinstance(event, Sent):
            reason = None if all(run.size_bytes == mss for run in event.packets) else "the rest has a partial segment"
        elif not isinstance(event, Ack):
            reason = f"the rest begins with an event of the kind {type(event).__name__}"
        elif [run.first for run in event.packets] != [acked, *(run.last + 1 for run in event.packets[:-1])]:
            reason = "the rest is acknowledged selectively"
        elif (
            not _timed(event)
            or event.latest_rtt_ns is None
            or (longest_ns and event.latest_rtt_ns > longest_ns + _STEP_NS)
        ):
            reason = "the rest has RTTs that TCP would not measure, or a timer that expires"
        elif event.app_limited or 2 * (event.bytes_in_flight + event.bytes) <= cwnd_bytes:
            reason = "the rest leaves the window unused"
        leaves = answer.outcome in EXITS or answer.outcome in LEAVES
        if reason is None and not leaves and answer.cwnd_bytes % mss:
            reason = "the rest has a window with a partial segment"
        if reason is not None:
            return _Part(events[:index], answers[:index], f"Ends before event {index}: {reason}.")
        if isinstance(event, Ack):
            acked, longest_ns = event.packets[-1].last + 1, max(longest_ns, event.latest_rtt_ns or 0)
        cwnd_bytes = answer.cwnd_bytes
        if leaves:
            return _Part(events[: index + 1], answers[: index + 1], f"Ends where slow start does, at event {index}.")
    return _Part(events, answers[: len(events)], "Ends with the vector, in slow start.")


def _timed(event: Ack) -> bool:
    """Return whether the RTT sample equals the difference of the times, as always in TCP."""
    return event.ack_delay_ns == 0 and event.latest_rtt_ns == event.t_ns - event.packets[-1].sent_t_ns


def _windows(profile: str, events: Sequence[Event], config: Config) -> list[tuple[int, int | None]] | None:
    algorithm, _, name = profile.partition("/")
    try:
        answers = replay(create(algorithm, name, config), list(events))
    except DomainError:
        return None
    return [(each.cwnd_bytes, each.ssthresh_bytes) for each in answers]


def _late(events: Sequence[Event], seed: int) -> tuple[Event, ...]:
    """Return the events with the small random delays of a kernel."""
    random, recorder = Random(seed), Recorder()
    t_ns = 0
    for event in events:
        t_ns = max(t_ns, event.t_ns + random.randrange(_LATE_NS))
        if isinstance(event, Sent):
            recorder.sent(t_ns, [(run.count, run.size_bytes) for run in event.packets])
        elif isinstance(event, Ack):
            recorder.acked(t_ns, [(run.first, run.last) for run in event.packets])
    return tuple(step.event for step in recorder.steps)


def _script(case: Case, profile: str, part: _Part) -> str:
    mss = config_from_json(case.vector.config).max_datagram_size_bytes
    first = next(event for event in part.events if isinstance(event, Ack))
    control = KERNELS[profile]
    text = _HEAD.format(
        id=case.vector.id, profile=profile, title=case.vector.title, ends=part.ends, control=control, length=len(control),
        mss=mss, rtt=_seconds(first.latest_rtt_ns or 0),
    )  # fmt: skip
    last_ns, acked = part.events[0].t_ns - 10_000_000, 0
    for event, answer in zip(part.events, part.answers, strict=True):
        after = _seconds(event.t_ns - last_ns)
        last_ns = event.t_ns
        if isinstance(event, Sent):
            text += f"+{after} write(4, ..., {event.bytes}) = {event.bytes}\n"
        elif isinstance(event, Ack):
            acked += event.bytes
            text += f"+{after} < . 1:1(0) ack {acked + 1} win 65535\n{_assert(answer, mss)}"
    return text


def _assert(answer: Observation, mss: int) -> str:
    """Return the assertion after an ACK. A window with a partial segment, at the exit, is left to the kernel's base."""
    shown = "(tcpi_snd_cwnd, tcpi_snd_ssthresh)"
    threshold = answer.ssthresh_bytes
    segments = _NO_THRESHOLD if threshold is None else threshold // mss
    if threshold is not None and threshold % mss:
        return f"+0 %{{ assert tcpi_snd_ssthresh < {_NO_THRESHOLD}, {shown} }}%\n"
    if answer.cwnd_bytes % mss:
        return f"+0 %{{ assert tcpi_snd_ssthresh == {segments}, {shown} }}%\n"
    return f"+0 %{{ assert {shown} == ({answer.cwnd_bytes // mss}, {segments}), {shown} }}%\n"


def _seconds(t_ns: int) -> str:
    """Return nanoseconds as seconds with microseconds."""
    return f"{t_ns // 10**9}.{t_ns % 10**9 // 1000:06}"
