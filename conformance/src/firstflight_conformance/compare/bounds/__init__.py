"""Values that a text bounds: what an implementation may take of an interval, and how the model goes on from there.

A module for each algorithm has its ``BOUNDS``: a class by the name that ``bound`` has in ``spec/NAME/open-points.toml``.
"""
