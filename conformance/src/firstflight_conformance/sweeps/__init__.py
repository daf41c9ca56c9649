"""Sweeps: the same question for every cell of a grid of paths and controllers."""
