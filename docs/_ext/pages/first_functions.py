"""The functions that a user calls first, at the head of the pages of the interfaces: what each does, and how it fails."""

import re
from collections.abc import Iterable
from importlib import import_module
from inspect import cleandoc

from pages import markdown as md
from pages import site

#: In the order in which a program needs them.
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
    ("ff_event_empty", "Returns an event of which nothing optional is said: begin with it.", ""),
    ("ff_event_check", "Says whether an event lies in the domain.", "FF_ERR_DOMAIN"),
    ("ff_observation_clear", "Sets observables to those of nothing seen.", ""),
    ("ff_outcome_exits", "Says whether an outcome ends slow start.", ""),
    ("ff_phase_name", "The name of a phase as the vectors write it.", ""),
    ("ff_outcome_name", "The name of an outcome as the vectors write it.", ""),
    ("ff_trigger_name", "The name of what ended slow start as the vectors write it.", ""),
)  # fmt: skip


def of_python() -> str:
    """Return the table for Python: the sentences are those of the docstrings."""
    rows = []
    for module, names in _PYTHON:
        for name in names:
            text = " ".join(cleandoc(getattr(import_module(module), name).__doc__).split())
            raised = re.findall(r"Raises? [^.]*?(?:`[^`]*`[^.]*?)*\.(?= |$)", text)
            first = f"{re.split(r'[.:;] ', text)[0].rstrip('.')}."
            rows.append((f"{{py:func}}`~{module}.{name}`", _inline(first), _inline(" ".join(raised))))
    return _table(("Function", "What it does", "Raises"), rows)


def of_c(declared: Iterable[str]) -> str:
    """Return the table for C, and the status codes. ``declared``: the names that the headers declare; raise :class:`ValueError` if one is not there."""
    known = {name for names in declared for name in names.split(", ")}
    if missing := [name for name, _, _ in _C if name not in known]:
        raise ValueError(f"no header declares {', '.join(missing)}")
    first = {name: names.split(", ")[0] for names in declared for name in names.split(", ")}
    rows = [
        (
            md.ref(name, site.anchor("c-function", first[name])),
            what,
            ", ".join(map(md.code, filter(None, fails.split(", ")))),
        )
        for name, what, fails in _C
    ]
    meaning = f"A status other than `FF_OK` leaves everything as it was; {md.ref('what each means', site.anchor('c', 'ff_status'))}."
    return md.page(_table(("Function", "What it does", "Status but `FF_OK`"), rows), meaning)


def _table(header: tuple[str, ...], rows: list[tuple[str, str, str]]) -> str:
    return md.page("## Ten functions to begin with", md.list_table(header, rows, (30, 42, 28), "compact"))


def _inline(text: str) -> str:
    """Return a sentence of a docstring as Markdown."""
    text = re.sub(r":\w+:`~?[\w.]*?(\w+)`", r"`\1`", text)
    return text.replace("``", "`")
