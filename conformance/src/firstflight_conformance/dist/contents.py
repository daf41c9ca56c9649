"""What each archive holds."""

import os
import subprocess
import sys
from pathlib import Path

from firstflight_conformance.cases import flat
from firstflight_conformance.commands.options import all_cases
from firstflight_conformance.dist.archive import EPOCH_S, copy, write
from firstflight_conformance.paths import CONFORMANCE, REFERENCE_C, ROOT, SCHEMAS, SPEC, VECTORS
from firstflight_conformance.spec.clauses import all_clauses

#: The pages that somebody needs who has nothing but the vectors.
_PAGES = ("flat-format.md", "vector-format.md", "events.md", "adapter-protocol.md", "prng.md", "simulator.md")
#: What the commands read of a checkout, and an installed package carries: no adapter that has to be built. The
#: compiled simulator is built of its sources where there is a compiler.
_DATA = (
    "spec", "vectors", "docs/results", "conformance/scenarios", "conformance/presets", "conformance/mutants",
    "conformance/adapters/python-model", "conformance/adapters/null-echo",
    "conformance/adapters/null-initial-window", "conformance/adapters/null-silent",
    "conformance/simulator", "reference-c/include", "reference-c/src",
)  # fmt: skip


def vectors(folder: Path) -> None:
    """Put together ``firstflight-vectors``: data, schemas, the flat form of every profile, and loaders."""
    copy(CONFORMANCE / "loaders" / "ARCHIVE.md", folder / "README.md")
    copy(VECTORS / "LICENSE", folder / "LICENSE")
    copy(VECTORS, folder / "vectors")
    copy(SCHEMAS, folder / "schemas")
    for page in _PAGES:
        copy(SPEC / page, folder / "pages" / page)
    copy(CONFORMANCE / "loaders", folder / "loaders")
    (folder / "loaders" / "ARCHIVE.md").unlink()
    readme = (CONFORMANCE / "loaders" / "README.md").read_text("utf-8").replace("../../spec/", "../pages/")
    write(folder / "loaders" / "README.md", readme.encode("utf-8"))
    copy(ROOT / "LICENSE", folder / "loaders" / "LICENSE")
    for name, text in flat.files(all_cases(VECTORS), all_clauses()):
        write(folder / "flat" / name, text.encode("utf-8"))


def port(folder: Path) -> None:
    """Put together ``firstflight-c``: the port, the plain headers, build files and examples."""
    copy(ROOT / "LICENSE", folder / "LICENSE")
    copy(REFERENCE_C / "install.mk", folder / "Makefile")
    for part in ("README.md", "CMakeLists.txt", "firstflight.pc.in", "include", "src", "examples"):
        copy(REFERENCE_C / part, folder / part)
    for header in sorted((REFERENCE_C / "plain").glob("*.*")):
        copy(header, folder / "plain" / header.name)


def site(folder: Path) -> None:
    """Put together ``firstflight-site`` of the pages that ``make docs`` has built."""
    copy(ROOT / "build" / "docs", folder)


def packages(stage: Path, out: Path) -> None:
    """Build wheel and sdist of both Python packages; that of the tools carries what its commands read of a checkout."""
    for part in ("reference-py", "conformance"):
        for name in ("pyproject.toml", "README.md", "src"):
            copy(ROOT / part / name, stage / part / name)
        copy(ROOT / "LICENSE", stage / part / "LICENSE")
    for name in _DATA:
        copy(ROOT / name, stage / "conformance" / "src" / "firstflight_conformance" / "data" / name)
    for part in ("reference-py", "conformance"):
        subprocess.run(
            [sys.executable, "-m", "hatchling", "build", "--directory", str(out.resolve())],
            cwd=stage / part,
            env=os.environ | {"SOURCE_DATE_EPOCH": str(EPOCH_S)},
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
