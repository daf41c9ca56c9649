"""Published results, computed again: the runs, their data in ``results``, and what the numbers say of each published sentence."""
