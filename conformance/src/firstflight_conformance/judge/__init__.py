"""One judge for connections: what a sender did, which profiles that refutes, and which it may be (``docs/recordings.md``)."""
