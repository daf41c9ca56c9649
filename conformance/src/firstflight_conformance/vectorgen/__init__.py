"""Generation of the vectors: hand-built and simulated stimuli, recorded from the model."""
