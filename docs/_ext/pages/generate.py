"""Writes the pages below ``docs/_generated`` before Sphinx reads sources; unchanged files are not rewritten."""

import gc
import hashlib
from collections.abc import Iterator
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util import logging

from firstflight_conformance.format.clauses import page_name, pages
from firstflight_conformance.paths import (
    ADAPTERS,
    CONFORMANCE,
    REFERENCE_C,
    REFERENCE_PY,
    ROOT,
    SCENARIOS,
    SPEC,
    STIMULI,
    STUDIES,
    VECTORS,
)
from pages import (
    c_headers,
    commands_page,
    committed,
    computation_pages,
    connections_page,
    data_page,
    defect_pages,
    freedoms_page,
    history_page,
    kernel_page,
    matrix,
    plain_pages,
    plot_cache,
    profile_paths,
    published_page,
    python_api,
    readings,
    site,
    stacks,
    status_page,
    vector_pages,
)
from pages.appendix import pages as appendices
from pages.profiles import page as profile_pages
from plain.judge import programs
from plots import of_pages, sizes, starts
from plots.published_all import write_published_plots
from plots.slim import slim_plots
from studies.defects.defects import MEASURED
from studies.live.agreement import CONNECTIONS
from studies.live.starts import STARTS
from studies.published.store import RESULTS

_LOGGER = logging.getLogger(__name__)
#: Digests of the sources of pages and plots at the last write.
_PAGES_STAMP, _PLOTS_STAMP = ".inputs", ".plot-inputs"


def write_pages(app: Sphinx) -> None:
    """Write every generated page unless its sources are unchanged; the plots likewise, which do not depend on prose."""
    folder = Path(app.srcdir) / site.GENERATED
    folder.mkdir(exist_ok=True)
    if _is_new(folder / _PAGES_STAMP, digest := _digest([*_data(), *_prose()])):
        _LOGGER.info("writing the generated pages")
        _check_specification_pages(Path(app.srcdir))
        pages = {f"{name}.md": text for name, text in _pages().items()}
        for path in set(_present(folder)) - set(pages):
            (folder / path).unlink()
        for name, text in pages.items():
            _write(folder / name, text)
        (folder / _PAGES_STAMP).write_text(digest, "utf-8")
    if _is_new(folder / _PLOTS_STAMP, digest := _digest(_data())):
        _LOGGER.info("drawing the plots")
        of_pages.write_plots(folder)
        computation_pages.write_plots(folder / "models")
        sizes.write_plots(folder / "sizes")
        starts.write_plots(folder / "starts")
        plot_cache.write_plots(site.vectors(), folder / "plots")
        profile_paths.write_paths(Path(app.srcdir))
        write_published_plots(folder / "results")
        slim_plots(folder)
        (folder / _PLOTS_STAMP).write_text(digest, "utf-8")
    # Vectors and clauses stay to the end, and pages of a hundred thousand nodes until they are written: collecting seldom finds anything.
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)


def _is_new(stamp: Path, digest: str) -> bool:
    return not stamp.exists() or stamp.read_text("utf-8") != digest


def _pages() -> dict[str, str]:
    pages = {
        **readings.pages(),
        **freedoms_page.pages(),
        "matrix": matrix.page(),
        **stacks.pages(),
        **defect_pages.pages(),
        **history_page.pages(),
        "connections": connections_page.page(),
        "kernel-results": kernel_page.page(),
        "implementation-status": status_page.page(),
        "results": published_page.page(),
        "changelog": _changelog(),
        "commands": commands_page.page(),
        **data_page.pages(),
        **appendices.pages(),
        "plain/index": plain_pages.index(),
        **profile_pages.pages(),
        "vectors/index": vector_pages.index(),
        "vectors/transfer-time": computation_pages.page(),
        **{f"api/{name}": text for name, text in (python_api.pages() | c_headers.pages()).items()},
    }
    for name in programs():
        pages[f"plain/{name}"] = plain_pages.page(name)
    for name, group in site.groups().items():
        pages[f"vectors/{name.replace('.', '-')}"] = vector_pages.page(name, group)
    for path in site.source_files():
        pages[site.source_page(path).removeprefix(f"{site.GENERATED}/")] = _source(path)
    return pages


def _source(path: Path) -> str:
    name = site.relative_to_root(path)
    return (
        f"---\nnosearch: true\n---\n\n# {path.parent.name}/{path.name}\n\nThe file `{name}` with numbered lines, for the links from clauses to code. "
        f"A comment `[id]` is the clause that the line implements.\n\n```{{source-file}} {name}\n```\n"
    )


def _changelog() -> str:
    path = ROOT / "CHANGELOG.md"
    if path.exists():
        return "```{include} ../../CHANGELOG.md\n```\n"
    return "# Changelog\n\nWhat changed from one version to the next. There is no release yet.\n"


def _check_specification_pages(folder: Path) -> None:
    for path in pages():
        name = f"{page_name(path)}.md"
        if not (folder / "specification" / name).exists():
            _LOGGER.warning("docs/specification/%s is missing: it should include %s", name, path)


def _present(folder: Path) -> Iterator[str]:
    return (path.relative_to(folder).as_posix() for path in folder.rglob("*.md"))


def _write(path: Path, text: str) -> None:
    if not path.exists() or path.read_text("utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def _prose() -> list[Path]:
    """Return the sources that are text only: no plot depends on them."""
    return [
        *pages(),
        *SPEC.glob("*/open-points.toml"),
        *STIMULI.glob("*/freedoms.toml"),
        *(path for path in (committed.REPORT, ROOT / "CHANGELOG.md") if path.exists()),
    ]


def _data() -> list[Path]:
    """Return the sources that plots depend on as well, including the code that draws them."""
    return [
        *SPEC.glob("*/profiles.toml"),
        *VECTORS.rglob("*.json"),
        *SCENARIOS.rglob("*.json"),
        *STIMULI.rglob("*.json"),
        *RESULTS.glob("*.json"),
        *(path for path in (CONNECTIONS, STARTS) if path.exists()),
        *ADAPTERS.glob("*/manifest.toml"),
        MEASURED,
        *committed.inputs(),
        *(STUDIES / "history").rglob("*.json"),
        *(STUDIES / "history").rglob("*.toml"),
        *REFERENCE_PY.rglob("*.py"),
        *REFERENCE_C.rglob("*.[ch]"),
        *(CONFORMANCE / "include").glob("*.h"),
        *(CONFORMANCE / "src").rglob("*.py"),
        *STIMULI.rglob("*.py"),
        *STUDIES.rglob("*.py"),
        *(ROOT / "docs" / "_ext").rglob("*.py"),
        *(ROOT / "docs" / "specification").glob("*.py"),
        CONFORMANCE / "packetdrill" / "README.md",
        *(CONFORMANCE / "dist").glob("*.py"),
    ]


def _digest(sources: list[Path]) -> str:
    digest = hashlib.sha256()
    for path in sorted(sources):
        digest.update(f"{path}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()
