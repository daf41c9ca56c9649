"""What the texts leave open, and whether an implementation stays within it."""
