"""The page of each stack: where it departs, from which rule and why, the most binding rules first; and its runs on paths."""

from collections import Counter, defaultdict
from typing import Any

from firstflight_conformance.cases.timeline import milliseconds
from firstflight_conformance.cases.wire import decode_int
from firstflight_conformance.docs_ext import markdown as md
from firstflight_conformance.docs_ext import site, stacks_loops, stacks_matrix

#: Up to this number, cases of one explanation are shown without folding.
_OPEN_CASES = 4
_ORIGIN_NS = 1_000_000_000


def anchor(adapter: dict[str, Any]) -> str:
    """Return the target of the section of a stack."""
    return site.anchor("stack", adapter["name"])


def name_of(adapter: dict[str, Any]) -> str:
    """Return the document of a stack, below the folder of the generated pages."""
    return f"stacks/{adapter['name']}"


def overview(stacks: list[dict[str, Any]]) -> list[str]:
    """Return the section that leads to the pages: for each stack the rules from which it departs, the most binding first."""
    rows = []
    for adapter in stacks:
        counts: Counter[tuple[str, str]] = Counter()
        for (level, clause, _), cases in _explained(adapter):
            counts[level, clause] += len(cases)
        rules = [f"{stacks_matrix.sign(level)} {_clause(clause)} {count}" for (level, clause), count in counts.items()]
        unexplained = sum(one["verdict"] == "fail" and not one["explained_by"] for one in adapter["results"])
        rules += [f"not explained: {unexplained}"] if unexplained else []
        rows.append(
            (md.ref(adapter["title"], anchor(adapter)), ", ".join(rules) or "agrees in every case that it supports")
        )
    if not rows:
        return []
    documents = "\n".join(name_of(adapter) for adapter in stacks)
    return [
        "## Deviations",
        "Each stack has a page with its causes. The signs are those of the levels above, the numbers the cases.",
        md.list_table(("Stack", "Departs from"), rows, (30, 70), "compact"),
        f"```{{toctree}}\n:hidden:\n\n{documents}\n```",
    ]


def page(adapter: dict[str, Any]) -> str:
    """Return the page of a stack."""
    return md.page(
        md.label(anchor(adapter)),
        f"# {md.plain(adapter['title'])}",
        "Where it departs, from which rule, and why, the most binding rules first. Times count from the beginning of a case. Back to the "
        "[State of the stacks](../stacks.md).",
        *_stack(adapter),
        *stacks_loops.paths([adapter], "../.."),
    )


def _explained(adapter: dict[str, Any]) -> list[tuple[tuple[str, str, str], list[dict[str, Any]]]]:
    """Return the cases of each explanation, by level, rule and text: the most binding level first, then the most cases."""
    found: dict[tuple[str, str, str], list[dict[str, Any]]] = defaultdict(list)
    for result in adapter["results"]:
        why = result["explained_by"]
        if why and not result["change"]:
            found[result["level"] or "", why["clause"], why["explanation"]].append(result)
    return sorted(found.items(), key=lambda entry: (stacks_matrix.order(entry[0][0]), -len(entry[1])))


def _stack(adapter: dict[str, Any]) -> list[str]:
    blocks = [_declares(adapter), stacks_matrix.by_level(adapter)]
    explained = _explained(adapter)
    unexplained, changed, errored = [], [], []
    for result in adapter["results"]:
        if result["verdict"] == "errored":
            errored.append(result)
        elif result["change"] and not (result["verdict"] == "fail" and not result["explained_by"]):
            changed.append(result)
        elif result["verdict"] == "fail" and not result["explained_by"]:
            unexplained.append(result)
    if not (explained or unexplained or changed or errored):
        blocks.append("Agrees in every case that it supports.")
    if unexplained:
        blocks += ["**Not explained yet:**", *_causes(adapter), *_cases(unexplained)]
    if changed:
        rows = [(_case(one["case"]), md.plain(one["change"])) for one in changed]
        blocks += ["**Not as recorded:**", md.list_table(("Case", "Change"), rows, (40, 60), "compact")]
    if errored:
        rows = [(_case(one["case"]), md.plain(one["reason"])) for one in errored[:_OPEN_CASES]]
        more = f" (the first of {len(errored)})" if len(errored) > _OPEN_CASES else ""
        blocks += [f"**Errored{more}:**", md.list_table(("Case", "Reason"), rows, (40, 60), "compact")]
    for (level, clause, explanation), results in explained:
        count = f"{len(results)} cases" if len(results) > 1 else "one case"
        title = f"{stacks_matrix.badge(level)} {_clause(clause)}, {count}"
        blocks += [f"{title}. {md.plain(explanation)}", *_cases(results)]
    return blocks


def _causes(adapter: dict[str, Any]) -> list[str]:
    """Return what the diagnosis says of the failures that nothing explains."""
    return [
        f"Cause {md.code(cause['cause'])} ({cause['kind']}), {cause['explains']} of {cause['of']} cases: "
        + ", ".join(_clause(name) for name in cause["clauses"])
        for cause in adapter["diagnosis"]
    ]


def _declares(adapter: dict[str, Any]) -> str:
    declared = adapter["declaration"]
    if declared is None:
        return "The adapter could not be asked what it declares."
    names = ", ".join(md.code(name) for name in declared["observables"])
    return (
        f"{md.plain(declared['name'])} {md.plain(declared['version'])}; reports {names}; clock {declared['clock']}, windows in "
        f"{declared['window']}, arithmetic {declared['arithmetic']}."
    )


def _cases(results: list[dict[str, Any]]) -> list[str]:
    rows = [
        (
            _case(one["case"]),
            _event(one["divergence"]),
            _values(one["divergence"], "expected"),
            _values(one["divergence"], "observed"),
        )
        for one in results
    ]
    table = md.list_table(("Case", "First divergence", "Expected", "Observed"), rows, (40, 24, 18, 18), "compact")
    if len(results) <= _OPEN_CASES:
        return [table]
    first = md.list_table(("Case", "First divergence", "Expected", "Observed"), rows[:2], (40, 24, 18, 18), "compact")
    summary = f"All {len(results)} cases"
    return [first, f'<details class="events"><summary>{summary}</summary>', table, "</details>"]


def _case(case_id: str) -> str:
    vector_id, _, profile = case_id.partition("@")
    if vector_id in {one.id for one in site.vectors()} | {one.id for one in site.computations()}:
        return f"{md.ref(vector_id, site.anchor('vector', vector_id))} {md.code(profile)}"
    if vector_id.startswith("stimulus:"):
        return f"closed loop, {md.plain(vector_id.removeprefix('stimulus:'))} {md.code(profile)}"
    return md.plain(case_id)


def _event(divergence: dict[str, Any]) -> str:
    if divergence["event_index"] is None:
        return "the outputs"
    event = divergence["event"]
    time_ms = milliseconds(decode_int(event["t_ns"]) - _ORIGIN_NS)
    packets = f" of {event['packets'][-1][1]}" if event["ev"] == "ack" else ""
    return f"event {divergence['event_index']}, {time_ms} ms: {event['ev'].replace('_', ' ')}{packets}"


def _values(divergence: dict[str, Any], side: str) -> str:
    return "; ".join(f"{_name(one['observable'])} {_value(one[side])}" for one in divergence["differences"])


def _name(observable: str) -> str:
    return md.plain(observable.removesuffix("_bytes").removesuffix("_ns"))


def _value(value: Any) -> str:
    return "none" if value is None else md.plain(str(value))


def _clause(clause_id: str) -> str:
    return md.clause(clause_id) if clause_id in site.clauses() else md.code(clause_id)
