"""Atheris: arbitrary bytes as a vector file and as answers of an adapter. Each is read, or rejected by its error."""

import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["firstflight_conformance"]):
    from firstflight_conformance.adapters import messages
    from firstflight_conformance.adapters.faults import ConversationError
    from firstflight_conformance.format import computations, vectors

FILE = Path(tempfile.mkdtemp()) / "vector.json"


def one_input(data: bytes) -> None:
    """Load a file and read its lines as answers."""
    FILE.write_bytes(data)
    for load in (vectors.load, computations.load):
        with suppress(vectors.VectorError):
            load(FILE)
    for line in data.splitlines()[:20]:
        with suppress(ConversationError):
            messages.check_schema(messages.decode(line), "adapter")


if __name__ == "__main__":
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()
