"""The proofs of the plain headers (``reference-c/proof``): each header has proofs, and CBMC finds planted errors."""

import shutil
import subprocess
import sys
import tomllib

import pytest

from firstflight_conformance import port
from firstflight_conformance.paths import REFERENCE_C
from plain.headers import HEADERS, source


@pytest.mark.parametrize("name", HEADERS)
def test_proofs_cover_every_header(name: str) -> None:
    """The proofs of a header cover `begin` and, if present, the ACK; one of its functions has a planted error."""
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


@pytest.mark.skipif(not (shutil.which("cbmc") and shutil.which("cvc5")), reason="needs cbmc and cvc5")
def test_planted_errors_are_found() -> None:
    """The proof of each header fails on an error planted in it."""
    done = subprocess.run(
        [sys.executable, REFERENCE_C / "proof" / "prove.py", "--plants"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
