"""Published results, computed again: the runs, their data in ``results``, and a verdict on each published sentence."""
