"""Reproducible archives: the same checkout gives the same bytes on every machine."""
