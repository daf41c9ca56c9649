"""Hand-built stimuli, the sources of the vectors: a folder for each algorithm."""
