"""Explains why an implementation failed: its answers compared with those of wrong implementations."""
