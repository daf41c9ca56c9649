"""Self-contained reference implementations, in Python and as C headers: judged by the vectors of their profiles."""
