"""The text that each module of ours was loaded from, noted when Python loads it.

A compiled module is used only if it holds the hash of its source: one that goes by size and time could be of another text, and is replaced.
"""

import sys
from collections import defaultdict
from collections.abc import Sequence
from hashlib import sha256
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import source_hash
from pathlib import Path
from types import ModuleType
from typing import Any

_OURS = frozenset({"firstflight", "firstflight_conformance", "generate", "stimuli"})
#: What a compiled module has behind the number of its Python if its hash is compared with the source before it is loaded.
_BY_HASH = b"\3\0\0\0"
#: Not in an installed package: nobody edits it, and what its installer has compiled goes by size and time.
IS_NOTED = not Path(__file__).with_name("data").is_dir()
#: The SHA-256 of every text that a module was loaded from, by its file.
TEXTS: defaultdict[str, set[bytes]] = defaultdict(set)


class _Loader(SourceFileLoader):
    def get_data(self, path: str) -> bytes:
        data = super().get_data(path)
        if path == self.path:
            TEXTS[path].add(sha256(data).digest())
            self._source_hash = source_hash(data)
        elif path.endswith(".pyc") and data[4:8] != _BY_HASH:
            raise OSError(f"{path}: goes by size and time")  # as if it were not there: the text is compiled
        return data

    def set_data(self, path: Any, data: Any, **more: Any) -> None:
        """Write a compiled module, with the hash of its source."""
        super().set_data(path, data[:4] + _BY_HASH + self._source_hash + data[16:], **more)


class _Finder(MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname.partition(".")[0] not in _OURS:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and type(spec.loader) is SourceFileLoader:
            spec.loader = _Loader(fullname, spec.loader.path)
        return spec


def note() -> None:
    """Begin to note what is loaded."""
    if IS_NOTED:
        sys.meta_path.insert(0, _Finder())
