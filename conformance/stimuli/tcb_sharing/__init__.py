"""Hand-built stimuli of TCB sharing."""
