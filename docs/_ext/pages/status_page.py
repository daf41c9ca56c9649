"""The page "Implementation status": a section in the form of RFC 7942 for each algorithm, from the report of a run."""

import textwrap
from typing import Any

from firstflight.controller import ALGORITHMS
from pages import committed, stacks
from pages import markdown as md
from pages.stacks_deviations import profile_of
from pages.stacks_matrix import counted, defects, other_causes

_WIDTH = 69
_TITLE = "# Implementation status"


def page() -> str:
    """Return the page."""
    return page_of(committed.current())


def page_of(report: dict[str, Any]) -> str:
    """Return the page of a report."""
    judged = [adapter for adapter in report["adapters"] if adapter["role"] == "third-party" and not adapter["skipped"]]
    blocks = [
        _TITLE,
        "For authors of a draft: the section proposed by RFC 7942, for each algorithm that a published stack implements, with the "
        "results of the vectors. Paste it, and fill in organization, licence and contact.",
    ]
    for name, algorithm in ALGORITHMS.items():
        listed = [(adapter, profiles) for adapter in judged if (profiles := _profiles(adapter, name))]
        if listed:
            blocks += [f"## {algorithm.title}", f"```text\n{section(algorithm.title, listed, report)}\n```"]
    return md.page(*blocks)


def _profiles(adapter: dict[str, Any], algorithm: str) -> list[str]:
    return [profile for profile in stacks.declared(adapter) if profile.split("/")[0] == algorithm]


def section(title: str, listed: list[tuple[dict[str, Any], list[str]]], report: dict[str, Any]) -> str:
    """Return the section of one algorithm in the form of a draft."""
    checkout = report.get("checkout")
    at = f" (commit {checkout['commit'][:12]} of {checkout['date']})" if checkout else ""
    at = f" (results of {report['committed']})" if report.get("committed") else at
    head = (
        "Note to the RFC Editor: please remove this section, and the reference to RFC 7942, before publication. "
        f"The implementations of {title} below were judged by Firstflight{at}, which replays sequences of ACKs and compares window, "
        "ssthresh and phase after each. Listing an implementation does not imply endorsement."
    )
    entries = [_entry(adapter, profiles) for adapter, profiles in listed]
    return "\n\n".join(["Implementation Status", _filled(head, 3), *entries])


def _entry(adapter: dict[str, Any], profiles: list[str]) -> str:
    mine = [result for result in adapter["results"] if profile_of(result["case"]) in profiles]
    judged = [result for result in mine if result["verdict"] in ("pass", "fail")]
    passed = sum(result["verdict"] == "pass" or result["status"] == "choice" for result in judged)
    unsupported = sum(result["verdict"] == "unsupported" for result in mine)
    causes = [cause for cause in adapter["explained"] if any(profile_of(case) in profiles for case in cause["cases"])]
    rows = {
        "Organization": "(to be filled in)",
        "Maturity": "released, in a package registry",
        "Coverage": f"{passed} of {counted(len(judged), 'judged case')} agree to the end; one departure may show in many cases"
        + (f"; {unsupported} need events or profiles that the adapter does not support" if unsupported else ""),
        "Version compatibility": ", ".join(profiles),
        "Licensing": "(to be filled in)",
        "Implementation experience": _experience(causes),
        "Contact": "(to be filled in)",
    }
    return "\n".join([f"   {adapter['title']}", *(_filled(f"{name}: {text}", 6) for name, text in rows.items())])


def _experience(causes: list[dict[str, Any]]) -> str:
    worst = [cause.get("notice") or cause["explanation"] for cause in defects(causes)]
    sentences = [f"{counted(len(worst), 'departure')} from the text: {' '.join(worst)}"] if worst else []
    rest = len(other_causes(causes))
    sentences += [f"{counted(rest, 'choice')} that the text permits or leaves open."] if rest else []
    return " ".join(sentences) or "no departure from the text was found."


def _filled(text: str, indent: int) -> str:
    return textwrap.fill(text, _WIDTH, initial_indent=" " * indent, subsequent_indent=" " * (indent + 3 if indent > 3 else indent))  # fmt: skip
