"""Judges adapters at the same time, each in a process of its own or a stateless one in several, as soon as it is built.

A process judges the parts of several references over the same cases together, case by case: they share the reading of equal answers, and in
closed loop the model's own runs.
"""

import gc
import multiprocessing
import os
import signal
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from multiprocessing.context import BaseContext
from typing import Any

from firstflight_conformance.adapters import children
from firstflight_conformance.adapters.manifest import Manifest
from firstflight_conformance.records.record_file import Record
from firstflight_conformance.records.results import AdapterReport
from firstflight_conformance.run.judge import AdapterJudge, judge_together, killed
from firstflight_conformance.run.parts import Part, joined, parts, whole
from firstflight_conformance.run.session import AnyScript, RunOptions

_POLL_S = 0.2  # how often progress is looked at, and what has been built


#: Parts of several adapters over the same cases, or one part.
Group = tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Job:
    """Adapters, cases, options, and the previous records by the name of the adapter."""

    manifests: Sequence[Manifest]
    scripts: Sequence[AnyScript]
    options: RunOptions
    records: dict[str, Record]

    def judge(self, group: Group, on_result: Callable[[int], None]) -> list[AdapterReport]:
        """Judge parts over the same cases. The first timeout ends a part that is not whole: its faults are discarded."""
        scripts = [self.scripts[place] for place in group[0].cases]
        adapters = [self._judging(part) for part in group]
        return judge_together(adapters, scripts, lambda place: on_result(group[place].adapter))

    def _judging(self, part: Part) -> AdapterJudge:
        manifest = self.manifests[part.adapter]
        options = self.options if part.whole else replace(self.options, timeouts=1)
        return AdapterJudge(manifest, options, self.records.get(manifest.name))

    def is_reference(self, part: Part) -> bool:
        """Return whether a part is of a reference."""
        return self.manifests[part.adapter].role == "reference"


@dataclass(frozen=True, slots=True)
class PoolReport:
    """The report of an adapter, given by its index: the ``whole`` one, or that by the vectors while the closed loop goes on."""

    adapter: int
    report: AdapterReport
    whole: bool = True


def judge_all(
    job: Job, jobs: int, on_results: Callable[[int, int], None], ready: Callable[[Manifest], bool]
) -> Iterator[PoolReport]:
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
    try:
        pool = _Pool(job, context, min(jobs, len(every)), on_results, ready)
    except OSError as error:
        what = "shared memory for several processes (/dev/shm); `--jobs 1` needs none"
        raise OSError(error.errno, f"{error.strerror}: {what}") from error
    by_vectors = [part for part in every if job.is_reference(part) and not (part.looped or part.whole)]
    left = [part for part in every if part not in by_vectors]
    try:
        for index, report in pool.judge(_grouped(job, by_vectors)):
            if report.skipped is not None or len(report.results) == len(job.scripts):
                left = [part for part in left if part.adapter != index]
            yield PoolReport(index, report, whole=all(part.adapter != index for part in left))
        for index, report in pool.judge(_grouped(job, left)):
            yield PoolReport(index, report)
    finally:
        pool.executor.shutdown(wait=False, cancel_futures=True)  # after a signal nobody waits for the slowest adapter


def _grouped(job: Job, every: Sequence[Part]) -> list[Group]:
    """Return the parts as groups: references over the same cases are one group."""
    groups: dict[object, list[Part]] = defaultdict(list)
    for number, part in enumerate(every):
        together = job.is_reference(part) and not part.whole
        groups[tuple(part.cases) if together else number].append(part)
    return [tuple(group) for group in groups.values()]


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
        # The number of the next process. Several runs at the same time begin on different processors.
        self._begun: Any = context.Value("i", os.getpid())
        self._suspects: list[int] = []
        self.executor = self._processes(workers)
        self._running: dict[Future[list[AdapterReport]], Group] = {}
        self._judged: dict[int, list[tuple[Part, AdapterReport]]] = defaultdict(list)

    def _processes(self, count: int) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(count, self._context, _begin, (self._job, self._counts, self._begun))

    def judge(self, waiting: list[Group]) -> Iterator[tuple[int, AdapterReport]]:
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
                for part, report in zip(self._running.pop(future), future.result(), strict=True):
                    self._judged[part.adapter].append((part, report))
                    yield from self._joined(part.adapter, waiting)
            if lost:
                yield from self._lose(waiting)

    def _joined(self, adapter: int, waiting: list[Group]) -> Iterator[tuple[int, AdapterReport]]:
        """Yield the report of an adapter if none of its parts waits or runs."""
        if any(part.adapter == adapter for group in (*waiting, *self._running.values()) for part in group):
            return
        report = joined(self._judged[adapter])
        if adapter in self._suspects[:1]:
            self._suspects.pop(0)
            self._renew()
        if report is None:
            self._judge_as_one(adapter, waiting)
        else:
            yield adapter, report

    def _submit(self, waiting: list[Group]) -> None:
        """Begin what may begin. There is no queue: what is ready later may come before. A suspect is alone."""
        if self._suspects:
            if not self._running:
                self._begin(next(group for group in waiting if group[0].adapter == self._suspects[0]), waiting)
            return
        built = [group for group in self._next(waiting) if all(self._ready(self._manifest(part)) for part in group)]
        for group in built[: self._workers - len(self._running)]:
            self._begin(group, waiting)

    def _manifest(self, part: Part) -> Manifest:
        return self._job.manifests[part.adapter]

    def _begin(self, group: Group, waiting: list[Group]) -> None:
        try:
            self._running[self.executor.submit(_judge, group)] = group
        except BrokenProcessPool:  # one was killed that judged nothing
            self._renew()
        else:
            waiting.remove(group)

    def _renew(self) -> None:
        """Begin new processes: one for a suspect, else all."""
        self.executor.shutdown(wait=False, cancel_futures=True)
        self.executor = self._processes(1 if self._suspects else self._workers)

    def _lose(self, waiting: list[Group]) -> Iterator[tuple[int, AdapterReport]]:
        """Have what was running judged anew, one adapter after the other; yield the report on the one that was alone."""
        lost = dict.fromkeys(part.adapter for group in self._running.values() for part in group)
        self._running.clear()
        alone = self._suspects[:1]
        for adapter in lost:
            left = [tuple(part for part in group if part.adapter != adapter) for group in waiting]
            waiting[:] = [group for group in left if group]
            if adapter in alone:
                self._suspects.remove(adapter)
                self._counts[adapter] = len(self._job.scripts)
                yield adapter, killed(self._job.manifests[adapter], self._job.scripts)
            else:
                self._suspects.append(adapter)
                self._judge_as_one(adapter, waiting)
        self._renew()

    def _next(self, waiting: list[Group]) -> list[Group]:
        """Return what may begin: first the references; as long as these need all processes, no other is asked for or built."""
        first = list(filter(self._is_of_references, waiting))
        all_taken = len(list(filter(self._is_of_references, self._running.values()))) == self._workers
        return first if first or all_taken else waiting

    def _is_of_references(self, group: Group) -> bool:
        return self._job.is_reference(group[0])

    def _judge_as_one(self, adapter: int, waiting: list[Group]) -> None:
        """Judge an adapter whose parts count for nothing as a whole, next."""
        waiting.insert(0, (whole(adapter, self._job.scripts),))
        self._judged[adapter], self._counts[adapter] = [], 0


def _one_by_one(
    job: Job, on_results: Callable[[int, int], None], ready: Callable[[Manifest], bool]
) -> Iterator[PoolReport]:
    """Judge one adapter after another, but the stateless ones together, as the first of them."""
    together = [index for index, manifest in enumerate(job.manifests) if manifest.stateless]
    groups = [[index] for index, manifest in enumerate(job.manifests) if not manifest.stateless]
    if together:
        groups.insert(together[0], together)
    for group in groups:
        while not all(ready(job.manifests[index]) for index in group):
            time.sleep(_POLL_S)
        counts = dict.fromkeys(group, 0)

        def on_result(index: int, counts: dict[int, int] = counts) -> None:
            counts[index] += 1
            on_results(index, counts[index])

        processors = children.stay_on_one_processor(os.getpid())
        try:
            reports = job.judge(tuple(whole(index, job.scripts) for index in group), on_result)
        finally:
            children.return_to(processors)
        for index, report in zip(group, reports, strict=True):
            yield PoolReport(index, report)


def _fork() -> BaseContext | None:
    """Return how processes are made that share what is loaded, ``None`` where there is no such thing."""
    return multiprocessing.get_context("fork") if "fork" in multiprocessing.get_all_start_methods() else None


# In the processes: what they were forked with.
_JOB: Job
_COUNTS: Any


def _begin(job: Job, counts: Any, begun: Any) -> None:
    global _JOB, _COUNTS
    _JOB, _COUNTS = job, counts
    with begun.get_lock():
        begun.value += 1
        children.stay_on_one_processor(begun.value)
    children.die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the runner, which ends what is below it
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def _judge(group: Group) -> list[AdapterReport]:
    def on_result(adapter: int) -> None:
        with _COUNTS.get_lock():  # parts of one adapter count together
            _COUNTS[adapter] += 1

    return _JOB.judge(group, on_result)
