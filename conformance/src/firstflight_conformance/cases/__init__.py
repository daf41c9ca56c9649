"""Vectors, computations and the events in them: loaded, checked, shown and written in other formats."""
