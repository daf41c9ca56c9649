"""Captures of TCP senders with known answers: the report is right, or the connection is undecided."""

from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from firstflight_conformance.judge.formats import read
from firstflight_conformance.judge.verdict import Verdict, judge
from firstflight_conformance.recording.files import RecordingError

from tcp_captures import KINDS, MSS, PROFILES, Setting, Truth, captured  # isort: skip

SIDES = ("sender", "receiver")
#: Where the window limits the sender, so that its initial window or exit is seen.
VISIBLE = ("bulk", "tls", "ecn", "missing-ack", "reordered", "doubled", "netem", "tso")


@dataclass(frozen=True)
class Result:
    """Report of the judge for a setting. ``verdict``: None for a refusal."""

    setting: Setting
    truth: Truth
    verdict: Verdict | None

    @property
    def named(self) -> bool:
        """Whether profiles are named, or all are refuted."""
        return self.verdict is not None and self.verdict.undecided is None

    @property
    def wrong_name(self) -> bool:
        """Whether the sender's profile is not among the named ones."""
        return self.verdict is not None and self.named and PROFILES[self.setting.control] not in self.verdict.may_be

    @property
    def wrong_exit(self) -> bool:
        """Whether an exit is reported that did not happen, or at another window: BBR's flight stops growing before it decides."""
        if self.verdict is None or self.verdict.did.window_bytes is None:
            return False
        if self.truth.exit_bytes is None:
            return True
        part = 0.5 if self.setting.control == "bbr" else 0.04
        return abs(self.verdict.did.window_bytes - self.truth.exit_bytes) > max(3 * MSS, part * self.truth.exit_bytes)

    @property
    def wrong_window(self) -> bool:
        """Whether another initial window is reported."""
        reported = None if self.verdict is None else self.verdict.did.initial_window_bytes
        return reported not in (None, self.truth.initial_bytes)

    @property
    def right(self) -> bool:
        """Whether the answer is complete and right: the profile by name, or an exit by loss with its window and factor."""
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
    with TemporaryDirectory() as folder:
        file = Path(folder) / "connection.pcap"
        file.write_bytes(data)
        try:
            verdict = judge(read(file).recording)
        except RecordingError:
            return Result(setting, truth, None)
    return Result(setting, truth, verdict)


def results(seeds: range) -> list[Result]:
    """Return the results of all settings."""
    return [result(Setting(*each)) for each in product(PROFILES, KINDS, seeds, SIDES)]


def check(seeds: range) -> None:
    """Check the results of all settings with these seeds."""
    found = results(seeds)
    assert not [each.setting for each in found if each.wrong_name]
    assert not [each.setting for each in found if each.wrong_exit]
    bulk = [each for each in found if (each.setting.kind, each.setting.side) == ("bulk", "sender")]
    assert sum(each.right for each in bulk) >= 0.95 * len(bulk)
    others = [each for each in found if each not in bulk]
    assert sum(not each.wrong_window for each in others) >= 0.95 * len(others)
    visible = [each for each in others if each.setting.kind in VISIBLE]
    assert sum(each.tells for each in visible) >= len(visible) / 2


def test_one_seed() -> None:
    """Each sender, kind and side once."""
    check(range(1))


@pytest.mark.parametrize("each", [("cubic", 701), ("cubic", 702), ("reno", 700)])
def test_the_receivers_window_is_no_exit(each: tuple[str, int]) -> None:
    """Few ACKs of slow start show no exit where the receiver's window stops the growth."""
    control, seed = each
    found = result(Setting(control, "receive-window", seed, "receiver"))
    assert found.tells and not found.wrong_exit


@pytest.mark.long
def test_five_seeds() -> None:
    """Each of them on five paths."""
    check(range(5))
