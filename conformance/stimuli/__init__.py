"""Hand-built stimuli, from which vectors are made: a folder for each algorithm."""
