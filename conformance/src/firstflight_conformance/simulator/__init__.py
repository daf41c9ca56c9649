"""The path simulator (``spec/simulator.md``): deterministic, in integer time."""
