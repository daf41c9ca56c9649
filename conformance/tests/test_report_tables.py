"""The tables of a report: no name or number is cut or broken, for any adapter name and window width."""

import io
import re
from dataclasses import replace

import pytest
from rich.console import Console

from firstflight_conformance.adapters.manifest import load_manifests
from firstflight_conformance.adapters.messages import Declaration
from firstflight_conformance.records.divergence import Divergence
from firstflight_conformance.records.results import AdapterReport, ClosedLoop, Result, Verdict
from firstflight_conformance.report.fit import Blocks, Rank
from firstflight_conformance.report.tables import print_counts, print_loops
from firstflight_conformance.simulate.loop_run import LoopRun, Moment
from runner_support import adapter

NAMES = (
    "mine1",
    "my_adapter.py",
    "s2n-quic-core-hystartpp",
    "an-adapter-of-forty-characters-in-a-word",
    "python3 controller/my_adapter.py --mode two-words-more-than-that",
    "an-adapter-whose-name-is-one-word-of-sixty-characters-altoge",
)
STATUSES = {"pass": 4321, "within_tolerance": 1203, "fail": 17, "choice": 5, "explained": 8, "changed": 2}
MORE = {"unsupported": 43210, "errored": 3}
WINDOWS = (80, 100, 120)


def window(width: int | None) -> Console:
    """Return the console of a terminal of that width, or of a file or pipe if it is None."""
    file = io.StringIO()
    plain = Console(file=file, width=120)
    return plain if width is None else Console(file=file, width=width, force_terminal=True, color_system=None)


def printed_lines(out: Console) -> list[str]:
    """Return the lines printed on a console."""
    assert isinstance(out.file, io.StringIO)
    return out.file.getvalue().splitlines()


def report(name: str, *counts: dict[str, int]) -> AdapterReport:
    """Return the report on an adapter with these counts."""
    made = AdapterReport(
        replace(adapter("x", name=name), role="third-party"),
        declaration=Declaration("mine", "1.74.0-beta.2", {}, ()),
    )
    for more in counts:
        made.counts.update(more)
    return made


def passed(counts: dict[str, int]) -> dict[str, int]:
    """Return the number of passes without tolerance, so that the columns add up."""
    return {"pass": counts["pass"] - counts["within_tolerance"]} if "pass" in counts else {}


@pytest.mark.parametrize("width", [*WINDOWS, None])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("counts", [(STATUSES,), (STATUSES, MORE), (MORE,)])
def test_names_and_numbers_are_unbroken(name: str, width: int | None, counts: tuple[dict[str, int], ...]) -> None:
    """Every word of the name and every number is unbroken, under or after its heading."""
    out = window(width)
    print_counts(out, [report(name, *counts)], "Adapters")
    lines = printed_lines(out)
    if width is not None:
        assert max(map(len, lines)) <= width
    assert " ".join(lines).count(name.split()[-1]) == 1
    words = re.findall(r"[^\s,]+", " ".join(lines))
    expected = {number for group in counts for number in (group | passed(group)).values()}
    assert {int(word) for word in words if word.isdigit()} - {0} == expected
    names = {name.replace("within_", "") for group in counts for name in group}
    assert names <= set(words)
    assert width is not None or len(lines) == 3
    assert not set("".join(lines)) & set("┃│━…")


def test_narrow_window_omits_version_then_role() -> None:
    """Numbers that no adapter has are always left out; a narrow window also omits the version, then the role."""
    headings = {}
    for width in (70, 60, 48):
        out = window(width)
        print_counts(out, [report(NAMES[2], {"pass": 1, "errored": 12})], "Adapters")
        headings[width] = printed_lines(out)[1].split()
    assert headings == {
        70: ["adapter", "version", "role", "pass", "errored"],
        60: ["adapter", "role", "pass", "errored"],
        48: ["adapter", "pass", "errored"],
    }


@pytest.mark.parametrize("width", [60, 80, 100, 120, None])
def test_adapter_names_of_the_checkout_are_unbroken(width: int | None) -> None:
    """Each adapter has its whole name on a line, and no line is wider than the window."""
    reports = [
        AdapterReport(replace(manifest, name=name), results=(Result("a.b.c@p", Verdict.PASS),))
        for name, manifest in load_manifests().items()
    ]
    out = window(width)
    print_counts(out, reports, "References")
    names = [line.split()[0] for line in printed_lines(out)[2:]]
    assert names == list(load_manifests())
    assert all(len(line) <= (width or 120) for line in printed_lines(out))


def loop(case: str, *, differs: bool) -> Result:
    """Return a case of the closed loop whose stack equals the model or differs from it."""
    model = LoopRun(9, "complete", 1, Moment(1, 10_704_000_000, 4, 298_427_300), None, 1, 106, 0)
    stack = replace(model, growth_reduced=None, lost_packets=1123, end="stalled") if differs else model
    divergence = Divergence(7, {"t_ns": 10_272_123_456}, (), (), {}) if differs else None
    verdict = Verdict.FAIL if differs else Verdict.PASS
    return Result(
        f"stimulus:{case}@search/draft-09",
        verdict,
        divergence=divergence,
        loop=ClosedLoop(divergence, False, stack, model),
    )


@pytest.mark.parametrize("width", [*WINDOWS, None])
@pytest.mark.parametrize("name", NAMES)
def test_closed_loop_numbers_are_unbroken(name: str, width: int | None) -> None:
    """Numbers are unbroken; the differing cases come first."""
    out = window(width)
    results = [loop("random-loss", differs=False), loop("search-hybla-expects-power", differs=True)]
    begins = print_loops(out, results, name)
    lines = printed_lines(out)
    if width is not None:
        assert max(map(len, lines)) <= width
    text = " ".join(lines)
    for word in (
        "search-hybla-expects-power",
        "random-loss",
        "10272.123",
        "10704.000",
        "298427300",
        "1123",
        "106",
        "stalled",
    ):
        assert word in re.findall(r"[^\s,:;]+", text), word
    first, second = (
        next(i for i, line in enumerate(lines) if line.startswith(case)) for case in ("search-hybla", "random")
    )
    assert first < second == begins[1]
    assert len(begins) == 2


def test_cases_are_shown_whole_or_left_out() -> None:
    """A case of several lines is shown whole or left out."""
    out = window(80)
    blocks = Blocks(out)
    with blocks.rows(Rank.LOOP) as begins:
        begins.extend(
            print_loops(out, [loop("a", differs=True), loop("b", differs=True), loop("c", differs=True)], "mine")
        )
    whole = blocks.fitted(None)
    rows = [whole.index(f"{case}: fail") for case in "abc"]
    for lines in range(6, len(whole)):
        fitted = blocks.fitted(lines)
        fitted_rows = fitted[: len(fitted) - 2]
        assert fitted_rows == whole[: len(fitted_rows)]
        assert len(fitted_rows) in (0, *rows[1:]), lines
