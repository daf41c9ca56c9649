"""Reads the qlogs of QUIC stacks as recordings. The habits of their writers are in ``writers``."""
