"""Captures of TCP senders with known answers: the report is right, or the connection is undecided."""

from dataclasses import dataclass
from functools import cache
from itertools import pairwise, product
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from firstflight_conformance.judge.formats import read
from firstflight_conformance.judge.report import lines
from firstflight_conformance.judge.verdict import ConnectionVerdict, judge
from firstflight_conformance.logs.recording.files import RecordingError

from captures import How, file_of  # isort: skip
from tcp_captures import BEGIN_NS, KINDS, MSS, PROFILES, Sender, Setting, Truth, captured  # isort: skip

SIDES = ("sender", "receiver")
#: Settings with a window-limited sender, so that its initial window or exit is visible.
VISIBLE = ("bulk", "tls", "ecn", "missing-ack", "reordered", "doubled", "netem", "tso")


@dataclass(frozen=True)
class Result:
    """Report of the judge for a setting. ``verdict``: None for a refusal."""

    setting: Setting
    truth: Truth
    verdict: ConnectionVerdict | None

    @property
    def named(self) -> bool:
        """Whether profiles are reported, or all are refuted."""
        return self.verdict is not None and self.verdict.undecided is None

    @property
    def wrong_name(self) -> bool:
        """Whether the sender's profile is missing from the reported ones."""
        return self.verdict is not None and self.named and PROFILES[self.setting.control] not in self.verdict.may_be

    @property
    def wrong_exit(self) -> bool:
        """Whether the reported exit did not happen, or happened at another window."""
        if self.verdict is None or self.verdict.did.window_bytes is None:
            return False
        if self.truth.exit_bytes is None:
            return True
        did, truth_bytes = self.verdict.did, self.truth.exit_bytes
        least_bytes, most_bytes = did.window_range or (did.window_bytes, did.window_bytes)
        within_bytes = max(3 * MSS, truth_bytes // 25)
        return not least_bytes - within_bytes <= truth_bytes <= most_bytes + within_bytes

    @property
    def wrong_window(self) -> bool:
        """Whether a wrong initial window is reported."""
        did = None if self.verdict is None else self.verdict.did
        if did is None or did.initial_window_bytes is None:
            return False
        least_bytes, most_bytes = did.initial_window_range or (did.initial_window_bytes, did.initial_window_bytes)
        return not least_bytes <= self.truth.initial_bytes <= most_bytes

    @property
    def right(self) -> bool:
        """Whether the answer is complete and right: the profile, or an exit by loss with its window and factor."""
        if self.verdict is None or self.wrong_name or self.wrong_exit or self.wrong_window:
            return False
        reduction = self.verdict.did.reduction
        by_loss = self.truth.loss and self.verdict.did.evidence == "loss" and reduction is not None
        return self.named or (
            by_loss and abs(reduction.factor - (0.5 if self.setting.control == "reno" else 0.7)) < 0.06
        )

    @property
    def tells(self) -> bool:
        """Whether the initial window or the exit is reported."""
        did = None if self.verdict is None else self.verdict.did
        return did is not None and (did.initial_window_bytes is not None or did.event is not None)


@cache
def result(setting: Setting) -> Result:
    """Return the report of the judge for a setting."""
    data, truth = captured(setting)
    return Result(setting, truth, judged(data))


def judged(data: bytes) -> ConnectionVerdict | None:
    """Return the verdict of a capture, or None for a refusal."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "connection.pcap"
        file.write_bytes(data)
        try:
            return judge(read(file).recording)
        except RecordingError:
            return None


def results(seeds: range) -> list[Result]:
    """Return the results of all settings."""
    return [result(Setting(*combination)) for combination in product(PROFILES, KINDS, seeds, SIDES)]


def check(seeds: range) -> None:
    """Check the results of all settings with these seeds."""
    all_results = results(seeds)
    assert not [result.setting for result in all_results if result.wrong_name]
    assert not [result.setting for result in all_results if result.wrong_exit]
    bulk = [result for result in all_results if (result.setting.kind, result.setting.side) == ("bulk", "sender")]
    assert sum(result.right for result in bulk) >= 0.95 * len(bulk)
    not_bulk = [result for result in all_results if result not in bulk]
    assert sum(not result.wrong_window for result in not_bulk) >= 0.95 * len(not_bulk)
    visible = [result for result in not_bulk if result.setting.kind in VISIBLE]
    assert sum(result.tells for result in visible) >= len(visible) / 2


def test_captures_of_one_seed() -> None:
    """Each sender, kind and side runs once."""
    check(range(1))


@pytest.mark.parametrize("setting", [("cubic", 701), ("cubic", 702), ("reno", 700)])
def test_receive_window_limit_is_not_an_exit(setting: tuple[str, int]) -> None:
    """Few ACKs of slow start show no exit if the receiver's window stops the growth."""
    control, seed = setting
    capture_result = result(Setting(control, "receive-window", seed, "receiver"))
    assert capture_result.tells and not capture_result.wrong_exit


@pytest.mark.parametrize(
    "setting",
    [
        ("bbr", "tls", 803, "sender"),
        ("bbr", "missing-ack", 801, "sender"),
        ("reno", "tls", 801, "receiver"),
        ("bbr", "bulk", 800, "receiver"),
    ],
)
def test_reported_exit_is_near_or_contains_the_window(setting: tuple[str, str, int, str]) -> None:
    """The exit is reported within a few segments, or as an interval that contains it."""
    capture_result = result(Setting(*setting))
    assert capture_result.verdict is not None and capture_result.verdict.did.window_bytes is not None
    assert not capture_result.wrong_exit


@pytest.mark.parametrize(
    ("setting", "least", "most"),
    [
        (("reno", "bulk", 800, "receiver"), 30, 32),
        (("reno", "ecn", 800, "receiver"), 23, 32),
        (("bbr", "tls", 801, "sender"), 32, 33),
    ],
)
def test_uncertain_initial_window_is_an_interval(setting: tuple[str, str, int, str], least: int, most: int) -> None:
    """Missing segments next to the first flight, and growth at ACKs before a later round, leave an interval."""
    capture_result = result(Setting(*setting))
    assert capture_result.verdict is not None
    assert capture_result.verdict.did.initial_window_range == (least * MSS, most * MSS)
    assert least * MSS <= capture_result.truth.initial_bytes <= most * MSS
    report = list(lines(capture_result.verdict, margins=False))
    assert f"{least} to {most} datagrams of {MSS}" in report[0]


def test_rounds_in_receiver_capture_double_until_the_exit() -> None:
    """The flights of the rounds double up to the round of the exit, which has an interval of windows."""
    capture_result = result(Setting("cubic", "tls", 800, "receiver"))
    assert capture_result.verdict is not None
    did = capture_result.verdict.did
    assert did.exit_round == len(did.rounds) == 6
    flights = [flight_round.flight_bytes for flight_round in did.rounds[1:]]
    assert all(1.9 * flight < after < 2.2 * flight for flight, after in pairwise(flights[:-1]))
    assert flights[-1] < 1.5 * flights[-2]
    least, most = did.window_range or (0, 0)
    assert least <= capture_result.truth.exit_bytes <= most <= 1.1 * least
    assert any(
        line.startswith("uncertainty of the exit: in round 6") for line in lines(capture_result.verdict, margins=False)
    )


@pytest.mark.parametrize("seed", range(3))
def test_bbr_is_identified_by_drain_pacing_gain(seed: int) -> None:
    """BBR is identified 50 ms after its exit by the pacing gain of Drain, and not at its exit."""
    sender = Sender(Setting("bbr", "bulk", seed))
    truth = sender.run()
    assert truth.exit_ns is not None
    named = []
    for more_ns in (0, 50_000_000):
        end_ns = BEGIN_NS + truth.exit_ns + more_ns
        frames = sorted(
            (packet for packet in sender.seen_by["sender"] if packet[0] <= end_ns), key=lambda packet: packet[0]
        )
        verdict = judged(file_of(frames, How(snap_bytes=120)))
        assert verdict is not None
        named.append(verdict.may_be if verdict.undecided is None else ())
        if named[-1]:
            assert verdict.did.evidence == "drain"
            assert abs(verdict.did.window_bytes - truth.exit_bytes) <= 3 * MSS
    assert named == [(), ("bbr/linux-v1",)]


@pytest.mark.long
def test_captures_of_five_seeds() -> None:
    """Each setting runs on five paths."""
    check(range(5))
