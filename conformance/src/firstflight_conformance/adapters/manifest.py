"""Adapters and their manifests, ``conformance/adapters/<name>/manifest.toml``."""

import shlex
import shutil
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

from firstflight_conformance.adapters.not_a_command import not_a_command
from firstflight_conformance.built import BuildError, built
from firstflight_conformance.format.clauses import all_clauses
from firstflight_conformance.paths import ADAPTERS, BUILD, CONFORMANCE, REFERENCE_C, ROOT
from firstflight_conformance.text import shown

ROLES = ("reference", "third-party", "null")
#: Program that loads a shared object and implements the protocol for it; built by `make c-adapters`.
SHARED_OBJECT_HOST = BUILD / "adapters" / "shared-object-host"
_LIBRARY_SUFFIXES = (".so", ".dylib")
_RECORD = "record.json"
_TEXTS = ("name", "title", "language", "role")
#: Members required for a defect and optional for other deviations.
_OF_DEFECTS = ("id", "level", "where", "section", "notice")
#: Members for the report of a defect; a test requires all except the last three.
OF_REPORTS = ("summary", "rule", "upstream", "searched", "example", "repair", "keyword", "arithmetic")
_LEVELS = ("MUST", "SHOULD", "definition")


class ManifestError(ValueError):
    """Invalid manifest or unknown adapter."""


#: Kind of a stack that implements another version of the algorithm: its cases show the first difference only.
OTHER_VERSION = "other-version"
#: Kinds of deviations, worst first. A defect violates a sentence of the text. ``literal`` is the literal reading, where
#: this project has another. ``by design``: another algorithm, permitted by the text. ``open``: left to the implementer.
KINDS = ("defect", "literal", "by design", OTHER_VERSION, "open", "precision")


@dataclass(frozen=True, slots=True)
class Deviation:
    """A known deviation: a case that shows it (or a glob over case ids), a clause, and the explanation.

    ``kind`` is one of :data:`KINDS`. A defect also has ``where`` (its place in the source), ``notice`` (its effect for
    a user), and ``section`` and ``level`` of the violated sentence. ``id`` identifies the place in the code; adapters
    that run the same code share it.

    Members for the report: ``summary``, a title. ``rule``, the sentence in our words. ``upstream``, the state upstream
    at the date ``searched``. ``example``, a case to show unshrunk, because fewer events show another deviation.
    ``arithmetic``, the derivation of the expected values. ``repair``, a tested change. ``keyword``, the keyword of the
    sentence if it differs from the level.

    ``clause``: a clause that the model applied at the first event with a different answer. This event may come after
    the event with the deviating step, and its clause may then differ from the violated rule. ``clause`` is None for the
    kind ``other-version`` (a stack with another version of the algorithm), which explains any divergence of its cases.
    """

    case: str
    clause: str | None
    explanation: str
    kind: str = "defect"
    level: str | None = None
    where: str | None = None
    section: str | None = None
    notice: str | None = None
    id: str | None = None
    summary: str | None = None
    rule: str | None = None
    upstream: str | None = None
    searched: str | None = None
    example: str | None = None
    repair: str | None = None
    arithmetic: str | None = None
    keyword: str | None = None

    def matches(self, case_id: str) -> bool:
        """Return whether the deviation covers the case."""
        return fnmatchcase(case_id, self.case)

    def level_of(self, clause_level: str) -> str | None:
        """Return the level of the deviation in reports.

        For a defect: the requirement level of the violated sentence (MUST, SHOULD or definition). ``clause_level``, the
        level of the deviation's clause, replaces a missing level. For the kind ``open``: ``open point``. For all other
        kinds: None.
        """
        if self.kind == KINDS[0]:
            return self.level or clause_level
        return "open point" if self.kind == "open" else None

    def explains(self, case_id: str, clauses: tuple[str, ...]) -> bool:
        """Return whether the deviation explains a divergence from the model in a case.

        ``clauses``: ids of the clauses that the model applied at the diverging event. The deviation must cover the
        case. Its own clause must be among ``clauses``, unless it is None or ``clauses`` is empty.
        """
        return self.matches(case_id) and (self.clause is None or not clauses or self.clause in clauses)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A known refusal: ``reason``, a glob over the reason in the adapter's answer, and the ``explanation``."""

    reason: str
    explanation: str

    def matches(self, reason: str) -> bool:
        """Return whether this entry explains a refusal with the given reason."""
        return fnmatchcase(reason, self.reason)


@dataclass(frozen=True, slots=True)
class Manifest:
    """An adapter: its command, requirements and known deviations.

    ``files`` must exist before the adapter can start; the make target ``build`` builds them. ``record`` is the file of
    the first divergences of a third-party stack. ``deadline_s`` replaces the run's deadline for the answers of a case.
    A ``stateless`` adapter shares nothing between cases and may run several times at once.
    ``supplied_before_start``: the state of a connection before its first packet of application data, divided into the
    part that the adapter supplies and the rest.
    """

    name: str
    title: str
    language: str
    role: str
    command: tuple[str, ...]
    cwd: Path
    build: str | None = None
    requires: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()
    deviations: tuple[Deviation, ...] = ()
    record: Path | None = None
    deadline_s: float | None = None
    stateless: bool = False
    supplied_before_start: str | None = None
    refusals: tuple[Refusal, ...] = ()

    def missing_program(self) -> str | None:
        """Return the first missing program that the adapter needs to be built or run, or None."""
        return next((program for program in self.requires if shutil.which(program) is None), None)

    def missing(self) -> str | None:
        """Return the reason why the adapter cannot be run here, or None."""
        program = self.missing_program()
        if program is not None:
            return f"needs the program {program}"
        for file in self.files:
            if not file.exists():
                hint = f": run `make {self.build}`" if self.build else ""
                return f"{_relative(file)} does not exist{hint}"
        if self.build is not None and not _is_of_its_sources(self.build):
            return f"its sources were changed since it was built: run `make {self.build}`"
        return None


def _is_of_its_sources(target: str, folder: Path = BUILD / "adapters", sources: Path = REFERENCE_C) -> bool:
    """Return whether the sources of a build target are unchanged since its build.

    A build of the C port leaves a list of its source files and a copy of their text in ``folder``. Return True without
    this list (other targets). Return False if a file is unreadable or the text in ``sources`` differs from the copy.
    """
    listed, text = folder / f"{target}.files", folder / f"{target}.text"
    if not listed.is_file():
        return True
    try:
        return text.read_bytes() == b"".join((sources / name).read_bytes() for name in listed.read_text().split())
    except OSError:
        return False


def load_manifest(path: Path) -> Manifest:
    """Read one manifest. Raise :class:`ManifestError` with file and key."""
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ManifestError(f"{path}: {error}") from error
    reader = _Reader(path, raw)
    texts = {key: reader.text(key) for key in _TEXTS}
    if texts["role"] not in ROLES:
        raise reader.error("role", f"{texts['role']!r} is not one of {', '.join(ROLES)}")
    command, files = _command(reader, path.parent)
    build = reader.text("build") if "build" in raw else None
    requires = reader.texts("requires") if "requires" in raw else ()
    deviations = tuple(_deviations(reader))
    refusals = tuple(_refusals(reader))
    deadline_s = reader.seconds("deadline_s") if "deadline_s" in raw else None
    stateless = reader.truth("stateless") if "stateless" in raw else False
    third_party = texts["role"] == "third-party"
    supplied = reader.text("supplied_before_start") if third_party or "supplied_before_start" in raw else None
    reader.refuse_others()
    record = path.parent / _RECORD if third_party else None
    return Manifest(
        **texts,
        command=command,
        cwd=ROOT,
        build=build,
        requires=requires,
        files=files,
        deviations=deviations,
        record=record,
        deadline_s=deadline_s,
        stateless=stateless,
        supplied_before_start=supplied,
        refusals=refusals,
    )


@cache
def _known_clauses() -> frozenset[str]:
    """Return the ids of all clauses, read once."""
    return frozenset(all_clauses())


def load_manifests(root: Path = ADAPTERS) -> dict[str, Manifest]:
    """Return all manifests by name."""
    manifests: dict[str, Manifest] = {}
    for path in sorted(root.glob("*/manifest.toml")):
        manifest = load_manifest(path)
        if manifest.name in manifests:
            raise ManifestError(f"{path}: name: another adapter has the name {manifest.name!r}")
        manifests[manifest.name] = manifest
    return manifests


def resolve(value: str, manifests: dict[str, Manifest]) -> Manifest:
    """Return the adapter for ``--adapter VALUE``: a name, a shared object or a command line."""
    if value in manifests:
        return manifests[value]
    path = Path(value)
    if path.suffix in _LIBRARY_SUFFIXES:
        if not path.is_file():
            raise ManifestError(f"--adapter {value}: no such file")
        return _without_manifest(value, _host_command(path.resolve()))
    try:
        words = shlex.split(value)
    except ValueError as error:
        raise ManifestError(f"--adapter {value}: {error}") from error
    if words and shutil.which(words[0]):
        return _without_manifest(value, tuple(words))
    if len(words) > 1:
        why = not_a_command(Path(words[0])) if "/" in words[0] else "no such command"
        raise ManifestError(f"--adapter {value}: {words[0]}: {why}")
    if words and ("/" in value or path.exists()):
        raise ManifestError(f"--adapter {value}: {not_a_command(path)}")
    near = get_close_matches(value, manifests, 1)
    hint = f"did you mean {near[0]}? " if near else ""
    raise ManifestError(f"--adapter {value}: no such adapter; {hint}available: {', '.join(manifests) or 'none'}")


def _without_manifest(name: str, command: tuple[str, ...]) -> Manifest:
    return Manifest(shown(name), shown(name), "", "third-party", command, Path.cwd())


def _host_command(library: Path) -> tuple[str, ...]:
    """Return the command of an adapter in a shared object: the host, with the path ``library``.

    The host is a program that loads the shared object and speaks the adapter protocol. If it is missing, build it.
    Raise :class:`ManifestError` if the build fails.
    """
    if SHARED_OBJECT_HOST.is_file():
        return (str(SHARED_OBJECT_HOST), str(library))
    sources = [ADAPTERS / "c" / name for name in ("shared_object_host.c", "json_lines.c")]
    included = [
        ADAPTERS / "c" / "stdio_host.c",
        ADAPTERS / "c" / "json_lines.h",
        CONFORMANCE / "include" / "firstflight_adapter.h",
    ]
    flags = ("-std=c11", "-O2", f"-I{CONFORMANCE / 'include'}")
    try:
        host = built("shared-object-host", sources, flags, of=included, libraries=("-ldl",))
    except BuildError as error:
        raise ManifestError(
            f"{library}: cannot build the host for shared objects: {error}; set CC to a C compiler"
        ) from error
    return (str(host), str(library))


def _command(reader: "_Reader", here: Path) -> tuple[tuple[str, ...], tuple[Path, ...]]:
    places = {"{python}": sys.executable, "{here}": str(here.resolve()), "{root}": str(ROOT)}

    def fill(word: str) -> str:
        for place, value in places.items():
            word = word.replace(place, value)
        return word

    if ("command" in reader.raw) == ("shared_object" in reader.raw):
        raise reader.error("command", "exactly one of command and shared_object is required")
    if "shared_object" in reader.raw:
        library = ROOT / fill(reader.text("shared_object"))
        return (str(SHARED_OBJECT_HOST), str(library)), (library, SHARED_OBJECT_HOST)
    words = reader.texts("command")
    if not words:
        raise reader.error("command", "is empty")
    # Files of the checkout must exist before the adapter can run; some are built.
    files = tuple(Path(fill(word)) for word in words if word.startswith(("{here}", "{root}")))
    return tuple(fill(word) for word in words), files


def _tables(reader: "_Reader", key: str) -> Iterator["_Reader"]:
    """Yield a reader for each table of an array."""
    entries = reader.take(key, [])
    if not isinstance(entries, list):
        raise reader.error(key, f"needs tables [[{key}]]")
    for number, entry in enumerate(entries):
        if not isinstance(entry, dict):
            raise reader.error(key, f"needs tables [[{key}]]")
        yield _Reader(reader.path, entry, f"{key}[{number}].")


def _refusals(reader: "_Reader") -> Iterator[Refusal]:
    for inner in _tables(reader, "refusal"):
        yield Refusal(inner.text("reason"), inner.text("explanation"))
        inner.refuse_others()


def _deviations(reader: "_Reader") -> list[Deviation]:
    deviations = []
    for inner in _tables(reader, "deviation"):
        deviation = _told(inner)
        inner.refuse_others()
        cases_by_clause = _cases_of_profiles(inner) if deviation.kind == OTHER_VERSION else _cases(inner)
        deviations += [
            replace(deviation, case=case, clause=clause) for clause, cases in cases_by_clause for case in cases
        ]
    return deviations


def _told(reader: "_Reader") -> Deviation:
    """Return a :class:`Deviation` with the members that all cases of a table ``[[deviation]]`` share.

    The caller copies the result for each case of the table and sets ``case`` and ``clause``, which are empty and None
    here. Raise :class:`ManifestError` for a missing or wrong member.
    """
    if "kind" not in reader.raw:
        raise reader.error("kind", f"is missing; choose one of {', '.join(KINDS)}")
    kind, explanation = reader.text("kind"), reader.text("explanation")
    if kind not in KINDS:
        near = get_close_matches(kind, KINDS, 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise reader.error("kind", f"{kind!r} is not one of {', '.join(KINDS)}{hint}")
    reader.take("profiles" if kind == OTHER_VERSION else "cases")
    allowed = () if kind == OTHER_VERSION else _OF_DEFECTS
    more = {key: reader.text(key) for key in allowed if key in reader.raw or kind == KINDS[0]}
    more |= {key: reader.text(key) for key in OF_REPORTS if kind == KINDS[0] and key in reader.raw}
    if more.get("level", _LEVELS[0]) not in _LEVELS:
        raise reader.error("level", f"{more['level']!r} is not one of {', '.join(_LEVELS)}")
    return Deviation("", None, explanation, kind, **more)


def _cases(reader: "_Reader") -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each clause of a deviation with its cases (ids or globs), from the table ``cases`` of the manifest.

    Raise :class:`ManifestError` for a missing or empty table or an unknown clause.
    """
    table = reader.raw.get("cases")
    if not isinstance(table, dict) or not table:
        raise reader.error("cases", "needs a table of lists of cases by clause")
    inner = _Reader(reader.path, table, f"{reader.prefix}cases.")
    for clause in table:
        if clause not in _known_clauses():
            near = get_close_matches(clause, _known_clauses(), 1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise inner.error(clause, f"unknown clause {clause!r}{hint}")
        yield clause, inner.texts(clause)


def _cases_of_profiles(reader: "_Reader") -> Iterator[tuple[None, tuple[str, ...]]]:
    """Yield None and globs over case ids, for each profile of an ``other-version`` deviation.

    The kind ``other-version`` marks a stack with another version of the algorithm. Its cases have None in place of a
    clause. One glob covers the cases of the vectors, the other the cases in closed loop. Raise :class:`ManifestError`
    unless there are profiles, each written ALGORITHM/PROFILE.
    """
    profiles = reader.texts("profiles")
    if not profiles:
        raise reader.error("profiles", "is empty")
    for name in profiles:
        algorithm, slash, profile = name.partition("/")
        if not (algorithm and slash and profile):
            raise reader.error("profiles", f"expected ALGORITHM/PROFILE, got {name!r}")
        yield None, (f"{algorithm}.*@{profile}", f"stimulus:*@{name}")


class _Reader:
    """Reads checked values from a table and refuses the keys left unread."""

    def __init__(self, path: Path, raw: dict[str, Any], prefix: str = "") -> None:
        self.path, self.raw, self.prefix = path, raw, prefix
        self._read_keys: set[str] = set()

    def error(self, key: str, reason: str) -> ManifestError:
        return ManifestError(f"{self.path}: {self.prefix}{key}: {reason}")

    def take(self, key: str, default: object = None) -> object:
        self._read_keys.add(key)
        return self.raw.get(key, default)

    def text(self, key: str) -> str:
        value = self.take(key)
        if not isinstance(value, str) or not value.strip():
            raise self.error(key, "must be a non-empty string")
        return value.strip()

    def texts(self, key: str) -> tuple[str, ...]:
        value = self.take(key)
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.error(key, "must be a list of strings")
        return tuple(value)

    def seconds(self, key: str) -> float:
        value = self.take(key)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e6:
            raise self.error(key, "needs a number of seconds")
        return value

    def truth(self, key: str) -> bool:
        value = self.take(key)
        if not isinstance(value, bool):
            raise self.error(key, "needs true or false")
        return value

    def refuse_others(self) -> None:
        for key in self.raw:
            if key not in self._read_keys:
                raise self.error(key, "unknown key")


def _relative(path: Path) -> Path:
    return path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
