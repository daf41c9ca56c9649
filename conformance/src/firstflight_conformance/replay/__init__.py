"""Replays events: the model, and the model with a change in it."""
