"""The proofs of the plain headers (``reference-c/proof``): each header has some, and an error planted in it is found where there is CBMC."""

import shutil
import subprocess
import sys
import tomllib

import pytest

from firstflight_conformance import port
from firstflight_conformance.paths import REFERENCE_C
from plain.headers import HEADERS, source


@pytest.mark.parametrize("name", HEADERS)
def test_every_header(name: str) -> None:
    """The proofs of a header begin with its begin, go to the ACK if it has one, and one of its functions is proved with an error in it."""
    table = tomllib.loads(port.drivers()[name].with_name(f"proof_{name}.toml").read_text(encoding="utf-8"))
    proofs, plants = table["proofs"], table["plants"]
    assert {"begin", *(plant["proof"] for plant in plants)} <= set(proofs)
    acks = {function for function in ("on_ack", "before_growth") if f"{name}_{function}(" in source(name)}
    assert not acks or acks & set(proofs)
    assert plants and all(source(name).count(plant["old"]) == 1 for plant in plants)
    assert "Invariant" in source(name)
    listed = set(proofs) | {stub for options in proofs.values() for stub in options.get("replace", ())}
    harness = port.drivers()[name].with_name(f"proof_{name}.c").read_text(encoding="utf-8")
    for function in listed:
        assert f" prove_{function}(" in harness or f" any_{function}(" in harness


@pytest.mark.skipif(not (shutil.which("cbmc") and shutil.which("cvc5")), reason="there is no cbmc or no cvc5 here")
def test_planted_errors_are_found() -> None:
    """The proof of each header fails on an error planted in it."""
    done = subprocess.run(
        [sys.executable, REFERENCE_C / "proof" / "prove.py", "--plants"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
