"""Reads the qlogs of QUIC stacks as recordings. Differences between their writers are in ``writers``."""
