"""The stacks with a history (``stacks.toml``), and the files next to it: stored results, patches, past deviations."""

import tomllib
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from firstflight_conformance.paths import ADAPTERS, BUILD, STUDIES

STACKS = STUDIES / "history" / "stacks.toml"
REGISTRIES = ("cargo", "go", "python", "archives", "folder")
_KEYS = {"registry", "package", "adapters", "folder", "command", "archive"}


class StackError(ValueError):
    """The list of stacks is malformed, or does not contain a stack."""


@dataclass(frozen=True, slots=True)
class Stack:
    """A stack: the ``registry`` with the releases of its ``package``, and the ``adapters`` that judge them.

    ``folder``: the adapter to build, or a folder of releases, which ``command`` runs. ``list_folder``: folder of the
    list.
    """

    name: str
    registry: str
    package: str
    adapters: tuple[str, ...]
    folder: Path
    list_folder: Path
    command: tuple[str, ...] = ()
    archives: tuple[dict[str, str], ...] = field(default=(), hash=False)

    @property
    def kept(self) -> Path:
        """The file with the stored results."""
        return self.list_folder / "releases" / f"{self.name}.json"

    @property
    def past(self) -> Path:
        """The file with the deviations of earlier releases and the traces of changes."""
        return self.list_folder / "past" / f"{self.name}.toml"

    @property
    def patches(self) -> Path:
        """The folder with patches of the adapter for earlier releases."""
        return self.list_folder / "patches" / self.name

    @property
    def work(self) -> Path:
        """The build folder of releases."""
        return BUILD / "history" / self.name


def load(path: Path = STACKS) -> dict[str, Stack]:
    """Return the stacks of a list. Raise :class:`StackError` with file, stack and key."""
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise StackError(f"{path}: {error}") from error
    return {name: _stack(path, name, entry) for name, entry in raw.items()}


def find(name: str, path: Path = STACKS) -> Stack:
    """Return a stack. Raise :class:`StackError` with the known stacks."""
    stacks = load(path)
    if name in stacks:
        return stacks[name]
    near = get_close_matches(name, stacks, 1)
    hint = f"did you mean {near[0]}? " if near else ""
    raise StackError(f"{name}: no such stack; {hint}{path.name} has {', '.join(sorted(stacks))}")


def _stack(path: Path, name: str, entry: Any) -> Stack:
    if not isinstance(entry, dict) or not _KEYS.issuperset(entry):
        raise StackError(f"{path}: {name}: needs a table with no other keys than {', '.join(sorted(_KEYS))}")
    for key, kind in (("registry", str), ("package", str), ("adapters", list)):
        if not isinstance(entry.get(key), kind):
            raise StackError(f"{path}: {name}.{key}: is missing, or no {'text' if kind is str else 'list'}")
    if entry["registry"] not in REGISTRIES:
        raise StackError(f"{path}: {name}.registry: {entry['registry']!r} is not one of {', '.join(REGISTRIES)}")
    own = entry["registry"] == "folder"
    if own and not ("folder" in entry and "command" in entry):
        raise StackError(f"{path}: {name}: releases in folders need `folder` and `command`")
    folder = path.parent / entry["folder"] if own else ADAPTERS / entry.get("folder", entry["adapters"][0])
    return Stack(
        name,
        entry["registry"],
        entry["package"],
        tuple(entry["adapters"]),
        folder,
        path.parent,
        tuple(entry.get("command", ())),
        tuple(entry.get("archive", ())),
    )
