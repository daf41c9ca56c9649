"""A progress bar for simulations that take long, on the terminal only."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from firstflight_conformance.simulator.clock import Clock


@contextmanager
def shown(clock: Clock, end_ns: int | None = None) -> Iterator[None]:
    """Show how far the run has come, once it has taken a while; up to ``end_ns`` where that is known."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("simulated {task.fields[at]}"), BarColumn(), TimeElapsedColumn())
    origin_ns = clock.now_ns
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        total = None if end_ns is None else end_ns - origin_ns
        task = progress.add_task("", total=total, at="")
        clock.report = lambda now_ns: progress.update(
            task, completed=now_ns - origin_ns, at=f"{(now_ns - origin_ns) // 1_000_000} ms, {clock.events} events"
        )
        yield
    clock.report = None
