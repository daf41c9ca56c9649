"""Parses vectors, events, schemas and the specification as data, and writes canonical JSON."""
