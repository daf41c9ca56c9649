"""Reads every message and answers none. A runner that waits without limit, or takes silence for consent, is wrong."""

import sys

for _ in sys.stdin:
    pass
