"""Extension modules of the C port for the tests, built once per contents of their sources."""

import fcntl
import importlib.util
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from firstflight_conformance.built import digest


def extension(directory: Path, name: str, inputs: Iterable[Path], compiled: Callable[[str], str]) -> Any:
    """Return an extension module; compile it into a folder first if an input file has changed.

    A lock serialises processes. A digest replaces file times, because a checkout may be older than another one's build.
    """
    inputs_digest = digest([sys.version, *(part for path in inputs for part in (str(path), path.read_bytes()))])
    directory.mkdir(parents=True, exist_ok=True)
    digest_file = directory / f"{name}.of"
    with (directory / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        libraries = sorted(directory.glob(f"{name}.*.so"))
        if not libraries or not digest_file.is_file() or digest_file.read_text(encoding="ascii") != inputs_digest:
            libraries = [Path(compiled(str(directory)))]
            digest_file.write_text(inputs_digest, encoding="ascii")
    spec = importlib.util.spec_from_file_location(name, libraries[0])
    if spec is None or spec.loader is None:
        raise ImportError(name)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
