"""The page "State of the stacks", from the report of a run or from the committed results, with manual explanations."""

from collections import Counter
from typing import Any

from firstflight_conformance.report import json_document
from pages import committed, stacks_deviations, stacks_effort, stacks_loops, stacks_matrix
from pages import markdown as md
from pages.stacks_deviations import profile_of

_TITLE = "# State of the stacks"
_STALE = (
    ":::{admonition} Other vectors\n:class: warning\n"
    "These results were computed with other vectors than the vectors of this site. `make conformance` judges the stacks again.\n:::"
)
_NOT_REACHED = """## Algorithms without a judged stack

**No stack in a package registry implements Careful Resume or JumpStart**, in any form. Their expectations rest only on the two references of this project and the derivations in the
vectors. JumpStart is in the repository of quicly, Careful Resume in a fork of picoquic; neither is in a registry.

**No implementation of SEARCH in a registry can be driven by single ACKs.** neqo has SEARCH, HyStart++ and classic slow start. Debian's `firefox-esr` has it from 153
on, but as a whole browser, which can be observed over a real path but not driven by ACKs. The source of neqo is not in any registry, nor are the forks of picoquic and quicly and the Linux module
`tcp_search`. So no adapter judges them here. The profiles named after them follow their published source and were replayed against it once, by hand. Four of the codes were compiled and three transcribed:
[How each profile was compared with its code](../search-replay.md).

**smoltcp** 0.14 is on crates.io and is not judged. Its congestion controllers are private, and the public socket infers losses from packets. An adapter must therefore
simulate the segments of both ends, like the adapter of gVisor with 423 lines. A profile of RFC 5681, the text of its Reno, is missing too.

Not reachable at all: mvfst, lsquic, xquic and Google's quiche. A registry has the source of picoquic, inside `aiopquic`; its NewReno, CUBIC and BBR are judged here.

*The registries were searched in November 2026.*"""


def pages() -> dict[str, str]:
    """Return the page and the pages of the stacks, by the names of their documents."""
    return pages_of(committed.current())


def pages_of(report: dict[str, Any]) -> dict[str, str]:
    """Return the pages of a report."""
    stacks = [adapter for adapter in report["adapters"] if adapter["role"] == "third-party" and not adapter["skipped"]]
    return {"stacks": page(report)} | {
        stacks_deviations.name_of(stack): stacks_deviations.page(stack, judged_at(report, stack)) for stack in stacks
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
        _introduction(stacks, report),
        _STALE if report["vectors_sha256"] != json_document.vectors_digest() else "",
        stacks_matrix.matrix(stacks, declared, profile_of),
        stacks_matrix.legend(),
        *stacks_deviations.overview(stacks),
        _skipped([adapter for adapter in report["adapters"] if adapter["skipped"]]),
        *stacks_loops.delay_step(stacks),
        *stacks_loops.paths(stacks),
        _verdicts(stacks),
        *stacks_effort.table(),
        _NOT_REACHED,
        *_others("The references", "The references must agree with every case; otherwise the build fails.", by_role["reference"]),
        *_others("Null adapters", "Adapters that do nothing useful. The cases that they pass distinguish little.", by_role["null"]),
    )  # fmt: skip


def _introduction(stacks: list[dict[str, Any]], report: dict[str, Any]) -> str:
    languages = sorted({adapter["language"] for adapter in stacks})
    committed_titles = [
        adapter["title"] for adapter in stacks if adapter.get("committed") and "committed" not in report
    ]
    note = (
        f" Not judged in that run, and taken from the committed results: {', '.join(map(md.plain, committed_titles))}."
        if committed_titles
        else ""
    )
    return (
        f"{len(stacks)} published congestion controllers in {', '.join(languages) or 'no language'}, unchanged behind "
        "[adapters](../specification/adapter-protocol.md), judged by vectors and in closed loop up to the first difference. "
        f"{judged_at(report)}{note}"
    )


def judged_at(report: dict[str, Any], adapter: dict[str, Any] | None = None) -> str:
    """Return when the stacks, or one of them, were judged: commit and date, or the date of the committed results."""
    date = (adapter or report).get("committed")
    if date:
        folder = "../.." if adapter else ".."
        return (
            f'Results of {date}, as committed in <a href="{folder}/results.json">results.json</a>. '
            "`make conformance docs` judges the stacks again and adds their runs in closed loop."
        )
    checkout = report.get("checkout")
    if checkout is None:
        return ""
    changed = ", with uncommitted changes" if checkout["changed"] else ""
    return f"Judged with Firstflight at commit `{checkout['commit'][:12]}` of {checkout['date']}{changed}."


def declared(adapter: dict[str, Any]) -> list[str]:
    """Return the profiles that an adapter declares, as ``algorithm/profile``."""
    algorithms = (adapter["declaration"] or {"algorithms": {}})["algorithms"]
    return [f"{algorithm}/{profile}" for algorithm, profiles in algorithms.items() for profile in profiles]


def status_of(result: dict[str, Any]) -> str:
    """Return the status of a result."""
    if result["status"] == "choice":
        return "choice"
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
    "choice": "Conforms by a choice",
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
            mine = [result for result in adapter["results"] if profile in ("-", profile_of(result["case"]))]
            counts[adapter["name"], profile] = Counter(status_of(result) for result in mine) + Counter(
                {
                    "tolerated": sum(result["within_tolerance"] for result in mine),
                    "up_to_reduction": sum(
                        result["verdict"] == "pass" and result["judged_events"] is not None for result in mine
                    ),
                }
            )
    statuses = [s for s in _STATUSES if s in _ALWAYS or any(count[s] for count in counts.values())]
    titles = {adapter["name"]: adapter for adapter in stacks}
    rows = []
    for (name, profile), count in counts.items():
        adapter = titles[name]
        link = md.ref(adapter["title"], stacks_deviations.anchor(adapter))
        cells = [_count(count, status) for status in statuses]
        version = adapter["declaration"]["version"] if adapter["declaration"] else ""
        rows.append((link, md.plain(version), adapter["language"], md.code(profile), *cells))
    header = ("Stack", "Version", "Language", "Judged as", *(_STATUSES[status] for status in statuses))
    table = md.list_table(header, rows, (30, 10, 10, 22, *[10] * len(statuses)), "compact stacks")
    note = (
        "Cases of vectors and of the closed loop together; one cause may show in many cases. *Not supported*: the stack lacks a function for an event of the case, or its clock is too coarse. "
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
    rows = [(md.plain(adapter["title"]), adapter["language"], md.plain(adapter["skipped"])) for adapter in adapters]
    return md.page(
        "Skipped in this run:", md.list_table(("Stack", "Language", "Because"), rows, (34, 12, 54), "compact")
    )


def _others(title: str, text: str, adapters: list[dict[str, Any]]) -> list[str]:
    adapters_judged = [adapter for adapter in adapters if not adapter["skipped"]]
    header = ["Adapter", "Language", "Pass", "Fail", "Unsupported", "Errored"]
    if any(adapter.get("rules_passed") for adapter in adapters_judged):
        header.append("Rules with a MUST exercised")
    rows = [tuple(_other(adapter)[: len(header)]) for adapter in adapters_judged]
    return (
        [f"## {title}", text, md.list_table(header, rows, (40, *[12] * (len(header) - 1)), "compact")] if rows else []
    )


def _other(adapter: dict[str, Any]) -> list[str]:
    counts = (str(adapter["counts"][name]) for name in ("pass", "fail", "unsupported", "errored"))
    passed = adapter.get("rules_passed")
    return [md.plain(adapter["title"]), adapter["language"], *counts, "{} of {}".format(*passed) if passed else ""]
