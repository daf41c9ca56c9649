"""Parts of the site that need optional tools. A missing part is left out of the navigation, and `make dist` refuses the site."""

import re
from pathlib import Path

from sphinx.application import Sphinx

from firstflight_conformance.paths import BUILD

MODULE = BUILD / "wasm" / "firstflight.wasm"
#: Where ``make judge-extras`` installs the Python interpreter of judge.html.
INTERPRETER = BUILD / "judge" / "node_modules" / "pyodide"
#: Pages, the file that each needs, and the tool that builds the file.
_PARTS = {
    "play": ("Watch it start", MODULE, "clang with wasm-ld, or zig from PyPI"),
    "calculator": ("the calculator", MODULE, "clang with wasm-ld, or zig from PyPI"),
    "judge": ("Judge a log", INTERPRETER / "pyodide.asm.wasm", "npm"),
}
#: List of the missing parts in a built site.
LIST = ".incomplete"


def missing() -> dict[str, str]:
    """Return the reason by page for each part that cannot be built."""
    return {
        page: f"{title} needs {path.relative_to(BUILD.parent)} ({tool})"
        for page, (title, path, tool) in _PARTS.items()
        if not path.exists()
    }


def without_missing(navigation: str) -> str:
    """Return a navigation without the entries of missing parts."""
    for page in missing():
        navigation = re.sub(
            rf'<li class="[^"]*"><a class="[^"]*" href="(?:\.\./)*{page}\.html">[^<]*</a></li>', "", navigation
        )
    return navigation


def list_missing(app: Sphinx, error: Exception | None) -> None:
    """Print the missing parts, and list them in the built site."""
    if error is None and app.builder.name == "html":
        path = Path(app.outdir) / LIST
        path.unlink(missing_ok=True)
        if reasons := missing().values():
            path.write_text("".join(f"{reason}\n" for reason in reasons), "utf-8")
            for reason in reasons:
                print(f"docs: left out of the navigation: {reason}")
