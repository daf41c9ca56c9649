"""The directive ``home-actions``: buttons of the first screen, and the commands to get a checkout."""

import subprocess
from html import escape

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

import firstflight
from firstflight_conformance.paths import ROOT
from pages import parts, site

_ACTIONS = (
    ("play", "Watch a start"),
    ("judge", "Judge a log"),
    (f"{site.GENERATED}/stacks", "Stacks"),
    (f"{site.GENERATED}/data", "Vectors"),
    (f"{site.GENERATED}/plain/index", "Headers"),
)


class HomeActionsDirective(SphinxDirective):
    """Buttons for the pages that were built, then release and commands."""

    def run(self) -> list[nodes.Node]:
        """Return the HTML."""
        return [nodes.raw("", html(), format="html")]


def html() -> str:
    """Return buttons and commands as HTML."""
    missing = parts.missing()
    buttons = " ".join(
        f'<a class="action" href="{page}.html">{text}</a>' for page, text in _ACTIONS if page not in missing
    )
    address = repository()
    clone = f"git clone {escape(address)} firstflight && cd firstflight\n" if address else ""
    return (
        f'<nav class="actions" aria-label="Start here">{buttons}</nav>\n'
        f'<div class="highlight-sh notranslate"><div class="highlight"><pre>{clone}make conformance   # in a checkout: judge all stacks</pre></div></div>\n'
        f'<p class="small-print">Release {firstflight.__version__}. <a href="install.html">Install</a>, <a href="tutorial.html">judge your own controller</a>, '
        '<a href="_generated/changelog.html">changes</a>.</p>'
    )


def repository() -> str | None:
    """Return the public address of the remote of the checkout, or None."""
    command = ("git", "-C", str(ROOT), "config", "--get", "remote.origin.url")
    address = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    return address if address.startswith("https://") and "@" not in address else None
