"""Where the parts of a checkout lie. ``FIRSTFLIGHT_ROOT`` names another checkout."""

import os
from pathlib import Path

ROOT = Path(os.environ.get("FIRSTFLIGHT_ROOT", Path(__file__).resolve().parents[3]))
SPEC = ROOT / "spec"
SCHEMAS = SPEC / "schemas"
PROFILES = SPEC / "profiles"
REFERENCE_PY = ROOT / "reference-py" / "src" / "firstflight"
REFERENCE_C = ROOT / "reference-c"
VECTORS = ROOT / "vectors"
CONFORMANCE = ROOT / "conformance"
ADAPTERS = CONFORMANCE / "adapters"
SCENARIOS = CONFORMANCE / "scenarios"
NETWORKS = SCENARIOS / "networks"
PRESETS = CONFORMANCE / "presets"
MUTANTS = CONFORMANCE / "mutants"
BUILD = ROOT / "build"
