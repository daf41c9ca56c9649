"""The pages of vectors: an index, and a page for each group."""

from collections.abc import Sequence
from itertools import takewhile
from typing import TypeAlias

from firstflight.controller import ALGORITHMS
from firstflight_conformance.format.timeline import lines
from firstflight_conformance.format.vectors import COMPUTED_ALGORITHMS, Case, Vector
from pages import carried_out, site, vector_files
from pages import markdown as md
from pages.plot_cache import picture
from pages.turns import TURNS, turns_text

#: A line of a listing: number, time, event, and changes.
_Row: TypeAlias = tuple[str, str, str, str]
#: The longest stream that is listed in full, in events.
_LISTED_EVENTS = 14
#: Number of events that are listed from the first different answer on.
_LISTED_AFTER = 8
#: Maximum number of profiles that are shown with only the events folded.
_OPEN_PROFILES = 3


def index() -> str:
    """Return the index page."""
    groups = site.groups()
    cases = sum(len(vector.profiles) for vector in site.vectors())
    blocks = [
        "# Vectors",
        "This page lists all vectors by algorithm and topic, each with a link to its events, expectations and plot. "
        f"There are {len(site.vectors())} vectors; with their profiles they make {cases} cases.",
        "*Gold* vectors can be derived by hand from their text; *core* vectors were recorded from the model, most "
        "of them in the "
        "[path simulator](../../specification/simulator.md). The format is described in "
        "[](../../specification/vector-format.md).",
        "```{toctree}\n:hidden:\n\n"
        + "\n".join([*(name.replace(".", "-") for name in groups), *sorted(COMPUTED_ALGORITHMS)])
        + "\n```",
    ]
    blocks.append(
        f"The {len(site.computations())} [computations of the transfer-time models](transfer-time.md) do not use events, and have "
        "a page of their own."
    )
    for name, group in groups.items():
        blocks += [f"## {md.ref(name, site.anchor('group', name))}", _index_table(group)]
    return md.page(*blocks)


def _index_table(group: list[Vector]) -> str:
    rows = [
        (
            md.ref(vector.id.removeprefix(site.group_of(vector.id) + "."), site.anchor("vector", vector.id)),
            md.plain(vector.title),
            vector.tier,
            str(len(vector.events)),
        )
        for vector in group
    ]
    return md.list_table(("Vector", "What happens", "Tier", "Events"), rows, (28, 52, 10, 10), "compact")


def page(name: str, group: list[Vector]) -> str:
    """Return the page of one group."""
    blocks = [
        md.label(site.anchor("group", name)),
        f"# {_heading(name)}",
        f"{'This vector' if len(group) == 1 else f'Each of these {len(group)} vectors'} has the profiles that it distinguishes, "
        "the clauses that the model exercises, a plot if it is long, and its events and expectations. All vectors: [Vectors](index.md), [Find vectors](../../find.md).",
    ]
    every = carried_out.of_every(group)
    if any(every.values()):
        blocks += [md.label(_every(name)), "## Clauses of every vector", *_clauses_of_every(every)]
    for vector in group:
        blocks += _vector(vector, every)
    return carried_out.linked_once(md.page(*blocks))


def _heading(group: str) -> str:
    """Return the title of the page, for readers who do not know the ids."""
    algorithm, _, topic = group.partition(".")
    return f"{ALGORITHMS[algorithm].title} vectors: {topic.replace('-', ' ')} ({group})"


def _every(group: str) -> str:
    return site.anchor("clauses", group)


def _clauses_of_every(every: carried_out.Clauses) -> list[str]:
    listing = [carried_out.listed("Carried out in each vector of this page in which the profile is judged", every)]
    return _folded("Clauses by profile", listing) if len(every) > _OPEN_PROFILES else listing


def _vector(vector: Vector, every: carried_out.Clauses) -> list[str]:
    name = vector.id.removeprefix(site.group_of(vector.id) + ".")
    return [
        md.label(site.anchor("vector", vector.id)),
        f"## {name}",
        f"**{md.plain(vector.title)}**",
        md.plain(vector.why),
        picture(vector, "../plots"),
        _facts(vector),
        *_cases([Case(vector, profile) for profile in vector.profiles], _clauses(vector, every)),
    ]


def _facts(vector: Vector) -> str:
    config = vector.config
    window = config["initial_window_bytes"]
    facts = {
        "Id": md.code(vector.id),
        "Take": vector_files.links(vector, "../../"),
        "Tier": vector.tier,
        "Flags": ", ".join(vector.flags) or "none",
        "Granularity": vector.granularity,
        "Source": md.plain(_source(vector)),
        "Parameters": f"datagrams of {config['max_datagram_size_bytes']} bytes, "
        + ("the recommended initial window" if window is None else f"initial window {window} bytes"),
    }
    lines = "\n".join(f":{name}: {value}" for name, value in facts.items())
    return f":::{{container}} facts\n\n{lines}\n:::"


def _source(vector: Vector) -> str:
    source = vector.source
    where = "; ".join(source["sources"])
    if source["kind"] == "simulator":
        return f"simulator, scenario {source['scenario']}, {source['loop']} in the loop; {where}"
    return f"by hand; {where}"


def _cases(cases: list[Case], clauses: list[str]) -> list[str]:
    """Return the answers of each profile; common answers appear once, and long lists for many profiles are folded."""
    listings = _listings([case for case in cases if _is_listed(case)])
    if len(cases) > _OPEN_PROFILES:
        alike: dict[tuple[str, str], list[str]] = {}
        for case in cases:
            alike.setdefault((_judged(case), _happens(case)), []).append(md.code(case.profile))
        rows = [(", ".join(profiles), *judged_and_happens) for judged_and_happens, profiles in alike.items()]
        table = md.list_table(("Profiles", "Judged", "What happens, at which event"), rows, (34, 18, 48), "compact")
        clauses = [table, *_folded("Clauses carried out", clauses)]
        listings = _folded("Events and expectations", listings) if listings else []
    else:
        clauses = [*(f"{md.code(case.profile)} is judged on {_judged(case)}." for case in cases), *clauses]
    return [*clauses, *listings, _commands([case for case in cases if not _is_listed(case)])]


def _happens(case: Case) -> str:
    return md.plain(turns_text(case, tuple(TURNS), windows=True))


def _folded(summary: str, blocks: list[str]) -> list[str]:
    return [f'<details class="events"><summary>{summary}</summary>', *blocks, "</details>"]


def _judged(case: Case) -> str:
    judged, total = case.expectation.judged_events, len(case.vector.events)
    events = f"the first {judged} of {total} events" if judged < total else f"all {total} events"
    return "its one event" if total == 1 else events


def _clauses(vector: Vector, every: carried_out.Clauses) -> list[str]:
    """Return the clauses that the profiles exercise; clauses of every vector appear once on the page."""
    common = md.ref("the clauses of every vector", _every(site.group_of(vector.id)))
    besides = f", besides {common}" if any(every.get(profile) for profile in vector.profiles) else ""
    text = carried_out.listed(f"Clauses carried out{besides}", carried_out.remaining_clauses(vector, every))
    return [text or f"Only {common} are carried out."]


def _is_listed(case: Case) -> bool:
    return case.expectation.judged_events <= _LISTED_EVENTS


def _commands(cases: list[Case]) -> str:
    if not cases:
        return ""
    more = f", and so {', '.join(md.code('@' + case.profile) for case in cases[1:])}" if len(cases) > 1 else ""
    return f"Events and expectations: {md.code(f'firstflight show {cases[0].id}')}{more}."


def _listings(cases: list[Case]) -> list[str]:
    """Return a listing for each group of equal profiles: the first in full, the others from their first difference on."""
    alike: dict[tuple[_Row, ...], list[Case]] = {}
    for case in cases:
        alike.setdefault(tuple(lines(case)), []).append(case)
    blocks = []
    first, leader = next(iter(alike.items()), ((), cases))
    for rows, group in alike.items():
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(rows, first, strict=False)))
        if group is leader or not same:
            blocks.append(_listing(rows, group))
            continue
        rows_after = list(rows[same : same + _LISTED_AFTER])
        more = [("...", "", f"firstflight show {group[0].id}", "")] if len(rows) > same + len(rows_after) else []
        blocks.append(_listing([("...", "", f"as {leader[0].profile}", ""), *rows_after, *more], group))
    return blocks


def _listing(rows: Sequence[_Row], cases: list[Case]) -> str:
    rows = [("#", "ms", "event", "then"), *rows]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    text = "\n".join(
        f"{row[0]:>{widths[0]}}  {row[1]:>{widths[1]}}  {row[2]:<{widths[2]}}  {row[3]}".rstrip() for row in rows
    )
    names = ", ".join(f"<code>{case.profile}</code>" for case in cases)
    summary = f"Events and expectations of {names}"
    return f'<details class="events"><summary>{summary}</summary>\n\n```text\n{text}\n```\n\n</details>'
