"""A copy of the model with replaceable functions: running a candidate does not execute modules again."""

import resource
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from firstflight_conformance.compare.subject import AnsweredCase
from firstflight_conformance.compare.switch import Switch, Switched
from firstflight_conformance.compare.touched import Change, Function, content
from firstflight_conformance.explain.operators.edits import Operation, Transform, applied
from firstflight_conformance.explain.operators.source import ModelText
from firstflight_conformance.format.computations import ComputationCase, answer, decode_inputs
from firstflight_conformance.replay.answers import CRASHES, check_types
from firstflight_conformance.replay.candidates import Candidate
from firstflight_conformance.replay.fresh import mutable_files, right_text
from firstflight_conformance.replay.mutants import changed_texts
from firstflight_conformance.replay.variant import Variant

#: Unique number of each variant: cases cache how far a variant agrees.
_NUMBERS = count()
#: Limits of a candidate: CPU time in seconds, and additional memory in bytes.
_SECONDS, _MEMORY_BYTES = 0.5, 2**29


class CandidateError(ArithmeticError):
    """A candidate, a changed model, exceeds its time limit or raises an error that ends the comparison.

    Such errors are ``NameError``, ``MemoryError`` and ``RuntimeError``: wrong models raise them, the right model does
    not.
    """


class Bench:
    """A copy of the model with the permitted choices of an implementation. Its functions can be replaced.

    A changed line of the copy can call the function named :data:`SUBSTITUTED` with two arguments: its computed value,
    and a tuple of quantities known there, such as the bytes in flight. ``substitute``: the value that this function
    returns instead, or ``None`` for the computed value. ``inputs``: the tuple of the last call that returned
    ``substitute``.
    """

    #: Name of a function that substituted lines of the model call.
    SUBSTITUTED = "_observed_or"

    def __init__(self, choices: Candidate | None) -> None:
        """Copy the model, with ``choices``: the permitted choices of an implementation at open points, if any."""
        parts = choices.parts if choices else ()
        self.model = ModelText({path: right_text(path) for path in mutable_files()} | changed_texts(*parts))
        self.switch = Switch({}, self.model.texts)
        self.values: dict[str, dict[str, Any]] = {}
        for part in parts:
            self.values.setdefault(part.algorithm, {}).update(part.readings)
        self.right = Operated(self, Change({}, {}))
        self.substitute: int | None = None
        self.inputs: tuple[int | None, ...] = ()
        self.switch.define(self.SUBSTITUTED, self._observed_or)

    def _observed_or(self, value: int, inputs: tuple[int | None, ...]) -> int:
        if self.substitute is None:
            return value
        self.inputs = inputs
        return self.substitute

    def variant(self, *operations: Operation) -> "Operated | None":
        """Return the model with operations (edits of functions, constants or events) applied.

        Return ``None`` if they give invalid code or change nothing.
        """
        codes: dict[Function, CodeType] = {}
        for function in dict.fromkeys(operation.function for operation in operations):
            swaps = [swap for operation in operations if operation.function is function for swap in operation.swaps]
            try:
                with applied(swaps):
                    code = function.compiled()
            except (SyntaxError, ValueError, TypeError, RecursionError):
                return None
            if swaps and content(code) != content(self.switch.code_of(function.key)):
                codes[function.key] = code
        constants = {
            operation.constant[0]: operation.constant[1] for operation in operations if operation.constant is not None
        }
        transform = next((operation.transform for operation in operations if operation.transform is not None), None)
        return Operated(self, Change(codes, constants), transform) if codes or constants or transform else None


class Operated(Switched):
    """The model of a bench (a copy of the model with replaceable functions) with edits applied.

    ``change``: the changed functions and constants. ``transform``: returns the events to process in place of an event,
    or ``None`` for unchanged events.
    """

    def __init__(self, bench: Bench, change: Change, transform: Transform | None = None) -> None:
        """Store the changed functions and constants, and the change of events."""
        super().__init__(bench.switch, change, bench.values, next(_NUMBERS))
        self._transform = transform
        self.codes = change.codes

    def advance(self, state: Any, event: Any) -> Any:
        """Process one event in place; return the observables.

        Raise one of ``CRASHES``, the errors that count as a crash of a wrong model, for every failure of the changed
        model.
        """
        try:
            for transformed in (event,) if self._transform is None else self._transform(event):
                observation = super().advance(state, transformed)
            check_types(observation)
            return observation
        except CRASHES:
            raise
        except (NameError, MemoryError, RuntimeError) as error:
            raise CandidateError(str(error)) from error

    def compute(self, profile: str, inputs: dict[str, Any]) -> dict[str, Any]:
        """Return the outputs of a computation in their JSON form."""
        self._switch.select(self._change)
        return answer(profile, decode_inputs(inputs), self._switch.computation)


@contextmanager
def limited() -> Iterator[None]:
    """Limit CPU time and memory of the body, which runs a candidate, an edited model.

    Raise :class:`CandidateError` beyond the CPU time. Allocations beyond the memory limit raise :class:`MemoryError`.
    Outside of the main thread there are no limits.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGVTALRM, _stop)
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = _size_bytes() + _MEMORY_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
    # Repeated: Python ignores exceptions of a handler while an object is freed.
    signal.setitimer(signal.ITIMER_VIRTUAL, _SECONDS, _SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _stop(_number: int, _frame: FrameType | None) -> None:
    raise CandidateError("a candidate needs too much time")


def _size_bytes() -> int:
    """Return the memory size of this process in bytes.

    Without ``/proc/self/statm`` return 2**50, a number so large that a limit above it is without effect.
    """
    path = Path("/proc/self/statm")
    return int(path.read_text("ascii").split()[0]) * resource.getpagesize() if path.exists() else 2**50


#: Lines by file.
Lines = dict[str, set[int]]


def executed(subject: AnsweredCase, variant: Variant) -> list[Lines]:
    """Return, for each event, the lines that ``variant``, a version of the model, executes.

    Event 0 includes the initialisation. The last event is the first one whose answer differs from ``subject.right``,
    the reference model. If the case passed, only event 0 is executed. A computation without events is executed as
    event 0.
    """
    lines_by_event: list[Lines] = [{}]
    with traced(lines_by_event):
        if isinstance(subject.case, ComputationCase):
            variant.compute(subject.case.profile, subject.case.inputs)
        else:
            for _ in subject.steps(variant, (subject.first or 0) + 1):
                lines_by_event.append({})
    return lines_by_event


@contextmanager
def traced(lines_by_event: list[Lines]) -> Iterator[None]:
    """Trace the context: add the executed lines of the model, by file, to the last entry of ``lines_by_event``."""
    files = {str(path) for path in mutable_files()}

    def on_call(frame: FrameType, _event: str, _argument: Any) -> Any:
        name = frame.f_code.co_filename
        if name not in files:
            return None
        lines = lines_by_event[-1].setdefault(name, set())

        def on_line(inner: FrameType, event: str, _argument: Any) -> Any:
            if event == "line":
                lines.add(inner.f_lineno)
            return on_line

        return on_line

    before = sys.gettrace()
    sys.settrace(on_call)
    try:
        yield
    finally:
        sys.settrace(before)
