"""The page of each stack: its defects first, then other differences in grey; and its runs on paths."""

from collections import defaultdict
from hashlib import sha256
from html import escape
from typing import Any

from firstflight_conformance.adapters.manifest import KINDS
from firstflight_conformance.format.timeline import milliseconds
from firstflight_conformance.format.wire import decode_int
from pages import defect_pages, site, stacks_loops, vector_files
from pages import markdown as md
from pages.stacks_matrix import badge, counted, defects, is_other_version, legend, other_badge, other_causes
from studies.defects.defects import defects as defects_by_id

#: Maximum number of unexplained cases that are shown without folding.
_OPEN_CASES = 4
_ORIGIN_NS = 1_000_000_000


def anchor(adapter: dict[str, Any]) -> str:
    """Return the target of the section of a stack."""
    return site.anchor("stack", adapter["name"])


def anchor_of(adapter: str, explanation: str) -> str:
    """Return the target of a deviation of an adapter. It is stable as long as the explanation is."""
    return site.anchor(f"deviation-{adapter}", sha256(explanation.encode()).hexdigest()[:8])


def name_of(adapter: dict[str, Any]) -> str:
    """Return the document of a stack, below the folder of the generated pages."""
    return f"stacks/{adapter['name']}"


def version(adapter: dict[str, Any]) -> str:
    """Return the version of a stack as it declares it."""
    return str(adapter["declaration"]["version"]) if adapter["declaration"] else "version not known"


def profile_of(case_id: str) -> str:
    """Return ``algorithm/profile`` of a case id, of a vector or of the closed loop."""
    name, _, profile = case_id.partition("@")
    return profile if name.startswith("stimulus:") else f"{name.split('.')[0]}/{profile}"


def overview(stacks: list[dict[str, Any]]) -> list[str]:
    """Return the section with the defects of all stacks, and the list of their pages."""
    if not stacks:
        return []
    profiles_by_defect = _profiles_by_defect(stacks)
    blocks = [
        "## Defects",
        f"{counted(len(profiles_by_defect), 'defect')}. A defect is one place in the code and counts once, with the profiles that show it.",
    ]
    listed: set[str] = set()
    for adapter in stacks:
        causes = [cause for cause in defects(adapter["explained"]) if key_of(adapter, cause) not in listed]
        listed |= {key_of(adapter, cause) for cause in causes}
        if causes:
            lines = [_line(cause, profiles_by_defect[key_of(adapter, cause)]) for cause in causes]
            blocks += [f"**{md.ref(adapter['title'], anchor(adapter))}**", "\n".join(lines)]
    rest = [adapter for adapter in stacks if not defects(adapter["explained"])]
    for text, is_version in (
        ("No defect is known of", False),
        ("Another version of the algorithm, which is not searched for defects:", True),
    ):
        links = [
            md.ref(adapter["title"], anchor(adapter))
            for adapter in rest
            if is_other_version(adapter["explained"]) == is_version
        ]
        blocks += [f"{text} {', '.join(links)}."] if links else []
    documents = "\n".join(name_of(adapter) for adapter in stacks)
    return [*blocks, f"```{{toctree}}\n:hidden:\n\n{documents}\n```"]


def page(adapter: dict[str, Any], judged_at: str = "") -> str:
    """Return the page of a stack; ``judged_at``: the commit of this project that judged it."""
    return md.page(
        md.label(anchor(adapter)),
        f"# {md.plain(adapter['title'])}",
        f"{_declares(adapter)} {judged_at} Times count from the beginning of a case. Back to the [State of the stacks](../stacks.md).",
        '<details class="otherwise"><summary>Meaning of the signs and words</summary>',
        legend(),
        "</details>",
        *_supplied(adapter),
        *_stack(adapter),
        *stacks_loops.paths([adapter], "../.."),
    )


def _supplied(adapter: dict[str, Any]) -> list[str]:
    supplied = adapter.get("supplied_before_start")
    return [f"**Supplied before the start.** {md.plain(supplied)}"] if supplied else []


def key_of(adapter: dict[str, Any], cause: dict[str, Any]) -> str:
    """Return the id of a defect, or its explanation: reports of version 0.1 lack ids."""
    return str(cause.get("id") or anchor_of(adapter["name"], cause["explanation"]))


def _profiles_by_defect(stacks: list[dict[str, Any]]) -> dict[str, list[str]]:
    """Return the profiles that show each defect, by its id, over all adapters."""
    profiles_by_key: dict[str, set[str]] = defaultdict(set)
    for adapter in stacks:
        for cause in defects(adapter["explained"]):
            profiles_by_key[key_of(adapter, cause)] |= {profile_of(case) for case in cause["cases"]}
    return {key: sorted(profiles) for key, profiles in profiles_by_key.items()}


def _line(cause: dict[str, Any], profiles: list[str]) -> str:
    place = f"; {md.plain(cause['where'])}" if cause.get("where") else ""
    shown_by = ", ".join(map(md.code, profiles))
    name = cause.get("id", "")
    report = f" {md.ref(name, defect_pages.anchor(name))}:" if name in defects_by_id() else ""
    return f"- {badge(cause.get('level', ''))}{report} {_title(cause)} *{md.plain(cause.get('section', ''))}{place}.* Shown by {shown_by}."


def _stack(adapter: dict[str, Any]) -> list[str]:
    results = {result["case"]: result for result in adapter["results"]}
    blocks = [_summary(adapter), *_failures(adapter)]
    worst, rest = defects(adapter["explained"]), other_causes(adapter["explained"])
    if worst:
        blocks.append("## Defects")
    for cause in worst:
        blocks += [
            '<div class="defect">',
            md.label(anchor_of(adapter["name"], cause["explanation"])),
            f"**{_title(cause)}**",
            f"{badge(cause.get('level', ''))} {md.plain(cause.get('section', ''))}. {_where(adapter, cause)}",
            md.plain(cause["explanation"]),
            *_smallest(cause, results),
            *_plot(cause),
            *_folded(cause, results),
            "</div>",
        ]
    if rest:
        title = (
            "Another version"
            if is_other_version(adapter["explained"])
            else f"Other deviations ({len(rest)}): not defects"
        )
        blocks += [f"## {title}", '<div class="other-deviations">']
        by_kind: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for cause in rest:
            by_kind[cause["kind"]].append(cause)
        for kind in KINDS:
            for cause in by_kind[kind]:
                blocks += [
                    md.label(anchor_of(adapter["name"], cause["explanation"])),
                    f"{other_badge(kind)} {md.plain(cause['explanation'])}",
                    *_folded(cause, results),
                ]
        blocks.append("</div>")
    return blocks


def _summary(adapter: dict[str, Any]) -> str:
    cut = sum(result["verdict"] == "pass" and result["judged_events"] is not None for result in adapter["results"])
    controller = (adapter["declaration"] or {}).get("controller", "")
    partly = (
        f" {counted(cut, 'case')} of `slow-start/rfc-9002` agree up to the first reduction of the window; later events are judged by `{controller}/*`, the controller of this stack."
        if cut
        else ""
    )
    if not adapter["explained"] and all(
        result["verdict"] in ("pass", "unsupported") or result["status"] == "choice" for result in adapter["results"]
    ):
        return f"Agrees in every case that it supports.{partly}"
    worst, rest = defects(adapter["explained"]), other_causes(adapter["explained"])
    if is_other_version(adapter["explained"]):
        return f"**Another version of the algorithm.** Each case shows the first difference.{partly}"
    return f"**{counted(len(worst), 'defect') if worst else 'No defect'}**, {counted(len(rest), 'other deviation')}.{partly}"


def _failures(adapter: dict[str, Any]) -> list[str]:
    """Return the failures that no manifest explains."""
    blocks = []
    unexplained, changed, errored = [], [], []
    for result in adapter["results"]:
        if result["verdict"] == "errored":
            errored.append(result)
        elif result["change"] and not (result["verdict"] == "fail" and not result["explained_by"]):
            changed.append(result)
        elif result["verdict"] == "fail" and not result["explained_by"] and result["status"] != "choice":
            unexplained.append(result)
    if unexplained:
        blocks += ["**Not explained yet:**", *_causes(adapter), *_cases(unexplained)]
    if changed:
        rows = [(_case(result["case"]), md.plain(result["change"])) for result in changed]
        blocks += ["**Not as recorded:**", md.list_table(("Case", "Change"), rows, (40, 60), "compact")]
    if errored:
        rows = [(_case(result["case"]), md.plain(result["reason"])) for result in errored[:_OPEN_CASES]]
        more = f" (the first of {len(errored)})" if len(errored) > _OPEN_CASES else ""
        blocks += [f"**Errored{more}:**", md.list_table(("Case", "Reason"), rows, (40, 60), "compact")]
    return blocks


def _title(cause: dict[str, Any]) -> str:
    return md.plain(cause.get("notice") or cause["explanation"])


def _smallest(cause: dict[str, Any], results: dict[str, dict[str, Any]]) -> list[str]:
    """Return the id of a defect and the case that shows it after the fewest events, preferably a vector."""
    results_with_divergence = [
        results[name] for name in cause["cases"] if name in results and results[name]["divergence"]
    ]
    if not cause.get("id") or not results_with_divergence:
        return []
    first = min(
        results_with_divergence,
        key=lambda result: (result["case"].startswith("stimulus:"), result["divergence"]["event_index"] or 0),
    )
    name = cause["id"]
    report = md.ref(name, defect_pages.anchor(name)) if name in defects_by_id() else md.code(name)
    return [f"Report {report}. Smallest case: {_case(first['case'])}."]


def _plot(cause: dict[str, Any]) -> list[str]:
    """Return the plot of a defect, or "" if it was not run on a path."""
    defect = defects_by_id().get(cause.get("id", ""))
    plot = defect_pages.plot(defect) if defect else ""
    return [plot] if plot else []


def _where(adapter: dict[str, Any], cause: dict[str, Any]) -> str:
    place = f", {cause['where']}" if cause.get("where") else ""
    return md.plain(version(adapter) + place)


def _causes(adapter: dict[str, Any]) -> list[str]:
    """Return the diagnosis of the unexplained failures."""
    return [
        f"Cause {md.code(cause['cause'])} ({cause['kind']}), {cause['explains']} of {cause['of']} cases: "
        + ", ".join(_clause(name) for name in cause["clauses"])
        for cause in adapter["diagnosis"]
    ]


def _declares(adapter: dict[str, Any]) -> str:
    declared = adapter["declaration"]
    if declared is None:
        return "The declaration of the adapter could not be read."
    if "observables" not in declared:
        return f"Version {md.plain(declared['version'])}."
    names = ", ".join(md.code(name) for name in declared["observables"])
    return (
        f"{md.plain(declared['name'])} {md.plain(declared['version'])}; reports {names}; clock {declared['clock']}, windows in "
        f"{declared['window']}, arithmetic {declared['arithmetic']}."
    )


def _folded(cause: dict[str, Any], results: dict[str, dict[str, Any]]) -> list[str]:
    """Return the cases of a cause, folded, with the rules where it shows."""
    rules = [f"Shows at {', '.join(map(_clause, cause['clauses']))}."] if cause["clauses"] else []
    cases = [results[name] for name in cause["cases"] if name in results]
    summary = f'<details class="events"><summary>{counted(len(cases), "case")} with the first divergence</summary>'
    return [summary, *rules, _table(cases), "</details>"]


def _cases(results: list[dict[str, Any]]) -> list[str]:
    if len(results) <= _OPEN_CASES:
        return [_table(results)]
    summary = f'<details class="events"><summary>All {len(results)} cases</summary>'
    return [_table(results[:2]), summary, _table(results), "</details>"]


def _table(results: list[dict[str, Any]]) -> str:
    rows = [
        (
            _case(result["case"]) + _play(result),
            _event(result["divergence"]),
            _values(result["divergence"], "expected"),
            _values(result["divergence"], "observed"),
        )
        for result in results
    ]
    return md.list_table(("Case", "First divergence", "Expected", "Observed"), rows, (40, 24, 18, 18), "compact")


def _play(result: dict[str, Any]) -> str:
    """Return the link that plays the vector up to the first divergence of the stack, with its window there."""
    vector_id, _, profile = result["case"].partition("@")
    vector, event = site.vectors_by_id().get(vector_id), result["divergence"]["event_index"]
    if vector is None or event is None:
        return ""
    windows = [
        difference["observed"]
        for difference in result["divergence"]["differences"]
        if difference["observable"] == "cwnd_bytes"
    ]
    stack_window = {"of": "the stack", "cwnd": windows[0], "at": event} if windows else {}
    return f' <a href="../../{escape(vector_files.play(vector, profile, step=event, **stack_window))}">play</a>'


def _case(case_id: str) -> str:
    vector_id, _, profile = case_id.partition("@")
    if vector_id in site.vectors_by_id() or vector_id in {computation.id for computation in site.computations()}:
        return f"{md.ref(vector_id, site.anchor('vector', vector_id))} {md.code(profile)}"
    if vector_id.startswith("stimulus:"):
        return f"closed loop, {md.plain(vector_id.removeprefix('stimulus:'))} {md.code(profile)}"
    return md.plain(case_id)


def _event(divergence: dict[str, Any]) -> str:
    if divergence["event_index"] is None:
        return "the outputs"
    event = divergence["event"]
    if event is None:
        return f"event {divergence['event_index']}"
    time_ms = milliseconds(decode_int(event["t_ns"]) - _ORIGIN_NS)
    packets = f" of {event['packets'][-1][1]}" if event["ev"] == "ack" else ""
    return f"event {divergence['event_index']}, {time_ms} ms: {event['ev'].replace('_', ' ')}{packets}"


def _values(divergence: dict[str, Any], side: str) -> str:
    return "; ".join(
        f"{_name(difference['observable'])} {_value(difference[side])}" for difference in divergence["differences"]
    )


def _name(observable: str) -> str:
    return md.plain(observable.removesuffix("_bytes").removesuffix("_ns"))


def _value(value: Any) -> str:
    return "none" if value is None else md.plain(str(value))


def _clause(clause_id: str) -> str:
    return md.clause(clause_id) if clause_id in site.clauses() else md.code(clause_id)
