"""Finds the smallest stream of events on which two implementations differ."""
