"""Unknown algorithms and profiles in the declaration of an adapter, mostly misspelt names."""

from collections.abc import Iterable, Iterator
from difflib import get_close_matches

from firstflight import profiles
from firstflight_conformance.adapters.messages import Declaration
from firstflight_conformance.format.vectors import COMPUTED_ALGORITHMS


def declared_otherwise(declaration: Declaration | None) -> Iterator[str]:
    """Yield a line for each unknown algorithm and profile in the hello of an adapter, with a similar known name."""
    if declaration is None:
        return
    known = profiles(composed=True)
    for algorithm, names in declaration.algorithms.items():
        if algorithm in COMPUTED_ALGORITHMS:
            continue
        if algorithm not in known:
            yield f"its hello declares {algorithm}, which does not exist; {_meant(algorithm, known)}"
            continue
        for name in names:
            if name not in known[algorithm]:
                yield f"its hello declares {algorithm}/{name}, which does not exist; {_meant(name, known[algorithm])}"


def _meant(name: str, known: Iterable[str]) -> str:
    names = sorted(known)
    near = get_close_matches(name, names, 1)
    return f"did you mean {near[0]}?" if near else f"available: {', '.join(names)}"
