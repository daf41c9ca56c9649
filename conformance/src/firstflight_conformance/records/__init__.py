"""Records of a run: one per case, with events, answers, verdict and choices; and the findings about an adapter."""
