"""Writes the page on malformed vectors and misbehaving adapters from the data of their tests: ``python hostile_page.py``."""

import malformed
import misbehaving
from firstflight_conformance.format.files import write_whole
from firstflight_conformance.paths import ROOT

PAGE = ROOT / "docs" / "hostile.md"

_HEAD = """```{{index}} ! hostile input, ! malformed
```

# Hostile input

You see here what becomes of {vectors} malformed vectors and {adapters} misbehaving adapters. The tables are made from the data of the tests (`conformance/tests/malformed.py` and `misbehaving.py`, written by `hostile_page.py`
beside them), and every line is run by them. Times and sizes are the bounds that the tests hold, not measurements, so that
the page is the same wherever it is made: the seconds that a run may take on a busy machine, the memory beyond what the loaded program takes anyway.

## Malformed vectors

Each is the valid vector of the tests with one change. `firstflight run` refuses it with exit code {code}, names file, place and reason, and starts no adapter.

| malformed | refused at | because | code | seconds | MiB |
|---|---|---|---|---|---|
"""

_ADAPTERS = """
## Misbehaving adapters

Each is judged over three vectors, and misbehaves in the second, or from the start. What it does costs the cases in which it does it; a fresh process serves the next one. Seconds include the deadline of a
case, which is 10 s, 30 s for those that write 100 MB, or as the reason says.

| an adapter that ... | verdicts | fault | the reason holds | code | seconds | MiB |
|---|---|---|---|---|---|---|
"""


def page() -> str:
    """Return the page."""
    vectors = {name: (bad.where, bad.reason) for name, bad in malformed.TABLE.items()}
    vectors |= {name: (where, reason) for name, (_, where, reason) in malformed.FILES.items()}
    refused = (malformed.CODE, malformed.AT_MOST_S, malformed.MORE_MIB)
    head = _HEAD.format(vectors=len(vectors), adapters=len(misbehaving.TABLE), code=malformed.CODE)
    rows = [_row(name, _code(where), _code(reason), *refused) for name, (where, reason) in vectors.items()]
    return head + "".join(rows) + _ADAPTERS + "".join(map(_adapter, misbehaving.TABLE))


def _adapter(adapter: misbehaving.Misbehaving) -> str:
    fault = adapter.fault.value if adapter.fault else "-"
    reason = _code(adapter.reason) if adapter.reason else "-"
    bounds = (adapter.code, adapter.at_most_s, misbehaving.MORE_MIB)
    return _row(adapter.does, ", ".join(adapter.verdicts), fault, reason, *bounds)


def _code(text: str) -> str:
    """Return one of the texts between bars as code."""
    text = text.split("|")[0].strip()
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def _row(*cells: object) -> str:
    return "| " + " | ".join(map(str, cells)) + " |\n"


if __name__ == "__main__":
    write_whole(PAGE, page())
