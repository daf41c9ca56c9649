"""The script of the page *Watch it start* that holds the WebAssembly module, so that the page asks for nothing, from a file either."""

import base64
import json
from pathlib import Path

from sphinx.application import Sphinx

from firstflight.search.profiles import PROFILES, Compared
from firstflight_conformance.paths import BUILD, REFERENCE_C

_MODULE = BUILD / "wasm" / "firstflight.wasm"
_LOADER = REFERENCE_C / "wasm" / "firstflight.mjs"


def write_module(app: Sphinx, error: Exception | None) -> None:
    """Write the module and its loader as a classic script; without the module, which is optional, the page says how to build it."""
    if error is None and app.builder.name == "html":
        code = base64.b64encode(_MODULE.read_bytes()).decode("ascii") if _MODULE.exists() else ""
        loader = _LOADER.read_text("utf-8").replace("\nexport ", "\n")
        sent = [name for name, readings in PROFILES.items() if readings.compared is Compared.SENT]
        script = (
            f'"use strict";\nwindow.FIRSTFLIGHT_SEARCH_SENT = {json.dumps(sent)};\nwindow.FIRSTFLIGHT_WASM = "{code}";\n'
            f"window.Firstflight = (() => {{\n{loader}\nreturn {{ load, FirstflightError }};\n}})();\n"
        )
        target = Path(app.outdir) / "_static" / "play" / "module.js"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(script, encoding="utf-8")
