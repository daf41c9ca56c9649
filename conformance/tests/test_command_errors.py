"""Wrong arguments are refused at the start with a list of valid ones; an empty selection ends with exit code 4."""

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from firstflight_conformance.cli import main
from firstflight_conformance.commands import options
from firstflight_conformance.format import vectors
from firstflight_conformance.paths import NETWORKS, SCENARIOS

SCENARIO = SCENARIOS / "deep-queue.json"
NETWORK = next(iter(sorted(NETWORKS.glob("*.json"))))


def run(*words: object) -> Result:
    """Run the command; raise exceptions other than click's."""
    return CliRunner().invoke(main, [str(word) for word in words], catch_exceptions=False)


@pytest.mark.parametrize(
    ("words", "reasons"),
    [
        (("simulate", SCENARIO, "--plot", "{here}/plot.gif"), [".svg or .png"]),
        (("simulate", SCENARIO, "--plot", "{here}/missing/plot.png"), ["no such folder"]),
        (("network", NETWORK, "--plot", "{here}/plot.gif"), [".svg or .png"]),
        (("network", NETWORK, "--plot", "{here}/missing/plot.svg"), ["no such folder"]),
        (("run", "--report-json", "{here}/missing/report.json"), ["no such folder"]),
        (("run", "--junit", "{here}/missing/junit.xml"), ["no such folder"]),
        (("run", "--report-json", "{here}"), ["is a directory"]),
        (("simulate", SCENARIO, "--algorithm", "hystart++"), ["did you mean hystartpp? available:", "search"]),
        (("simulate", SCENARIO, "--algorithm", "hystartpp", "--profile", "x"), ["no such profile; there are rfc-9406"]),
        (("dev", "mutants", "--algorithm", "serch"), ["did you mean search", "slow-start"]),
        (("dev", "mutants", "--closed-loop", "--algorithm", "serch"), ["did you mean search", "slow-start"]),
        (("run", "--adapter", "c-prt"), ["did you mean c-port? available:", "aioquic"]),
        (("run", "--html", "{here}/missing/report.html"), ["no such folder"]),
        (("run", "--algorithm", "serch"), ["did you mean search? available:"]),
        (("run", "--algorithm", "HyStart++"), ["did you mean hystartpp? available:"]),
        (("run", "--profile", "rfc-902"), ["did you mean rfc-9002? available:"]),
        (("list", "--tier", "silver"), ["unknown; available: core, gold"]),
        (("list", "--flag", "losless"), ["did you mean lossless? available:"]),
        (("which", "--adapter", "c-prt"), ["did you mean c-port? available:", "aioquic"]),
        (("which", "--adapter", "python-model", "--algorithm", "serch"), ["did you mean search? available:"]),
        (("shrink", "--adapter", "c-prt"), ["did you mean c-port? available:", "aioquic"]),
        (("shrink", "--adapter", "python-model", "search.x.y"), ["search.x.y: unknown; "]),
        (("show", "search.threshold.equals"), ["did you mean search.threshold.equal"]),
        (
            ("fct", "--algorithm", "x", "--rate-mbps", 1, "--one-way-delay-ms", 1, "--size-bytes", 1),
            ["has cubic, jumpstart"],
        ),
        (("dev", "results", "--only", "x"), ["thesis", "scharf"]),
        (("model", "x"), ["slow-start", "more-start"]),
        (("sweep", "{here}/x.csv", "--kind", "x"), ["simulate", "model"]),
        (
            ("compare", "search/draft-09", "search/draft-9"),
            ["search/draft-9: no such profile", "search/draft-09+cubic"],
        ),
        (("network", NETWORK, "--transfer-bytes", "x=1 parsec"), ["1 parsec", "KiB"]),
        (("network", NETWORK, "--transfer-bytes", "x=0MB"), ["above 0"]),
    ],
)
def test_wrong_argument_is_refused_before_any_run(
    tmp_path: Path, words: tuple[object, ...], reasons: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wrong argument is refused before any run begins."""
    for name in ("simulate.simulate", "network.run_network", "run.judge_all"):
        monkeypatch.setattr(f"firstflight_conformance.commands.{name}", _not_reached)
    monkeypatch.setattr("adequacy.mutants.kill_matrix", _not_reached)
    if "--algorithm" in words and words[0] == "simulate":
        monkeypatch.undo()
    result = run(*(str(word).replace("{here}", str(tmp_path)) for word in words))
    assert result.exit_code == 2, result.output
    for reason in reasons:
        assert reason in result.output


def _not_reached(*_: object, **__: object) -> None:
    raise AssertionError("a run began")


@pytest.mark.parametrize(
    "words",
    [
        ("run", "--adapter", "null-echo", "--id", "nothing"),
        ("list", "--id", "nothing"),
        ("list", "--closed-loop", "--id", "nothing"),
        ("list", "--algorithm", "slow-start", "--profile", "draft-09"),
        ("compare", "search/lanman-2024-literal", "search/picoquic-fork+cubic"),
        ("run", "--adapter", "null-echo", "--closed-loop", "--id", "nothing"),
        ("run", "--adapter", "null-echo", "--vectors", "{here}"),
        ("list", "--vectors", "{here}"),
        ("which", "--adapter", "python-model", "--vectors", "{here}", "--algorithm", "search"),
        ("shrink", "--adapter", "python-model", "--vectors", "{here}"),
        ("dev", "mutants", "--vectors", "{here}", "--algorithm", "hystart"),
        ("dev", "mutants", "--closed-loop", "--algorithm", "transfer-time"),
        ("compare", "search/lanman-2024", "search/draft-09", "--vectors", "{here}"),
    ],
)
def test_empty_selection_exits_with_code_4(tmp_path: Path, words: tuple[str, ...]) -> None:
    """In every command with a selection, valid names that together match nothing end with exit code 4, not 2."""
    result = run(*(word.replace("{here}", str(tmp_path)) for word in words))
    assert result.exit_code == 4, result.output
    assert "nothing" in result.output


def test_size_accepts_a_unit() -> None:
    words = ("fct", "--algorithm", "cubic", "--rate-mbps", 10, "--one-way-delay-ms", 20, "--json", "--size-bytes")
    assert run(*words, "50kB").stdout == run(*words, 50_000).stdout
    assert json.loads(run(*words, "50kB").stdout)["size_bytes"] == 50_000


def test_simulate_defaults_to_the_first_profile() -> None:
    with_it = run("simulate", SCENARIO, "--algorithm", "hystartpp", "--profile", "rfc-9406")
    assert with_it.exit_code == 0
    assert run("simulate", SCENARIO, "--algorithm", "hystartpp").output == with_it.output


def test_json_comparison_lists_complete_vector_ids() -> None:
    """On another base the same exit gives other windows; the JSON lists the complete ids of the vectors."""
    profile, other = "search/lanman-2024", "search/lanman-2024+cubic"
    document = json.loads(run("compare", profile, other, "--json").output)
    assert document["profiles"] == [profile, other]
    assert document["readings"] == {"base": ["newreno", "cubic"]}
    assert document["vectors"] >= len(document["told_apart"]) > 0
    for entry in document["told_apart"]:
        assert entry["vector"].startswith("search.")
        assert entry["values"][0] != entry["values"][1]
    text = run("compare", profile, other).output
    assert text.startswith("base: newreno / cubic\n")


def test_plot_without_matplotlib_is_refused_at_the_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A plot without matplotlib is refused at the start, because `make conformance` does not install it."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for words in (("simulate", SCENARIO, "--plot"), ("network", NETWORK, "--plot")):
        result = run(*words, tmp_path / "plot.svg")
        assert result.exit_code == 2
        assert "run `make setup`" in result.output


@pytest.mark.parametrize("words", [(), ("--profile", "lanman-2024", "--id", "*bins*")])
def test_only_the_vectors_of_an_algorithm_are_read(words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the folder of the selected algorithm is read from the checkout, and the selection is the same."""
    read: set[str] = set()

    def noted(path: Path) -> vectors.Vector:
        read.add(path.parent.name)
        return load(path)

    load = vectors.load
    monkeypatch.setattr(vectors, "load", noted)
    narrow = run("list", "--algorithm", "search", *words)
    assert read == {"search"}
    monkeypatch.setattr(options, "VECTORS", None)
    assert run("list", "--algorithm", "search", *words).stdout == narrow.stdout
    assert len(read) > 10


def test_profile_of_another_algorithm_exits_with_code_4() -> None:
    """A profile of another algorithm selects nothing, with exit code 4."""
    result = run("list", "--algorithm", "search", "--profile", "rfc-9959")
    assert (result.exit_code, result.stdout) == (4, "")
