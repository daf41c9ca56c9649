"""Entry point of the command ``firstflight``: Ctrl-C during imports ends it without a traceback."""

import signal

if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # keep SIGINT ignored under nohup
    signal.signal(signal.SIGINT, signal.SIG_DFL)

from firstflight_conformance.cli import main

__all__ = ["main"]
