"""Files of the appendices that the site shows."""

from pages.appendix import shown, write

#: The ending of a file of each format, and a name for readers.
FILES = {"markdown": ("md", "Markdown for kramdown-rfc"), "xml": ("xml", "RFC XML v3 for xml2rfc")}


def files() -> dict[str, bytes]:
    """Return the files by name."""
    return {
        f"{shown.document(name)}.{ending}": write.text(name, form).encode()
        for name in shown.PROFILES
        for form, (ending, _) in FILES.items()
    }
