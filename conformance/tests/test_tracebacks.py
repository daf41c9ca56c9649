"""Former tracebacks: each input gets a message with place and remedy, and an exit code other than a verdict."""

import json
import shlex
from contextlib import suppress
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from firstflight_conformance.cli import main
from firstflight_conformance.paths import SCENARIOS
from firstflight_conformance.sweeps.code import code
from firstflight_conformance.sweeps.store import Store, StoreError
from malformed import good
from runner_support import command

MODEL = ("--kind", "model", "--algorithm", "slow-start", "--rate", "10Mbit/s", "--rtt", "100ms", "--size", "1MB")


def called(*words: object) -> Result:
    """Call the command; check that it does not end with a traceback."""
    result = CliRunner().invoke(main, list(map(str, words)))
    assert result.exception is None or isinstance(result.exception, SystemExit), repr(result.exception)
    return result


def refused(result: Result, *texts: str) -> None:
    assert result.exit_code == 2, result.output
    assert all(text in result.output for text in texts), result.output


def test_unknown_profile_is_refused(tmp_path: Path) -> None:
    """The file is refused before an adapter starts."""
    vector = good()
    vector["profiles"]["rfc-9999"] = vector["profiles"].pop("rfc-9002")
    (tmp_path / "slow-start").mkdir()
    (tmp_path / "slow-start" / "every.json").write_text(json.dumps(vector), encoding="utf-8")
    words = ("--vectors", tmp_path, "--adapter", shlex.join(command("answers", "none")))
    refused(called("run", *words), "every.json", "profiles.rfc-9999", "no such profile; there are rfc-9002")


def test_concurrent_sweep_into_same_file_is_refused(tmp_path: Path) -> None:
    """The second sweep is refused while the first writes the file, and does not change it."""
    out = tmp_path / "rows.csv"
    with Store(out, ["x"], ["y"], "code").open() as file:
        file.write("begun")
        file.flush()
        refused(called("sweep", out, *MODEL), "rows.csv: another sweep is writing this file")
        assert out.read_text("utf-8") == "begun"


def test_zero_rate_is_refused(tmp_path: Path) -> None:
    refused(called("sweep", tmp_path / "x.csv", *MODEL, "--rate", "0bit/s"), "rate: expected more than 0, got 0bit/s")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\x1e" * 100_000, "has no record between its separators"),
        (b'\x1e{"qlog_version":"0.3","t":1e9999999999999999999}\n', "record 2: is not JSON: 1e9999999999999999999 is outside"),
        (b'\x1e{"qlog_version":"0.3","t":1e999999999}\n', "record 2: is not JSON: 1e999999999 is outside the range of numbers in logs"),
        (b'\x1e{"qlog_version":"0.3","t":1e-999999999}\n', "1e-999999999 is outside the range of numbers in logs"),
    ],
)  # fmt: skip
def test_malformed_qlogs_are_refused(tmp_path: Path, content: bytes, reason: str) -> None:
    log = tmp_path / "log.sqlog"
    log.write_bytes(content)
    refused(called("judge", log), "log.sqlog", reason)


def test_deeply_nested_grid_is_refused(tmp_path: Path) -> None:
    grid = tmp_path / "grid.toml"
    grid.write_text(f"rate = {'[' * 5000}", encoding="utf-8")
    refused(called("sweep", tmp_path / "x.csv", "--grid", grid), "grid.toml")


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
@pytest.mark.parametrize(
    "content", [b"\xff\xfe\n", b"{}\n", b"[1]\n", b"null\n", b'{"algorithm":5}\n', b"a,b\n1,2\n", b"\0\n", b'"\n', b"[" * 100_000 + b"\n"]
)  # fmt: skip
def test_foreign_files_are_not_changed(tmp_path: Path, suffix: str, content: bytes) -> None:
    """Such files are reported and not changed."""
    out = tmp_path / f"rows.{suffix}"
    out.write_bytes(content)
    refused(called("sweep", out, *MODEL), f"rows.{suffix}")
    assert out.read_bytes() == content


def test_row_with_wrong_types_is_refused(tmp_path: Path) -> None:
    """A row with the right names and wrong types is refused."""
    out = tmp_path / "rows.csv"
    assert called("sweep", out, *MODEL).exit_code == 0
    text = out.read_text("utf-8")
    for old, new in ((",10000000,", ",many,"), (",10000000,", ",,"), (code(), "")):
        out.write_text(text.replace(old, new), encoding="utf-8")
        refused(called("sweep", out, *MODEL), "rows.csv")


def test_sweep_without_an_answer_has_exit_code_of_empty_run(tmp_path: Path) -> None:
    """The exit code is the code for an empty run, and the rows contain the reason."""
    result = called("sweep", tmp_path / "x.csv", "--algorithm", "search/none", "--rate", "1Mbit/s", "--rtt", "1ms")
    assert result.exit_code == 4
    assert "no such profile" in result.output and "no cell has an answer" in result.output


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_full_disk_is_reported_with_the_file(tmp_path: Path) -> None:
    out = tmp_path / "rows.csv"
    with (
        suppress(OSError),  # the block fails again at its end
        Path("/dev/full").open("w", encoding="utf-8") as full,
        pytest.raises(StoreError, match=r"rows\.csv: No space left"),
    ):
        Store(out, ["x"], ["y"], "code").add(full, {"x": 1, "y": 2})
    out.symlink_to("/dev/full")
    refused(called("sweep", out, *MODEL), "rows.csv: not a regular file")


def test_sweep_with_rows_of_other_code_is_refused(tmp_path: Path) -> None:
    """Such rows are reported and not continued; with the original code the sweep continues."""
    out = tmp_path / "rows.csv"
    assert called("sweep", out, *MODEL).exit_code == 0
    right = out.read_text("utf-8")
    out.write_text(right.replace(code(), "0.1.0+0123456789ab"), encoding="utf-8")
    refused(called("sweep", out, *MODEL), "rows.csv: has rows of other code, 0.1.0+0123456789ab; this is", code())
    out.write_text(right, encoding="utf-8")
    assert ": 0 computed now" in called("sweep", out, *MODEL).output
    assert out.read_text("utf-8") == right


def test_scenario_with_duplicate_key_is_refused(tmp_path: Path) -> None:
    """A repeated key is refused as in vectors, since either value might be meant."""
    text = (SCENARIOS / "deep-queue.json").read_text("utf-8")
    scenario = tmp_path / "twice.json"
    scenario.write_text(text.replace('"seed":', '"seed": 7, "seed":', 1), encoding="utf-8")
    refused(called("simulate", scenario, "--algorithm", "slow-start"), "twice.json", "seed")


def test_two_reports_to_one_file_are_refused(tmp_path: Path) -> None:
    """The later report would replace the first without notice; a link to the same file is also refused."""
    (tmp_path / "link").symlink_to(tmp_path / "report")
    for name in ("report", "link"):
        words = ("--report-json", tmp_path / "report", "--junit", tmp_path / name)
        refused(called("run", "--adapter", "null-echo", *words), "two reports have the same file")
    assert not (tmp_path / "report").exists()
