"""A limit to the bytes of the site: elements repeated on hundreds of pages grow unnoticed."""

from collections import Counter
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util import logging

_LOGGER = logging.getLogger(__name__)
#: Limit of the whole site without the pages below.
LIMIT_BYTES = 41_500_000
#: Self-contained pages, each with its own limit.
APART_BYTES = {"judge.html": 8_000_000}
#: Maximum number of parts in the message for a site that is too large.
_NAMED = 6


def remove_unused(app: Sphinx, error: Exception | None) -> None:
    """Remove unused files: source maps of the theme's styles and scripts, and duplicate pictures."""
    if error is None and app.builder.name == "html":
        site = Path(app.outdir)
        pictures = (path for path in (site / "_static").glob("*.svg") if (site / "_images" / path.name).exists())
        for path in [*(site / "_static").rglob("*.map"), *pictures]:
            path.unlink()


def check_weight(app: Sphinx, error: Exception | None) -> None:
    """Warn of a site that is too large. Does nothing after a failed build, or for other formats than HTML."""
    if error is None and app.builder.name == "html":
        parts = weigh(Path(app.outdir))
        if (whole := sum(parts.values())) > LIMIT_BYTES:
            largest = ", ".join(f"{part} {_text(size)}" for part, size in parts.most_common(_NAMED))
            _LOGGER.warning("the site has %s, more than %s: %s", _text(whole), _text(LIMIT_BYTES), largest)
        for name, limit in APART_BYTES.items():
            page = Path(app.outdir) / name
            if page.exists() and (size := page.stat().st_size) > limit:
                _LOGGER.warning("%s has %s, more than %s", name, _text(size), _text(limit))


def weigh(site: Path) -> Counter[str]:
    """Return the bytes of each part of a site: its folders, each folder of generated pages, and the other pages."""
    parts: Counter[str] = Counter()
    for path in site.rglob("*"):
        place = path.relative_to(site)
        if path.is_file() and place.parts[0] not in {".doctrees", *APART_BYTES}:
            folders = place.parts[:-1]
            parts["/".join(folders[: 2 if place.parts[0] == "_generated" else 1]) or "pages"] += path.stat().st_size
    return parts


def _text(size: int) -> str:
    return f"{size / 1e6:.1f} MB"
