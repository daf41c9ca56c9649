"""The calculator says what the model says, and what the path simulator measures."""

import json
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
const of = (scheme) => [told(() => Calculate.model(module, scheme, given)), told(() => Calculate.simulated(module, scheme, given))];
console.log(JSON.stringify(Object.fromEntries(Object.keys(Calculate.SCHEMES).map((scheme) => [scheme, of(scheme)]))));
"""

needs = pytest.mark.skipif(
    shutil.which("node") is None or not MODULE.exists(),
    reason="needs node and build/wasm/firstflight.wasm (make wasm), of which not all are here",
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
    loader = REFERENCE_C / "wasm" / "firstflight.mjs"
    arguments = (str(loader), str(MODULE), str(SCRIPT), json.dumps(values))
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
def test_the_model_and_the_simulator_side_by_side(values: dict[str, float]) -> None:
    found = calculated(values)
    assert len(found) == 4
    for scheme, (model, simulated) in found.items():
        try:
            assert model == compute(scheme, inputs(values)).response_time_ns
        except DomainError:
            assert "domain" in model
            continue
        # The closed form knows no single packets: within a hundredth.
        assert simulated is None or abs(simulated - model) * 100 < model, scheme
    assert [scheme for scheme, (_, simulated) in found.items() if simulated is None] == [
        "more-start" if values["approved"] == 5.12 else "quick-start"
    ]


@needs
def test_a_response_over_a_satellite_is_that_of_every_start() -> None:
    """Of the page with all starts: the same path, JumpStart and slow start."""
    place = Place("a satellite", 20 * 10**6, 600 * 10**6)
    found = calculated(SATELLITE)
    assert found["jump-start"][1] == response("jumpstart/pfldnet-2007", place, 100_000)
    assert abs(found["slow-start"][1] - response("slow-start/rfc-9002", place, 100_000)) < 2 * 10**6
