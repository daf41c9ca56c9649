"""What is said in a first hour: each message names what is wrong, where, and what to do."""

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
    """Run the command; an exception that is none of click's is raised."""
    return CliRunner().invoke(main, [str(word) for word in words], catch_exceptions=False)


@pytest.mark.parametrize(
    ("name", "mode", "said"),
    [
        ("./nothere", None, "--adapter ./nothere: there is no such file"),
        ("./ad.py", 0o644, "is not executable: chmod +x ad.py, or name the command 'python3 ad.py'"),
        ("ad.sh", 0o644, "is not executable: chmod +x ad.sh, or name the command 'sh ad.sh'"),
        ("./ad", 0o644, "is not executable: chmod +x ad\n"),
        (".", None, "is a directory; name the program in it"),
    ],
)
def test_a_path_that_is_no_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, mode: int | None, said: str
) -> None:
    """What is meant as a file is not looked for among the adapters of the checkout."""
    monkeypatch.chdir(tmp_path)
    if mode is not None:
        Path(name).write_text("#!/bin/sh\n", encoding="utf-8")
        Path(name).chmod(mode)
    result = run("run", "--adapter", name)
    assert result.exit_code == 2
    assert said in result.output
    assert "aioquic" not in result.output


@pytest.mark.parametrize(
    ("claims", "said"),
    [
        ({"slow-start": ["rfc9002"]}, "declares slow-start/rfc9002, which does not exist; did you mean rfc-9002?"),
        ({"slowstart": ["rfc-9002"]}, "declares slowstart, which does not exist; did you mean slow-start?"),
        ({"slow-start": ["x"]}, "declares slow-start/x, which does not exist; there are ack-counting, rfc-9002"),
    ],
)
def test_a_hello_that_declares_what_is_not(tmp_path: Path, claims: Any, said: str) -> None:
    """A name that is spelt otherwise is said beside what is not declared, and ends with exit code 4."""
    root = write_vectors(tmp_path / "vectors")
    adapter = command("declares", json.dumps({"algorithms": claims}))
    result = run("run", "--vectors", root, "--adapter", shlex.join(adapter))
    assert result.exit_code == 4
    assert said in result.output


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (
            ("run", "--algorithm", "slow-start", "--profile", "rfc-9406", "--adapter", "python-model"),
            4,
            "nothing was run: --profile rfc-9406: no case among those of --algorithm slow-start; there are ack-counting, rfc-9002\n",
        ),
        (
            ("run", "--algorithm", "slow-start", "--profile", "rfc-9402", "--adapter", "python-model"),
            2,
            "--profile rfc-9402: unknown; did you mean rfc-9002? there are ack-counting, rfc-9002\n",
        ),
        (
            ("run", "--algorithm", "slow-start", "--tier", "gold", "--id", "x", "--adapter", "python-model"),
            4,
            "--id x: no case among those of --tier gold; there are slow-start.",
        ),
        (("show", "slow-start.frst.small"), 2, "unknown; did you mean slow-start.first.small@rfc-9002? `firstflight list` has"),
        (("show", SEARCH.replace("deep", "dep")), 2, f"did you mean {SEARCH}? `firstflight list --closed-loop` has"),
        (("show", SEARCH, "--qlog"), 2, "only a case with its own events has a qlog"),
    ],
)  # fmt: skip
def test_what_is_meant(tmp_path: Path, words: tuple[str, ...], code: int, said: str) -> None:
    """A name that is wrong gets the one that may be meant, of those that are left."""
    of_others = [vector("slow-start.other.small", events()), vector("hystartpp.other.small", events())]
    for other, algorithm, profile in zip(
        of_others, ("slow-start", "hystartpp"), ("ack-counting", "rfc-9406"), strict=True
    ):
        other |= {"algorithm": algorithm, "profiles": {profile: other["profiles"].pop("rfc-9002")}}
    result = run(*words, "--vectors", write_vectors(tmp_path / "vectors", *of_others))
    assert (result.exit_code, said in result.output) == (code, True), result.output


def test_a_misspelt_command() -> None:
    """The nearest is named."""
    result = run("rnu")
    assert result.exit_code == 2
    assert "No such command 'rnu'; did you mean run?" in result.output


def test_a_log_on_standard_output(tmp_path: Path) -> None:
    """The line is shown without its end, with where a log belongs; lines that differ are one block."""
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
    said = " ".join(result.output.split())
    assert re.search(
        r"starting up, debug level \d; standard output is for answers, write a log to standard error", said
    )
    assert "\\n" not in result.output
    assert result.output.count("starting up") == 1
    assert "and 5 more" in result.output


def test_a_float_is_no_integer(tmp_path: Path) -> None:
    """The number is shown as it came; other numbers are in the same block."""
    root = write_vectors(tmp_path / "vectors", vector("slow-start.target.larger", events()))
    result = run("run", "--vectors", root, "--adapter", shlex.join(command("answers", "float")))
    assert "event 1: cwnd_bytes: 14400.0 is not an integer" in result.output
    assert result.output.count("is not an integer") == 1


def test_who_is_slow_learns_of_the_option(tmp_path: Path) -> None:
    """The limit is for the case, and has an option."""
    root = write_vectors(tmp_path / "vectors")
    adapter = shlex.join(command("behaves", "hang"))
    result = run("run", "--vectors", root, "--adapter", adapter, "--deadline-s", 1)
    said = " ".join(result.output.split())
    assert "event 1: no answer within 1 s, the time for the answers of a case (--deadline-s)" in said


def test_a_case_of_the_closed_loop_is_shown() -> None:
    """Its id, as a report prints it, leads to the events of the model's run; without a profile to all."""
    result = run("show", SEARCH)
    assert result.exit_code == 0
    assert result.output.startswith(SEARCH)
    assert re.search(r"^ +0 +1000 +sent +0-9", result.output, re.MULTILINE)
    assert re.search(r"^the run ends: (complete|stopped)$", result.output, re.MULTILINE)


def test_shrink_counts_what_it_looked_at(tmp_path: Path) -> None:
    """Cases of profiles that are not declared are counted apart."""
    other = vector("slow-start.other.small", events())
    other["profiles"]["ack-counting"] = other["profiles"].pop("rfc-9002")
    root = write_vectors(tmp_path / "vectors", other)
    result = run("shrink", "--vectors", root, "--adapter", shlex.join(command("declares", "{}")))
    assert result.exit_code == 4
    assert "no difference in 3 cases; 1 are of profiles that are not declared" in result.output


def test_none_is_a_word_of_python(tmp_path: Path) -> None:
    """Neither the report nor JUnit shows it; JUnit has how long each case took."""
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
def test_the_shell_completes(words: list[str], incomplete: str, completed: list[str]) -> None:
    """Algorithms, profiles, cases, adapters and commands."""
    shell = BashComplete(main, {}, "firstflight", "_FIRSTFLIGHT_COMPLETE")
    assert [item.value for item in shell.get_completions(words, incomplete)] == completed


def test_the_shell_completes_the_path_of_an_adapter() -> None:
    """The shell itself lists the files."""
    shell = BashComplete(main, {}, "firstflight", "_FIRSTFLIGHT_COMPLETE")
    assert [item.type for item in shell.get_completions(["run", "--adapter"], "./li")] == ["file"]
