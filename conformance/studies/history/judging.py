"""Judges the adapters of one release by the vectors."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from firstflight_conformance.adapters.script import Script, Stream
from firstflight_conformance.explain.diagnosis import diagnosed
from firstflight_conformance.format.parse import parse_file
from firstflight_conformance.format.vectors import Case, cases, load_all
from firstflight_conformance.paths import VECTORS
from firstflight_conformance.records import record_file
from firstflight_conformance.records.results import AdapterReport, Result, Verdict
from firstflight_conformance.report.checkout import checkout
from firstflight_conformance.run.judge import judge
from firstflight_conformance.run.session import RunOptions
from firstflight_conformance.version import __version__
from studies.history.build import Built
from studies.history.registry import NotBuiltError, about
from studies.history.stacks import Stack
from studies.history.store import Divergence, Judged

#: The algorithms that stacks in registries implement.
ALGORITHMS = ("slow-start", "hystart", "hystartpp", "cubic")


class Suite:
    """The vectors, loaded once."""

    def __init__(self) -> None:
        """Load them."""
        streams: dict[str, Stream] = {}
        all_cases: list[Case] = [*cases(load_all(VECTORS, ALGORITHMS))]
        self.scripts = [Script(case, streams.setdefault(case.vector.id, Stream(case.vector))) for case in all_cases]
        self.cases = {case.id: case for case in all_cases}


def vectors_digest() -> str:
    """Return a digest of the vectors of ALGORITHMS."""
    files = parse_file(VECTORS / "manifest.json")["sha256"]
    mine = sorted((name, hashed) for name, hashed in files.items() if name.partition("/")[0] in ALGORITHMS)
    return sha256(repr(mine).encode()).hexdigest()[:16]


def judged(stack: Stack, built: Built, suite: Suite) -> Judged:
    """Judge a release. Raise :class:`NotBuiltError` if the adapter does not run, or reports another release."""
    by_profile: dict[str, dict[str, dict[str, int]]] = {}
    unjudged: dict[str, list[str]] = {}
    divergences: list[Divergence] = []
    with about(built.release):
        for manifest in built.manifests(stack):
            report = diagnosed(judge(manifest, suite.scripts, RunOptions()), suite.cases)
            if report.declaration is None:
                raise NotBuiltError(next((result.reason for result in report.results), "the adapter does not answer"))
            _check_version(report, built.release.version)
            by_profile[manifest.name] = counts(report.results)
            unjudged[manifest.name] = _unjudged(report.results)
            divergences += [
                _divergence(manifest.name, result) for result in report.results if result.divergence is not None
            ]
    return Judged(
        built.release.version,
        built.release.released,
        built.release.checksum,
        *today(),
        by_profile,
        unjudged,
        None,
        tuple(divergences),
    )


def today() -> tuple[str, str, str]:
    """Return the date, the version of the code, and the digest of the vectors."""
    here = checkout()
    code = __version__ if here is None else f"{__version__}+{here['commit'][:12]}"
    return datetime.now(UTC).date().isoformat(), code, vectors_digest()


def _check_version(report: AdapterReport, version: str) -> None:
    """Raise :class:`NotBuiltError` if the adapter reports another release."""
    assert report.declaration is not None
    if report.declaration.version.lstrip("v") != version.lstrip("v"):
        raise NotBuiltError(f"the adapter answers as {report.declaration.version}, not as {version}")


def counts(results: Sequence[Result]) -> dict[str, dict[str, int]]:
    """Return the number of cases of each verdict, by profile."""
    counters: dict[str, Counter[str]] = {}
    for result in results:
        if not result.undeclared:
            name, _, profile = result.case_id.partition("@")
            counters.setdefault(f"{name.partition('.')[0]}/{profile}", Counter())[result.verdict.value] += 1
    return {
        name: {verdict.value: counter[verdict.value] for verdict in Verdict}
        for name, counter in sorted(counters.items())
    }


def _unjudged(results: Sequence[Result]) -> list[str]:
    without = (Verdict.UNSUPPORTED, Verdict.ERRORED)
    return [result.case_id for result in results if result.verdict in without and not result.undeclared]


def _divergence(adapter: str, result: Result) -> Divergence:
    assert result.divergence is not None
    entry: dict[str, Any] = record_file.entry(result.divergence)
    return Divergence(adapter, result.case_id, entry, result.divergence.clauses, result.cause, result.conforms)
