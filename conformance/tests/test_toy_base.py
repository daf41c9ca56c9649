"""New files alone add a base controller: the toy base in the folder ``toy_base``, in a copy of the checkout."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from firstflight_conformance import port
from firstflight_conformance.paths import ROOT

TOY = Path(__file__).parent / "toy_base"
#: Parts of the checkout that `make vectors` fills.
PARTS = (
    *("spec", "reference-py/src", "reference-c/firstflight", "reference-c/drive", "reference-c/wasm"),
    *(f"conformance/{part}" for part in ("src", "generate", "adapters/c", "include", "loaders", "fuzz")),
)
#: Window and ssthresh after a loss at 10,000 bytes (three quarters), and after two ACKs of two 1000-byte datagrams.
EXPECTED = ["7500 7500", "9500 7500", "11500 7500"]
IN_PYTHON = """
from firstflight import Ack, Config, Lost, Run, create
from firstflight.controller import ALGORITHMS, advance, create_with
alone = create("toy-base", "two", Config(1000, 10_000))
readings = ALGORITHMS["toy-base"].profiles["two"]
below = create_with(ALGORITHMS["hystartpp"].profiles["rfc-9406"], Config(1000, 10_000), readings)
for controller in (alone, below):
    for event in (
        Lost(10, (Run(0, 0, 1000, 1),), 1000, 4000, 9),
        *(Ack(t, (Run(n, n, 1000, 11),), 1000, 3000, 9, False, 20, 20, 20, 0) for n, t in ((1, 31), (2, 32))),
    ):
        seen = advance(controller, event)
        print(seen.cwnd_bytes, seen.ssthresh_bytes)
    assert controller.base.rules_state.reductions == 1
"""
IN_C = """
#include <stdio.h>
#include "firstflight/controller.h"

int main(void)
{
    const struct ff_config config = {1000, 10000};
    struct ff_controller controllers[2];

    if (ff_controller_init(&controllers[0], "toy-base", "two", &config) != FF_OK ||
        ff_controller_init(&controllers[1], "hystartpp", "rfc-9406", &config) != FF_OK) {
        return 1;
    }
    ff_controller_use_toy_base(&controllers[1], &ff_toy_base_profiles[FF_TOY_BASE_PROFILE_TWO].readings);
    for (int c = 0; c < 2; c++) {
        for (uint64_t i = 0; i < 3; i++) {
            const struct ff_run run = {i, i, 1000, i == 0 ? 1 : 11};
            struct ff_event event = {.kind = i == 0 ? FF_EVENT_LOST : FF_EVENT_ACK, .t_ns = i == 0 ? 10 : 30 + i};
            struct ff_observation seen;

            if (i == 0) {
                event.lost = (struct ff_lost){.packets = &run, .run_count = 1, .bytes = 1000, .bytes_in_flight = 4000};
            } else {
                event.ack = (struct ff_ack){.packets = &run, .run_count = 1, .bytes = 1000, .bytes_in_flight = 3000,
                    .next_packet = 9, .latest_rtt_ns = 20, .min_rtt_ns = 20, .smoothed_rtt_ns = 20};
            }
            if (ff_controller_step(&controllers[c], &event, &seen) != FF_OK) {
                return 2;
            }
            printf("%d %d\\n", (int)seen.cwnd_bytes, (int)seen.ssthresh_bytes);
        }
        if (controllers[c].base.rules_state.toy_base.reductions != 1) {
            return 3;
        }
    }
    return 0;
}
"""


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the checkout with the toy base in it, its tables generated."""
    root = tmp_path_factory.mktemp("checkout")
    for part in PARTS:
        shutil.copytree(ROOT / part, root / part)
    for part in ("reference-py", "reference-c"):
        shutil.copy(ROOT / part / "README.md", root / part)
    shutil.copytree(TOY, root, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    run(root, sys.executable, "-m", "generate.tables")
    return root


def run(root: Path, *command: str) -> list[str]:
    """Run a command in the copy; return its output lines."""
    sources = os.pathsep.join(str(root / part) for part in ("reference-py/src", "conformance/src", "conformance"))
    environment = os.environ | {"PYTHONPATH": sources, "FIRSTFLIGHT_ROOT": str(root)}
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


def test_toy_base_consists_of_new_files_and_generated_tables(checkout: Path) -> None:
    """All files are new, and the generated tables fill three files: the bases, the adapter's list and its numbers."""
    files = [path.relative_to(TOY) for path in TOY.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    assert len(files) >= 5 and not [path for path in files if (ROOT / path).exists()]
    sources = [path for part in PARTS for path in (ROOT / part).rglob("*") if path.suffix in (".py", ".c", ".h")]
    changed = {p.relative_to(ROOT) for p in sources if p.read_bytes() != (checkout / p.relative_to(ROOT)).read_bytes()}
    assert {path.name for path in changed} == {"bases.h", "firstflight_c.c"}


def test_newreno_is_independent_of_other_bases() -> None:
    """In both languages NewReno and the interface are independent of other bases."""
    bases = ("cubic", "hybla")
    for root in (ROOT / "reference-py" / "src" / "firstflight", ROOT / "reference-c"):
        files = [
            p for p in root.rglob("*") if p.stem in ("newreno", "window_rules") and p.suffix in (".py", ".c", ".h")
        ]
        assert len(files) >= 2
        assert not [p for p in files if any(base in p.read_text(encoding="utf-8").lower() for base in bases)]


def test_base_works_in_python(checkout: Path) -> None:
    """The base acts alone and below a startup algorithm."""
    assert run(checkout, sys.executable, "-c", IN_PYTHON) == 2 * EXPECTED


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_base_works_in_c(checkout: Path) -> None:
    """The base acts in C as well, compiled together with every file of the port."""
    (checkout / "main.c").write_text(IN_C, encoding="utf-8")
    sources = [str(path) for path in port.sources(checkout / "reference-c")]
    warnings = ("-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror")
    run(checkout, "gcc", "-O0", *warnings, f"-I{checkout / 'reference-c'}", "main.c", *sources, "-o", "main")
    assert run(checkout, str(checkout / "main")) == 2 * EXPECTED
