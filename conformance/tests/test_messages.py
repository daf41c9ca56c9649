"""Messages for new users: each contains the error, its place, and the remedy."""

import json
import re
import shlex
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.shell_completion import BashComplete
from click.testing import CliRunner, Result

from firstflight_conformance.cli import main
from runner_support import BAD, command, events, vector, write_vectors

SEARCH = "stimulus:deep-queue@search/draft-09"


def run(*words: object) -> Result:
    """Run the command; raise exceptions other than click's."""
    return CliRunner().invoke(main, [str(word) for word in words], catch_exceptions=False)


@pytest.mark.parametrize(
    ("name", "mode", "message"),
    [
        ("./nothere", None, "--adapter ./nothere: no such file"),
        ("./ad.py", 0o644, "is not executable: chmod +x ad.py, or pass the command 'python3 ad.py'"),
        ("ad.sh", 0o644, "is not executable: chmod +x ad.sh, or pass the command 'sh ad.sh'"),
        ("./ad", 0o644, "is not executable: chmod +x ad\n"),
        (".", None, "is a directory; pass the program in it"),
    ],
)
def test_unusable_adapter_path_is_rejected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, mode: int | None, message: str
) -> None:
    """A path is not looked up among the adapters of the checkout."""
    monkeypatch.chdir(tmp_path)
    if mode is not None:
        Path(name).write_text("#!/bin/sh\n", encoding="utf-8")
        Path(name).chmod(mode)
    result = run("run", "--adapter", name)
    assert result.exit_code == 2
    assert message in result.output
    assert "aioquic" not in result.output


@pytest.mark.parametrize(
    ("claims", "message"),
    [
        ({"slow-start": ["rfc9002"]}, "declares slow-start/rfc9002, which does not exist; did you mean rfc-9002?"),
        ({"slowstart": ["rfc-9002"]}, "declares slowstart, which does not exist; did you mean slow-start?"),
        ({"slow-start": ["x"]}, "declares slow-start/x, which does not exist; available: ack-counting, rfc-9002"),
    ],
)
def test_unknown_declared_name_is_reported(tmp_path: Path, claims: Any, message: str) -> None:
    """A misspelt name in a declaration is reported with the nearest name, with exit code 4."""
    root = write_vectors(tmp_path / "vectors")
    adapter = command("declares", json.dumps({"algorithms": claims}))
    result = run("run", "--vectors", root, "--adapter", shlex.join(adapter))
    assert result.exit_code == 4
    assert message in result.output


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (
            ("run", "--algorithm", "slow-start", "--profile", "rfc-9406", "--adapter", "python-model"),
            4,
            "nothing was run: --profile rfc-9406: no case among the cases of --algorithm slow-start; available: ack-counting, rfc-9002\n",
        ),
        (
            ("run", "--algorithm", "slow-start", "--profile", "rfc-9402", "--adapter", "python-model"),
            2,
            "--profile rfc-9402: unknown; did you mean rfc-9002? available: ack-counting, rfc-9002\n",
        ),
        (
            ("run", "--algorithm", "slow-start", "--tier", "gold", "--id", "x", "--adapter", "python-model"),
            4,
            "--id x: no case among the cases of --tier gold; available: slow-start.",
        ),
        (("show", "slow-start.frst.small"), 2, "unknown; did you mean slow-start.first.small@rfc-9002? `firstflight list` lists"),
        (("show", SEARCH.replace("deep", "dep")), 2, f"did you mean {SEARCH}? `firstflight list --closed-loop` lists"),
        (("show", SEARCH, "--qlog"), 2, "--qlog needs a case with events of its own"),
    ],
)  # fmt: skip
def test_unknown_name_is_reported_with_the_nearest_name(
    tmp_path: Path, words: tuple[str, ...], code: int, message: str
) -> None:
    """A wrong name is reported with the nearest of the remaining names."""
    other_vectors = [vector("slow-start.other.small", events()), vector("hystartpp.other.small", events())]
    for other_vector, algorithm, profile in zip(
        other_vectors, ("slow-start", "hystartpp"), ("ack-counting", "rfc-9406"), strict=True
    ):
        other_vector |= {"algorithm": algorithm, "profiles": {profile: other_vector["profiles"].pop("rfc-9002")}}
    result = run(*words, "--vectors", write_vectors(tmp_path / "vectors", *other_vectors))
    assert (result.exit_code, message in result.output) == (code, True), result.output


def test_misspelt_command_is_reported_with_the_nearest() -> None:
    """A misspelt command is reported with the nearest command."""
    result = run("rnu")
    assert result.exit_code == 2
    assert "No such command 'rnu'; did you mean run?" in result.output


def test_log_line_on_standard_output_is_reported(tmp_path: Path) -> None:
    """A log line on standard output is shown without its end, with the remedy; different lines share one block."""
    more = [vector(f"slow-start.target.more-{number}", events()) for number in range(3)]
    root = write_vectors(tmp_path / "vectors", *more)
    script = tmp_path / "logs.py"
    script.write_text(
        f"import sys\nsys.path.insert(0, {str(BAD)!r})\nfrom base import line, serve\ncount = 0\n"
        "def hook(case, message, answer):\n    global count\n    count += 1\n"
        "    return b'starting up, debug level %d\\n' % count if message['op'] == 'event' else line(answer)\nserve(hook)\n",
        encoding="utf-8",
    )
    result = run("run", "--vectors", root, "--adapter", f"{sys.executable} {script}")
    assert result.exit_code == 3
    output = " ".join(result.output.split())
    assert re.search(
        r"starting up, debug level \d; standard output is for answers, write a log to standard error", output
    )
    assert "\\n" not in result.output
    assert result.output.count("starting up") == 1
    assert "and 5 more" in result.output


def test_float_in_an_answer_is_reported(tmp_path: Path) -> None:
    """A float is reported as received; different numbers share one block."""
    root = write_vectors(tmp_path / "vectors", vector("slow-start.target.larger", events()))
    result = run("run", "--vectors", root, "--adapter", shlex.join(command("answers", "float")))
    assert "event 1: cwnd_bytes: 14400.0 is not an integer" in result.output
    assert result.output.count("is not an integer") == 1


def test_timeout_message_contains_limit_and_option(tmp_path: Path) -> None:
    """A timeout message contains the limit per case and its option."""
    root = write_vectors(tmp_path / "vectors")
    adapter = shlex.join(command("behaves", "hang"))
    result = run("run", "--vectors", root, "--adapter", adapter, "--deadline-s", 1)
    output = " ".join(result.output.split())
    assert "event 1: no answer within 1 s, the deadline for the answers of a case (--deadline-s)" in output


def test_show_prints_a_closed_loop_case() -> None:
    """`show` with the id of a closed-loop case prints the events of the model's run."""
    result = run("show", SEARCH)
    assert result.exit_code == 0
    assert result.output.startswith(SEARCH)
    assert re.search(r"^ +0 +1000 +sent +0-9", result.output, re.MULTILINE)
    assert re.search(r"^the run ends: (complete|stopped)$", result.output, re.MULTILINE)


def test_shrink_counts_undeclared_cases_separately(tmp_path: Path) -> None:
    """Cases of undeclared profiles are counted separately."""
    undeclared = vector("slow-start.other.small", events())
    undeclared["profiles"]["ack-counting"] = undeclared["profiles"].pop("rfc-9002")
    root = write_vectors(tmp_path / "vectors", undeclared)
    result = run("shrink", "--vectors", root, "--adapter", shlex.join(command("declares", "{}")))
    assert result.exit_code == 4
    assert "no difference in 3 cases; 1 cases belong to undeclared profiles" in result.output


def test_reports_do_not_contain_python_none(tmp_path: Path) -> None:
    """Report and JUnit show "none" instead of Python's None; JUnit has the duration of each case."""
    root = write_vectors(tmp_path / "vectors")
    junit = tmp_path / "junit.xml"
    script = tmp_path / "without.py"
    script.write_text(_NO_THRESHOLD.format(bad=str(BAD)), encoding="utf-8")
    adapter = (sys.executable, str(script))
    result = run("run", "--vectors", root, "--adapter", shlex.join(adapter), "--junit", junit, "--all-failures")
    assert result.exit_code == 1
    text = junit.read_text(encoding="utf-8")
    assert "None" not in result.output + text
    assert "observed none" in text
    times = [float(case.attrib["time"]) for case in ElementTree.fromstring(text).iter("testcase")]
    assert len(times) == 3
    assert all(time_s > 0 for time_s in times)


_NO_THRESHOLD = """
import sys
sys.path.insert(0, {bad!r})
from base import line, serve
serve(lambda case, message, answer: line(answer | ({{"ssthresh_bytes": None}} if message["op"] == "event" else {{}})))
"""


@pytest.mark.parametrize(
    ("words", "incomplete", "completed"),
    [
        (["run", "--algorithm"], "se", ["search"]),
        (["run", "--algorithm", "slow-start", "--profile"], "", ["ack-counting", "rfc-9002"]),
        (["run", "--adapter"], "python", ["python-model"]),
        (["show"], "search.drain.lo", ["search.drain.loss"]),
        (["show"], "slow-start.acks.app-limited@r", ["slow-start.acks.app-limited@rfc-9002"]),
        (["shrink", "--adapter"], "aioquic-", ["aioquic-cubic"]),
        ([], "judge-k", ["judge-kernel"]),
        (["dev"], "rel", ["relay"]),
    ],
)
def test_shell_completes_names_and_commands(words: list[str], incomplete: str, completed: list[str]) -> None:
    """The shell completes algorithms, profiles, cases, adapters and commands."""
    shell = BashComplete(main, {}, "firstflight", "_FIRSTFLIGHT_COMPLETE")
    assert [item.value for item in shell.get_completions(words, incomplete)] == completed


def test_shell_completes_adapter_paths() -> None:
    """The shell itself completes the path of an adapter."""
    shell = BashComplete(main, {}, "firstflight", "_FIRSTFLIGHT_COMPLETE")
    assert [item.type for item in shell.get_completions(["run", "--adapter"], "./li")] == ["file"]
