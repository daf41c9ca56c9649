"""Hypothesis draws the same examples in every run, and stores none."""

from hypothesis import settings

settings.register_profile(
    "firstflight", max_examples=40, derandomize=True, database=None, deadline=None, print_blob=False
)
settings.load_profile("firstflight")
