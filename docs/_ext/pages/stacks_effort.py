"""Lines of the adapters of third-party stacks, with their share of common code: a table of "State of the stacks"."""

import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from firstflight_conformance.adapters.manifest import Manifest, load_manifests
from firstflight_conformance.paths import ADAPTERS
from pages import markdown as md

_SOURCES = (".c", ".h", ".go", ".java", ".py", ".rs")
#: Names of common files in sources and build files: C files, folders of Rust crates, files of another adapter, the Go package.
_COMMON = re.compile(
    r'[/"](?:c/)?(\w+\.[ch])"|"\.\./(rust/\w+)"|"\.\./\.\./([\w-]+/src/\w+\.rs)"|"firstflight/(adapter)"'
)


def table() -> list[str]:
    """Return a heading, a sentence and the table: for each program its adapters, own lines, and lines for each adapter."""
    programs: dict[Path, list[Manifest]] = defaultdict(list)
    for manifest in load_manifests().values():
        if manifest.role == "third-party":
            programs[_folder(manifest)].append(manifest)
    used = {folder: _common(folder) for folder in programs}
    users = {file: sum(file in files for files in used.values()) for files in used.values() for file in files}
    rows = []
    for folder, manifests in programs.items():
        own, shared = _lines(_own(folder)), sum(_lines([file]) / users[file] for file in used[folder])
        lines_per_adapter = round((own + shared) / len(manifests))
        names = ", ".join(md.code(manifest.name) for manifest in manifests)
        rows.append((names, manifests[0].language, str(own), str(round(shared)), str(lines_per_adapter)))
    header = ("Adapters", "Language", "Own lines", "Share of common lines", "Lines for each adapter")
    return [
        "## Lines of the adapters",
        "Lines of source, with comments and stubs. Adapters that run one program share its lines, and programs share the common "
        "code of their language: protocol, events, packets.",
        md.list_table(header, rows, (40, 15, 15, 15, 15), "compact"),
    ]


def _folder(manifest: Manifest) -> Path:
    """Return the folder with the sources of an adapter."""
    programs = (Path(word) for word in manifest.command if "/adapters/" in word)
    program = next(programs)
    name = program.parent.name if program.suffix in (".py", ".jar") else program.name
    return next(folder for folder in (ADAPTERS / name, ADAPTERS / "go" / name) if _own(folder))


def _own(folder: Path) -> list[Path]:
    files = (file for place in (folder, folder / "src") for file in sorted(place.glob("*")))
    return [file for file in files if file.suffix in _SOURCES]


def _common(folder: Path) -> set[Path]:
    """Return the common files that the sources and build files of a folder use, directly or indirectly."""
    common: set[Path] = set()
    due = [*_own(folder), *folder.glob("Cargo.toml"), *folder.glob("build.sh"), *folder.glob("go.mod")]
    while due:
        text = due.pop().read_text("utf-8")
        files = [file for match in _COMMON.finditer(text) for file in _files(match) if folder not in file.parents]
        due += [file for file in files if file not in common]
        common.update(files)
    return common


def _files(match: re.Match[str]) -> list[Path]:
    header, crate, adapter, _ = match.groups()
    if header:
        places = (ADAPTERS / "c" / header, ADAPTERS.parent / "include" / header)
        return [file for file in places if file.exists()]
    if adapter:
        return [ADAPTERS / adapter]
    place = ADAPTERS / crate / "src" if crate else ADAPTERS / "go" / "adapter"
    return _own(place)


def _lines(files: Iterable[Path]) -> int:
    return sum(len(file.read_text("utf-8").splitlines()) for file in files)
