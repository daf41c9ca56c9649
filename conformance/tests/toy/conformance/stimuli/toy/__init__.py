"""Hand-built stimuli of the toy."""
