"""Judges connections: behaviour of the sender, refuted profiles and possible profiles (``docs/recordings.md``)."""
