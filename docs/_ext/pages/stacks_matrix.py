"""The matrix of the page "State of the stacks": stacks and profiles with the causes of differences, and their signs."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from firstflight_conformance.adapters.manifest import KINDS, OTHER_VERSION
from pages import markdown as md
from pages import site

DEFECT = KINDS[0]
#: The levels of a defect, the most binding first, each with a sign that works without colour, and its class.
_LEVELS = {
    "MUST": ("●", "state-must"),
    "SHOULD": ("◐", "state-should"),
    "definition": ("◑", "state-definition"),
}
_AGREES = ("✓", "state-agrees")
_OTHER = ("○", "state-other")
_UNKNOWN = ("?", "state-unknown")
_LEGEND = f"""A **defect** departs from a sentence of the text. Signs for the level of this sentence: {", ".join(f"{sign} {level}" for level, (sign, _) in _LEVELS.items())};
a *definition* is a statement of a text without a keyword. All other deviations are grey, {_OTHER[0]}, and are not accusations:

- *literal*: the literal reading of the text, where this project has another reading with a reason;
- *by design*: another algorithm or an older text, which the text permits;
- *other-version*: another version of the algorithm; only the first difference of each case is shown;
- *open*: a choice that the text leaves to the implementer; the explanation contains arguments against the choice, if any;
- *precision*: rounding, or arithmetic in floating point.

{_AGREES[0]} every judged case agrees, {_UNKNOWN[0]} the difference is not explained yet. One cause, such as another rounding, may show in many cases: causes are counted, and the
cases are in small print. *Up to the first reduction*: RFC 9002, section 7, permits another controller than NewReno and mentions CUBIC. So a stack that runs CUBIC is judged by
`slow-start/rfc-9002` up to the first reduction of its window, and by `cubic/rfc-9438` from there on."""


def legend() -> str:
    """Return the meaning of the signs and words of the pages."""
    return _LEGEND


def badge(level: str) -> str:
    """Return the level of a defect with its sign and colour."""
    return _span(*_LEVELS.get(level, _UNKNOWN), level or "not known")


def other_badge(text: str) -> str:
    """Return a text in grey, with the sign of deviations that are not defects."""
    return _span(*_OTHER, text)


def defects(causes: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the defects, in the order of the manifest."""
    return [cause for cause in causes if cause["kind"] == DEFECT]


def other_causes(causes: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the other causes, which are not defects."""
    return [cause for cause in causes if cause["kind"] != DEFECT]


def is_other_version(causes: Sequence[dict[str, Any]]) -> bool:
    """Return whether another version of the algorithm explains every difference."""
    return bool(causes) and all(cause["kind"] == OTHER_VERSION for cause in causes)


def matrix(
    stacks: list[dict[str, Any]], profiles_of: Callable[[dict[str, Any]], list[str]], profile_of: Callable[[str], str]
) -> str:
    """Return the matrix; a cell has the causes, and in small print the cases that agree. The profiles that most stacks declare come first."""
    declared = [profile for adapter in stacks for profile in profiles_of(adapter)]
    columns = sorted(set(declared), key=lambda profile: (-declared.count(profile), profile))
    rows = [
        (
            md.ref(adapter["title"], site.anchor("stack", adapter["name"])),
            *(_cell(adapter, profile, profile_of) for profile in columns),
        )
        for adapter in stacks
    ]
    if not rows or not columns:
        return ""
    header = ("Stack", *("<br>".join(map(md.code, profile.split("/"))) for profile in columns))
    return md.page("## Stacks and profiles", md.list_table(header, rows, (28, *[16] * len(columns)), "compact stacks"))


def counted(count: int, noun: str) -> str:
    """Return a number with its noun."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _cell(adapter: dict[str, Any], profile: str, profile_of: Callable[[str], str]) -> str:
    mine = [result for result in adapter["results"] if profile_of(result["case"]) == profile]
    judged = [result for result in mine if result["verdict"] in ("pass", "fail")]
    if not judged:
        return ""
    passed = [result for result in judged if result["verdict"] == "pass" or result["status"] == "choice"]
    cut = sum(result["verdict"] == "pass" and result["judged_events"] is not None for result in passed)
    small = [f"{len(passed)} of {len(judged)} cases agree"] + ([f"{cut} up to a reduction"] if cut else [])
    causes = [cause for cause in adapter["explained"] if any(profile_of(case) == profile for case in cause["cases"])]
    unexplained = sum(
        result["verdict"] == "fail" and result["status"] != "choice" and not result["explained_by"] for result in judged
    )
    lines = [_span(*_UNKNOWN, f"{unexplained} not explained")] if unexplained else []
    if defects(causes):
        worst = min((cause.get("level", "") for cause in defects(causes)), key=[*_LEVELS, ""].index)
        lines.append(_span(*_LEVELS.get(worst, _UNKNOWN), counted(len(defects(causes)), "defect")))
    if is_other_version(causes):
        lines.append(other_badge("another version"))
    elif other_causes(causes):
        lines.append(other_badge(f"{len(other_causes(causes))} other"))
    if len(passed) == len(judged):
        lines.append(_span(*_AGREES, "agrees"))
    return "<br>".join([*lines, f'<span class="small-print">{", ".join(small)}</span>'])


def _span(sign: str, style: str, text: str) -> str:
    return f'<span class="state {style}">{sign} {text}</span>'
