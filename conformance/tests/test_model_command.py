"""``firstflight model`` and the quantities that it reads."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from firstflight_conformance.cli import main
from firstflight_conformance.quantities import RATES, SIZES, TIMES, parse

PATH = ("--rate-bps", "10Mbit/s", "--rtt-ns", "200ms")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["model", *arguments])


def test_json_is_one_object() -> None:
    result = run("slow-start", *PATH, "--size-bytes", "64KiB", "--json")
    assert result.exit_code == 0
    assert json.loads(result.output) == {
        "psi": 4, "gamma": ["145725200000", "181"], "gamma_ns": 805_111_602, "response_time_ns": 1_005_111_602,
    }  # fmt: skip


def test_units_and_bare_numbers_give_the_same_output() -> None:
    bare = run("slow-start", "--rate-bps", "10000000", "--rtt-ns", "200000000", "--size-bytes", "2000000", "--json")
    units = run("slow-start", "--rate-bps", "0.01Gbit/s", "--rtt-ns", "0.2s", "--size-bytes", "2MB", "--json")
    assert bare.output == units.output
    assert json.loads(bare.output)["gamma_ns"] == 2_637_858_563


@pytest.mark.parametrize(
    ("scheme", "options", "psi"),
    [
        ("jump-start", (), 2),
        ("quick-start", ("--approved-rate-bps", "5.12Mbit/s"), 1),
        ("more-start", ("--approved-rate-bps", "3Mbit/s"), 2),
        ("initial-start", ("--initial-window", "10"), 5),
        ("slow-start", ("--segments-per-ack", "2"), 10),
    ],
)
def test_every_scheme(scheme: str, options: tuple[str, ...], psi: int) -> None:
    result = run(scheme, *PATH, "--size-bytes", "2MB", *options, "--json")
    assert result.exit_code == 0
    assert json.loads(result.output)["psi"] == psi


def test_text_output_has_response_time_and_speedup() -> None:
    options = ("--size-bytes", "65161", "--approved-rate-bps", "5.12Mbit/s", "--against", "slow-start")
    result = run("quick-start", *PATH, *options)
    assert "speedup of quick-start over slow-start: 3.289356" in result.output
    assert "response time  1004.800828 ms" in result.output


def test_sweep_writes_a_table_and_a_plot(tmp_path: Path) -> None:
    plot = tmp_path / "sweep.svg"
    result = run(
        "jump-start", *PATH, "--sweep", "1kB..10MB", "--points", "6", "--against", "slow-start", "--plot", str(plot)
    )
    assert result.exit_code == 0
    lines = result.output.splitlines()
    assert lines[1].split() == ["1000", "0", "400.000000", "200.828729", "0.502071"]
    assert "10000000" in lines[6]
    assert plot.read_text(encoding="utf-8").startswith("<?xml")
    again = tmp_path / "again.svg"
    run("jump-start", *PATH, "--sweep", "1kB..10MB", "--points", "6", "--against", "slow-start", "--plot", str(again))
    assert plot.read_bytes() == again.read_bytes()


def test_a_sweep_in_json_has_a_line_for_each_size() -> None:
    result = run("slow-start", *PATH, "--sweep", "1..100", "--points", "3", "--json")
    assert [json.loads(line)["size_bytes"] for line in result.output.splitlines()] == [1, 10, 100]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("slow-start", "--size-bytes", "-5"), "size_bytes: -5"),
        (("slow-start", "--size-bytes", "99999999999999999999999"), "size_bytes"),
        (("slow-start", "--size-bytes", "1", "--mss", "0"), "mss_bytes: 0"),
        (("slow-start", "--size-bytes", "1", "--mss", "1501"), "exceeds mtu_bytes"),
        (("slow-start", "--size-bytes", "1", "--rate-bps", "0"), "rate_bps: 0"),
        (("slow-start", "--size-bytes", "1", "--initial-window", "0"), "initial_window_segments: 0"),
        (("slow-start", "--size-bytes", "1", "--segments-per-ack", "9"), "segments_per_ack: 9"),
        (("slow-start", "--size-bytes", "1.5B"), "expected a whole number"),
        (("slow-start", "--size-bytes", "nan"), "expected a number"),
        (("slow-start", "--size-bytes", "10Mbit/s"), "units"),
        (("slow-start",), "--size-bytes and --sweep"),
        (("slow-start", "--sweep", "5"), "expected FROM..TO"),
        (("slow-start", "--sweep", "5..1"), "increasing"),
        (("slow-start", "--size-bytes", "1", "--plot", "x.svg"), "--plot needs --sweep"),
        (("slow-start", "--sweep", "1..9", "--plot", "/dev/null/x.svg"), ""),
        (("quick-start", "--size-bytes", "1"), "needs --approved-rate-bps"),
        (("quick-start", "--size-bytes", "1", "--approved-rate-bps", "6000000"), "the next lower rate is 5120000"),
        (("quick-start", "--size-bytes", "1", "--approved-rate-bps", "1"), "the smallest rate is 80000"),
        (("slow-start", "--size-bytes", "1GB", "--rate-bps", "1", "--rtt-ns", "0"), "more than"),
        (("tahoe", "--size-bytes", "1"), "tahoe"),
    ],
)
def test_errors_end_with_exit_code_2(options: tuple[str, ...], message: str) -> None:
    result = run(options[0], *PATH, *options[1:])
    assert result.exit_code == 2
    assert message in result.output


def test_quantities_are_parsed() -> None:
    assert parse("1.5Mbit/s", RATES) == parse("1500 kbps", RATES) == 1_500_000
    assert parse("200ms", TIMES) == parse("0.2 s", TIMES) == 200_000_000
    assert parse("64KiB", SIZES) == 65_536
    assert parse("2MB", SIZES) == parse("2000000", SIZES)
    for wrong in ("", "MB", "1e3", "1 2", "0x10", "1..2", "\u0661MB", "1" * 5000 + "q"):
        with pytest.raises(ValueError, match="expected a"):
            parse(wrong, SIZES)
