"""The index of the search. Each word is stemmed once for all pages, and entries of unchanged pages survive a build."""

from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.search.en import SearchEnglish

_stem = cache(SearchEnglish({}).stem)


class English(SearchEnglish):
    """English, with a cache of stems."""

    def stem(self, word: str) -> str:
        """Return the stem of a word."""
        return _stem(word)


def keep_entries(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Copy the entries of pages that are not rewritten from the existing index; Sphinx does not. No page is added."""
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
    """Return the entries of each page of a written index."""
    entries: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
    for entry, places in index["indexentries"].items():
        for page, anchor, is_main in places:
            entries[index["docnames"][page]].append((entry, anchor, "main" if is_main else ""))
    return entries
