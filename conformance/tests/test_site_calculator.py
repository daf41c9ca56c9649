"""The calculator agrees with the model and with the path simulator."""

import json
import re
import shutil
import subprocess
from typing import Any

import pytest

from firstflight.errors import DomainError
from firstflight.transfer_time.transfer_time import Inputs, compute
from firstflight_conformance.paths import BUILD, REFERENCE_C, ROOT
from plots.sizes import Place, response

SCRIPT = ROOT / "docs" / "_static" / "calculate" / "calculate.js"
MODULE = BUILD / "wasm" / "firstflight.wasm"
NODE = """
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
const [loader, wasm, script, values] = process.argv.slice(1);
globalThis.window = globalThis;
createRequire(loader)(script);
const { load } = await import(loader);
const module = await load(readFileSync(wasm));
const given = JSON.parse(values);
const told = (compute) => { try { return compute(); } catch (error) { return error.message; } };
const of = (values, scheme) => [
  told(() => Calculate.model(module, scheme, values)), told(() => Calculate.compared(module, scheme, values)), Calculate.packetTime(scheme, values),
];
const all = (values) => Object.fromEntries(Object.keys(Calculate.SCHEMES).map((scheme) => [scheme, of(values, scheme)]));
console.log(JSON.stringify(typeof given === "string" ? (eval(given) ?? null) : given.map(all)));
"""

needs = pytest.mark.skipif(
    shutil.which("node") is None or not MODULE.exists(),
    reason="needs node and build/wasm/firstflight.wasm (make wasm)",
)
SCHARF = {"rate": 10, "rtt": 200, "size": 65, "iw": 3, "mss": 1448, "mtu": 1500, "threshold": 65536, "approved": 5.12}
SATELLITE = {
    "rate": 20,
    "rtt": 600,
    "size": 100,
    "iw": 10,
    "mss": 1200,
    "mtu": 1200,
    "threshold": 200_000,
    "approved": 10,
}


def calculated(values: dict[str, float]) -> Any:
    """Return by scheme the time of the model, of the simulator or its reason, and the packet time, all in ns."""
    return calculated_all([values])[0]


def calculated_all(values: list[dict[str, float]]) -> Any:
    """Return the same for several inputs."""
    return script_output(values)


def script_output(question: object) -> Any:
    """Return the output of the script: the table of each input, or the value of an expression."""
    loader = REFERENCE_C / "wasm" / "firstflight.mjs"
    arguments = (str(loader), str(MODULE), str(SCRIPT), json.dumps(question))
    command = ("node", "--input-type=module", "-e", NODE, *arguments)
    return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)


def inputs(values: dict[str, float]) -> Inputs:
    return Inputs(
        rate_bps=int(values["rate"] * 10**6),
        rtt_ns=int(values["rtt"] * 10**6),
        size_bytes=int(values["size"] * 1000),
        mss_bytes=int(values["mss"]),
        mtu_bytes=int(values["mtu"]),
        initial_window_segments=int(values["iw"]),
        threshold_bytes=int(values["threshold"]),
        approved_rate_bps=int(values["approved"] * 10**6),
    )


@needs
@pytest.mark.parametrize("values", [SCHARF, SATELLITE], ids=["scharf", "satellite"])
def test_calculator_agrees_with_model_and_simulator(values: dict[str, float]) -> None:
    times_by_scheme = calculated(values)
    assert len(times_by_scheme) == 4
    for scheme, (model, simulated, packet_ns) in times_by_scheme.items():
        try:
            assert model == compute(scheme, inputs(values)).response_time_ns
        except DomainError:
            assert "domain" in model
            continue
        assert isinstance(simulated, str) or abs(simulated - model) <= 2 * packet_ns, scheme
    assert [scheme for scheme, (_, simulated, _) in times_by_scheme.items() if isinstance(simulated, str)] == [
        "more-start" if values["approved"] == 5.12 else "quick-start"
    ]


GRID = [
    SCHARF | {"rate": rate, "rtt": rtt, "size": size, "iw": iw, "threshold": threshold, "approved": approved}
    for rate in (1, 10, 100)
    for rtt in (20, 200, 600)
    for size in (1, 30, 100, 1000)
    for iw in (3, 10)
    for threshold in (16384, 65536, 1_000_000)
    for approved in (5.12, 10)
]


@needs
def test_columns_agree_or_give_a_reason() -> None:
    """The columns agree within two packet times or give a reason; slow start and Jump-Start profiles have numbers."""
    with_times = blank = 0
    for values, times_by_scheme in zip(GRID, calculated_all(GRID), strict=True):
        for scheme, (model, simulated, packet_ns) in times_by_scheme.items():
            if isinstance(simulated, str):
                reasons = (
                    "packet times from the closed form",
                    "simulated at a rate of",
                    "bytes only",
                    "exceeds the approved rate",
                )
                assert any(reason in simulated for reason in reasons), simulated
                assert scheme != "slow-start"
                is_profile = values["threshold"] == 65536 or values["size"] * 1000 <= values["threshold"]
                assert scheme != "jump-start" or not is_profile, values
                blank += "closed form" in simulated
            else:
                assert abs(simulated - model) <= 2 * packet_ns, (scheme, values)
                with_times += 1
    assert with_times >= 0.95 * (with_times + blank), (with_times, blank)


@needs
def test_threshold_applies_to_both_columns() -> None:
    """100 kB over 600 ms: with the default threshold, Jump-Start first sends 64 KiB in model and simulator."""
    model, simulated, _ = calculated(SATELLITE | {"rate": 10, "iw": 10, "threshold": 65536, "mss": 1448, "mtu": 1500})[
        "jump-start"
    ]
    assert model == pytest.approx(1_357_764_000, abs=1000)
    assert abs(simulated - model) < 40_000_000
    every = calculated(SATELLITE | {"rate": 10, "iw": 10, "threshold": 1_000_000, "mss": 1448, "mtu": 1500})[
        "jump-start"
    ]
    assert every[0] < model


@needs
@pytest.mark.parametrize(
    ("values", "field", "reason"),
    [
        ({"rtt": None}, "rtt", "RTT, ms: must be from 0.001 to 100000"),
        ({"rtt": -1}, "rtt", "RTT, ms: must be from 0.001 to 100000"),
        ({"size": 1e12}, "size", "size, kB: must be from 0.001 to 100000000"),
        ({"iw": 2.5}, "iw", "initial window, segments: must be a whole number"),
        ({"mss": 2000}, "mss", "payload of a packet, bytes: must not exceed the whole packet, 1500 bytes"),
    ],
)
def test_invalid_field_is_reported_with_reason(values: dict[str, Any], field: str, reason: str) -> None:
    assert script_output(f"Calculate.invalid({json.dumps(SCHARF | values)})") == [field, reason]


def test_valid_values_pass_and_equation_links_exist() -> None:
    if shutil.which("node") is not None and MODULE.exists():
        assert script_output(f"Calculate.invalid({json.dumps(SCHARF)})") is None
    headings = re.findall(r"^## (.+)$", (ROOT / "docs" / "transfer-time.md").read_text("utf-8"), re.M)
    slugs = {re.sub(r"[^a-z0-9 -]", "", heading.lower()).replace(" ", "-") for heading in headings}
    assert {*re.findall(r'equation: "([^"]+)"', SCRIPT.read_text("utf-8"))} <= slugs


@needs
def test_satellite_times_match_the_page_with_all_starts() -> None:
    """JumpStart and slow start give the times of the page with all starts on the same path."""
    place = Place("a satellite", 20 * 10**6, 600 * 10**6)
    times_by_scheme = calculated(SATELLITE)
    assert times_by_scheme["jump-start"][1] == response("jumpstart/pfldnet-2007", place, 100_000)
    assert abs(times_by_scheme["slow-start"][1] - response("slow-start/rfc-9002", place, 100_000)) < 2 * 10**6
