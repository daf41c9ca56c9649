"""The lines of the self-contained programs and of the C port that cite clauses."""

from firstflight_conformance import port
from firstflight_conformance.format.clauses import Citation, citations
from firstflight_conformance.paths import REFERENCE_C, REFERENCE_PY, of_algorithms
from plain.folders import plain_headers


def plain_citations() -> list[Citation]:
    """Return the citations of the self-contained reference implementations, in Python and as C headers."""
    return citations(of_algorithms("plain_*.py", REFERENCE_PY) + plain_headers(REFERENCE_C))


def c_citations() -> list[Citation]:
    """Return the citations of the C port."""
    return citations(port.sources(REFERENCE_C))
