"""Sends back each line as it came. A runner that takes its own messages for answers is wrong."""

import sys

for line in sys.stdin:
    print(line, end="", flush=True)
