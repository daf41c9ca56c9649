"""Values that a text bounds: the accepted interval, and the continuation of the model from a value in it.

Each module defines ``BOUNDS``: classes by the name of ``bound`` in ``spec/NAME/open-points.toml``.
"""
