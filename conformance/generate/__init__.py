"""What `make generate` writes besides the vectors: tables of readings, lists of algorithms, and lists of the members of events."""
