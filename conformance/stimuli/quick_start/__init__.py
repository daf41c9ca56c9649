"""Hand-built stimuli of Quick-Start."""
