"""Runs a module of the studies, for example ``python conformance/studies live.measure [kernel|quic-go|...]``."""

import runpy
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[1])
    del sys.argv[0]
    runpy.run_module(f"studies.{sys.argv[0]}", run_name="__main__", alter_sys=True)
