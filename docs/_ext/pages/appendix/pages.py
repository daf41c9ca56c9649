"""Pages with the appendix of a profile: both formats as downloads, and the Markdown."""

from pages import data_files
from pages import markdown as md
from pages.appendix import downloads, shown, write
from pages.profiles.page import label


def links(name: str, root: str) -> str:
    """Return the links to the downloads of an appendix. ``root``: the way to the root of the site."""
    return ", ".join(
        f'<a href="{root}{data_files.FOLDER}/{shown.document(name)}.{ending}" download>{title}</a>'
        for ending, title in downloads.FILES.values()
    )


def pages() -> dict[str, str]:
    """Return the pages by their documents."""
    return {shown.document(name): _page(name) for name in shown.PROFILES}


def _page(name: str) -> str:
    return md.page(
        "---\nnosearch: true\n---",
        md.label(f"appendix-{name.replace('/', '-')}"),
        f"# Appendix for a draft: {name}",
        f"Sections *Pseudocode* and *Test vectors* of {md.ref(name, label(*name.split('/')))} for an Internet-Draft, as {links(name, '../../')}. "
        f"`firstflight appendix {name} --format xml` writes the XML; every other profile has an appendix too ({md.ref('firstflight appendix', 'command-appendix')}).",
        "xml2rfc accepts the XML without a warning: copy the section into `<back>`, after the references. With kramdown-rfc, include the Markdown "
        "after `--- back`.",
        "The vectors are in the public domain (CC0-1.0), the program is under the Apache License 2.0. We have not granted the Revised BSD "
        "License of the IETF Trust ([Licence](../../licence.md)).",
        "## The Markdown",
        f"```text\n{write.text(name, 'markdown').rstrip()}\n```",
    )
