"""Scripts for packetdrill assert the profile's answers, checked by an independent reader; the running kernel passes."""

import os
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

from dist import packetdrill
from firstflight import Config, create
from firstflight_conformance.format import vectors
from firstflight_conformance.logs.recording.recorder import Recorder
from firstflight_conformance.paths import CONFORMANCE, VECTORS
from firstflight_conformance.replay.measure import replay

_WRITE = re.compile(r"write\(4, \.\.\., (\d+)\) = (\d+)")
_ACK = re.compile(r"< \. 1:1\(0\) ack (\d+) win 65535")
_BOTH = re.compile(r"assert \(tcpi_snd_cwnd, tcpi_snd_ssthresh\) == \((\d+), (\d+)\)")
_THRESHOLD = re.compile(r"assert tcpi_snd_ssthresh (==|<) (\d+)")
_NONE = 2147483647


@cache
def written() -> dict[str, str]:
    """Return every script."""
    algorithms = [profile.partition("/")[0] for profile in packetdrill.KERNELS]
    return dict(packetdrill.scripts(vectors.cases(vectors.load_all(VECTORS, algorithms))))


def wrong(text: str) -> list[int]:
    """Return the lines of a script whose assertion contradicts the profile in its first line."""
    lines = text.splitlines()
    named = re.match(r"// (\S+), (\S+)/(\S+):", lines[0])
    assert named is not None
    (mss,) = (int(match[1]) for line in lines if (match := re.search(r"<mss (\d+),", line)))
    recorder, asserted = Recorder(), {}
    now_us = sent = acked = 0
    for number, line in enumerate(
        lines[lines.index("+0 accept(3, ..., ...) = 4") + 1 :], lines.index("+0 accept(3, ..., ...) = 4") + 2
    ):
        after, _, rest = line.partition(" ")
        seconds, _, micro = after.removeprefix("+").partition(".")
        now_us += int(seconds) * 1_000_000 + int(micro or 0)
        if match := _WRITE.fullmatch(rest):
            assert match[1] == match[2]
            count, remainder = divmod(int(match[1]), mss)
            assert not remainder
            recorder.sent(now_us * 1000, [(count, mss)])
            sent += count
        elif match := _ACK.fullmatch(rest):
            packets, remainder = divmod(int(match[1]) - 1, mss)
            assert not remainder
            assert acked < packets <= sent
            recorder.acked(now_us * 1000, [(acked, packets - 1)])
            acked = packets
        else:
            asserted[number] = (len(recorder.steps) - 1, rest)
    config = Config(mss, 10 * mss)
    answers = replay(create(named[2], named[3], config), [step.event for step in recorder.steps])
    wrong_lines = []
    for number, (index, rest) in asserted.items():
        cwnd, threshold = answers[index].cwnd_bytes, answers[index].ssthresh_bytes
        segments = _NONE if threshold is None else threshold // mss
        if both := _BOTH.search(rest):
            right = (cwnd, segments) == (int(both[1]) * mss, int(both[2]))
        else:
            alone = _THRESHOLD.search(rest)
            assert alone is not None, rest
            right = segments == int(alone[2]) if alone[1] == "==" else segments < int(alone[2])
        if not right:
            wrong_lines.append(number)
    assert asserted
    return wrong_lines


def test_each_kernel_control_has_scripts() -> None:
    """Reno, CUBIC and SEARCH have scripts, some of them up to the end of slow start."""
    for control in set(packetdrill.KERNELS.values()):
        assert any(f'TCP_CONGESTION, "{control}", {len(control)})' in text for text in written().values())
    assert sum("Ends where slow start does" in text for text in written().values()) >= 5


def test_scripts_assert_profile_answers() -> None:
    """The reader uses only the writes and ACKs of the script."""
    for name, text in written().items():
        assert wrong(text) == [], name


def test_wrong_window_in_script_is_rejected() -> None:
    """The reader rejects a script that asserts one more segment."""
    text = written()["slow-start.growth.doubling.pkt"]
    assert wrong(text.replace("== (12, ", "== (13, ", 1))


def test_readme_lists_every_kernel_control() -> None:
    """The README lists the kernel control of each profile."""
    readme = (CONFORMANCE / "packetdrill" / "README.md").read_text("utf-8")
    for profile, control in packetdrill.KERNELS.items():
        assert f"`{control}`" in readme
        assert profile in readme


@pytest.mark.live
def test_the_running_kernel_passes(tmp_path: Path) -> None:
    """The kernel passes where packetdrill can open a device; an exit by delay needs an otherwise idle machine."""
    program = shutil.which("packetdrill")
    if program is None or not os.access("/dev/net/tun", os.R_OK | os.W_OK):
        pytest.skip("packetdrill is not installed, or /dev/net/tun is closed")
    name = "slow-start.growth.doubling.pkt"
    script = tmp_path / name
    script.write_text(written()[name], "utf-8")
    command = f"ulimit -s 512; ip link set lo up; exec {program} --tolerance_usecs=20000 {script}"
    done = subprocess.run(
        ["unshare", "-Urn", "sh", "-c", command], capture_output=True, text=True, check=False, timeout=30
    )
    assert done.returncode == 0, done.stderr[-500:]
