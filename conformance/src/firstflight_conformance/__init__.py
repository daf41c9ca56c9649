"""Conformance tools of Firstflight: vectors, path simulator, runner, adapters, mutants and reports."""

from firstflight_conformance import loaded

loaded.note()  # before anything else of ours is loaded

from firstflight_conformance.version import __version__  # noqa: E402

__all__ = ["__version__"]
