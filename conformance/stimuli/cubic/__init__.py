"""Hand-built stimuli of CUBIC."""
