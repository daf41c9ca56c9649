"""Real connections: what records them, and the paths that they cross."""
