"""Studies: published results computed again, and real senders. They use the tools; no verdict on an adapter needs them."""
