"""Profiles with an appendix on the site, and its document."""

PROFILES = ("search/draft-09", "careful-resume/rfc-9959")


def document(name: str) -> str:
    """Return the document of the appendix of a profile, below the generated pages."""
    return f"appendix/{name.replace('/', '-')}"
