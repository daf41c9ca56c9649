"""Measures the defects of all stacks, ``python conformance/studies defects.measure``: writes ``measured.json``.

Needs the adapters and ``build/report/report.json`` of `make conformance`. Defects of unbuilt adapters keep their entry.
"""

import itertools
import json
from collections.abc import Sequence
from typing import Any

from firstflight import Config
from firstflight.events import Ack, Event
from firstflight_conformance.adapters.manifest import Deviation, Manifest, load_manifests
from firstflight_conformance.commands.options import judged_cases
from firstflight_conformance.format.files import write_whole
from firstflight_conformance.format.timeline import milliseconds
from firstflight_conformance.format.vectors import Case
from firstflight_conformance.format.wire import encode_value
from firstflight_conformance.paths import BUILD, VECTORS
from firstflight_conformance.replay.measure import config_to_json
from firstflight_conformance.report import json_document
from firstflight_conformance.run.selection import Selection
from firstflight_conformance.shrink.shrink import Parting
from firstflight_conformance.simulate.cases import AnyCase, StimulusCase
from firstflight_conformance.simulate.model_run import observed_run
from studies.defects.defects import MEASURED, by_id
from studies.defects.described import described
from studies.defects.possible import broken_rules
from studies.defects.smallest import first_difference, in_loop, smallest
from studies.defects.streams import STREAMS

REPORT = BUILD / "report" / "report.json"
#: Most points of a curve.
_POINTS = 60
_MS = 1_000_000
#: Time of the first event, in ns: a stack may treat a time of 0 as absent.
_FIRST_NS = 1_000_000_000
#: Defects that another difference hides in the closed loop, with that difference.
_NO_PATH = {
    "gvisor-1": "the model is without HyStart and stays in slow start",
    "ngtcp2-5": "both runs leave slow start later, at other events",
}


def main() -> None:
    """Measure every defect whose adapter is in the report."""
    report = {adapter["name"]: adapter for adapter in json_document.read(REPORT)["adapters"] if not adapter["skipped"]}
    cases = {case.id: case for case in judged_cases(VECTORS, Selection(), vectors=True, stimulus=True)}
    old = json.loads(MEASURED.read_text("utf-8")) if MEASURED.exists() else {}
    manifests = load_manifests()
    measured = {}
    for name, adapters in by_id(manifests).items():
        reported = [(manifests[adapter], entries) for adapter, entries in adapters.items() if adapter in report]
        measured[name] = _measured(reported, report, cases) if reported else old.get(name)
        print(name, "measured" if reported else "not measured: its adapter is not in the report", flush=True)
    lines = ",\n".join(f" {json.dumps(name)}: {json.dumps(entry)}" for name, entry in measured.items() if entry)
    write_whole(MEASURED, f"{{\n{lines}\n}}\n")


def _measured(
    reported: Sequence[tuple[Manifest, Sequence[Deviation]]], report: dict[str, Any], cases: dict[str, AnyCase]
) -> dict[str, Any]:
    """Return the entry of a defect, measured with the first adapter that shows it."""
    manifest, entries = reported[0]
    adapter = report[manifest.name]
    results = {result["case"]: result for result in adapter["results"]}
    own = [cases[deviation.case] for deviation in entries if deviation.case in cases]
    if entries[0].id in STREAMS:
        measurement = _by_hand(manifest, entries[0].id, cases)
    else:
        measurement = (
            _example(entries[0].example, results, cases) if entries[0].example else _shrunk(manifest, entries, own)
        )
    loops = [case for case in own if isinstance(case, StimulusCase) and entries[0].id not in _NO_PATH]
    path = _path(manifest, adapter, loops)
    declared = adapter["declaration"]
    return {"version": f"{declared['name']} {declared['version']}", **measurement, **({"path": path} if path else {})}


def _example(name: str, results: dict[str, Any], cases: dict[str, AnyCase]) -> dict[str, Any]:
    """Return an unchanged case, up to the divergence in the report."""
    case, divergence = cases[name], results[name]["divergence"]
    events = case.events[: divergence["event_index"] + 1] if isinstance(case, Case) else ()
    differences = {
        difference["observable"]: [difference["expected"], difference["observed"]]
        for difference in divergence["differences"]
    }
    return _entry(case, events, differences, event=divergence["event_index"])


def _by_hand(manifest: Manifest, name: str, cases: dict[str, AnyCase]) -> dict[str, Any]:
    """Return the events made for the defect, up to the first difference."""
    stream = STREAMS[name]
    case = cases[stream.case]
    assert isinstance(case, Case)
    builder = stream.events()
    config = Config(builder.max_datagram_size_bytes, builder.initial_window_bytes)
    example = first_difference(manifest, case, builder.events, config)
    if example is None:
        raise SystemExit(f"{name}: its events do not show it")
    return _entry(case, example.parting.events, _differences(example.parting), config=config_to_json(config))


def _differences(parting: Parting) -> dict[str, Any]:
    return {
        difference.observable: [encode_value(difference.expected), encode_value(difference.observed)]
        for difference in parting.differences
    }


def _shrunk(manifest: Manifest, entries: Sequence[Deviation], own: Sequence[AnyCase]) -> dict[str, Any]:
    """Return the smallest events that shrinking finds."""
    example = smallest(manifest, frozenset(deviation.clause for deviation in entries if deviation.clause), own)
    if example is None:
        raise SystemExit(f"{entries[0].id}: no events show it; name a case as `example` in the manifest")
    return _entry(example.case, example.parting.events, _differences(example.parting))


def _entry(
    case: AnyCase,
    events: Sequence[Event],
    differences: dict[str, Any],
    event: int = 0,
    config: dict[str, Any] | None = None,
) -> dict[str, Any]:
    assert isinstance(case, Case | StimulusCase)
    config = config or (case.vector.config if isinstance(case, Case) else case.config)
    origin_ns = events[0].t_ns - _FIRST_NS if events else 0
    return {
        "case": case.id,
        "event": event or len(events) - 1,
        "datagram_bytes": config["max_datagram_size_bytes"],
        "initial_window_bytes": config["initial_window_bytes"],
        "broken": sorted(broken_rules(events)),
        "events": [
            f"{milliseconds(stream_event.t_ns - origin_ns)} ms: {described(stream_event)}" for stream_event in events
        ],
        "differences": differences,
    }


def _path(manifest: Manifest, adapter: dict[str, Any], cases: Sequence[StimulusCase]) -> dict[str, Any] | None:
    """Return the closed-loop path with the largest difference of acknowledged bytes from the model, or ``None``."""
    runs = [run for case in cases if (run := _run(manifest, adapter, case)) is not None]
    return max(runs, key=lambda run: abs(run["stack"]["acked"] - run["model"]["acked"]), default=None)


def _run(manifest: Manifest, adapter: dict[str, Any], case: StimulusCase) -> dict[str, Any] | None:
    """Return both runs: bytes acknowledged at the end of the first run, completion times, losses, and windows."""
    played, declared = in_loop(manifest, case), adapter["declaration"]
    if played.recording is None or played.loop is None or played.loop.divergence is None:
        return None
    own = observed_run(case, _clock_ns(declared["clock"]), tuple(declared["observables"]))
    stack = [
        (event, answer["cwnd_bytes"])
        for event, answer in zip(played.recording.events, played.recording.observed, strict=True)
    ]
    model = [(event, observation.cwnd_bytes) for event, observation in own]
    origin_ns, until_ns = stack[0][0].t_ns, min(stack[-1][0].t_ns, model[-1][0].t_ns)
    divergence = played.loop.divergence
    sides = {}
    for name, run, ended in (("stack", stack, played.loop.stack), ("model", model, played.loop.model)):
        sides[name] = {
            "acked": sum(event.bytes for event, _ in run if isinstance(event, Ack) and event.t_ns <= until_ns),
            "complete_ms": (run[-1][0].t_ns - origin_ns) // _MS if ended.end == "complete" else None,
            "lost": ended.lost_packets,
            "largest": ended.largest_cwnd_bytes,
            "curve": _curve([((event.t_ns - origin_ns) // _MS, window) for event, window in run]),
        }
    return {
        "case": case.id,
        "title": case.scenario.title,
        "first_ms": (stack[divergence.event_index or 0][0].t_ns - origin_ns) // _MS,
        "until_ms": (until_ns - origin_ns) // _MS,
        **sides,
    }


def _clock_ns(unit: str) -> int:
    return {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000}[unit]


def _curve(points: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the points where the window changes, thinned out evenly, with the last one."""
    changes = [points[0], *(now for before, now in itertools.pairwise(points) if now[1] != before[1]), points[-1]]
    step = -(-len(changes) // _POINTS)
    return list(dict.fromkeys([*changes[::step], changes[-1]]))


if __name__ == "__main__":
    main()
