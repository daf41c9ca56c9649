"""Judges adapters at the same time, each in a process of its own, as soon as it is built."""

import gc
import multiprocessing
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from multiprocessing.context import BaseContext
from typing import Any

from firstflight_conformance.paths import IS_CHECKOUT
from firstflight_conformance.run import children, rehearsal
from firstflight_conformance.run.judge import judge
from firstflight_conformance.run.manifest import Manifest
from firstflight_conformance.run.messages import OBSERVABLES
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

    def judge(self, index: int, on_result: Callable[[], None]) -> AdapterReport:
        """Judge one adapter."""
        manifest = self.manifests[index]
        progress = None if self.progress is None else self.progress.of(manifest)
        return judge(manifest, self.scripts, self.options, on_result, self.records.get(manifest.name), progress)


def judge_all(
    job: Job, jobs: int, on_results: Callable[[int, int], None], ready: Callable[[Manifest], bool]
) -> Iterator[tuple[int, AdapterReport]]:
    """Yield the report of each adapter with its index, in the order in which they are done.

    ``on_results`` is told by index how many cases are judged. An adapter is begun once it is ``ready`` and a process is free, the first
    of those that may begin.
    """
    context = _fork()
    if context is None or jobs == 1 or len(job.manifests) == 1:
        yield from _one_by_one(job, on_results, ready)
        return
    gc.freeze()  # what is loaded is shared by the processes; a collector that looks at it would copy it
    counts = context.RawArray("q", len(job.manifests))
    workers = min(jobs, len(job.manifests))
    pool = ProcessPoolExecutor(workers, context, _begin, (job, counts))
    running: dict[Future[AdapterReport], int] = {}
    waiting = list(range(len(job.manifests)))
    try:
        _rehearse_all(job, pool)
        while waiting or running:
            built = [index for index in _next(job, waiting, running, workers) if ready(job.manifests[index])]
            for index in built[: workers - len(running)]:  # no queue: what is ready later may come before
                running[pool.submit(_judge, index)] = index
                waiting.remove(index)
            if not running:
                time.sleep(_POLL_S)
            done = wait(running, _POLL_S, FIRST_COMPLETED).done
            for index, count in enumerate(counts):
                on_results(index, count)
            for future in done:
                yield running.pop(future), future.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)  # after a signal nobody waits for the slowest adapter


def _next(job: Job, waiting: list[int], running: dict[Future[AdapterReport], int], workers: int) -> list[int]:
    """Return which adapters may begin: first the references; as long as these need all processes, no other is asked for or built."""

    def references(indices: Iterable[int]) -> list[int]:
        return [index for index in indices if job.manifests[index].role == "reference"]

    first = references(waiting)
    return first if first or len(references(running.values())) == workers else waiting


def _rehearse_all(job: Job, pool: ProcessPoolExecutor) -> None:
    """Compute the model's own runs that are not kept, if several references need all of them: else each would for itself."""
    if IS_CHECKOUT and sum(manifest.role == "reference" for manifest in job.manifests) > 1:
        missing = [
            index
            for index, script in enumerate(job.scripts)
            if isinstance(script, StimulusScript) and not rehearsal.is_kept(script.case, 1, OBSERVABLES)
        ]
        for _ in pool.map(_rehearse, missing, chunksize=4):
            pass


def _one_by_one(
    job: Job, on_results: Callable[[int, int], None], ready: Callable[[Manifest], bool]
) -> Iterator[tuple[int, AdapterReport]]:
    for index, manifest in enumerate(job.manifests):
        while not ready(manifest):
            time.sleep(_POLL_S)
        count = 0

        def on_result(index: int = index) -> None:
            nonlocal count
            count += 1
            on_results(index, count)

        yield index, job.judge(index, on_result)


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


def _judge(index: int) -> AdapterReport:
    def on_result() -> None:
        _COUNTS[index] += 1

    return _JOB.judge(index, on_result)
