"""Judges adapters at the same time, each in a process of its own or a stateless one in several, as soon as it is built."""

import gc
import multiprocessing
import signal
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass, replace
from multiprocessing.context import BaseContext
from typing import Any

from firstflight_conformance.paths import IS_CHECKOUT
from firstflight_conformance.run import children, rehearsal
from firstflight_conformance.run.judge import judge, killed
from firstflight_conformance.run.manifest import Manifest
from firstflight_conformance.run.messages import OBSERVABLES
from firstflight_conformance.run.parts import Part, joined, parts, whole
from firstflight_conformance.run.progress import Progress
from firstflight_conformance.run.record import Record
from firstflight_conformance.run.results import AdapterReport
from firstflight_conformance.run.session import AnyScript, Options
from firstflight_conformance.run.stimulus import StimulusScript

_POLL_S = 0.2  # how often progress is looked at, and what has been built


@dataclass(frozen=True, slots=True)
class Job:
    """What is to be judged, over which cases, how, what it is held to, and where what has passed is kept."""

    manifests: Sequence[Manifest]
    scripts: Sequence[AnyScript]
    options: Options
    records: dict[str, Record]
    progress: Progress | None = None

    def judge(self, part: Part, on_result: Callable[[], None]) -> AdapterReport:
        """Judge a part. The first timeout ends one that is not the whole: its faults count for nothing."""
        manifest = self.manifests[part.adapter]
        scripts = [self.scripts[place] for place in part.cases]
        options = self.options if part.whole else replace(self.options, timeouts=1)
        progress = None if self.progress is None else self.progress.of(manifest)
        return judge(manifest, scripts, options, on_result, self.records.get(manifest.name), progress)

    def is_reference(self, part: Part) -> bool:
        """Return whether a part is of a reference."""
        return self.manifests[part.adapter].role == "reference"


@dataclass(frozen=True, slots=True)
class Judged:
    """The report of an adapter, given by its index: the ``whole`` one, or that by the vectors while the closed loop goes on."""

    adapter: int
    report: AdapterReport
    whole: bool = True


def judge_all(
    job: Job, jobs: int, on_results: Callable[[int, int], None], ready: Callable[[Manifest], bool]
) -> Iterator[Judged]:
    """Yield the report of each adapter, in the order in which they are done; that of a reference in parts by the vectors first.

    ``on_results`` is told by index how many cases are judged. An adapter is begun once it is ``ready`` and a process is free, the first
    of those that may begin.
    """
    context = _fork()
    processes = 1 if context is None else jobs
    every = [part for i, manifest in enumerate(job.manifests) for part in parts(i, manifest, job.scripts, processes)]
    if context is None or jobs == 1 or len(every) == 1:
        yield from _one_by_one(job, on_results, ready)
        return
    gc.freeze()  # what is loaded is shared by the processes; a collector that looks at it would copy it
    pool = _Pool(job, context, min(jobs, len(every)), on_results, ready)
    by_vectors = [part for part in every if job.is_reference(part) and not (part.looped or part.whole)]
    left = {part.adapter: [p for p in every if p.adapter == part.adapter and p not in by_vectors] for part in every}
    try:
        for index, report in pool.judge(list(by_vectors)):
            if report.skipped is not None or len(report.results) == len(job.scripts):
                left[index] = []
            yield Judged(index, report, whole=not left[index])
        with suppress(BrokenProcessPool):  # what was not rehearsed is computed when it is needed
            _rehearse_all(job, pool.executor)
        for index, report in pool.judge([part for after in left.values() for part in after]):
            yield Judged(index, report)
    finally:
        pool.executor.shutdown(wait=False, cancel_futures=True)  # after a signal nobody waits for the slowest adapter


class _Pool:
    """The processes, and what came of the parts that they have judged.

    A process that is killed takes the others with it. What they were judging is suspected: each of these adapters is judged anew, as a whole,
    with nothing beside it. The one that loses its process again has faults in place of results; the others lose nothing.
    """

    def __init__(
        self,
        job: Job,
        context: BaseContext,
        workers: int,
        on_results: Callable[[int, int], None],
        ready: Callable[[Manifest], bool],
    ) -> None:
        """Begin with nothing."""
        self._job, self._workers, self._on_results, self._ready = job, workers, on_results, ready
        self._context = context
        self._counts: Any = context.Array("q", len(job.manifests))
        self._suspects: list[int] = []
        self.executor = self._processes(workers)
        self._running: dict[Future[AdapterReport], Part] = {}
        self._judged: dict[int, list[tuple[Part, AdapterReport]]] = defaultdict(list)

    def _processes(self, count: int) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(count, self._context, _begin, (self._job, self._counts))

    def judge(self, waiting: list[Part]) -> Iterator[tuple[int, AdapterReport]]:
        """Judge what waits. Yield the report of each adapter over its parts so far when the last of them is done."""
        while waiting or self._running:
            self._submit(waiting)
            if not self._running:
                time.sleep(_POLL_S)
            done = wait(self._running, _POLL_S, FIRST_COMPLETED).done
            for index, count in enumerate(self._counts[:]):
                self._on_results(index, count)
            lost = {future for future in done if isinstance(future.exception(), BrokenProcessPool)}
            for future in done - lost:
                part = self._running.pop(future)
                self._judged[part.adapter].append((part, future.result()))
                if any(other.adapter == part.adapter for other in (*waiting, *self._running.values())):
                    continue
                report = joined(self._judged[part.adapter])
                if part.adapter in self._suspects[:1]:
                    self._suspects.pop(0)
                    self._renew()
                if report is None:
                    self._judge_as_one(part.adapter, waiting)
                else:
                    yield part.adapter, report
            if lost:
                yield from self._lose(waiting)

    def _submit(self, waiting: list[Part]) -> None:
        """Begin what may begin. There is no queue: what is ready later may come before. A suspect is alone."""
        if self._suspects:
            if not self._running:
                self._begin(next(part for part in waiting if part.adapter == self._suspects[0]), waiting)
            return
        built = [part for part in self._next(waiting) if self._ready(self._job.manifests[part.adapter])]
        for part in built[: self._workers - len(self._running)]:
            self._begin(part, waiting)

    def _begin(self, part: Part, waiting: list[Part]) -> None:
        try:
            self._running[self.executor.submit(_judge, part)] = part
        except BrokenProcessPool:  # one was killed that judged nothing
            self._renew()
        else:
            waiting.remove(part)

    def _renew(self) -> None:
        """Begin new processes: one for a suspect, else all."""
        self.executor.shutdown(wait=False, cancel_futures=True)
        self.executor = self._processes(1 if self._suspects else self._workers)

    def _lose(self, waiting: list[Part]) -> Iterator[tuple[int, AdapterReport]]:
        """Have what was running judged anew, one adapter after the other; yield the report on the one that was alone."""
        lost = dict.fromkeys(part.adapter for part in self._running.values())
        self._running.clear()
        alone = self._suspects[:1]
        for adapter in lost:
            waiting[:] = [part for part in waiting if part.adapter != adapter]
            if adapter in alone:
                self._suspects.remove(adapter)
                self._counts[adapter] = len(self._job.scripts)
                yield adapter, killed(self._job.manifests[adapter], self._job.scripts)
            else:
                self._suspects.append(adapter)
                self._judge_as_one(adapter, waiting)
        self._renew()

    def _next(self, waiting: list[Part]) -> list[Part]:
        """Return what may begin: first the references; as long as these need all processes, no other is asked for or built."""
        first = list(filter(self._job.is_reference, waiting))
        all_taken = len(list(filter(self._job.is_reference, self._running.values()))) == self._workers
        return first if first or all_taken else waiting

    def _judge_as_one(self, adapter: int, waiting: list[Part]) -> None:
        """Judge an adapter whose parts count for nothing as a whole, next."""
        waiting.insert(0, whole(adapter, self._job.scripts))
        self._judged[adapter], self._counts[adapter] = [], 0


def _rehearse_all(job: Job, executor: ProcessPoolExecutor) -> None:
    """Compute the model's own runs that are not kept, if several references need all of them: else each would for itself."""
    if IS_CHECKOUT and sum(manifest.role == "reference" for manifest in job.manifests) > 1:
        missing = [
            index
            for index, script in enumerate(job.scripts)
            if isinstance(script, StimulusScript) and not rehearsal.is_kept(script.case, 1, OBSERVABLES)
        ]
        for _ in executor.map(_rehearse, missing, chunksize=4):
            pass


def _one_by_one(
    job: Job, on_results: Callable[[int, int], None], ready: Callable[[Manifest], bool]
) -> Iterator[Judged]:
    for index, manifest in enumerate(job.manifests):
        while not ready(manifest):
            time.sleep(_POLL_S)
        count = 0

        def on_result(index: int = index) -> None:
            nonlocal count
            count += 1
            on_results(index, count)

        yield Judged(index, job.judge(whole(index, job.scripts), on_result))


def _fork() -> BaseContext | None:
    """Return how processes are made that share what is loaded, ``None`` where there is no such thing."""
    return multiprocessing.get_context("fork") if "fork" in multiprocessing.get_all_start_methods() else None


# In the processes: what they were forked with.
_JOB: Job
_COUNTS: Any


def _begin(job: Job, counts: Any) -> None:
    global _JOB, _COUNTS
    _JOB, _COUNTS = job, counts
    children.die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the runner, which ends what is below it
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def _rehearse(index: int) -> None:
    script = _JOB.scripts[index]
    assert isinstance(script, StimulusScript)
    rehearsal.rehearsed(script.case, 1, OBSERVABLES)


def _judge(part: Part) -> AdapterReport:
    def on_result() -> None:
        with _COUNTS.get_lock():  # parts of one adapter count together
            _COUNTS[part.adapter] += 1

    return _JOB.judge(part, on_result)
