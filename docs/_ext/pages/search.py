"""The index of the search: each word is stemmed once for all pages, not once for each."""

from functools import cache

from sphinx.search.en import SearchEnglish

_stem = cache(SearchEnglish({}).stem)


class English(SearchEnglish):
    """English, in which a word that was stemmed before is looked up."""

    def stem(self, word: str) -> str:
        """Return the stem of a word."""
        return _stem(word)
