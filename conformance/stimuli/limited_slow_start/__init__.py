"""Hand-built stimuli of Limited Slow-Start."""
