"""Files of the page *Data*, below ``data/`` of the site: documents with schemas, archives, headers, appendices, packetdrill scripts and checksums."""

import hashlib
import io
import json
import lzma
import tarfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from sphinx.application import Sphinx

from dist import packetdrill
from dist.archive import EPOCH_S
from firstflight_conformance.format.readings import load_tables
from firstflight_conformance.format.vectors import cases
from firstflight_conformance.paths import CONFORMANCE, ROOT, VECTORS
from pages import errata, site
from pages.appendix import downloads
from plain.folders import plain_headers

FOLDER = "data"
_SUMS = "SHA256SUMS"
_SCHEMAS = Path(__file__).parent / "schemas"


def documents() -> dict[str, dict[str, Any]]:
    """Return the JSON documents by name."""
    return {"errata": errata.document(), "clauses": _clauses(), "profiles": _profiles()}


def _clauses() -> dict[str, Any]:
    entries = [
        {
            "id": clause.id,
            "level": clause.level,
            "source": clause.source,
            "text": clause.text,
            "ours": clause.ours,
            "when": [str(condition) for condition in clause.when],
            "vectors": len(site.vectors_by_clause().get(clause.id, [])),
            "page": f"{site.clause_page(clause.id)}.html#{site.anchor('clause', clause.id)}",
        }
        for clause in site.clauses().values()
    ]
    return {"format": 1, "clauses": entries}


def _profiles() -> dict[str, Any]:
    entries = [
        {
            "id": f"{algorithm}/{profile.name}",
            "title": profile.title,
            "sources": list(profile.sources),
            "readings": {reading: str(value) for reading, value in profile.readings.items()},
            "vectors": sum(
                profile.name in vector.profiles for vector in site.vectors() if vector.algorithm == algorithm
            ),
        }
        for algorithm, table in load_tables().items()
        for profile in table.profiles
    ]
    return {"format": 1, "profiles": entries}


@cache
def contents() -> dict[str, bytes]:
    """Return the content of each file by name, the same bytes on every machine."""
    return dict(_files())


def _files() -> Iterator[tuple[str, bytes]]:
    for name, document in documents().items():
        schema = (_SCHEMAS / f"{name}.schema.json").read_bytes()
        Draft202012Validator(json.loads(schema)).validate(document)
        yield f"{name}.json", f"{json.dumps(document, indent=1, ensure_ascii=False)}\n".encode()
        yield f"{name}.schema.json", schema
    for folder in sorted(path for path in VECTORS.iterdir() if path.is_dir()):
        members = {path.relative_to(VECTORS).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*.json"))}
        yield f"vectors-{folder.name}.tar.xz", _archive(members | {"LICENSE": (VECTORS / "LICENSE").read_bytes()})
    headers = {path.name: path.read_bytes() for path in plain_headers()}
    yield "headers.tar.xz", _archive(headers | {"LICENSE": (ROOT / "LICENSE").read_bytes()})
    yield from ((f"headers/{name}", text) for name, text in headers.items())
    yield from downloads.files().items()
    scripts = dict(scripts_of_packetdrill())
    readme = (CONFORMANCE / "packetdrill" / "README.md").read_bytes()
    yield "packetdrill.tar.xz", _archive({"README.md": readme} | scripts)
    yield from ((f"packetdrill/{name}", text) for name, text in scripts.items())


def scripts_of_packetdrill() -> Iterator[tuple[str, bytes]]:
    """Yield name and text of the scripts for packetdrill."""
    algorithms = {profile.partition("/")[0] for profile in packetdrill.KERNELS}
    vectors = [vector for vector in site.vectors() if vector.algorithm in algorithms]
    yield from ((name, text.encode()) for name, text in packetdrill.scripts(cases(vectors)))


def _archive(members: dict[str, bytes]) -> bytes:
    """Return a tar archive compressed by xz, without times and owners."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, content in sorted(members.items()):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mtime, entry.mode = len(content), EPOCH_S, 0o644
            archive.addfile(entry, io.BytesIO(content))
    return lzma.compress(packed.getvalue(), preset=6)


def write_files(app: Sphinx, error: Exception | None) -> None:
    """Write the files and their SHA-256 sums, unless the generated pages were written from the same inputs."""
    if error is not None or app.builder.name != "html":
        return
    folder = Path(app.outdir) / FOLDER
    generated = Path(app.srcdir) / site.GENERATED
    stamp, made_from = generated / ".data-inputs", f"{folder} {(generated / '.inputs').read_text('utf-8')}"
    if stamp.exists() and stamp.read_text("utf-8") == made_from and (folder / _SUMS).exists():
        return
    sums = []
    for name, content in contents().items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        sums.append(f"{hashlib.sha256(content).hexdigest()}  {name}\n")
    (folder / _SUMS).write_text("".join(sums), "utf-8")
    stamp.write_text(made_from, "utf-8")
