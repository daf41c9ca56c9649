"""Entry of the command ``firstflight``: Ctrl-C ends it without a traceback while its modules are loaded."""

import signal

if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not ignored, as below nohup
    signal.signal(signal.SIGINT, signal.SIG_DFL)

from firstflight_conformance.cli import main

__all__ = ["main"]
