"""A check of the search: thirty words that readers look for must lead to the page about them."""

import json
import shutil
import subprocess
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util import logging

_LOGGER = logging.getLogger(__name__)
_HERE = Path(__file__).parent
QUERIES = _HERE / "found.json"


def check_search(app: Sphinx, error: Exception | None) -> None:
    """Warn if too few of the words lead to their pages. Needs node, in which the script of the site itself searches."""
    if error is not None or app.builder.name != "html":
        return
    if shutil.which("node") is None:
        _LOGGER.info("the ranks of the search are not checked: there is no node here")
        return
    asked = json.loads(QUERIES.read_text("utf-8"))
    ranks = ranks_of(Path(app.outdir))
    missed = {query: rank for query, rank in ranks.items() if rank is None or rank > asked["among"]}
    if len(ranks) - len(missed) < asked["least_found"]:
        told = ", ".join(f"{query}: {rank or 'not found'}" for query, rank in missed.items())
        _LOGGER.warning("the search finds %s of %s pages (%s)", len(ranks) - len(missed), len(ranks), told)


def ranks_of(site: Path, queries: Path = QUERIES) -> dict[str, int | None]:
    """Return at which rank each query has its page on a built site."""
    command = ("node", str(_HERE / "found.mjs"), str(site), str(queries))
    found: dict[str, int | None] = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    return found
