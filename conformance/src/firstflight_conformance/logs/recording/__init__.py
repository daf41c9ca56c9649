"""Recordings: a connection as events with the subject's answers beside them, and their judge (``spec/recording.md``)."""
