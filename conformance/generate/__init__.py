"""Generators of `make generate`: vectors, tables of readings, lists of algorithms, lists of the members of events."""
