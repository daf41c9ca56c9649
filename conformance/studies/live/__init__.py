"""Real connections: recorders and results."""
