"""What computes the rows of a sweep: the version, and a digest of the code that is loaded."""

from firstflight_conformance import port
from firstflight_conformance.kept import portable_digest, was_changed
from firstflight_conformance.paths import CONFORMANCE
from firstflight_conformance.sweeps.store import StoreError
from firstflight_conformance.version import __version__

#: Folders that rows depend on, of the tools and in C.
_TOOLS = ("cases", "simulator", "sweeps")
_IN_C = (CONFORMANCE / "simulator", CONFORMANCE / "presets")
#: What is said where the code is another than at the beginning.
CHANGED = (
    "the code of Firstflight was changed since this command began: start it again; the rows that are written are right"
)


def code() -> str:
    """Return what names it in each row. Raise :class:`StoreError` if what is loaded is not what the files have."""
    if was_changed():
        raise StoreError(CHANGED)
    data = (path for folder in _IN_C for path in folder.rglob("*") if path.suffix in (".c", ".h", ".json"))
    sources = sorted([*port.sources(), *port.headers(), *data])
    return f"{__version__}+{portable_digest(_TOOLS, sources)[:12]}"
