"""Conformance tools of Firstflight: vectors, path simulator, runner, adapters, mutants and reports."""

__version__ = "0.1.0"
