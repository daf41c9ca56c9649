"""Adapters: manifests, builds, processes and the messages that they exchange (``spec/adapter-protocol.md``)."""
