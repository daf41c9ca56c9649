"""Hand-built stimuli of NewReno."""
