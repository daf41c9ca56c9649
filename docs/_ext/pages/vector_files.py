"""The files of the vectors on the site, and the links to them and to the page that plays them."""

import gzip
from pathlib import Path

from sphinx.application import Sphinx

from firstflight_conformance.format.vectors import Vector
from firstflight_conformance.paths import VECTORS
from firstflight_conformance.report.play import play_address
from pages import site

#: Their folder on the site: as in the repository.
_FOLDER = "vectors"


def file_of(path: Path) -> str:
    """Return the path of the file of a vector or a computation on the site; packed, since all files are 34 MB."""
    return f"{_FOLDER}/{path.relative_to(VECTORS).as_posix()}.gz"


def play(vector: Vector, profile: str, **more: object) -> str:
    """Return the address of the page that plays a vector, from the root of the site."""
    return play_address(vector.id, profile, **more)


def links(vector: Vector, root: str) -> str:
    """Return the links as HTML. ``root``: path from the page to the root of the site."""
    where = play(vector, next(iter(vector.profiles))).replace("&", "&amp;")
    return f'<a href="{root}{where}">Play this vector</a>, <a href="{root}{file_of(vector.path)}" download>JSON</a>'


def write_files(app: Sphinx, error: Exception | None) -> None:
    """Write the files; the same bytes wherever the site is built."""
    if error is not None or app.builder.name != "html":
        return
    paths = [*(vector.path for vector in site.vectors()), *(computation.path for computation in site.computations())]
    for path in paths:
        target = Path(app.outdir) / file_of(path)
        packed = gzip.compress(path.read_bytes(), mtime=0)
        if not target.exists() or target.read_bytes() != packed:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(packed)
