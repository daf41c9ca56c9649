"""Writes the pages on malformed vectors and misbehaving adapters from the data of their tests: ``python hostile_page.py``."""

from collections.abc import Iterable, Sequence

import malformed
import misbehaving
from firstflight_conformance.format.files import write_whole
from firstflight_conformance.paths import ROOT

FOLDER = ROOT / "docs"

_OVERVIEW = """```{{index}} ! hostile input, ! malformed
```

# Hostile input

| input | number | result | exit code | at most |
|---|---|---|---|---|
| [malformed vectors](hostile-vectors.md) | {vectors} | refused with file, place and reason, before an adapter starts | {code} | {vector_bounds} |
| [misbehaving adapters](hostile-adapters.md) | {adapters} | only the cases in which an adapter misbehaves are errored | {codes} | {adapter_bounds} |

Verdicts on the three vectors on which each adapter is judged:

{verdicts}

Faults of the adapters:

{faults}

- A test runs every line of both lists: `conformance/tests/malformed.py` and `misbehaving.py` have the data, and
  `hostile_page.py` writes the pages from it.
- Times and sizes are the bounds that the tests assert, not measurements, so the pages are the same on every machine.
  The time is that of a run on a busy machine. The memory is in addition to that of the loaded program.
- The seconds of an adapter include the deadline of a case: 10 s, or 30 s for adapters that write 100 MB, or the
  deadline in the reason.

Attacks that succeeded once, and their tests: [Reliability](reliability-attacks.md). Random input: [Fuzzing](fuzzing.md).

```{{toctree}}
:hidden:

hostile-vectors
hostile-adapters
```
"""
_VECTORS = """# Malformed vectors: which are refused, and why

| malformed vectors | result | exit code | at most |
|---|---|---|---|
| {vectors} | `firstflight run` reports file, place and reason, and starts no adapter | {code} | {seconds} s, {mib} MiB |

Each is the valid vector of the tests with one change. [Hostile input](hostile.md) describes the bounds.
"""
_VECTORS_HEADER = ("malformed", "refused at", "because")
_ADAPTERS = """# Misbehaving adapters: which cases they cost

Each adapter is judged on three vectors. It misbehaves in the second, or from the start. Only the cases in which it
misbehaves are errored; a new process serves the next case. Each run takes at most {seconds} s and {mib} MiB; [Hostile input](hostile.md) describes the bounds.
"""
_ADAPTERS_HEADER = ("an adapter that ...", "verdicts", "fault", "the reason contains", "code")
_KINDS = (
    ("Wrong answers", misbehaving.ANSWERS),
    ("Wrong processes", misbehaving.PROCESSES),
    ("Wrong declarations", misbehaving.HELLOS),
)
#: Sections of malformed vectors, by the first member of the place; every other place is a member at the top of the file.
_PARTS = {
    "The text of the file": ("file", "line", "byte"),
    "Events": ("events", "ev"),
    "Config": ("config",),
    "Profiles and expected values": ("profiles", "expect", "judged_events"),
}
_OTHER_MEMBERS = "Other members"


def pages() -> dict[str, str]:
    """Return the pages by the names of their files."""
    return {"hostile.md": _overview(), "hostile-vectors.md": _vectors(), "hostile-adapters.md": _adapters()}


def _overview() -> str:
    codes = sorted({adapter.code for adapter in misbehaving.TABLE})
    verdicts = dict.fromkeys(adapter.verdicts for adapter in misbehaving.TABLE)
    kinds = dict.fromkeys(adapter.fault for adapter in misbehaving.TABLE if adapter.fault)
    faults = [(f"`{kind.value}`", str(sum(adapter.fault is kind for adapter in misbehaving.TABLE))) for kind in kinds]
    return _OVERVIEW.format(
        vectors=len(_malformed()),
        code=malformed.CODE,
        vector_bounds=f"{malformed.AT_MOST_S} s, {malformed.MORE_MIB} MiB",
        adapters=len(misbehaving.TABLE),
        codes=" or ".join(map(str, codes)),
        adapter_bounds=f"{max(adapter.at_most_s for adapter in misbehaving.TABLE)} s, {misbehaving.MORE_MIB} MiB",
        verdicts=_table(("verdicts", "adapters", "exit code"), map(_verdicts, verdicts)),
        faults=_table(("fault", "adapters"), faults),
    )


def _verdicts(verdicts: tuple[str, ...]) -> tuple[str, ...]:
    """Return the row of all adapters with these verdicts."""
    adapters = [adapter for adapter in misbehaving.TABLE if adapter.verdicts == verdicts]
    (code,) = {adapter.code for adapter in adapters}
    return ", ".join(verdicts), str(len(adapters)), str(code)


def _malformed() -> dict[str, tuple[str, str]]:
    """Return place and reason of each refusal."""
    refusals = {name: (bad.where, bad.reason) for name, bad in malformed.TABLE.items()}
    return refusals | {name: (where, reason) for name, (_, where, reason) in malformed.FILES.items()}


def _vectors() -> str:
    head = _VECTORS.format(
        vectors=len(_malformed()), code=malformed.CODE, seconds=malformed.AT_MOST_S, mib=malformed.MORE_MIB
    )
    parts: dict[str, list[Sequence[str]]] = {name: [] for name in (*_PARTS, _OTHER_MEMBERS)}
    for name, (where, reason) in _malformed().items():
        parts[_part(where)].append((name, _code(where), _code(reason)))
    return "\n".join([head, *(_section(part, _VECTORS_HEADER, rows) for part, rows in parts.items())])


def _part(where: str) -> str:
    member = where.split(".")[0].split("[")[0].split(" ")[0].rstrip(",")
    return next((part for part, members in _PARTS.items() if member in members), _OTHER_MEMBERS)


def _adapters() -> str:
    head = _ADAPTERS.format(seconds=max(adapter.at_most_s for adapter in misbehaving.TABLE), mib=misbehaving.MORE_MIB)
    sections = (_section(title, _ADAPTERS_HEADER, map(_adapter, adapters)) for title, adapters in _KINDS)
    return "\n".join([head, *sections])


def _adapter(adapter: misbehaving.Misbehaving) -> tuple[str, ...]:
    fault = f"`{adapter.fault.value}`" if adapter.fault else "-"
    reason = _code(adapter.reason) if adapter.reason else "-"
    return adapter.does, ", ".join(adapter.verdicts), fault, reason, str(adapter.code)


def _section(title: str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return f"## {title}\n\n{_table(header, rows)}\n"


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n".join("| " + " | ".join(row) + " |" for row in (header, ["---"] * len(header), *rows))


def _code(text: str) -> str:
    """Return the first of the texts between bars as code."""
    text = text.split("|")[0].strip()
    return f"`` {text} ``" if "`" in text else f"`{text}`"


if __name__ == "__main__":
    for name, text in pages().items():
        write_whole(FOLDER / name, text)
