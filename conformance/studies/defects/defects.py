"""The defects of the stacks by their lasting ids: their entries in the manifests, and the measurements."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from firstflight_conformance.adapters.manifest import KINDS, Deviation, Manifest, load_manifests

MEASURED = Path(__file__).with_name("measured.json")
#: An id: the stack and a number, which is never used again.
ID = re.compile(r"(?P<stack>[a-z0-9]+(?:-[a-z0-9]+)*)-(?P<number>[1-9][0-9]*)")


@dataclass(frozen=True, slots=True)
class Defect:
    """A defect: its deviation in a manifest, the adapters that show it, their cases, and its entry in ``measured.json``."""

    id: str
    deviation: Deviation
    adapters: tuple[str, ...]
    cases: tuple[str, ...]
    measured: dict[str, Any]

    @property
    def differences(self) -> dict[str, tuple[Any, Any]]:
        """The expected and the observed value of each observable that differs after the last event."""
        return {name: (expected, observed) for name, (expected, observed) in self.measured["differences"].items()}


def by_id(manifests: Mapping[str, Manifest]) -> dict[str, dict[str, list[Deviation]]]:
    """Return the defects by id and adapter, one deviation for each case; the ids are in the order of stack and number.

    Adapters of the stack in the id come before adapters of its forks.
    """
    deviations: dict[str, dict[str, list[Deviation]]] = {}
    for manifest in manifests.values():
        for deviation in manifest.deviations:
            if deviation.kind == KINDS[0] and deviation.id is not None:
                deviations.setdefault(deviation.id, {}).setdefault(manifest.name, []).append(deviation)
    return {
        name: dict(sorted(deviations[name].items(), key=lambda pair: not pair[0].startswith(_place(name)[0])))
        for name in sorted(deviations, key=_place)
    }


def _place(name: str) -> tuple[str, int]:
    match = ID.fullmatch(name)
    return (match["stack"], int(match["number"])) if match else (name, 0)


@cache
def defects() -> dict[str, Defect]:
    """Return the defects that were measured, by id."""
    measured = json.loads(MEASURED.read_text("utf-8"))
    return {
        name: _defect(name, adapters, measured[name])
        for name, adapters in by_id(load_manifests()).items()
        if name in measured
    }


def _defect(name: str, adapters: Mapping[str, list[Deviation]], measured: dict[str, Any]) -> Defect:
    entries = [deviation for adapter_deviations in adapters.values() for deviation in adapter_deviations]
    cases = tuple(dict.fromkeys(deviation.case for deviation in entries))
    return Defect(name, entries[0], tuple(adapters), cases, measured)
