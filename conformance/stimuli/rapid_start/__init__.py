"""Hand-built stimuli of Rapid Start."""
