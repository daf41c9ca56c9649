"""The commands of ``firstflight``, one module each."""
