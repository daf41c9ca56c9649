"""``python -m firstflight_conformance``: the command ``firstflight``."""

from firstflight_conformance.entry import main

if __name__ == "__main__":
    main(prog_name="firstflight")
