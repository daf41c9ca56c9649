"""Computes the cells of a sweep in local processes or on the workers of a Dask scheduler."""

import os
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from functools import cache
from itertools import islice
from multiprocessing import get_context
from typing import Any

from firstflight_conformance import __version__
from firstflight_conformance.simulate.scenario import Scenario
from firstflight_conformance.sweeps.answers import answer
from firstflight_conformance.sweeps.code import code
from firstflight_conformance.sweeps.grid import Cell
from firstflight_conformance.sweeps.store import Row

#: Number of cells sent to a process at once: a kill loses at most these for each process.
_CHUNK = {"simulate": 8, "fct": 8, "model": 64}
#: Timeout of the scheduler and of its first worker, in s.
_PATIENCE_S = 20


class PoolError(RuntimeError):
    """The scheduler or a process cannot be used; the text is the reason."""


def rows(
    kind: str,
    missing: Sequence[Cell],
    scenario: Scenario | None,
    jobs: int,
    scheduler: str | None,
    *,
    by: str,
) -> Iterator[Row]:
    """Yield the rows of the cells ``missing`` from a sweep, in the order of completion.

    The cells are computed in up to ``jobs`` local processes, or by the workers of ``scheduler`` (an address) if given.
    ``by``: identity of the code of the sweep, version and digest. Raise :class:`PoolError` if a process or worker has
    other code, or if the scheduler cannot be used.
    """
    size = _CHUNK[kind]
    chunks = iter([missing[start : start + size] for start in range(0, len(missing), size)])
    if scheduler is None and (jobs == 1 or len(missing) <= size):
        for chunk in chunks:
            yield from _chunk(kind, chunk, scenario, by)
        return
    with _processes(jobs) if scheduler is None else _workers(scheduler) as (executor, width):

        def begin(count: int) -> set[Future[list[Row]]]:
            return {executor.submit(_chunk, kind, chunk, scenario, by) for chunk in islice(chunks, count)}

        waiting = begin(2 * width)
        while waiting:
            ready, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            waiting |= begin(len(ready))
            for future in ready:
                yield from future.result()


def _chunk(kind: str, chunk: Sequence[Cell], scenario: Scenario | None, by: str) -> list[Row]:
    """Compute and return the rows of the cells ``chunk``.

    ``kind``: kind of the sweep: ``simulate``, ``fct`` or ``model``. ``by``: identity of the code that the sweep started
    with, version and digest. Raise :class:`PoolError` if the code of this process has another identity.
    """
    if _code_here() != by:
        raise PoolError(f"a process has the code {_code_here()}, the sweep {by}: start the sweep again")
    return [answer(kind, cell, scenario) for cell in chunk]


@cache
def _code_here() -> str:
    return code()


@contextmanager
def _processes(jobs: int) -> Iterator[tuple[Executor, int]]:
    with ProcessPoolExecutor(
        jobs, mp_context=get_context("spawn"), initializer=_end_with, initargs=(os.getpid(),)
    ) as pool:
        yield pool, jobs


def _end_with(parent: int) -> None:
    """Start a thread that ends this process of the pool once the process ``parent`` (a process id) has ended."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def _workers(scheduler: str) -> Iterator[tuple[Executor, int]]:
    """Connect to a Dask scheduler, given by its address; yield an executor and the number of threads of its workers.

    Raise :class:`PoolError` without a connection or workers, or if a worker has another version of Firstflight: a sweep
    must not mix rows of two versions.
    """
    try:
        from distributed import Client
    except ImportError as error:
        raise PoolError(
            "--scheduler needs the package distributed: pip install 'firstflight-conformance[sweep]'"
        ) from error
    try:
        client = Client(scheduler, timeout=_PATIENCE_S, set_as_default=False)
    except (OSError, ValueError) as error:
        raise PoolError(f"{scheduler}: cannot connect to a scheduler: {error}") from error
    with client:
        _check_workers(client, scheduler)
        with client.get_executor(pure=False) as executor:
            yield executor, sum(client.nthreads().values())


def _check_workers(client: Any, scheduler: str) -> None:
    try:
        client.wait_for_workers(1, timeout=_PATIENCE_S)
        versions = client.run(_version)
    except TimeoutError as error:
        raise PoolError(f"{scheduler}: no workers") from error
    except ImportError as error:
        raise PoolError(f"{scheduler}: Firstflight is not installed on a worker: {error}") from error
    for worker, version in versions.items():
        if version != __version__:
            raise PoolError(f"{scheduler}: {worker} has Firstflight {version}, expected {__version__}")


def _version() -> str:
    return __version__
