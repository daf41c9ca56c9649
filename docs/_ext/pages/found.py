"""Check of the search: words and queries of readers must lead to the page about them."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.util import logging

_LOGGER = logging.getLogger(__name__)
_HERE = Path(__file__).parent
QUERIES = _HERE / "found.json"


def check_search(app: Sphinx, error: Exception | None) -> None:
    """Warn if too few of the words lead to their pages. Needs node to run the search script of the site."""
    if error is not None or app.builder.name != "html":
        return
    if shutil.which("node") is None:
        _LOGGER.info("the ranks of the search are not checked: there is no node here")
        return
    data = json.loads(QUERIES.read_text("utf-8"))
    ranks = ranks_of(Path(app.outdir))
    for group, least in (("queries", "least_found"), ("readers", "readers_least_found")):
        queries = data.get(group, {})
        missed = {query: rank for query in queries if (rank := ranks[query]) is None or rank > data["among"]}
        if len(queries) - len(missed) < data.get(least, 0):
            ranks_of_missed = ", ".join(f"{query}: {rank or 'not found'}" for query, rank in missed.items())
            _LOGGER.warning(
                "the search finds %s of %s pages (%s)", len(queries) - len(missed), len(queries), ranks_of_missed
            )


def ranks_of(site: Path, queries: Path = QUERIES) -> dict[str, int | None]:
    """Return the rank of the page of each query on a built site."""
    ranks: dict[str, int | None] = _node(site, str(queries))
    return ranks


def titles_of(site: Path, query: str) -> list[str]:
    """Return the titles of the results of a query, the best first."""
    titles: list[str] = _node(site, "--titles", query)
    return titles


def _node(site: Path, *arguments: str) -> Any:
    command = ("node", str(_HERE / "found.mjs"), str(site), *arguments)
    return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
