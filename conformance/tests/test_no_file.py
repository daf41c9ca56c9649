"""Searches for files by folder fail if they find none, so that moved files do not pass as checked."""

from collections.abc import Callable
from pathlib import Path

import pytest

from adequacy import coverage
from firstflight_conformance import port
from firstflight_conformance.paths import of_algorithms
from generate import catalogues
from plain.folders import plain_headers


@pytest.mark.parametrize("find", [port.sources, port.headers, plain_headers])
def test_missing_port_is_an_error(find: Callable[[Path], list[Path]], tmp_path: Path) -> None:
    """A checkout without sources and headers is an error for citations, counterparts and compilers."""
    with pytest.raises(FileNotFoundError, match="does not contain the C port"):
        find(tmp_path)


@pytest.mark.parametrize(
    "pattern", ["rules.md", "profiles.toml", "mutants*.toml", "open-points.toml", "survivors.toml"]
)
def test_missing_algorithm_data_is_an_error(pattern: str, tmp_path: Path) -> None:
    """A folder without clauses, readings, mutants, open points or survivors is an error."""
    (tmp_path / "search").mkdir()
    with pytest.raises(FileNotFoundError):
        of_algorithms(pattern, tmp_path)


def test_missing_gcov_counters_are_an_error(tmp_path: Path) -> None:
    """A folder without counters is an error."""
    with pytest.raises(FileNotFoundError, match="no coverage data"):
        coverage.c_gaps(tmp_path, [])


def test_empty_stimuli_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty set of stimuli is an error, since it would write no vectors."""
    monkeypatch.setattr("pkgutil.walk_packages", lambda *_: iter(()))
    catalogues._modules.cache_clear()
    with pytest.raises(FileNotFoundError, match="has no stimuli"):
        catalogues._modules()
    catalogues._modules.cache_clear()
