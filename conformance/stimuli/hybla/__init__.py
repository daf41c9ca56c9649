"""Hand-built stimuli of Hybla."""
