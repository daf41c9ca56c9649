"""Traces the clauses applied by the Python model: executed lines that cite clauses."""

import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from firstflight import Config, Controller, Observation
from firstflight.events import Event
from firstflight_conformance.format.clauses import Citation, cited_in, python_citations
from firstflight_conformance.format.computations import answer
from firstflight_conformance.format.vectors import Case
from firstflight_conformance.format.wire import decode_int, encode_int
from firstflight_conformance.replay.implementation import Model, ModelRun, drive

#: A trace function for one code object.
Watch = Callable[[FrameType, str, Any], Any]


@cache
def _cited_lines() -> dict[str, dict[int, list[str]]]:
    return _by_line(python_citations())


def _by_line(citations: Iterable[Citation]) -> dict[str, dict[int, list[str]]]:
    lines: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    for citation in citations:
        lines[str(citation.path)][citation.line].append(citation.clause)
    return {path: dict(by_line) for path, by_line in lines.items()}


class ClauseTracer:
    """A context manager that collects the ids of clauses applied within it, in ``clauses``."""

    def __init__(self, changed: Mapping[Path, str] | None = None) -> None:
        """Start without clauses. ``changed``: texts of modules that differ from their files."""
        self.clauses: set[str] = set()
        texts = (changed or {}).items()
        self._lines = _cited_lines() | _by_line(citation for path, text in texts for citation in cited_in(path, text))
        # By identity: hashing code takes longer than the call. Keeping the code objects keeps their identities unique.
        self._known: dict[int, tuple[CodeType, frozenset[str], Watch]] = {}

    def __enter__(self) -> "ClauseTracer":
        """Start tracing; an existing tracer (coverage, a debugger) is restored at the end."""
        self._before = sys.gettrace()
        sys.settrace(self._on_call)
        return self

    def __exit__(self, *_: object) -> None:
        """Stop tracing."""
        sys.settrace(self._before)

    def _on_call(self, frame: FrameType, _event: str, _arg: Any) -> Watch | None:
        code = frame.f_code
        if id(code) not in self._known:
            self._known[id(code)] = code, *self._watch(code)
        _, cited, watch = self._known[id(code)]
        # Code without new clauses is not traced.
        return None if cited <= self.clauses else watch

    def _watch(self, code: CodeType) -> tuple[frozenset[str], Watch]:
        """Return the ids of the clauses cited by the lines of ``code``, and a trace function as for ``sys.settrace``.

        Python calls the trace function for each line that a call of ``code`` executes. The trace function adds the
        clauses cited by this line to ``clauses``.
        """
        by_line = self._lines.get(code.co_filename, {})
        cited = {line: by_line[line] for _, _, line in code.co_lines() if line in by_line} if by_line else {}
        clauses = self.clauses

        def watch(frame: FrameType, event: str, _arg: Any) -> Watch:
            if event == "line" and frame.f_lineno in cited:
                clauses.update(cited[frame.f_lineno])
            return watch

        return frozenset(clause for ids in cited.values() for clause in ids), watch


def config_from_json(raw: dict[str, Any]) -> Config:
    """Return the configuration of a vector for the model."""
    window = raw["initial_window_bytes"]
    return Config(raw["max_datagram_size_bytes"], None if window is None else decode_int(window))


def config_to_json(config: Config) -> dict[str, Any]:
    """Return a configuration in the form of vectors."""
    window = config.initial_window_bytes
    return {
        "max_datagram_size_bytes": config.max_datagram_size_bytes,
        "initial_window_bytes": None if window is None else encode_int(window),
    }


def replay(controller: Controller, events: Iterable[Event]) -> list[Observation]:
    """Drive a controller through events, in place; return the observation after each."""
    return list(drive(ModelRun(controller), events))


def traced(
    algorithm: str, profile: str, config: Config, events: Iterable[Event]
) -> tuple[list[Observation], tuple[str, ...]]:
    """Return the model's observation after each event, and the sorted clauses applied on the events."""
    with ClauseTracer() as tracer:
        observations = list(drive(Model(algorithm, profile).begin(config), events))
    return observations, tuple(sorted(tracer.clauses))


def clauses_of(algorithm: str, profile: str, config: Config, events: Iterable[Event]) -> tuple[str, ...]:
    """Return the sorted clauses applied by the model on the events."""
    return traced(algorithm, profile, config, events)[1]


def clauses_at(case: Case, event_index: int) -> tuple[str, ...]:
    """Return the sorted clauses applied by the model on one event of a case; event 0 includes initialisation."""
    config, events = config_from_json(case.vector.config), case.events[: event_index + 1]
    return clauses_at_end(case.vector.algorithm, case.profile, config, events)


def clauses_at_end(algorithm: str, profile: str, config: Config, events: Sequence[Event]) -> tuple[str, ...]:
    """Return the sorted clauses applied by the model on the last event; a single event includes initialisation."""
    if len(events) == 1:
        return clauses_of(algorithm, profile, config, events)
    run = Model(algorithm, profile).begin(config)
    for _ in drive(run, events[:-1]):
        pass
    with ClauseTracer() as tracer:
        run.on(events[-1])
    return tuple(sorted(tracer.clauses))


def clauses_of_computation(profile: str, inputs: Mapping[str, int]) -> tuple[str, ...]:
    """Return the sorted clauses applied by the model in a computation."""
    with ClauseTracer() as tracer:
        answer(profile, inputs)
    return tuple(sorted(tracer.clauses))
