"""Causes from mutation operators: small edits of the model on the lines that a failing case executed."""
