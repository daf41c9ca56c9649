"""Nearest profile of an implementation, and its deviations from that profile."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

from firstflight_conformance.cli import main
from firstflight_conformance.explain.which import Standing, standings
from firstflight_conformance.paths import VECTORS
from runner_support import BAD, write_vectors

HERE = Path(__file__).parent


def write_some(root: Path, algorithm: str, *topics: str) -> Path:
    """Write the vectors of an algorithm on some topics."""
    (root / algorithm).mkdir(parents=True)
    for path in (path for topic in topics for path in (VECTORS / algorithm).glob(f"{topic}.*.json")):
        (root / algorithm / path.name).write_bytes(path.read_bytes())
    return root


def write_shorter(root: Path, size_bytes: int) -> Path:
    """Write the vectors of HyStart++ with files below a size."""
    (root / "hystartpp").mkdir()
    for path in sorted((VECTORS / "hystartpp").glob("*.json")):
        if path.stat().st_size < size_bytes:
            (root / "hystartpp" / path.name).write_bytes(path.read_bytes())
    return root


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write all vectors except the seven longest."""
    return write_shorter(tmp_path_factory.mktemp("vectors"), 90_000)


def which(
    root: Path,
    tmp_path: Path,
    *mutants: str,
    claims: str = "rfc-9406",
    runs: str = "rfc-9406",
    algorithm: str = "hystartpp",
) -> tuple[str, Any]:
    """Run `which` on an adapter that claims one profile and runs another, with mutants in it."""
    path = tmp_path / "which.json"
    words = [sys.executable, HERE / "mutant_adapter.py", algorithm, claims, runs, *mutants]
    command = ["which", "--adapter", " ".join(map(str, words)), "--vectors", str(root), "--json", str(path)]
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 0, result.output
    return result.output, json.loads(path.read_text(encoding="utf-8"))[algorithm]


@pytest.mark.parametrize("profile", ["rfc-9406", "rfc-9406-unpaced", "ngtcp2"])
def test_running_profile_is_the_nearest(root: Path, tmp_path: Path, profile: str) -> None:
    """The profile that runs is the nearest, whatever is claimed; the others are listed with distinguishing vectors."""
    output, document = which(root, tmp_path, runs=profile)
    assert document["nearest"] == profile
    assert document["departs"] == []
    assert document["profiles"][0]["agree"] == document["profiles"][0]["of"]
    assert f"nearest: hystartpp/{profile}" in output
    assert "not hystartpp/" in output
    assert all("+" not in entry["profile"] for entry in document["profiles"])


def test_one_changed_reading_is_nearer_than_two(tmp_path: Path) -> None:
    """One changed reading of a profile is nearer than two of another profile that agrees with more vectors."""
    output, document = which(write_shorter(tmp_path, 200_000), tmp_path, "hystartpp-four-rounds")
    assert document["nearest"] == "rfc-9406"
    assert document["departs"][0] == {
        "cause": "hystartpp-four-rounds",
        "kind": "reading",
        "clauses": document["departs"][0]["clauses"],
        "explains": document["departs"][0]["of"],
        "of": document["departs"][0]["of"],
        "exact": True,
    }
    assert "differs from it by hystartpp-four-rounds, exactly" in output


def test_nearest_profile_is_not_chosen_by_agreeing_vectors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Draft -09 with another RTT is nearest to draft -09, even if it is last by the number of agreeing vectors."""
    root = write_some(tmp_path, "search", "rtt", "sent")
    in_order = standings

    def draft_09_last(*arguments: Any) -> list[Standing]:
        return sorted(in_order(*arguments), key=lambda standing: standing.profile == "draft-09")

    monkeypatch.setattr("firstflight_conformance.commands.which.standings", draft_09_last)
    _, document = which(root, tmp_path, "rtt-minimum", claims="draft-09", runs="draft-09", algorithm="search")
    assert document["nearest"] == "draft-09"
    assert ("search.rtt=minimum", True) in [(cause["cause"], cause["exact"]) for cause in document["departs"]]


def test_only_vectors_of_both_profiles_count() -> None:
    """Vectors that only one profile has do not make it nearer."""
    few, many = (Standing("a", name, tuple(map(subject, agree)), tuple(map(subject, differ))) for name, agree, differ in (
        ("few", "ab", "c"), ("many", "abcd", "efgh"),
    ))  # fmt: skip
    assert few.nearness > many.nearness
    assert (few.lead(many), many.lead(few)) == (-1, 1)


def subject(name: str) -> Any:
    """Return the part of a subject that contains its vector."""
    return SimpleNamespace(case=SimpleNamespace(vector=SimpleNamespace(id=name)))


def test_the_claimed_profile_breaks_ties(tmp_path: Path) -> None:
    """If all vectors agree with two profiles, the claimed one is the nearest."""
    root = write_some(tmp_path, "search", "fraction")
    for claims in ("neqo-2026", "draft-09"):
        _, document = which(root, tmp_path, claims=claims, runs="draft-09", algorithm="search")
        assert document["nearest"] == claims


def test_undeclared_algorithm_is_refused(tmp_path: Path) -> None:
    """An undeclared algorithm is refused with the list of declared ones."""
    root = write_vectors(tmp_path / "vectors")
    words = ["which", "--adapter", f"{sys.executable} {BAD / 'declares.py'} {{}}", "--vectors", str(root)]
    result = CliRunner().invoke(main, [*words, "--algorithm", "slow-star"])
    assert result.exit_code == 2
    assert "did you mean slow-start" in result.stderr
    assert CliRunner().invoke(main, words).exit_code == 0
