"""The history of a stack: its adapter built against each of its last releases, judged by the vectors, and kept as data."""
