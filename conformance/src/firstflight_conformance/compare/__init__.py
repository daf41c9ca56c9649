"""Decides whether the answers to a case conform to its specification."""
