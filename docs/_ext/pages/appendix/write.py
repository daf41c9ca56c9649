"""Writes the appendix of a profile as RFC XML or as Markdown for kramdown-rfc."""

from pages.appendix import markdown, xml
from pages.appendix.content import appendix
from pages.profiles.page import profiles

#: The formats with the function that renders each.
FORMATS = {"markdown": markdown.text, "xml": xml.text}


def text(name: str, form: str) -> str:
    """Return the appendix of a profile such as `search/draft-09`. Raise ``KeyError`` for another name or format."""
    algorithm, profile = {
        f"{algorithm_name}/{profile.name}": (algorithm_name, profile) for algorithm_name, profile in profiles()
    }[name]
    return FORMATS[form](appendix(algorithm, profile))
