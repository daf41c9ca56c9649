"""Writes ``vectors/``, or says how it differs from what would be written."""

import hashlib
import json
import multiprocessing
import os
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path

from firstflight_conformance.kept import Store, code_digest, digest
from firstflight_conformance.paths import GENERATE, SCENARIOS, STIMULI, VECTORS
from firstflight_conformance.run import children
from firstflight_conformance.vectorgen.canonical import vector_text
from firstflight_conformance.vectorgen.stimulus import Stimulus, to_json
from generate import catalogues, computation, simulated

_KEPT = "digests"


def all_stimuli() -> list[Stimulus]:
    """Return every stimulus in the order of the ids. Raise ``ValueError`` if an id is there twice."""
    stimuli = [_composed(stimulus) for catalogue in catalogues.members("CATALOGUE") for stimulus in catalogue.stimuli]
    stimuli += [_composed(stimulus) for stimulus in simulated.stimuli()]
    ids = [stimulus.id for stimulus in stimuli]
    twice = {name for name in ids if ids.count(name) > 1}
    if twice:
        raise ValueError(f"ids used twice: {sorted(twice)}")
    return sorted(stimuli, key=lambda stimulus: stimulus.id)


def _composed(stimulus: Stimulus) -> Stimulus:
    """Return the stimulus with the profiles on other bases that go without saying."""
    plain = [profile for profile in stimulus.profiles if "+" not in profile]
    more = (name + suffix for suffix in catalogues.also_on(stimulus.algorithm) for name in plain)
    return replace(stimulus, profiles=tuple(dict.fromkeys((*stimulus.profiles, *more))))


def all_files() -> dict[str, str]:
    """Return the content of every file below ``vectors/`` that is generated, by its relative path."""
    stimuli = all_stimuli()
    files = dict(zip(map(_path_of, stimuli), _texts(stimuli), strict=True))
    files |= computation.all_files()
    hashes = {path: hashlib.sha256(text.encode("utf-8")).hexdigest() for path, text in files.items()}
    files["manifest.json"] = json.dumps({"format": 1, "sha256": hashes}, indent=2) + "\n"
    return files


def _texts(stimuli: list[Stimulus]) -> list[str]:
    """Return the vectors as they are written; on all cores, where processes can share the stimuli."""
    if "fork" not in multiprocessing.get_all_start_methods():
        return _all_right(_written(stimulus) for stimulus in stimuli)
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(os.cpu_count(), context, _begin, (stimuli,)) as pool:
        return _all_right(pool.map(_text, range(len(stimuli)), chunksize=4))


def _all_right(made: Iterable[tuple[str, str]]) -> list[str]:
    """Return the texts. Raise :class:`ValueError` with all errors: a changed rule needs all its numbers corrected."""
    texts, errors = zip(*made, strict=True)
    if wrong := [error for error in errors if error]:
        raise ValueError("\n".join(wrong))
    return list(texts)


def _written(stimulus: Stimulus) -> tuple[str, str]:
    """Return the text of a vector, or what the model answers otherwise than was worked out."""
    try:
        return vector_text(to_json(stimulus)), ""
    except ValueError as error:
        return "", str(error)


# In the processes: what they were forked with.
_STIMULI: list[Stimulus]


def _begin(stimuli: list[Stimulus]) -> None:
    global _STIMULI
    _STIMULI = stimuli
    children.die_with_parent()


def _text(index: int) -> tuple[str, str]:
    return _written(_STIMULI[index])


def digests() -> dict[str, str]:
    """Return the SHA-256 of every file that is generated. What the same code made of the same scenarios is not made again."""
    inputs = _inputs()
    found: dict[str, str] | None = _store(inputs).get(_KEPT)
    return keep(all_files(), inputs) if found is None else found


def keep(files: dict[str, str], inputs: tuple[str, int]) -> dict[str, str]:
    """Keep what this code made of the ``inputs``, so that no check makes it again; return the SHA-256 of every file."""
    found = {path: hashlib.sha256(text.encode("utf-8")).hexdigest() for path, text in files.items()}
    if inputs == _inputs():  # nobody changed a scenario meanwhile
        _store(inputs).put(_KEPT, found)
    return found


def _inputs() -> tuple[str, int]:
    """Return the digest of the scenarios and what else lies beside the code and is read, and when one of these was last written."""
    folders = [folder.rglob(f"*.{kind}") for folder in (SCENARIOS, STIMULI) for kind in ("json", "toml")]
    paths = sorted(path for found in folders for path in found)
    last_ns = max((path.stat().st_ctime_ns for path in paths), default=0)
    return digest(part for path in paths for part in (str(path), path.read_bytes())), last_ns


def _store(inputs: tuple[str, int]) -> Store:
    return Store("generated", digest([code_digest(".", str(STIMULI), str(GENERATE)), inputs[0]]))


def write(root: Path = VECTORS) -> int:
    """Write every file and remove vectors that are generated no more; return the number of vectors."""
    inputs = _inputs()
    keep(files := all_files(), inputs)
    for path in _present(root) - set(files):
        (root / path).unlink()
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8", newline="\n")
    return len(files) - 1


def differences(root: Path = VECTORS) -> list[str]:
    """Return one line for each file that is missing, left over, or differs by a byte."""
    expected = digests()
    present = _present(root)
    lines = [f"{path}: is not generated by anything" for path in sorted(present - set(expected))]
    for path, wanted in expected.items():
        if path not in present:
            lines.append(f"{path}: is missing")
        elif hashlib.sha256((root / path).read_bytes()).hexdigest() != wanted:
            lines.append(f"{path}: differs from what is generated")
    return lines


def _present(root: Path) -> set[str]:
    return {path.relative_to(root).as_posix() for path in root.rglob("*.json")}


def _path_of(stimulus: Stimulus) -> str:
    return f"{stimulus.algorithm}/{stimulus.id.removeprefix(stimulus.algorithm + '.')}.json"
