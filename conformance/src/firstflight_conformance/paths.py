"""Paths of the parts of a checkout. ``FIRSTFLIGHT_ROOT`` selects another checkout.

An installed package has the files for its commands in its folder ``data``, at the same relative paths.
"""

import os
from importlib.util import find_spec
from pathlib import Path

_DATA = Path(__file__).with_name("data")
_AROUND = _DATA if _DATA.is_dir() else Path(__file__).resolve().parents[3]

ROOT = Path(os.environ.get("FIRSTFLIGHT_ROOT", _AROUND))
SPEC = ROOT / "spec"
SCHEMAS = SPEC / "schemas"
REFERENCE_C = ROOT / "reference-c"
VECTORS = ROOT / "vectors"
CONFORMANCE = ROOT / "conformance"
ADAPTERS = CONFORMANCE / "adapters"
SCENARIOS = CONFORMANCE / "scenarios"
STIMULI = CONFORMANCE / "stimuli"
STUDIES = CONFORMANCE / "studies"
LIVE_PATHS = SCENARIOS / "live"
NETWORKS = SCENARIOS / "networks"
PRESETS = CONFORMANCE / "presets"
BUILD = ROOT / "build"
#: Whether the files belong to a writable checkout instead of an installed package.
IS_CHECKOUT = ROOT != _DATA


def of_algorithms(pattern: str, root: Path = SPEC) -> list[Path]:
    """Return the matching files in the folders of the algorithms. Raise :class:`FileNotFoundError` without a match."""
    paths = sorted(root.glob(f"*/{pattern}"))
    if not paths:
        raise FileNotFoundError(f"{root}: no folder of an algorithm has {pattern}")
    return paths


def _model() -> Path:
    """Return the folder of the model's package."""
    if IS_CHECKOUT:
        return ROOT / "reference-py" / "src" / "firstflight"
    package_spec = find_spec("firstflight")
    assert package_spec is not None and package_spec.origin is not None  # this package depends on it
    return Path(package_spec.origin).parent


REFERENCE_PY = _model()
