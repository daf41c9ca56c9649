"""The closed loop and the delay step on the page "State of the stacks"."""

from collections import defaultdict
from typing import Any

from firstflight.events import Ack, Lost, Sent
from firstflight_conformance.format.timeline import milliseconds
from firstflight_conformance.format.vectors import Vector
from firstflight_conformance.format.wire import event_name
from firstflight_conformance.simulate.cases import PREFIX, stimulus_cases
from pages import markdown as md
from pages import site

_ORIGIN_NS = 1_000_000_000
#: The path with a rising delay, and the part of the ids of the corresponding vectors.
_STEP_PATH = "delay-rise"
_STEP_VECTOR = ".delay.step-"
_MODEL = "*the model*"


def delay_step(stacks: list[dict[str, Any]]) -> list[str]:
    """Return the section with the ACK where each stack reacts to a rising delay."""
    vectors = [vector for vector in site.vectors() if _STEP_VECTOR in vector.id]
    tables = [_vector_table(vector, stacks) for vector in vectors] + [_path_table(stacks)]
    if not any(tables):
        return []
    return [
        "## A delay that rises",
        "From one round to the next the RTT becomes longer. Which ACK is the first that grows the window by less than it acknowledges? HyStart++ and HyStart are designed to detect "
        "this; plain slow start goes on.",
        *(table for table in tables if table),
    ]


def _vector_table(vector: Vector, stacks: list[dict[str, Any]]) -> str:
    rows = []
    for adapter in stacks:
        for result in adapter["results"]:
            vector_id, _, profile = result["case"].partition("@")
            if vector_id == vector.id and result["growth"] is not None:
                growth = result["growth"]
                cells = [_packet(vector, growth[side]) for side in ("expected", "observed")]
                exit_at = _exit(growth["expected"], growth["observed"])
                rows.append((md.plain(adapter["title"]), md.code(profile), *cells, exit_at, _rest(result)))
    if not rows:
        return ""
    header = ("Stack", "Profile", "Expected", "Observed", "Exit", "Case")
    link = md.ref(vector.id, site.anchor("vector", vector.id))
    text = f"{link}: {md.plain(vector.title[0].lower() + vector.title[1:])}. The events are the same for all, and beyond a divergence no longer the stack's own."
    return md.page(text, md.list_table(header, rows, (30, 18, 13, 13, 11, 15), "compact"))


def _exit(expected: int | None, observed: int | None) -> str:
    """Return the difference between the exit events."""
    if expected == observed:
        return "as expected"
    if observed is None:
        return "none"
    return "earlier" if expected is None or observed < expected else "later"


def _rest(result: dict[str, Any]) -> str:
    """Return the first difference in the case, of the exit or another observable, with its event."""
    if result["divergence"] is None:
        return "agrees"
    differences = ", ".join(
        f"{md.plain(answer['observable'].removesuffix('_bytes'))} {answer['observed']} for {answer['expected']}"
        for answer in result["divergence"]["differences"]
    )
    return f"event {result['divergence']['event_index']}: {differences}"


def _packet(vector: Vector, index: int | None) -> str:
    if index is None:
        return "never"
    event = vector.events[index]
    kind = "ACK" if isinstance(event, Ack) else event_name(event)
    return f"{kind} of {event.packets[-1].last}" if isinstance(event, Sent | Ack | Lost) else f"event {index}"


def _path_table(stacks: list[dict[str, Any]]) -> str:
    rows = []
    for profile, by_scenario in _loops(stacks).items():
        runs = by_scenario.get(_STEP_PATH, [])
        if runs:
            rows.append((_MODEL, md.code(profile), *_step_cells(runs[0][1]["model"])))
        rows += [(md.plain(adapter["title"]), md.code(profile), *_step_cells(loop["stack"])) for adapter, loop in runs]
    if not rows:
        return ""
    header = ("In the loop", "Judged as", "First reduced growth", "Window then")
    text = "In closed loop, with each controller in the loop of the same path: an ACK for every packet, RTT 100 ms in the first two rounds, 130 ms from packet 30 on."
    return md.page(text, md.list_table(header, rows, (36, 24, 22, 18), "compact"))


def _step_cells(run: dict[str, Any]) -> tuple[str, str]:
    moment = run["growth_reduced"]
    if moment is None:
        return "never", ""
    return f"ACK of {moment['packet']}, {_time(moment)}", f"{moment['cwnd_bytes']} B"


def paths(stacks: list[dict[str, Any]], root: str = "..") -> list[str]:
    """Return the section with a table for each profile: the model and the stacks on every path. ``root`` leads to the documents."""
    blocks = []
    titles = {case.scenario.name.removesuffix(".json"): case.scenario.title for case in stimulus_cases()}
    for profile, by_scenario in _loops(stacks).items():
        scenarios = list(by_scenario)
        model = (_MODEL, *(_cell(by_scenario[name][0][1]["model"]) for name in scenarios))
        names = {adapter["name"]: adapter for name in scenarios for adapter, _ in by_scenario[name]}
        rows = [model]
        for adapter in names.values():
            own = {
                name: loop
                for name in scenarios
                for adapter_in_loop, loop in by_scenario[name]
                if adapter_in_loop["name"] == adapter["name"]
            }
            cells = [_cell(own[name]["stack"]) if name in own else "" for name in scenarios]
            rows.append((md.plain(adapter["title"]), *cells))
        widths = (28, *[72 // len(scenarios)] * len(scenarios))
        blocks += [f"### As {profile}", md.list_table(("stack", *scenarios), rows, widths, "compact")]
    if not blocks:
        return []
    scenarios_on_paths = {name for by_scenario in _loops(stacks).values() for name in by_scenario}
    legend = "\n".join(f"- **{name}**: {md.plain(titles[name])}" for name in titles if name in scenarios_on_paths)
    return [
        "## In closed loop",
        f"In [closed loop]({root}/specification/adapter-protocol.md) each stack's own window decides how much it sends. The cells contain the time from the start of the run to the first growth below slow start, "
        "or the first shrinking; the window at that time; and the number of packets that the sender declared lost.",
        legend,
        *blocks,
    ]


def _loops(stacks: list[dict[str, Any]]) -> dict[str, dict[str, list[tuple[dict[str, Any], dict[str, Any]]]]]:
    """Return the adapters in the loop by profile and scenario, each with both runs."""
    loops: dict[str, dict[str, list[tuple[dict[str, Any], dict[str, Any]]]]] = defaultdict(lambda: defaultdict(list))
    for adapter in stacks:
        for result in adapter["results"]:
            if result["loop"] is not None:
                scenario, _, profile = result["case"].removeprefix(PREFIX).partition("@")
                loops[profile][scenario].append((adapter, result["loop"]))
    return loops


def _cell(run: dict[str, Any]) -> str:
    moment = run["growth_reduced"]
    lines = ["never"] if moment is None else [_time(moment), f"{moment['cwnd_bytes']} B"]
    lines.append(f"{run['lost_packets']} lost" if run["lost_packets"] else "no loss")
    if run["end"] not in ("complete", "stopped"):
        lines.append(run["end"])
    return "<br>".join(lines)


def _time(moment: dict[str, Any]) -> str:
    return f"{milliseconds(moment['t_ns'] - _ORIGIN_NS)} ms"
