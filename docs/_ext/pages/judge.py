"""Writes judge.html: one file that judges logs without any request, with Python packages and interpreter inside."""

import base64
import gzip
import hashlib
import html
import io
import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

from sphinx.application import Sphinx

import firstflight
from firstflight_conformance.format.vectors import Case
from firstflight_conformance.logs.qlog.write import qlog_text
from firstflight_conformance.logs.recording.from_case import recording_of
from firstflight_conformance.paths import CONFORMANCE, REFERENCE_PY, ROOT
from pages import site
from pages.parts import INTERPRETER
from pages.profiles import page as profile_pages

SOURCES = ROOT / "docs" / "_judge"
#: Modules of the interpreter's library that the judge does not import.
_LEFT_OUT = (
    "antigravity.py", "cgi", "curses", "dbm", "distutils", "doctest.py", "ensurepip", "ftplib.py", "idlelib", "imaplib.py", "lib2to3",
    "mailbox.py", "multiprocessing", "nntplib.py", "optparse.py", "pdb.py", "pickletools.py", "poplib.py", "pydoc", "smtplib.py", "sqlite3", "ssl.py", "tarfile.py",
    "telnetlib.py", "tkinter", "turtle", "unittest", "venv", "wsgiref", "xml", "xmlrpc", "zoneinfo",
)  # fmt: skip
#: Codecs that qlogs and the interpreter itself need.
_CODECS = ("__init__", "aliases", "ascii", "cp437", "idna", "latin_1", "raw_unicode_escape", "unicode_escape", "utf_16", "utf_8", "utf_8_sig")  # fmt: skip
#: Folders of the tool that judging a connection does not need.
_NO_JUDGE = ("commands", "sweeps", "mutants", "vectorgen", "plots", "run", "diagnose", "data")
_NO_INTERPRETER = "This copy of the page has no interpreter. <code>make docs</code> adds it where npm is available."
_SAMPLES = (
    ("a kernel's CUBIC, captured", "kernel-cubic.pcap", "access-line-cubic.pcap.gz"),
    ("a kernel's BBR, captured", "kernel-bbr.pcap", "access-line-bbr.pcap.gz"),
    ("a simulated SEARCH, as a qlog", "search.sqlog", "search.path.deep-queue@linux-4"),
    ("a simulated HyStart++, as a qlog", "hystartpp.sqlog", "hystartpp.path.deep-queue@rfc-9406"),
)


def write_page(app: Sphinx, error: Exception | None) -> None:
    """Write the page. Without the optional interpreter, the page explains how to build it."""
    if error is None and app.builder.name == "html":
        (Path(app.outdir) / "judge.html").write_text(page(INTERPRETER), encoding="utf-8")


def page(interpreter: Path, policy: str | None = None) -> str:
    """Return the page with the interpreter from a folder. ``policy``: replaces the page's own policy, for a test."""
    has_interpreter = (interpreter / "pyodide.asm.wasm").exists()
    data = dict(_data(interpreter)) if has_interpreter else {"program": ""}
    samples = (
        {f"sample-{number}": _packed(_sample(source)) for number, (_, _, source) in enumerate(_SAMPLES)}
        if has_interpreter
        else {}
    )
    scripts = [(ROOT / "docs" / "_static" / "play" / "plot.js").read_text("utf-8"), _source("page.js")]
    blocks = [
        f'<script type="text/plain" id="{name}">{_inert(text)}</script>' for name, text in (data | samples).items()
    ]
    blocks.append(
        f'<script type="application/json" id="pages">{_inert(json.dumps(addresses() if has_interpreter else {}, separators=(",", ":")))}</script>'
    )
    blocks += [f"<script>{script}</script>" for script in ("window.Play = {};", *scripts)]
    parts = {
        "policy": html.escape(
            policy if policy is not None else policy_of(["window.Play = {};", *scripts], _source("page.css"))
        ),
        "release": firstflight.__version__,
        "missing": "This page needs JavaScript." if has_interpreter else _NO_INTERPRETER,
        "style": _source("page.css"),
        "samples": " ".join(
            f'<button type="button" data-sample="sample-{number}" data-file="{name}">{title}</button>'
            for number, (title, name, _) in enumerate(_SAMPLES)
        ),
        "interpreter": json.loads(_source("package.json"))["dependencies"]["pyodide"],
        "megabytes": f"{sum(map(len, (data | samples).values())) / 1e6:.0f}",
        "blocks": "\n".join(blocks),
    }
    return re.sub(r"\{\{ (\w+) \}\}", lambda name: parts[name[1]], _source("page.html"))


def addresses() -> dict[str, dict[str, str]]:
    """Return the addresses of profiles and clauses by name."""
    return {
        "profiles": {
            f"{algorithm}/{profile.name}": f"{site.GENERATED}/profiles/{algorithm}-{profile.name}.html"
            for algorithm, profile in profile_pages.profiles()
        },
        "clauses": {name: f"{site.clause_page(name)}.html#{site.anchor('clause', name)}" for name in site.clauses()},
    }


def policy_of(scripts: list[str], style: str) -> str:
    """Return the policy: it allows these scripts and styles, WebAssembly and a worker of the page, but no request."""
    hashes = " ".join(_hash(script) for script in scripts)
    return (
        f"default-src 'none'; script-src {hashes} 'wasm-unsafe-eval'; style-src {_hash(style)}; worker-src blob:; connect-src 'none'; "
        "img-src data:; form-action 'none'; base-uri 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _data(interpreter: Path) -> Iterator[tuple[str, str]]:
    program = b"\n".join((interpreter / name).read_bytes() for name in ("pyodide.asm.js", "pyodide.js"))
    yield "program", _packed(program.replace(b"//# sourceMappingURL", b"// source map"))
    yield "wasm", _packed((interpreter / "pyodide.asm.wasm").read_bytes())
    yield "library", _packed(_library(interpreter / "python_stdlib.zip"))
    yield "packages", _packed(_archive(dict(_packages())))
    lock = json.loads((interpreter / "pyodide-lock.json").read_text("utf-8"))
    yield "lock", json.dumps({"info": lock["info"], "packages": {}})
    yield "worker", _source("worker.js")
    yield "drive", _source("drive.py")


def _library(path: Path) -> bytes:
    with zipfile.ZipFile(path) as library:
        return _archive({name: library.read(name) for name in library.namelist() if _needed(name)})


def _needed(name: str) -> bool:
    folder, _, module = name.partition("/")
    if folder == "encodings":
        return module.partition(".")[0] in _CODECS
    return not name.startswith(_LEFT_OUT)


def _packages() -> Iterator[tuple[str, bytes]]:
    """Yield the files of the model, and of the part of the tool that judges."""
    for path in sorted(REFERENCE_PY.rglob("*.py")):
        if not path.name.startswith("plain_"):
            yield f"firstflight/{path.relative_to(REFERENCE_PY).as_posix()}", path.read_bytes()
    tool = CONFORMANCE / "src" / "firstflight_conformance"
    for path in sorted(tool.rglob("*.py")):
        place = path.relative_to(tool)
        if place.parts[0] not in _NO_JUDGE:
            yield f"firstflight_conformance/{place.as_posix()}", path.read_bytes()


def _archive(files: dict[str, bytes]) -> bytes:
    """Return a reproducible archive. Its members are not compressed, since the whole archive is."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as written:
        for name, data in files.items():
            written.writestr(zipfile.ZipInfo(name, (2000, 1, 1, 0, 0, 0)), data)
    return archive.getvalue()


def _packed(data: bytes) -> str:
    return base64.b64encode(gzip.compress(data, 9, mtime=0)).decode("ascii")


def _sample(source: str) -> bytes:
    if source.endswith(".gz"):
        return gzip.decompress((CONFORMANCE / "tests" / "kept_captures" / source).read_bytes())
    vector, _, profile = source.partition("@")
    case = Case(site.vectors_by_id()[vector], profile)
    return qlog_text(recording_of(case), case.id, "a simulated connection").encode()


def _inert(text: str) -> str:
    """Return text that cannot end an element."""
    assert "</script" not in text.lower()
    return text


def _source(name: str) -> str:
    return (SOURCES / name).read_text("utf-8")
