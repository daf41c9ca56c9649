"""Programs at the two ends of an emulated path."""
