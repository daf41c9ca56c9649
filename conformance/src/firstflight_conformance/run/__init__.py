"""The runner: drives adapters through cases, judges their answers and reports (``spec/adapter-protocol.md``)."""
