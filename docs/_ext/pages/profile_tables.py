"""Directives of the page that compares the profiles of SEARCH: tables from readings, vectors and simulations."""

import json
import re
from collections import defaultdict
from pathlib import Path
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

from firstflight_conformance.format.readings import Profile, Reading, load_tables
from firstflight_conformance.format.vectors import Case, Vector
from firstflight_conformance.paths import SPEC
from pages import markdown as md
from pages import site
from pages.profile_paths import RESULTS
from pages.turns import NO_TURN, turns_text

#: Shorter texts than in the table of readings; empty if another part of the answer contains the choice.
_PHRASES: dict[tuple[str, str | int], str] = {
    ("evaluated", "every_ack"): "at every ACK",
    ("windows", "through_open"): "eleven bins, including the open bin",
    ("windows", "completed"): "ten completed bins",
    ("windows", "live"): "ten bins, including the open bin",
    ("crossing_credit", "new_bin"): "the ACK that ends a bin is excluded",
    ("crossing_credit", "last_bin"): "the ACK that ends a bin is included",
    ("interpolation", "none"): "the rest is dropped",
    ("interpolation", "backward"): "interpolated backward",
    ("interpolation", "forward"): "interpolated forward",
    ("fraction", "exact"): "",
    ("fraction", "percent"): "in whole percent",
    ("fraction", "percent_terms"): "in whole percent for each bin",
    ("before_bin_0", "never_read"): "",
    ("before_bin_0", "zero"): "the counter before bin 0 counts as 0",
    ("rollback", "none"): "",
    ("rollback", "floor"): "of five bins",
    ("rollback", "nearest"): "of six bins",
    ("rollback", "current_rtt"): "of two current RTTs",
    ("missed_bins_maximum", 0): "nothing special",
    ("missed_bins_restart", "now"): "with this ACK",
    ("missed_bins_restart", "next_ack"): "with the next ACK",
    ("missed_bins_restart", "next_ack_this_rtt"): "with the next ACK, but the RTT of this one",
    ("clock", "ns"): "nanoseconds",
    ("clock", "us"): "microseconds",
    ("clock", "ms"): "milliseconds",
    ("bin_duration", "exact"): "bins of exactly 35 %",
    ("bin_duration", "clock"): "bins of whole units, at least one",
    ("bin_duration", "clock_or_restart"): "bins of whole units, a new start at every ACK where that is 0",
    ("app_limited", "count"): "it counts like any other",
    ("app_limited", "skip"): "it is passed over, bytes and all",
    ("app_limited", "count_bytes"): "its bytes count, but it ends no bin",
    ("app_limited", "restart"): "SEARCH starts again, with the same bin duration",
}
_TURNS = ("exited", "restarted", "drained")
_THRESHOLDS = {"seven_twentieths": "0.35", "thirteen_fiftieths": "0.26"}
_SIGNS = {"at_least": "≥", "more_than": "\\>"}
_SHIFTS = {"floor": "floor", "nearest": "nearest", "nearest_up": "nearest, tie up"}
_FRACTIONS = {"exact": "exact", "percent": "percent", "percent_terms": "percent per bin"}
_RESTARTS = {
    "now": "this ACK",
    "next_ack": "next ACK",
    "next_ack_this_rtt": "next ACK, with the RTT of this",
    "now_old_duration": "this ACK",
}
_ROLLBACKS = {"none": "", "floor": "5 bins", "nearest": "6 bins", "current_rtt": "2 current RTTs"}


class _Table(SphinxDirective):
    """Markdown generated when the page is read."""

    def _parsed(self, text: str) -> list[nodes.Node]:
        self.env.note_dependency(SPEC / "search" / "profiles.toml")
        box = nodes.container()
        self.state.nested_parse(StringList(text.splitlines(), source=self.env.docname), self.content_offset, box)
        return list(box.children)


class AnswersDirective(_Table):
    """The answers to a question about one or several readings, each with its profiles and its result in a vector."""

    required_arguments = 1
    optional_arguments = 20
    option_spec: ClassVar[dict[str, object]] = {"vectors": directives.unchanged_required, "windows": directives.flag}

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        table = load_tables()["search"]
        readings = {reading.name: reading for reading in table.readings}
        columns = [readings[name] for name in self.arguments]
        vectors = [_vector(name) for name in self.options.get("vectors", "").split()]
        for vector in vectors:
            self.env.note_dependency(vector.path)
        groups: dict[tuple[str | int, ...], list[Profile]] = defaultdict(list)
        for profile in table.profiles:
            groups[tuple(profile.readings[reading.name] for reading in columns)].append(profile)
        rows = [
            (
                _answer(columns, values),
                ", ".join(md.code(profile.name) for profile in profiles),
                *(_shows(vector, profiles, windows="windows" in self.options) for vector in vectors),
            )
            for values, profiles in groups.items()
        ]
        links = [md.ref(vector.id, site.anchor("vector", vector.id)) for vector in vectors]
        widths = (26, 22, *(52 // len(vectors) for _ in vectors)) if vectors else (50, 50)
        return self._parsed(md.list_table(("Answer", "Profiles left", *links), rows, widths, "compact"))


def _vector(vector_id: str) -> Vector:
    return next(vector for vector in site.vectors() if vector.id == vector_id)


def _answer(columns: list[Reading], values: tuple[str | int, ...]) -> str:
    """Return an answer in words. The kind of restart is omitted if SEARCH never restarts."""
    parts = []
    for reading, value in zip(columns, values, strict=True):
        if reading.name == "missed_bins_restart" and 0 in values:
            continue
        phrase = f"a new start above {value}" if reading.bounds is not None else md.plain(reading.choices[str(value)])
        if reading.name == "shift_maximum_bins":
            phrase = str(value)
        parts.append(_PHRASES.get((reading.name, value), phrase))
    return "; ".join(part for part in parts if part)


def _shows(vector: Vector, profiles: list[Profile], *, windows: bool) -> str:
    """Return the results of the profiles in a vector, grouped by equal results."""
    profiles_by_turns: dict[str, list[str]] = defaultdict(list)
    for profile in profiles:
        if profile.name in vector.profiles:
            profiles_by_turns[turns_text(Case(vector, profile.name), _TURNS, windows=windows)].append(profile.name)
    if len(profiles_by_turns) == 1:
        return next(iter(profiles_by_turns))
    lines = sorted(
        profiles_by_turns.items(),
        key=lambda line: (line[0] == NO_TURN, int("".join(re.findall(r"\d+", line[0])[:1]) or 0)),
    )
    return "<br>".join(f"{text}: {', '.join(names)}" for text, names in lines)


class ProfilesDirective(_Table):
    """The table of profiles and the choices that matter most."""

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        rows = [_profile_row(profile) for profile in load_tables()["search"].profiles]
        header = (
            "Profile", "Threshold", "Compared with", "RTT / bin", "Fraction", "Guard", "Largest shift",
            "Missed bins: new start", "Exit",
        )  # fmt: skip
        return self._parsed(md.list_table(header, rows, (16, 10, 10, 9, 11, 8, 8, 13, 15), "compact profiles"))


def _profile_row(profile: Profile) -> tuple[str, ...]:
    choices = {name: str(value) for name, value in profile.readings.items()}
    interpolation = choices["interpolation"]
    missed = choices["missed_bins_maximum"]
    return (
        md.code(profile.name),
        f"{_short(_SIGNS, choices['threshold'])} {_short(_THRESHOLDS, choices['difference'])}",
        "2 x delivered" if choices["compared"] == "delivered" else "sent",
        _short(_SHIFTS, choices["shift"]) + (", at least 1" if choices["shift_minimum_bins"] == "1" else ""),
        "dropped" if interpolation == "none" else f"{interpolation}, {_short(_FRACTIONS, choices['fraction'])}",
        "prev ≥ 10" if choices["guard"] == "at_least" else "prev \\> 10",
        choices["shift_maximum_bins"],
        "never" if missed == "0" else f"above {missed}, {_short(_RESTARTS, choices['missed_bins_restart'])}",
        _exit(choices),
    )


def _short(words: dict[str, str], choice: str) -> str:
    """Return a choice in few words, or its own name."""
    return words.get(choice, choice.replace("_", " "))


def _exit(choices: dict[str, str]) -> str:
    bins = _short(_ROLLBACKS, choices["rollback"])
    return {
        "window_and_threshold": f"both lowered by {bins}",
        "threshold_only": f"ssthresh lowered by {bins}",
        "nothing": "ssthresh = cwnd",
        "drain": "drain",
    }[choices["lower"]]


class PathsDirective(_Table):
    """How each profile ends slow start on the path of the plot."""

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        results = Path(self.env.srcdir) / RESULTS
        self.env.note_dependency(results)
        rows = [
            (
                md.code(run["profile"]),
                run["by"],
                f"{run['end_ms']} ms",
                f"{run['cwnd_bytes']} bytes",
                run["rtt_ratio"],
                f"{run['after_bytes']} bytes",
                str(run["dropped_packets"]),
            )
            for run in json.loads(results.read_text("utf-8"))
        ]
        header = ("Profile", "Slow start ends by", "At", "cwnd there", "RTT / initial RTT", "cwnd then", "Drops")
        return self._parsed(md.list_table(header, rows, (20, 18, 10, 15, 12, 16, 9), "compact"))
