"""Published results: runs give the numbers of ``conformance/studies/published/results``; rules give the verdicts."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner

from firstflight.events import Ack, Lost, Run, Sent
from firstflight_conformance.cli import main
from firstflight_conformance.simulate.dumbbell import run_network
from pages import published_page
from plots.published import COLOURS
from studies.published import (
    claims,
    load_runs,
    registry,
    resume,
    search_factors,
    search_gateway,
    search_geo,
    search_max_data,
    search_numbers,
    store,
    thesis_index,
)
from studies.published.claims import NUMBER, SECONDS, Verdict
from studies.published.load_runs import workload
from studies.published.networks import (
    exit_reduction,
    milestones,
    network,
    quartiles,
    repeats_of,
    rtt_at_first_loss,
)
from studies.published.resume_runs import ALGORITHMS, SIZES
from studies.published.store import Run as Computation
from studies.published.texts import TEXTS

RUNS = registry.all_runs()


@pytest.mark.parametrize("run", [run for run in RUNS if run.quick], ids=lambda run: f"{run.scenario}-{run.name}")
def test_quick_run_gives_committed_numbers(run: Computation) -> None:
    """A quick run gives the committed numbers; `firstflight dev results --check` checks the other runs."""
    assert store.differences(run.scenario, run.name, run.function(*run.arguments)) == []


@pytest.mark.parametrize("scenario", registry.SCENARIOS)
def test_the_data_is_complete_and_canonical(scenario: str) -> None:
    data = store.load(scenario)
    assert set(data) == {run.name for run in RUNS if run.scenario == scenario}
    assert store.path_of(scenario).read_text("utf-8") == store.text(scenario, data)
    for value in json.loads(json.dumps(data)).values():
        assert not any(isinstance(leaf, float) for leaf in _leaves(value))


def _leaves(value: object) -> list[object]:
    if isinstance(value, dict):
        return [leaf for child in value.values() for leaf in _leaves(child)]
    if isinstance(value, list):
        return [leaf for child in value for leaf in _leaves(child)]
    return [value]


def test_a_changed_number_is_found() -> None:
    data = store.load("search-numbers")["ideal"]
    wrong = data | {"difference_ppm": [*data["difference_ppm"][:-1], 1]}
    assert store.differences("search-numbers", "ideal", wrong) == ["search-numbers: ideal: difference_ppm differs"]
    assert store.differences("search-numbers", "other", wrong) == ["search-numbers: other: not in the data"]


def test_check_command_reports_differences(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = ["dev", "results", "--check", "--only", "search-numbers", "--jobs", "1"]
    good = CliRunner().invoke(main, arguments)
    assert (good.exit_code, good.output) == (0, "1 runs give the numbers of conformance/studies/published/results\n")
    changed = (store.RESULTS / "search-numbers.json").read_text("utf-8").replace("500000", "500001", 1)
    (tmp_path / "search-numbers.json").write_text(changed, "utf-8")
    monkeypatch.setattr(store, "RESULTS", tmp_path)
    store.load.cache_clear()
    bad = CliRunner().invoke(main, arguments)
    assert (bad.exit_code, bad.output) == (1, "search-numbers: ideal: difference_ppm differs\n")
    (tmp_path / "search-numbers.json").unlink()
    store.load.cache_clear()
    assert "firstflight dev results` writes it" in CliRunner().invoke(main, arguments).output
    store.load.cache_clear()


def test_results_in_other_processes_are_the_same() -> None:
    runs = [run for run in RUNS if run.quick and run.scenario == "sharing"]
    assert {run.name: data for run, data in store.carry_out(runs, 2)} == {
        run.name: run.function(*run.arguments) for run in runs
    }


@pytest.mark.parametrize(
    ("ours", "verdict"),
    [(9, Verdict.REPRODUCED), (Fraction(99, 10), Verdict.REPRODUCED), (Fraction(81, 10), Verdict.REPRODUCED), (10, Verdict.SHAPE),
     (Fraction(63, 10), Verdict.SHAPE), (12, Verdict.DIFFERENT), (3, Verdict.DIFFERENT), (None, Verdict.DIFFERENT)],
)  # fmt: skip
def test_about(ours: int | Fraction | None, verdict: Verdict) -> None:
    assert claims.about("", "", 9, ours, unit=NUMBER).verdict is verdict


@pytest.mark.parametrize(
    ("ours", "verdict"), [(1000, Verdict.REPRODUCED), (1001, Verdict.DIFFERENT), (-1000, Verdict.REPRODUCED)]
)
def test_exactly(ours: int, verdict: Verdict) -> None:
    assert claims.exactly("", "", 0, ours, 1000, unit=SECONDS).verdict is verdict


@pytest.mark.parametrize(
    ("ours", "verdict"),
    [
        ([3, 4], Verdict.REPRODUCED),
        ([3, 4, 5], Verdict.SHAPE),
        ([3, 5], Verdict.DIFFERENT),
        ([2, 5], Verdict.DIFFERENT),
    ],
)
def test_within_needs_more_than_half_of_the_numbers(ours: list[int], verdict: Verdict) -> None:
    """A shape needs more than half of the numbers."""
    assert claims.within("", "", (3, 4), ours, unit=NUMBER).verdict is verdict


@pytest.mark.parametrize(
    ("holding", "verdict"),
    [
        ((True, True), Verdict.REPRODUCED),
        ((True, True, False), Verdict.SHAPE),
        ((True, False), Verdict.DIFFERENT),
        ((False, False), Verdict.DIFFERENT),
    ],
)
def test_statement(holding: tuple[bool, ...], verdict: Verdict) -> None:
    claim = claims.statement("", "", "", "", [(f"condition {n}", holds) for n, holds in enumerate(holding)])
    assert claim.verdict is verdict
    assert claim.rule == "; ".join(f"condition {n} ({'yes' if holds else 'no'})" for n, holds in enumerate(holding))


def test_one_sentence_makes_one_row() -> None:
    statements = [
        (claim.source, claim.what, claim.published) for name in registry.SCENARIOS for claim in registry.claims_of(name)
    ]
    assert len(set(statements)) == len(statements)
    sentences = [(source, published) for source, _, published in statements if not source.startswith("Grigore")]
    assert len(set(sentences)) == len(sentences)


def test_careful_resume_uses_revision_of_the_paper() -> None:
    assert ALGORITHMS["careful-resume"] == "careful-resume/draft-10+cubic"


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [(Fraction(1, 2), 0, "1"), (Fraction(-1, 8), 2, "-0.13"), (Fraction(-1, 1000), 2, "0.00"), (12, 1, "12.0")],
)
def test_decimal_rounds_halves_away_from_zero(value: Fraction, decimals: int, text: str) -> None:
    """Halves round away from zero, and a result of zero is written without a sign."""
    assert claims.decimal(value, decimals) == text


def test_quartiles() -> None:
    assert quartiles([5, 1, 4, 2, 3]) == (2, 3, 4)
    assert quartiles(list(range(9))) == (2, 4, 6)


@pytest.mark.parametrize(("window_bytes", "part"), [(75, Fraction(1, 4)), (100, Fraction(0))])
def test_exit_reduction(window_bytes: int, part: Fraction) -> None:
    assert exit_reduction({"exit_before_bytes": 100, "exit_cwnd_bytes": window_bytes}) == part
    assert exit_reduction({"exit_before_bytes": None, "exit_cwnd_bytes": None}) is None


def test_the_rtt_at_the_first_loss() -> None:
    """The result is the last RTT sample before the loss, not the sample of the same frame; else the last one."""
    net = replace(network("two-flows").without("background"), stop_ns=15 * 10**9)
    flow = run_network(net, record=("response",)).flow("response")
    a, b, c = (Run(n, n, 1000, 0) for n in range(3))
    flow.events = [
        Ack(600, (a,), 1000, 0, 9, False, 100, 100, 100, 0),
        Lost(700, (b,), 1000, 0, 9),
        Ack(700, (c,), 1000, 0, 9, False, 150, 100, 100, 0),
    ]
    assert rtt_at_first_loss(flow) == 100
    del flow.events[1]
    assert rtt_at_first_loss(flow) == 150


def test_jain() -> None:
    assert thesis_index.jain([Fraction(3), Fraction(3)]) == 1
    assert thesis_index.jain([Fraction(1), Fraction(0)]) == Fraction(1, 2)
    assert thesis_index.jain([Fraction(3), Fraction(1)]) == Fraction(16, 20)


def test_thesis_arithmetic_is_shown_but_not_counted() -> None:
    """Two of nine indices follow from the printed times; each row with a verdict depends on our data."""
    assert [thesis_index.agrees(printed) for printed in thesis_index.NINE] == [False] * 6 + [True, True, False]
    rows = thesis_index.table()[2]
    assert [row[3] for row in rows] == [
        "0.529060", "0.517729", "0.516441", "0.864092", "0.999978", "0.909449", "0.999999", "0.999990", "1.000000",
    ]  # fmt: skip
    page = published_page.page()
    assert all(text in page for row in rows for text in row[2:4])
    indices = [claim for claim in registry.claims_of("thesis") if claim.what.startswith("Jain")]
    assert len(indices) == 9
    data = store.load("thesis")
    changed = data | {"pair-cubic-cubic": {"fct_ns": [1, 2], "lost": [0, 0]}}
    assert registry.SCENARIOS["thesis"].claims(changed) != registry.claims_of("thesis")


def test_sizes_follow_the_distribution() -> None:
    """Scharf 2009, section 4.2: U = 1 gives the minimum, mean / 11; U = 2^-11 gives 2^10 times as much, up to 10 MB."""
    ones = 2**64 - 1
    assert load_runs.pareto_bytes(11_000, ones) == 1000
    assert load_runs.pareto_bytes(11_000, 2**53 - 1) == 1000 * 2**10
    assert load_runs.pareto_bytes(125_000, 0) == 10**7
    assert load_runs.pareto_bytes(125_000, ones) == 11_363
    assert [load_runs.root(value, 3) for value in (1, 7, 8, 26, 27, 10**30)] == [1, 1, 2, 2, 3, 10**10]


def test_times_between_responses_are_exponential() -> None:
    """Times follow -ln U: 0 with U = 1, ln 2 with U = 1/2."""
    assert load_runs.exponential_ns(2**64 - 1) == 0
    assert load_runs.exponential_ns(2**63 - 1) == 693_147_181


@pytest.mark.parametrize("load", load_runs.LOADS)
def test_workload_offers_requested_load(load: int) -> None:
    """Up to the last start the offered bytes are the load times the capacity; sizes are the same at every load."""
    work = load_runs.workload(125, load)
    carried = work.starts_ns[-1] * load_runs.TEN // (8 * 10**9)
    offered = sum(map(load_runs.wire_bytes, work.sizes_bytes))
    assert abs(100 * offered - load * carried) <= load * 2
    assert work.sizes_bytes == load_runs.workload(125, 30).sizes_bytes
    assert list(work.starts_ns) == sorted(work.starts_ns)


def test_thresholds_are_reached_at_stored_times() -> None:
    """The thresholds are reached exactly at the stored millionth of an RTT."""
    ideal = store.load("search-numbers")["ideal"]
    for threshold, crossed in zip(ideal["threshold_ppm"], ideal["crossed_micro_rtt"], strict=True):
        assert search_numbers.difference(Fraction(crossed - 1, 10**6)) < threshold
        assert search_numbers.difference(Fraction(crossed, 10**6)) >= threshold


def test_milestones() -> None:
    """Packet 1 is lost, its repetition 3 too, 5 repeats it again: later data is readable only then."""
    arrivals = [(10, 0, None, 1000), (20, 2, None, 1000), (40, 4, None, 1000), (50, 5, 1, 1000)]
    assert milestones(arrivals, {3, 5}, 1000) == ([10, 20, 40, 50], [10, 50, 50, 50])


def test_milestones_with_unlisted_repetition() -> None:
    """Packet 1 is lost, its repetition 3 too, 5 repeats it again; the events never list 3 as repeated."""
    arrivals = [(10, 0, None, 1000), (20, 2, None, 1000), (40, 4, None, 1000), (50, 5, 1, 1000), (60, 6, 4, 1000)]
    assert search_factors.when(arrivals, 1000) == ([10, 20, 40, 50], [10, 50, 50, 50])


def test_unchanged_factors_match_gateway_medians() -> None:
    """Without a change the medians equal the medians of the gateway scenario, which are computed in another way."""
    factors, gateway = (
        store.load("search-factors")["none: the path of the scenario above"],
        store.load("search-gateway"),
    )
    sizes = search_gateway.SIZES
    for arm in ("without", "search"):
        for way in search_gateway.WAYS:
            assert factors[f"{arm}_{way}"] == [search_gateway.times(gateway, arm, way, size)[1] for size in sizes]


def test_crossings_of_the_middle() -> None:
    assert search_max_data.crossings([0, 4, 0, 2, 3, 1]) == 4
    assert search_max_data.crossings([5, 5, 5]) == 0


def test_first_packets_carry_repeated_data() -> None:
    """In an event that repeats data, the first packets carry the repeated data."""
    flow = run_network(replace(network("two-flows").without("background"), stop_ns=1), record=()).flows[0]
    runs = tuple(Run(first, last, 1000, 5) for first, last in ((7, 8), (9, 12)))
    flow.events = [Sent(5, runs, 6000, 6000, False, ((1, 1), (3, 4)))]
    assert repeats_of(flow) == {7, 8, 9}


def test_every_arm_has_every_milestone() -> None:
    data = store.load("search-gateway")
    for run in (data[f"{arm}-{seed}"] for arm in search_gateway.ARMS for seed in search_gateway.SEEDS):
        assert len(run["arrived_ns"]) == len(run["readable_ns"]) == 200_000_000 // search_gateway.STEP_BYTES
        assert run["arrived_ns"] == sorted(run["arrived_ns"])
        assert all(first <= later for first, later in zip(run["arrived_ns"], run["readable_ns"], strict=True))
        assert run["arrived_ns"][-1] == run["readable_ns"][-1] == run["completed_ns"]


def test_every_claim_is_on_the_page_with_its_verdict() -> None:
    text = published_page.page()
    claims = [claim for scenario in registry.SCENARIOS for claim in registry.claims_of(scenario)]
    for verdict in Verdict:
        assert text.count(f"**{verdict.value}**. ") + text.count(f"**{verdict.value}**.\n") >= sum(
            c.verdict is verdict for c in claims
        )
    for claim in claims:
        assert claim.source
        assert (claim.verdict is Verdict.IMPOSSIBLE) == (not claim.rule)
        assert claim.remark or claim.verdict is not Verdict.IMPOSSIBLE


def test_every_scenario_has_text_and_plots() -> None:
    assert set(TEXTS) == set(registry.SCENARIOS)
    for text in TEXTS.values():
        assert text.plots
    assert COLOURS["slow-start"] == COLOURS["cubic"]


def test_thesis_cells_are_within_a_microsecond() -> None:
    """Each of the 28 cells is within a microsecond, the tolerance of the project."""
    cells = [claim for claim in registry.claims_of("thesis") if claim.rule == "within 1.0 us"]
    assert len(cells) == 28
    assert {claim.verdict for claim in cells} == {Verdict.REPRODUCED}


def test_caption_statements_match_data() -> None:
    """Statements in captions about the runs are true of the data."""
    geo = store.load("search-geo")
    for name in search_geo.SHOWN:
        assert min(geo[name]["rates_bps"][14:30]) > 149_000_000  # the link stays full
    exits = [run["exit_ns"] for run in geo.values() if "exit_ns" in run]
    assert all(
        exit_ns is None or exit_ns < search_geo.EARLY_NS or abs(exit_ns - 9 * 10**9) < 27 * 10**8 for exit_ns in exits
    )
    gateway = store.load("search-gateway")
    assert all(abs(search_gateway.gain_ns(gateway, "search", "arrived_ns", s)) < 10**8 for s in search_gateway.SIZES)
    assert 0 < gateway["search-1"]["first_loss_ns"] - gateway["search-1"]["exit_ns"] < 10**9
    ideal = store.load("search-numbers")
    assert search_numbers.crossing(ideal, 260_000) < search_numbers.crossing(ideal, 350_000)
    sizes = store.load("careful-resume")
    assert sizes["geo-slow-start"]["completed_ns"] == sizes["geo-hystart"]["completed_ns"]
    assert max(resume.gains_rtt(sizes, "geo", "hystart", SIZES)) > 4000
    lost = sizes["leo-careful-resume"]["lost_packets"]
    assert not any(lost[: len(lost) // 2])
    assert lost[-1] > 0
    assert store.load("sharing")["alone-initial-83-50"]["lost_packets"] >= 83 - 50 - 1


def test_load_caption_contains_mean_of_sent_responses() -> None:
    """The cut at 10 MB lowers the mean of 125 kB; the caption contains the mean of the sent responses."""
    (caption,) = (text for name, text in TEXTS["load"].plots if name == "load")
    sizes = workload(125, 30).sizes_bytes
    assert f"the mean of this run is {round(sum(sizes) / len(sizes) / 1000)} kB" in caption
