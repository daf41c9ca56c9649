"""Real connections: what records them, and what they come to."""
