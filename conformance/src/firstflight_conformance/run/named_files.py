"""What the command of an adapter names, by content: what passed is found again only for the very same programs and files."""

import re
import shutil
from collections.abc import Iterator, Sequence
from itertools import islice
from os import pathsep
from pathlib import Path

from firstflight_conformance.kept import digest

#: A folder with more than this is not compared.
FILES_MAX, BYTES_MAX = 10_000, 1 << 30
#: Programs that are text, and load others that lie beside them.
_SCRIPTS = frozenset({".js", ".lua", ".mjs", ".cjs", ".ts", ".php", ".pl", ".py", ".rb", ".sh"})
#: Behind these an interpreter runs a text, or finds by its name what it runs: ``python3 -m module``, ``bash -ec 'program'``, ``node --import NAME``.
_RUN_BY_NAME = re.compile(
    r"-p|-[A-Za-z]*[ceEmMrS]|--(command|eval|exec|execute|import|loader|module|print|require|split-string)"
)
#: The same in one word.
_RUN_IN_ONE = re.compile(
    r"-[eEmMrS]\w.*|-c(?!p\b|lasspath\b).+|--(command|eval|exec|execute|import|loader|module|print|require|split-string)=.*",
    re.S,
)
#: A line for a shell in one word; a value that is JSON is none.
_LINE = re.compile(r"(?![{\[]).*[\s;|&$`].*", re.S)


class NotComparableError(Exception):
    """A word of a command stands for something whose content cannot be looked at. The text says which, and why."""


def content_digest(words: Sequence[str], files: Sequence[Path] = (), cwd: Path = Path()) -> str:
    """Return a digest of a command and of each program, file and folder that it names. Raise :class:`NotComparableError`."""
    parts: list[str | bytes] = [*words]
    for place, word in enumerate(words):
        named = list(_named(word, cwd))
        if place == 0 and not named:
            raise NotComparableError(f"{word}: there is no such program")
        if place and _RUN_BY_NAME.fullmatch(words[place - 1]):
            raise NotComparableError(f"{words[place - 1]} {word}: what is run is found by its name")
        if place and not named and (_RUN_IN_ONE.fullmatch(word) or _LINE.fullmatch(word)):
            raise NotComparableError(f"{word}: what is run is found by its name")
        for path in named:
            parts += _contents(path)
    try:
        parts += [path.read_bytes() for path in files if path.is_file()]
    except OSError as error:
        raise NotComparableError(str(error)) from error
    return digest(parts)


def _named(word: str, cwd: Path) -> Iterator[Path]:
    """Yield what a word names: a program on the PATH, a file, a folder; also behind an option, and as one of several in a list."""
    program = shutil.which(word)
    if program is not None:
        yield Path(program)
    glued = [word[2:]] if word.startswith("-") and len(word) > 2 else []
    for text in dict.fromkeys([word, *word.partition("=")[2:], *glued]):
        for part in dict.fromkeys([text, *text.split(pathsep)]):
            if part.endswith("*"):  # of a class path
                yield from sorted((cwd / part).parent.glob(Path(part).name))
            elif part and _is_there(cwd / part):
                yield cwd / part


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # too long for a name, or with a null character
        return False


def _contents(path: Path) -> Iterator[str | bytes]:
    """Yield the content of a file, or the names and contents of all files of a folder.

    Of a script also what lies beside it and below and has its suffix, which it may load; only beside it in a large folder.
    """
    try:
        if path.is_dir():
            yield from _of_folder(path, path.rglob("*"))
        elif path.is_file():
            yield path.read_bytes()
            if path.suffix in _SCRIPTS:
                below = list(islice(path.parent.rglob("*"), FILES_MAX + 1))
                near = below if len(below) <= FILES_MAX else path.parent.iterdir()
                yield from _of_folder(path.parent, (inner for inner in near if inner.suffix == path.suffix))
        else:
            raise NotComparableError(f"{path}: neither a file nor a folder")
    except OSError as error:
        raise NotComparableError(str(error)) from error


def _of_folder(folder: Path, files: Iterator[Path]) -> Iterator[str | bytes]:
    found = sorted(islice((inner for inner in files if inner.is_file()), FILES_MAX + 1))
    if len(found) > FILES_MAX or sum(inner.stat().st_size for inner in found) > BYTES_MAX:
        raise NotComparableError(f"{folder}: the folder is too large to be compared")
    for inner in found:
        yield str(inner)
        yield inner.read_bytes()
