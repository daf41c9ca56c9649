"""Plots of vectors: the windows of every profile over time, the bins of SEARCH, and the other quantities of the rules."""

import re
from collections.abc import Sequence
from pathlib import Path

from firstflight import create
from firstflight.observables import Outcome
from firstflight.search.profiles import PROFILES
from firstflight_conformance.format.vectors import Case, Vector
from firstflight_conformance.plots import vectors as recordings
from firstflight_conformance.plots.bins import Bins, follow
from firstflight_conformance.plots.windows import COLOURS, TURNS, WindowTrace
from firstflight_conformance.replay.measure import config_from_json
from plots.own import OWN

#: Other names of profiles in the texts of vectors.
_CALLED = {"Literal": "lanman-2024-literal", "Recommended": "lanman-2024"}


def plot_vector(vector: Vector, path: Path) -> None:
    """Draw every profile of a vector, each up to its last judged event, and write the plot as SVG or PNG by suffix."""
    traces = []
    config = config_from_json(vector.config)
    for profile in vector.profiles:
        mine = Case(vector, profile).events
        readings = PROFILES[profile.partition("+")[0]] if vector.algorithm == "search" else None
        observations, bins = follow(profile, readings, config, mine, create(vector.algorithm, profile, config))
        traces.append(WindowTrace((profile,), mine, observations, bins))
    drawn_bins = _shown_bins([trace.bins for trace in traces if trace.bins is not None], vector.why)
    groups = _grouped(traces)
    # If there are more lines than colours, the profile with shown bins and the largest groups get colours.
    if len(groups) > len(COLOURS):
        groups.sort(key=lambda group: (drawn_bins is None or drawn_bins.profile not in group.names, -len(group.names)))
    recordings.write(groups, drawn_bins, "", path, OWN.get(vector.algorithm))


def _shown_bins(bins: Sequence[Bins], why: str) -> Bins | None:
    """Return the bins to draw: of the first profile in the text that left slow start, or that compared windows.

    The text comes first, and then the order of the profiles, since no panel has room for more than one.
    """
    places = {
        profile: re.search(rf"(?<![\w-]){profile}(?![\w-])", why)
        for profile in (profile_bins.profile for profile_bins in bins)
    }
    places |= {profile: places.get(profile) or re.search(rf"{word}\b", why) for word, profile in _CALLED.items()}
    named = sorted(
        (m.start(), profile_bins.profile) for profile_bins in bins if (m := places[profile_bins.profile]) is not None
    )
    by_name = {profile_bins.profile: profile_bins for profile_bins in bins}
    about = [by_name[profile] for _, profile in named] or list(bins)
    exited = [
        profile_bins
        for profile_bins in about
        if profile_bins.decision is not None and profile_bins.decision.outcome is Outcome.EXITED
    ]
    compared = [profile_bins for profile_bins in [*about, *bins] if profile_bins.decision is not None]
    return next(iter([*exited, *compared, *bins]), None)


def _grouped(traces: Sequence[WindowTrace]) -> list[WindowTrace]:
    """Return one trace for all profiles whose lines coincide."""
    groups: list[WindowTrace] = []
    for trace in traces:
        place = next((n for n, group in enumerate(groups) if _same_line(group, trace)), None)
        if place is None:
            groups.append(trace)
        else:
            group = groups[place]
            groups[place] = WindowTrace(group.names + trace.names, group.events, group.observations, group.bins)
    return groups


def _turn_of(outcome: Outcome) -> str | None:
    """Return the label of the turn of an outcome, or None."""
    return next((label for label, _, outcomes in TURNS if outcome in outcomes), None)


def _same_line(trace: WindowTrace, other: WindowTrace) -> bool:
    """Return whether the lines and marks of two traces coincide."""
    return len(trace.events) == len(other.events) and all(
        (a.cwnd_bytes, a.ssthresh_bytes) == (b.cwnd_bytes, b.ssthresh_bytes)
        and _turn_of(a.outcome) == _turn_of(b.outcome)
        for a, b in zip(trace.observations, other.observations, strict=True)
    )
