"""The pages of readings and profiles, from ``spec/NAME/profiles.toml``: a list, and a page for each algorithm."""

from collections import defaultdict
from collections.abc import Mapping

from firstflight_conformance.format.readings import Profile, ProfileTable, Reading, load_tables
from pages import markdown as md
from pages.site import anchor

_INTRODUCTION = """A **reading** is a choice where the sources leave room. A **profile** is a named set of choices, and the correct answer to a
vector may depend on the profile. The page of an algorithm has its profiles, and each reading with its choices, reasons and profiles."""


def pages() -> dict[str, str]:
    """Return the list and the pages of the algorithms, by the names of their documents."""
    tables = load_tables()
    return {"readings": _list(tables)} | {
        f"readings/{name}": md.page(*_algorithm(tables[name])) for name in sorted(tables)
    }


def _list(tables: Mapping[str, ProfileTable]) -> str:
    rows = []
    for name in sorted(tables):
        table = tables[name]
        links = (
            md.old_anchor(_anchor(table, reading), md.ref(reading.name, _anchor(table, reading)))
            for reading in table.readings
        )
        profiles = f"{{doc}}`{len(table.profiles)} <readings/{name}>`"
        rows.append((f"{{doc}}`{name} <readings/{name}>`", profiles, ", ".join(links) or "none"))
    return md.page(
        "# Readings and profiles",
        md.list_table(("Algorithm", "Profiles", "Readings"), rows, (20, 12, 68), "compact"),
        _INTRODUCTION,
        md.hidden_toctree(f"readings/{name}" for name in sorted(tables)),
    )


def _anchor(table: ProfileTable, reading: Reading) -> str:
    return anchor(f"reading-{table.algorithm}", reading.name)


def _algorithm(table: ProfileTable) -> list[str]:
    blocks = [
        f"# Readings and profiles of {table.algorithm}",
        md.list_table(
            ("Profile", "What it is", "Sources"),
            [
                (md.code(f"{table.algorithm}/{p.name}"), md.plain(p.title), md.plain("; ".join(p.sources)))
                for p in table.profiles
            ],
            (30, 40, 30),
        ),
    ]
    if not table.readings:
        return [*blocks, f"{table.algorithm} has no readings; its choices are listed on its page of the specification."]
    blocks += [
        "The most frequent choice comes first, then the other choices with their profiles.",
        md.list_table(
            ("Reading", "No.", "Most take", "Otherwise"),
            [_row(table, reading) for reading in table.readings],
            (24, 8, 20, 48),
            "compact",
        ),
    ]
    for reading in table.readings:
        blocks += _reading(table, reading)
    return blocks


def _row(table: ProfileTable, reading: Reading) -> tuple[str, ...]:
    by_value: dict[str, list[str]] = defaultdict(list)
    for profile in table.profiles:
        by_value[str(profile.readings[reading.name])].append(profile.name)
    first, *deviating = sorted(by_value, key=lambda value: -len(by_value[value]))
    cells = [f"**{md.plain(value)}**: {', '.join(by_value[value])}" for value in deviating]
    link = md.ref(reading.name, _anchor(table, reading))
    return link, reading.ambiguity, md.plain(first), "<br>".join(cells)


def _reading(table: ProfileTable, reading: Reading) -> list[str]:
    if reading.bounds is None:
        items = [
            f"- {md.code(choice)}: {md.plain(meaning)}{_chosen_by(table.profiles, reading, choice)}"
            for choice, meaning in reading.choices.items()
        ]
    else:
        values = sorted({int(profile.readings[reading.name]) for profile in table.profiles})
        items = [f"- a number within {reading.bounds[0]}..{reading.bounds[1]}"]
        items += [f"- {md.code(value)}{_chosen_by(table.profiles, reading, value)}" for value in values]
    return [
        md.label(_anchor(table, reading)),
        f"## {reading.name} ({reading.ambiguity})",
        md.plain(reading.question),
        "\n".join(items),
        f"Why: {md.plain(reading.reason)}",
    ]


def _chosen_by(profiles: tuple[Profile, ...], reading: Reading, value: str | int) -> str:
    names = [md.code(profile.name) for profile in profiles if profile.readings[reading.name] == value]
    return f" — chosen by {', '.join(names)}" if names else ""
