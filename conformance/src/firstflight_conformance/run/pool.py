"""Judges built adapters at the same time: one process per adapter, several for a stateless one.

A process judges the parts of several references over the same cases together, case by case. The references share the
parsing of equal answers and, in closed loop, the model's own runs.
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

_POLL_S = 0.2  # poll interval of progress and builds


#: Parts of several adapters over the same cases, or one part.
Group = tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Job:
    """The work of a run: adapters, cases, options, and previous records by name of the adapter.

    Adapters and cases are referred to by index. A part is a set of cases of one adapter that one process judges.
    """

    manifests: Sequence[Manifest]
    scripts: Sequence[AnyScript]
    options: RunOptions
    records: dict[str, Record]

    def judge(self, group: Group, on_result: Callable[[int], None]) -> list[AdapterReport]:
        """Judge parts with the same cases, each a set of cases of one adapter; return one report per part.

        Call ``on_result`` with the index of the adapter after each case. A part that contains only some cases of its
        adapter ends at its first timeout: such parts are discarded after a fault, and the whole adapter is judged.
        """
        scripts = [self.scripts[place] for place in group[0].cases]
        adapters = [self._judging(part) for part in group]
        return judge_together(adapters, scripts, lambda place: on_result(group[place].adapter))

    def _judging(self, part: Part) -> AdapterJudge:
        manifest = self.manifests[part.adapter]
        options = self.options if part.whole else replace(self.options, timeouts=1)
        return AdapterJudge(manifest, options, self.records.get(manifest.name))

    def is_reference(self, part: Part) -> bool:
        """Return whether the part, some cases of one adapter, belongs to a reference implementation of this project."""
        return self.manifests[part.adapter].role == "reference"


@dataclass(frozen=True, slots=True)
class PoolReport:
    """A report on the adapter with the index ``adapter``.

    ``whole`` is false if the report contains only the results on vectors, because closed-loop cases are not finished.
    """

    adapter: int
    report: AdapterReport
    whole: bool = True


def judge_all(
    job: Job, jobs: int, on_results: Callable[[int, int], None], ready: Callable[[Manifest], bool]
) -> Iterator[PoolReport]:
    """Judge all adapters of the job in up to ``jobs`` processes; yield the report of each adapter when it is finished.

    The cases of a stateless adapter are split into parts, which several processes judge. A reference implementation
    that is split has up to two reports: first on its vectors only, later on all cases, including the closed loop.

    ``on_results`` gets the index of an adapter and its number of judged cases. When a process is free, the first
    adapter that is built (``ready`` returns true) starts.
    """
    context = _fork()
    processes = 1 if context is None else jobs
    every = [part for i, manifest in enumerate(job.manifests) for part in parts(i, manifest, job.scripts, processes)]
    if context is None or jobs == 1 or len(every) == 1:
        yield from _one_by_one(job, on_results, ready)
        return
    gc.freeze()  # forked processes share loaded objects; garbage collection would copy them
    try:
        pool = _Pool(job, context, min(jobs, len(every)), on_results, ready)
    except OSError as error:
        missing = "shared memory for several processes (/dev/shm); use `--jobs 1`"
        raise OSError(error.errno, f"{error.strerror}: {missing}") from error
    by_vectors = [part for part in every if job.is_reference(part) and not (part.looped or part.whole)]
    later_parts = [part for part in every if part not in by_vectors]
    try:
        for index, report in pool.judge(_grouped(job, by_vectors)):
            if report.skipped is not None or len(report.results) == len(job.scripts):
                later_parts = [part for part in later_parts if part.adapter != index]
            yield PoolReport(index, report, whole=all(part.adapter != index for part in later_parts))
        for index, report in pool.judge(_grouped(job, later_parts)):
            yield PoolReport(index, report)
    finally:
        pool.executor.shutdown(wait=False, cancel_futures=True)  # after a signal, do not wait for the slowest adapter


def _grouped(job: Job, every: Sequence[Part]) -> list[Group]:
    """Return the parts (cases of one adapter each) as groups; one process judges a group.

    Parts of several reference implementations form one group if they contain the same cases, but not all cases. Every
    other part is a group of its own: a part of another adapter, or a part with all cases of a reference.
    """
    groups: dict[object, list[Part]] = defaultdict(list)
    for number, part in enumerate(every):
        together = job.is_reference(part) and not part.whole
        groups[tuple(part.cases) if together else number].append(part)
    return [tuple(group) for group in groups.values()]


class _Pool:
    """The processes, and the reports of judged parts.

    A killed process breaks the whole pool. The adapters judged at that time become suspects: each is judged again, as a
    whole and alone. A suspect that loses its process again gets faults instead of results; the others lose nothing.
    """

    def __init__(
        self,
        job: Job,
        context: BaseContext,
        workers: int,
        on_results: Callable[[int, int], None],
        ready: Callable[[Manifest], bool],
    ) -> None:
        """Create the executor of ``workers`` processes, without work. ``ready``: whether an adapter is built."""
        self._job, self._workers, self._on_results, self._ready = job, workers, on_results, ready
        self._context = context
        self._counts: Any = context.Array("q", len(job.manifests))
        # Number of the next process. The process id makes concurrent runs begin on different processors.
        self._begun: Any = context.Value("i", os.getpid())
        self._suspects: list[int] = []
        self.executor = self._processes(workers)
        self._running: dict[Future[list[AdapterReport]], Group] = {}
        self._judged: dict[int, list[tuple[Part, AdapterReport]]] = defaultdict(list)

    def _processes(self, count: int) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(count, self._context, _begin, (self._job, self._counts, self._begun))

    def judge(self, waiting: list[Group]) -> Iterator[tuple[int, AdapterReport]]:
        """Judge the waiting groups; yield the index and the joined report of an adapter when its last part is finished.

        A group is a tuple of parts, each with cases of one adapter. Groups are removed from ``waiting`` when submitted.
        """
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
        """Yield the index and the joined report of an adapter unless a part of it is waiting or running.

        If a part has a fault or another declaration, yield nothing and queue the whole adapter. If the adapter was
        judged alone as a suspect, because a process was killed while it ran, it is no longer a suspect.
        """
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
        """Submit to free processes the groups whose adapters are built; they may overtake groups that are not built.

        A suspect is an adapter that was running when a process of the pool was killed. Each suspect waits as one group
        with all its cases. While suspects exist, submit only the group of the first suspect, once no group is running.
        """
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
        except BrokenProcessPool:  # an idle process was killed
            self._renew()
        else:
            waiting.remove(group)

    def _renew(self) -> None:
        """Replace the executor: with one process while suspects exist, otherwise with all workers.

        A suspect is an adapter that was running when a process of the pool was killed; it is judged alone.
        """
        self.executor.shutdown(wait=False, cancel_futures=True)
        self.executor = self._processes(1 if self._suspects else self._workers)

    def _lose(self, waiting: list[Group]) -> Iterator[tuple[int, AdapterReport]]:
        """Handle a killed process, which ends all running groups: queue each running adapter to be judged alone.

        These adapters become suspects. If a suspect was running alone, it caused the kill: yield its index and a report
        with a fault for every case instead. Then start new processes.
        """
        lost = dict.fromkeys(part.adapter for group in self._running.values() for part in group)
        self._running.clear()
        alone = self._suspects[:1]
        for adapter in lost:
            remaining = [tuple(part for part in group if part.adapter != adapter) for group in waiting]
            waiting[:] = [group for group in remaining if group]
            if adapter in alone:
                self._suspects.remove(adapter)
                self._counts[adapter] = len(self._job.scripts)
                yield adapter, killed(self._job.manifests[adapter], self._job.scripts)
            else:
                self._suspects.append(adapter)
                self._judge_as_one(adapter, waiting)
        self._renew()

    def _next(self, waiting: list[Group]) -> list[Group]:
        """Return the waiting groups that may start: those with reference implementations, or all if none is waiting.

        If references use all processes, return no others, so that other adapters are not built yet.
        """
        first = list(filter(self._is_of_references, waiting))
        all_busy = len(list(filter(self._is_of_references, self._running.values()))) == self._workers
        return first if first or all_busy else waiting

    def _is_of_references(self, group: Group) -> bool:
        return self._job.is_reference(group[0])

    def _judge_as_one(self, adapter: int, waiting: list[Group]) -> None:
        """Discard the reports computed for an adapter; put one group with all its cases first in ``waiting``."""
        waiting.insert(0, (whole(adapter, self._job.scripts),))
        self._judged[adapter], self._counts[adapter] = [], 0


def _one_by_one(
    job: Job, on_results: Callable[[int, int], None], ready: Callable[[Manifest], bool]
) -> Iterator[PoolReport]:
    """Judge adapters one after another in this process, and yield their reports.

    All stateless adapters are judged together, case by case, when the first of them is due.
    """
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
    """Return the fork context, or ``None`` without fork()."""
    return multiprocessing.get_context("fork") if "fork" in multiprocessing.get_all_start_methods() else None


# State of a forked process.
_JOB: Job
_COUNTS: Any


def _begin(job: Job, counts: Any, begun: Any) -> None:
    global _JOB, _COUNTS
    _JOB, _COUNTS = job, counts
    with begun.get_lock():
        begun.value += 1
        children.stay_on_one_processor(begun.value)
    children.die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the runner handles Ctrl-C and ends its children
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def _judge(group: Group) -> list[AdapterReport]:
    def on_result(adapter: int) -> None:
        with _COUNTS.get_lock():  # parts of one adapter share a count
            _COUNTS[adapter] += 1

    return _JOB.judge(group, on_result)
