"""Numbers on pages: each number in a section with vectors occurs in these vectors or in a true statement."""

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from firstflight_conformance.paths import VECTORS
from why_numbers import numbers_of, unproved

_HEADING = re.compile(r"^#+ ", re.MULTILINE)
_FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`([^`\n]+)`")
#: Words with a number that is not from a vector: sections, commits, versions, other documents.
_NAMES = re.compile(
    r"@ [0-9a-f]{7,40}|\(#[\w-]+\)|#\d+|(?:RFC|draft|LANMAN|PR|pull request|report of) \d+|\b(?:19|20)\d\d\b"
)


def unproved_on_page(page: Path) -> list[str]:
    """Return a line for every number of a page that is neither in the vectors of its section nor in a statement."""
    return [
        f"{page.name}: {title}: {line}"
        for title, text, cases in _sections(page.read_text("utf-8"))
        if cases
        for line in unproved(text, set().union(*(_numbers_of_case(case) for case in cases)))
    ]


def _sections(text: str) -> Iterator[tuple[str, str, list[str]]]:
    """Yield title, prose and cases of each section with a heading."""
    for section in _HEADING.split(_FENCE.sub("", text)):
        codes = _CODE.findall(section)
        prose = _NAMES.sub("", _CODE.sub("", section)).replace("|", " . ")
        yield section.partition("\n")[0], prose, [code for code in codes if _path_of(code) is not None]


def _path_of(case: str) -> Path | None:
    algorithm, _, rest = case.partition("@")[0].partition(".")
    path = VECTORS / algorithm / f"{rest}.json"
    return path if rest and path.is_file() else None


@cache
def _vector(path: Path) -> dict[str, Any]:
    vector: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return vector


def _numbers_of_case(case: str) -> set[int]:
    """Return the numbers in the answers of a vector, of all its profiles or of the profile after the @."""
    path = _path_of(case)
    assert path is not None  # only cases with a path are passed
    vector, profile = _vector(path), case.partition("@")[2]
    if profile:
        vector = {**vector, "profiles": vector["profiles"].get(profile, {})}
    return numbers_of(vector)
