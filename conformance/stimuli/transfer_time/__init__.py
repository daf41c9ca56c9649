"""Hand-built computations of the transfer-time models."""
