"""Hand-built stimuli of BBR."""
