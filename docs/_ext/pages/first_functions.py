"""The functions that a user calls first, at the head of the pages of the interfaces, with their purpose and errors."""

import re
from collections.abc import Iterable
from importlib import import_module
from inspect import cleandoc

from pages import markdown as md
from pages import site

#: In calling order.
_PYTHON = (
    ("firstflight.controller", ("profiles", "create", "step", "advance")),
    ("firstflight_conformance.format.vectors", ("load_all", "cases")),
    ("firstflight_conformance.format.wire", ("event_from_json", "observation_to_json")),
    ("firstflight_conformance.simulate.scenario", ("load_scenario",)),
    ("firstflight_conformance.simulate.loop", ("simulate",)),
)
_C = (
    ("ff_controller_init", "Fills in a new controller by the names of algorithm and profile.", "FF_ERR_UNKNOWN_PROFILE, FF_ERR_DOMAIN"),
    ("ff_controller_step", "Processes one event and writes the observables.", "FF_ERR_DOMAIN"),
    ("ff_controller_process", "The same for events that need no check.", "FF_ERR_DOMAIN"),
    ("ff_event_empty", "Returns an event without optional members; begin with it.", ""),
    ("ff_event_check", "Returns whether an event is in the domain.", "FF_ERR_DOMAIN"),
    ("ff_observation_clear", "Sets all observables to their empty values.", ""),
    ("ff_outcome_exits", "Returns whether an outcome ends slow start.", ""),
    ("ff_phase_name", "Returns the name of a phase in the vectors.", ""),
    ("ff_outcome_name", "Returns the name of an outcome in the vectors.", ""),
    ("ff_trigger_name", "Returns the name of the trigger that ended slow start, as in the vectors.", ""),
)  # fmt: skip


def of_python() -> str:
    """Return the table for Python, with sentences of the docstrings."""
    rows = []
    for module, names in _PYTHON:
        for name in names:
            text = " ".join(cleandoc(getattr(import_module(module), name).__doc__).split())
            raised = re.findall(r"Raises? [^.]*?(?:`[^`]*`[^.]*?)*\.(?= |$)", text)
            first = f"{re.split(r'[.:;] ', text)[0].rstrip('.')}."
            rows.append((f"{{py:func}}`~{module}.{name}`", _inline(first), _inline(" ".join(raised))))
    return _table(("Function", "Purpose", "Raises"), rows)


def of_c(declared: Iterable[str]) -> str:
    """Return the table for C, and the status codes. Raise :class:`ValueError` if ``declared`` lacks a function."""
    known = {name for names in declared for name in names.split(", ")}
    if missing := [name for name, _, _ in _C if name not in known]:
        raise ValueError(f"no header declares {', '.join(missing)}")
    first = {name: names.split(", ")[0] for names in declared for name in names.split(", ")}
    rows = [
        (
            md.ref(name, site.anchor("c-function", first[name])),
            purpose,
            ", ".join(map(md.code, filter(None, fails.split(", ")))),
        )
        for name, purpose, fails in _C
    ]
    meaning = f"A status other than `FF_OK` leaves everything as it was; {md.ref('what each means', site.anchor('c', 'ff_status'))}."
    return md.page(_table(("Function", "What it does", "Status but `FF_OK`"), rows), meaning)


def _table(header: tuple[str, ...], rows: list[tuple[str, str, str]]) -> str:
    return md.page("## Ten functions to begin with", md.list_table(header, rows, (30, 42, 28), "compact"))


def _inline(text: str) -> str:
    """Return a sentence of a docstring as Markdown."""
    text = re.sub(r":\w+:`~?[\w.]*?(\w+)`", r"`\1`", text)
    return text.replace("``", "`")
