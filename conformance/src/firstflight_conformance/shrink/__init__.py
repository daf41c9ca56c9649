"""Finds the smallest stream of events that distinguishes two implementations."""
