"""Recordings: the events of a connection with the answers of the judged sender (``spec/recording.md``)."""
