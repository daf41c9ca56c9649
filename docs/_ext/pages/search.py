"""The index of the search: each word is stemmed once for all pages, not once for each, and what a page is listed under outlives the build."""

from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.search.en import SearchEnglish

_stem = cache(SearchEnglish({}).stem)


class English(SearchEnglish):
    """English, in which a word that was stemmed before is looked up."""

    def stem(self, word: str) -> str:
        """Return the stem of a word."""
        return _stem(word)


def keep_entries(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Take the entries of pages that are not written again from the index that is there, which Sphinx does not; no page is added."""
    builder: Any = app.builder
    entries: dict[str, list[tuple[str, str, str]]] = builder.indexer._index_entries
    path = Path(app.outdir) / builder.searchindex_filename
    if path.exists():
        with path.open(encoding="utf-8") as stream:
            before = _entries(builder.indexer_format.load(stream))
        entries |= {page: before[page] for page in app.env.all_docs.keys() & before.keys() - entries.keys()}
    builder.indexer._index_entries = dict(sorted(entries.items()))
    yield from ()


def _entries(index: dict[str, Any]) -> dict[str, list[tuple[str, str, str]]]:
    """Return the entries of each page of an index as it is written."""
    found: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
    for entry, places in index["indexentries"].items():
        for page, anchor, is_main in places:
            found[index["docnames"][page]].append((entry, anchor, "main" if is_main else ""))
    return found
