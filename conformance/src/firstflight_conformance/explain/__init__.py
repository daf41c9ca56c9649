"""Explains failures: compares the answers of an implementation with the answers of wrong implementations."""
