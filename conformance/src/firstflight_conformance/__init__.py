"""Conformance tools of Firstflight: vectors, path simulator, runner, adapters, mutants and reports."""

from firstflight_conformance.version import __version__

__all__ = ["__version__"]
