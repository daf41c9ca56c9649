"""Hand-built stimuli of SEARCH."""
