"""Sweeps: one computation for every cell of a grid of paths and controllers."""
