"""The content of each archive."""

import os
import subprocess
import sys
from pathlib import Path

from dist import packetdrill
from dist.archive import EPOCH_S, copy, write
from firstflight_conformance import port as port_files
from firstflight_conformance.flat import form as flat
from firstflight_conformance.format.vectors import Case
from firstflight_conformance.commands.options import all_cases
from firstflight_conformance.format.open_points import open_points
from firstflight_conformance.paths import CONFORMANCE, REFERENCE_C, ROOT, SCHEMAS, SPEC, STIMULI, VECTORS
from firstflight_conformance.format.clauses import all_clauses
from plain.folders import plain_headers

#: The pages that users of the vectors alone need.
_PAGES = ("flat-format.md", "vector-format.md", "events.md", "adapter-protocol.md", "prng.md", "simulator.md")
#: Files of a checkout that the commands read, for the installed package. It includes only adapters without a build. The
#: package builds the simulator and the host of shared objects from their sources.
_DATA = (
    "spec", "vectors", "conformance/scenarios", "conformance/presets",
    "conformance/adapters/python-model", "conformance/adapters/null-echo",
    "conformance/adapters/null-initial-window", "conformance/adapters/null-silent",
    "conformance/simulator",
    *(f"conformance/adapters/c/{name}" for name in ("shared_object_host.c", "stdio_host.c", "json_lines.c", "json_lines.h")),
    "conformance/include/firstflight_adapter.h",
)  # fmt: skip


def vectors(folder: Path) -> None:
    """Assemble ``firstflight-vectors``: vectors, flat form, schemas, stack results, loaders, packetdrill scripts."""
    copy(VECTORS / "LICENSE", folder / "LICENSE")
    copy(VECTORS, folder / "vectors")
    copy(SCHEMAS, folder / "schemas")
    copy(CONFORMANCE / "results", folder / "results")
    for page in _PAGES:
        copy(SPEC / page, folder / "pages" / page)
    write(folder / "pages" / "clauses.md", _clauses().encode("utf-8"))
    write(folder / "pages" / "open-points.md", _open_points().encode("utf-8"))
    copy(CONFORMANCE / "loaders", folder / "loaders")
    (folder / "loaders" / "ARCHIVE.md").unlink()
    readme = (CONFORMANCE / "loaders" / "README.md").read_text("utf-8").replace("../../spec/", "../pages/")
    write(folder / "loaders" / "README.md", readme.encode("utf-8"))
    copy(ROOT / "LICENSE", folder / "loaders" / "LICENSE")
    cases = all_cases(VECTORS)
    for name, text in flat.files(cases, all_clauses()):
        write(folder / "flat" / name, text.encode("utf-8"))
    copy(CONFORMANCE / "packetdrill", folder / "packetdrill")
    for name, text in packetdrill.scripts(case for case in cases if isinstance(case, Case)):
        write(folder / "packetdrill" / name, text.encode("utf-8"))
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    readme = (CONFORMANCE / "loaders" / "ARCHIVE.md").read_text("utf-8").replace("{unpacked}", str(-(-size // 10**6)))
    write(folder / "README.md", readme.encode("utf-8"))


def _clauses() -> str:
    """Return a page with the texts of all rules, which cases cite."""
    parts = [f"## `{one.id}`\n\n{one.level}; {one.source}\n\n{one.text}\n" for one in all_clauses().values()]
    return "\n".join(["# Rules\n", *parts])


def _open_points() -> str:
    """Return a page with the conforming choices of all open points, which ways cite."""
    parts = [f"## {one.id}\n\n{one.source}\n\n{one.conforms} {one.why}\n" for one in open_points()]
    return "\n".join(["# Open points\n", *parts])


def port(folder: Path) -> None:
    """Assemble ``firstflight-c``: the port, the plain headers, build files and examples."""
    copy(ROOT / "LICENSE", folder / "LICENSE")
    copy(REFERENCE_C / "install.mk", folder / "Makefile")
    for part in ("README.md", "CMakeLists.txt", "firstflight.pc.in", "examples", "bpf"):
        copy(REFERENCE_C / part, folder / part)
    for test in (folder / "bpf").glob("vectors*"):
        test.unlink()
    library(folder)
    copy(REFERENCE_C / "plain" / "README.md", folder / "plain" / "README.md")
    for header in plain_headers():
        copy(header, folder / "plain" / header.name)


def library(folder: Path) -> None:
    """Copy sources and headers of the port to a folder."""
    for path in (*port_files.sources(), *port_files.headers()):
        copy(path, folder / path.relative_to(REFERENCE_C))


def missing_parts() -> str:
    """Return the parts that the built site lacks, or an empty text."""
    listed = ROOT / "build" / "docs" / ".incomplete"
    return "; ".join(listed.read_text("utf-8").splitlines()) if listed.exists() else ""


def site(folder: Path) -> None:
    """Assemble ``firstflight-site`` from the output of ``make docs``."""
    copy(ROOT / "build" / "docs", folder)


def wasm(folder: Path) -> None:
    """Assemble ``firstflight-wasm``, an npm package, from the output of ``make wasm``."""
    copy(ROOT / "build" / "wasm", folder)
    copy(ROOT / "LICENSE", folder / "LICENSE")


def packages(stage: Path, out: Path) -> None:
    """Build wheel and sdist of both Python packages. The tools include the files of a checkout that commands read."""
    for part in ("reference-py", "conformance"):
        for name in ("pyproject.toml", "README.md", "src"):
            copy(ROOT / part / name, stage / part / name)
        copy(ROOT / "LICENSE", stage / part / "LICENSE")
    data = stage / "conformance" / "src" / "firstflight_conformance" / "data"
    for name in _DATA:
        copy(ROOT / name, data / name)
    for path in STIMULI.rglob("*.json"):  # scenarios; the generators of vectors stay in the checkout
        copy(path, data / path.relative_to(ROOT))
    library(data / "reference-c")
    for part in ("reference-py", "conformance"):
        subprocess.run(
            [sys.executable, "-m", "hatchling", "build", "--directory", str(out.resolve())],
            cwd=stage / part,
            env=os.environ | {"SOURCE_DATE_EPOCH": str(EPOCH_S)},
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
