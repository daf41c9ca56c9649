"""What the command of an adapter names, by content: what passed is found again only for the very same programs and files."""

import os
import re
import shutil
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from firstflight_conformance.kept import digest

#: A folder with more than this is not compared.
FILES_MAX, BYTES_MAX = 10_000, 1 << 30
#: Programs that are text, and load others that lie beside them, or what else is loaded.
_SCRIPTS = frozenset({".js", ".lua", ".mjs", ".cjs", ".ts", ".php", ".pl", ".py", ".rb", ".sh", ".java"})
_LOADED = _SCRIPTS | {".jar", ".json", ".node", ".pm", ".pyd", ".so", ".wasm"}
#: What builds or looks up what it runs, in a project, in an image or on another machine; a file of arguments. Java does unless a word says where its classes are.
_LOOKS_UP = re.compile(
    "bazel|bun|bunx|cabal|cargo|deno|docker|dotnet|go|gradlew?|just|make|mix|mvnw?|ninja|nix|npm|npx|pipenv|pipx|pnpm|podman|poetry|sbt|ssh|uvx?|yarn|zig|@.*"
)
_CLASSES = re.compile(r"-jar|-cp|--?class-?path(=.*)?|.*\.java")
#: Variables by which programs and their loaders find what they load.
_LEADS = re.compile(r"LD_.*|DYLD_.*|PYTHON.*|.*(PATH|HOME|FLAGS|OPT|OPTS|OPTIONS)")
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
    variables = (f"{name}={value}" for name, value in sorted(os.environ.items()) if _LEADS.fullmatch(name))
    parts: list[str | bytes] = [*words, *variables]
    for place, word in enumerate(words):
        named = list(_named(word, cwd))
        if place == 0 and not named:
            raise NotComparableError(f"{word}: there is no such program")
        if place and _RUN_BY_NAME.fullmatch(words[place - 1]):
            raise NotComparableError(f"{words[place - 1]} {word}: what is run is found by its name")
        if place and not named and (_RUN_IN_ONE.fullmatch(word) or _LINE.fullmatch(word)):
            raise NotComparableError(f"{word}: what is run is found by its name")
        name = Path(word).name
        if _LOOKS_UP.fullmatch(name) or (name == "java" and not any(map(_CLASSES.fullmatch, words))):
            raise NotComparableError(f"{word}: looks up what it runs")
        parts += [part for path in named for part in _contents(path)]
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
        for part in dict.fromkeys([text, *text.split(os.pathsep)]):
            if part.endswith("*"):  # of a class path
                yield from sorted((cwd / part).parent.glob(Path(part).name))
            elif part and os.path.exists(cwd / part):  # noqa: PTH110 - False for what is no name at all
                yield cwd / part


def _contents(path: Path) -> Iterator[str | bytes]:
    """Yield the content of a file, or the names and contents of all files of a folder.

    Of a script also what lies beside it and below that it may load; only beside it in a large folder.
    """
    try:
        if path.is_dir():
            yield from _of_folder(path, _below(path))
        elif path.is_file():
            yield path.read_bytes()
            if path.suffix in _SCRIPTS:
                below = list(islice(_below(path.parent), FILES_MAX + 1))
                near = below if len(below) <= FILES_MAX else path.parent.iterdir()
                yield from _of_folder(path.parent, (inner for inner in near if inner.suffix in _LOADED))
        else:
            raise NotComparableError(f"{path}: neither a file nor a folder")
    except OSError as error:
        raise NotComparableError(str(error)) from error


def _below(folder: Path) -> Iterator[Path]:
    """Yield the files below a folder, also where a link leads to another folder, once."""
    seen: dict[str, str] = {}
    for place, folders, files in os.walk(folder, followlinks=True):
        if seen.setdefault(os.path.realpath(place), place) == place:
            yield from (Path(place, name) for name in files)
        else:
            folders.clear()


def _of_folder(folder: Path, files: Iterator[Path]) -> Iterator[str | bytes]:
    found = sorted(islice((inner for inner in files if inner.is_file()), FILES_MAX + 1))
    if len(found) > FILES_MAX or sum(inner.stat().st_size for inner in found) > BYTES_MAX:
        raise NotComparableError(f"{folder}: the folder is too large to be compared")
    for inner in found:
        yield str(inner)
        yield inner.read_bytes()
