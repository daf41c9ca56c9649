"""Passed cases of a run, in a file next to its report: an interrupted run resumes from it and writes the same report.

Passed cases are skipped; failed and errored ones are re-run, since the diagnosis needs their answers. Each line is independent and
keyed by the digest of all that it depends on, so that an incomplete line, or one of another run, is ignored.
"""

import json
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from firstflight_conformance.cases.files import read_regular
from firstflight_conformance.kept import code_digest, digest, was_changed
from firstflight_conformance.run.manifest import Manifest
from firstflight_conformance.run.named_files import NotComparableError, content_digest
from firstflight_conformance.run.results import ClosedLoop, Growth, LoopRun, Moment, Result, Verdict
from firstflight_conformance.run.selection import AnyCase
from firstflight_conformance.run.stimulus import Stimulus

_WRITE_S = 0.1  # to look whether the code is still known costs more than to judge a case

#: The largest progress file that is read: about ten times that of every adapter of the checkout.
_MOST_BYTES = 256 << 20


class Progress:
    """The file of a run. Adapters that are judged at the same time add to it without a lock: whole lines in one write at the end."""

    def __init__(self, path: Path, cases: Sequence[AnyCase], *, validate: bool) -> None:
        """Name the file and what is judged; nothing of the file is read or written yet. Raise :class:`OSError` if a vector is gone."""
        self._path = path
        self._run = digest([code_digest("."), str(validate), *_contents(cases)])
        self.passed: dict[tuple[str | None, str], dict[str, Any]] = {}

    def begin(self, *, resume: bool) -> None:
        """Take what is there if it is to go on, else begin anew. Raise :class:`OSError` if the file cannot be written."""
        text = (
            read_regular(self._path, _MOST_BYTES).decode("utf-8", "replace") if resume and self._path.exists() else ""
        )
        for line in text.splitlines():
            seal, _, members = line.partition(" ")
            if seal == digest([members]):  # neither cut off nor changed
                entry = json.loads(members)
                if isinstance(entry, dict) and {"adapter", "case"} <= entry.keys():
                    self.passed[entry["adapter"], entry["case"]] = entry
        if text and not text.endswith("\n"):
            self.add("\n")
        elif not text:
            self._path.write_bytes(b"")

    def of(self, manifest: Manifest) -> "AdapterProgress":
        """Return what an adapter has passed."""
        named, _ = content(manifest)
        return AdapterProgress(self, digest([self._run, named]) if named else None)

    def end(self) -> None:
        """Remove the file: the report is whole."""
        self._path.unlink(missing_ok=True)

    def add(self, text: str) -> None:
        """Add whole lines. Raise :class:`OSError`."""
        with self._path.open("ab", buffering=0) as file:
            file.write(text.encode())


def content(manifest: Manifest) -> tuple[str | None, str | None]:
    """Return the digest of what an adapter runs, or why there is none, and nothing of it is kept or found again."""
    try:
        return content_digest(manifest.command, manifest.files, manifest.cwd), None
    except NotComparableError as reason:
        return None, str(reason)


class AdapterProgress:
    """What one adapter has passed."""

    def __init__(self, progress: Progress, adapter: str | None) -> None:
        """Take the digest of the adapter; without one nothing is kept."""
        self._progress, self._adapter = progress, adapter
        self._settled: list[str] = []
        self._due_s = 0.0

    def get(self, case_id: str) -> Result | None:
        """Return the result of a case that it has passed."""
        entry = self._progress.passed.get((self._adapter, case_id))
        return None if entry is None else _result(entry)

    def settle(self, result: Result) -> None:
        """Take note of a result that nothing can change any more."""
        if result.verdict is Verdict.PASS and self._adapter is not None:
            self._settled.append(_line(self._adapter, result))
        if time.monotonic() >= self._due_s:
            self.write()

    def write(self) -> None:
        """Write what was settled, if the code that judges is still known. A disk that is full is no reason to stop: it is then judged again."""
        text, self._due_s = "".join(self._settled), time.monotonic() + _WRITE_S
        self._settled.clear()
        if text and not was_changed():
            with suppress(OSError):
                self._progress.add(text)


def _line(adapter: str, result: Result) -> str:
    members = {"adapter": adapter, "case": result.case_id, "within_tolerance": result.within_tolerance}
    members |= {"growth": result.growth and asdict(result.growth), "loop": result.loop and asdict(result.loop)}
    text = json.dumps(members | {"judged_events": result.judged_events})
    return f"{digest([text])} {text}\n"


def _contents(cases: Sequence[AnyCase]) -> Iterator[str | bytes]:
    vectors = {case.vector.id: case.vector for case in cases}
    for vector in vectors.values():
        yield repr(vector.scenario) if isinstance(vector, Stimulus) else read_regular(vector.path)


def _result(entry: dict[str, Any]) -> Result:
    growth, loop = entry["growth"] and Growth(**entry["growth"]), entry["loop"] and _loop(entry["loop"])
    more = {name: entry[name] for name in ("within_tolerance", "judged_events")}
    return Result(entry["case"], Verdict.PASS, growth=growth, loop=loop, **more)


def _loop(loop: dict[str, Any]) -> ClosedLoop:
    runs = _loop_run(loop["stack"]), _loop_run(loop["model"])
    return ClosedLoop(None, loop["within_tolerance"], *runs, loop["judged_events"])


def _loop_run(run: dict[str, Any]) -> LoopRun:
    moments = {name: run[name] and Moment(**run[name]) for name in ("growth_reduced", "slow_start_ended")}
    return LoopRun(**(run | moments))
