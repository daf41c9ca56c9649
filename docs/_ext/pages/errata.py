"""Errata of the texts: read from ``spec/*/errata.md``, with permanent anchors, an index and links that play the event."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from html import escape
from typing import Any

from firstflight.controller import ALGORITHMS
from firstflight_conformance.paths import SPEC
from pages import site, vector_files
from pages.plot_cache import picture

_HEADING = re.compile(r"^#{2,3} (?P<number>[A-Z]{1,2}-?\d+)\. (?P<title>.+)$", re.M)
_ANY_HEADING = re.compile(r"^#{1,3} ", re.M)
_CASE = re.compile(r"`(?P<vector>[a-z0-9-]+\.[a-z0-9.-]+)@(?P<profile>[a-z0-9+-]+)`")
_EVENT = re.compile(r"\bevents? (\d+)")
_CORRECTION = re.compile(r"^- (?:Instead|Proposed)[^:\n]*: (.+(?:\n  .+)*)", re.M)
_BULLET = re.compile(r"^- .*(?:\n  .*)*", re.M)


@dataclass(frozen=True, slots=True)
class Erratum:
    """An erratum: number on the page of an algorithm, text in Markdown, and the cases and events that show it."""

    algorithm: str
    number: str
    title: str
    text: str

    @property
    def id(self) -> str:
        """Return the permanent id."""
        return f"{self.algorithm}-{self.number}"

    @property
    def anchor(self) -> str:
        """Return the anchor on the page."""
        return site.anchor("erratum", self.id)

    @property
    def rules(self) -> list[str]:
        """Return the clauses that the text mentions."""
        return [name for name in dict.fromkeys(re.findall(r"`([a-z0-9.-]+)`", self.text)) if name in site.clauses()]

    @property
    def shown_by(self) -> list[tuple[str, str, int | None]]:
        """Return vector, profile and event of each case; the event is None if the text does not give it."""
        events: dict[tuple[str, str], int | None] = {}
        for bullet in _BULLET.findall(self.text):
            cases = [(case.start(), case.end(), case["vector"], case["profile"]) for case in _CASE.finditer(bullet)]
            ends = [*(start for start, *_ in cases[1:]), len(bullet)]
            for (_, begin, vector, profile), end in zip(cases, ends, strict=False):
                event = _EVENT.search(bullet, begin, end)
                if events.get((vector, profile)) is None:
                    events[vector, profile] = int(event[1]) if event else None
        return [(*case, event) for case, event in events.items() if case[0] in site.vectors_by_id()]

    @property
    def correction(self) -> str | None:
        """Return the proposed text, or None."""
        match = _CORRECTION.search(self.text)
        return " ".join(match[1].split()) if match else None


@cache
def errata() -> tuple[Erratum, ...]:
    """Return the errata of all texts in the order of the pages."""
    return tuple(
        erratum
        for path in sorted(SPEC.glob("*/errata.md"))
        for erratum in _read(path.parent.name, path.read_text("utf-8"))
    )


def _read(algorithm: str, text: str) -> Iterator[Erratum]:
    for heading in _HEADING.finditer(text):
        end = _ANY_HEADING.search(text, heading.end())
        body = text[heading.end() : end.start() if end else len(text)].strip()
        yield Erratum(algorithm, heading["number"], heading["title"], body)


def with_links(text: str, algorithm: str) -> str:
    """Return a page with an anchor before each erratum, links that play its cases, and an index if missing."""
    by_number = {erratum.number: erratum for erratum in errata() if erratum.algorithm == algorithm}

    def label(heading: re.Match[str]) -> str:
        erratum = by_number[heading["number"]]
        return f"({erratum.anchor})=\n{heading[0]}\n\n{_plays(erratum)}{_plot(erratum)}".rstrip()

    page = _HEADING.sub(label, text)
    if "| no. |" in text or not by_number:
        return page
    first = _ANY_HEADING.search(page, page.index("\n"))
    at = first.start() if first else len(page)
    rows = "".join(
        f"| {erratum.number} | {{ref}}`{erratum.title.replace('`', '')} <{erratum.anchor}>` |\n"
        for erratum in by_number.values()
    )
    return f"{page[:at]}| no. | erratum |\n|---|---|\n{rows}\n{page[at:]}"


def _plays(erratum: Erratum) -> str:
    links = [
        f'<a href="../{escape(vector_files.play(site.vectors_by_id()[vector], profile, step=event))}">{vector.partition(".")[2]}@{profile}, event {event}</a>'
        for vector, profile, event in erratum.shown_by
        if event is not None
    ]
    return f'<p class="small-print">Play at the event: {", ".join(links)}</p>\n' if links else ""


def _plot(erratum: Erratum) -> str:
    """Return the plot of the first case whose event the text gives, or "" for a vector without a plot."""
    vectors = (site.vectors_by_id()[name] for name, _, event in erratum.shown_by if event is not None)
    plot = next(filter(None, (picture(vector, "../_generated/plots") for vector in vectors)), "")
    return f"\n{plot}\n" if plot else ""


def document() -> dict[str, Any]:
    """Return all errata as data."""
    return {"format": 1, "errata": [_entry(erratum) for erratum in errata()]}


def _entry(erratum: Erratum) -> dict[str, Any]:
    return {
        "id": erratum.id,
        "algorithm": erratum.algorithm,
        "algorithm_title": ALGORITHMS[erratum.algorithm].title,
        "number": erratum.number,
        "title": erratum.title.replace("`", ""),
        "text": erratum.text,
        "correction": erratum.correction,
        "rules": erratum.rules,
        "shown_by": [{"case": f"{vector}@{profile}", "event": event} for vector, profile, event in erratum.shown_by],
        "page": f"specification/{erratum.algorithm}-errata.html#{erratum.anchor}",
    }
