"""Hand-built stimuli of Careful Resume."""
