"""The page "State of the stacks", from ``build/report/report.json`` of a real run. Nothing on it is written by hand but what no run can say."""

from collections import Counter
from typing import Any

from firstflight_conformance.paths import BUILD
from firstflight_conformance.report import json_document
from pages import markdown as md
from pages import stacks_deviations, stacks_effort, stacks_loops, stacks_matrix
from pages.stacks_deviations import profile_of

#: The report that ``make conformance`` writes.
REPORT = BUILD / "report" / "report.json"

_TITLE = "# State of the stacks"
_NO_RUN = (
    ":::{admonition} No run\n:class: warning\n"
    "This site was built without a report, so nothing can be said here of any stack. `make conformance` judges the stacks and writes "
    "`build/report/report.json`; after it `make docs` writes this page anew.\n:::"
)
_STALE = (
    ":::{admonition} Another run\n:class: warning\n"
    "The report is of other vectors than those of this site. Run `make conformance` again.\n:::"
)
_NOT_REACHED = """## What no stack here implements

**No stack that a package registry carries implements Careful Resume or JumpStart**, in any form. For these only the two references of this project and the derivations in the
vectors stand behind the expectations. JumpStart is in the repository of quicly, Careful Resume in a fork of picoquic; neither is in a registry.

**No implementation of SEARCH can be driven by single ACKs** from a registry. neqo has SEARCH, HyStart++ and classic slow start, and Debian's `firefox-esr` carries it from 153
on: as a whole browser, which can be watched over a real path but not given ACKs. The source of neqo is in no registry, nor are the forks of picoquic and quicly and the Linux module
`tcp_search`. So no adapter judges them here. The profiles named after them follow their published source and were replayed against it once, by hand, four of the codes compiled and three transcribed:
[Which SEARCH is yours](../search-profiles.md#replayed-against-the-code-itself).

**smoltcp** 0.14 is on crates.io and is not judged. Its congestion controllers are private, and the public socket infers losses from packets. An adapter must therefore
play the segments of both ends, as the adapter of gVisor does in 423 lines, and there is no profile of RFC 5681, the text of its Reno.

Not reachable at all: mvfst, lsquic, xquic and Google's quiche. Of picoquic a registry has the source, inside `aiopquic`; its NewReno, CUBIC and BBR are judged here.

*As of November 2026, when the registries were searched.*"""


def pages() -> dict[str, str]:
    """Return the page and those of the stacks, by the names of their documents."""
    if not REPORT.exists():
        return {"stacks": md.page(_TITLE, _NO_RUN, _NOT_REACHED)}
    report = json_document.read(REPORT)
    stacks = [adapter for adapter in report["adapters"] if adapter["role"] == "third-party" and not adapter["skipped"]]
    judged_at = _judged_at(report)
    return {"stacks": page(report)} | {
        stacks_deviations.name_of(one): stacks_deviations.page(one, judged_at) for one in stacks
    }


def page(report: dict[str, Any]) -> str:
    """Return the page of a report."""
    by_role = {
        role: [adapter for adapter in report["adapters"] if adapter["role"] == role]
        for role in ("third-party", "reference", "null")
    }
    stacks = [adapter for adapter in by_role["third-party"] if not adapter["skipped"]]
    return md.page(
        _TITLE,
        _introduction(stacks, _judged_at(report)),
        _STALE if report["vectors_sha256"] != json_document.vectors_digest() else "",
        stacks_matrix.legend(),
        *stacks_deviations.overview(stacks),
        stacks_matrix.matrix(stacks, declared, profile_of),
        _skipped([adapter for adapter in report["adapters"] if adapter["skipped"]]),
        *stacks_loops.delay_step(stacks),
        *stacks_loops.paths(stacks),
        _verdicts(stacks),
        *stacks_effort.table(),
        _NOT_REACHED,
        *_others("The references", "The references must agree with every case; that they do is a condition of the build.", by_role["reference"]),
        *_others("Null adapters", "Adapters that do nothing useful. What they pass tells little apart.", by_role["null"]),
    )  # fmt: skip


def _introduction(stacks: list[dict[str, Any]], judged_at: str) -> str:
    languages = sorted({adapter["language"] for adapter in stacks})
    return (
        f"Published congestion controllers, {len(stacks)} of them in {', '.join(languages) or 'no language'}, unchanged behind "
        "[adapters](../specification/adapter-protocol.md), judged by the vectors and in closed loop. This page is generated from a run of "
        f"`make conformance`: verdicts, events and numbers are its results, and only the explanations are written by people. {judged_at}\n\n"
        "Each case is judged up to the first event at which stack and profile differ."
    )


def _judged_at(report: dict[str, Any]) -> str:
    """Return at which commit of this project the stacks were judged. The date is that of the commit, so that a site does not depend on when it was built."""
    checkout = report.get("checkout")
    if checkout is None:
        return ""
    changed = ", with changes that are not committed" if checkout["changed"] else ""
    return f"Judged with Firstflight at commit `{checkout['commit'][:12]}` of {checkout['date']}{changed}."


def declared(adapter: dict[str, Any]) -> list[str]:
    """Return the profiles that an adapter declares, as ``algorithm/profile``."""
    algorithms = (adapter["declaration"] or {"algorithms": {}})["algorithms"]
    return [f"{algorithm}/{profile}" for algorithm, profiles in algorithms.items() for profile in profiles]


def status_of(result: dict[str, Any]) -> str:
    """Return what a result counts as."""
    if result["verdict"] == "fail":
        why = result["explained_by"]
        if why is None:
            return "unexplained"
        kind = "defect" if why.get("kind") == stacks_matrix.DEFECT else "other"
        return "changed" if result["change"] else kind
    return "changed" if result["change"] and result["verdict"] != "errored" else str(result["verdict"])


_STATUSES = {
    "pass": "Agrees",
    "up_to_reduction": "of these up to a reduction",
    "defect": "Shows a defect",
    "other": "Deviates otherwise",
    "unexplained": "Not explained",
    "changed": "Changed",
    "unsupported": "Not supported",
    "errored": "Errored",
}
_ALWAYS = ("pass", "defect", "other")


def _verdicts(stacks: list[dict[str, Any]]) -> str:
    counts = {}
    for adapter in stacks:
        for profile in declared(adapter) or ["-"]:
            mine = [one for one in adapter["results"] if profile in ("-", profile_of(one["case"]))]
            counts[adapter["name"], profile] = Counter(status_of(one) for one in mine) + Counter(
                {
                    "tolerated": sum(one["within_tolerance"] for one in mine),
                    "up_to_reduction": sum(
                        one["verdict"] == "pass" and one["judged_events"] is not None for one in mine
                    ),
                }
            )
    shown = [s for s in _STATUSES if s in _ALWAYS or any(count[s] for count in counts.values())]
    titles = {adapter["name"]: adapter for adapter in stacks}
    rows = []
    for (name, profile), count in counts.items():
        adapter = titles[name]
        link = md.ref(adapter["title"], stacks_deviations.anchor(adapter))
        cells = [_count(count, status) for status in shown]
        version = adapter["declaration"]["version"] if adapter["declaration"] else ""
        rows.append((link, md.plain(version), adapter["language"], md.code(profile), *cells))
    header = ("Stack", "Version", "Language", "Judged as", *(_STATUSES[status] for status in shown))
    table = md.list_table(header, rows, (30, 10, 10, 22, *[10] * len(shown)), "compact stacks")
    note = (
        "Cases of vectors and of the closed loop together; one cause may show in many. *Not supported*: the stack has no function for an event of the case, or its clock is too coarse. "
        "A number in parentheses agrees only within the class that the adapter declares, as for windows in `float32`."
    )
    return md.page("## Cases", table, note)


def _count(count: Counter[str], status: str) -> str:
    if status == "pass" and count["tolerated"]:
        return f"{count['pass']} ({count['tolerated']})"
    return str(count[status])


def _skipped(adapters: list[dict[str, Any]]) -> str:
    if not adapters:
        return "No stack was skipped in this run."
    rows = [(md.plain(one["title"]), one["language"], md.plain(one["skipped"])) for one in adapters]
    return md.page(
        "Skipped in this run:", md.list_table(("Stack", "Language", "Because"), rows, (34, 12, 54), "compact")
    )


def _others(title: str, text: str, adapters: list[dict[str, Any]]) -> list[str]:
    shown = [adapter for adapter in adapters if not adapter["skipped"]]
    header = ["Adapter", "Language", "Pass", "Fail", "Unsupported", "Errored"]
    if any(adapter.get("rules_passed") for adapter in shown):
        header.append("Rules with a MUST exercised")
    rows = [tuple(_other(adapter)[: len(header)]) for adapter in shown]
    return (
        [f"## {title}", text, md.list_table(header, rows, (40, *[12] * (len(header) - 1)), "compact")] if rows else []
    )


def _other(adapter: dict[str, Any]) -> list[str]:
    counts = (str(adapter["counts"][name]) for name in ("pass", "fail", "unsupported", "errored"))
    passed = adapter.get("rules_passed")
    return [md.plain(adapter["title"]), adapter["language"], *counts, "{} of {}".format(*passed) if passed else ""]
