"""Hand-built stimuli of JumpStart."""
