"""axe finds nothing against fifteen pages of the built site. Its script comes from a package; chromium is that of the system."""

import html
import importlib.util
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import quote

import pytest

from firstflight_conformance.paths import BUILD

SITE = BUILD / "docs"
PAGES = (
    "index.html", "algorithms/index.html", "algorithms/search.html", "play.html", "find.html", "calculator.html", "install.html", "firefox.html",
    "tutorial.html", "glossary.html", "specification/index.html", "specification/hystartpp.html", "specification/adapter-protocol.html",
    "_generated/commands.html", "_generated/vectors/hystart-path.html",
)  # fmt: skip
PACKAGE = importlib.util.find_spec("axe_playwright_python")
BAD = Path(__file__).with_name("site_axe_bad.html")
HARNESS = Path(__file__).with_name("site_axe.html")


class Handler(SimpleHTTPRequestHandler):
    """The site, the script of axe, and the page that runs it."""

    def translate_path(self, path: str) -> str:
        assert PACKAGE is not None
        assert PACKAGE.origin is not None
        added = {
            "/axe.js": str(Path(PACKAGE.origin).with_name("axe.min.js")),
            "/axe.html": str(HARNESS),
            "/bad.html": str(BAD),
        }
        return added.get(path) or super().translate_path(path)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def root() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(SITE))) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.mark.long
@pytest.mark.skipif(
    shutil.which("chromium") is None or PACKAGE is None or not (SITE / "find.html").exists(),
    reason="needs chromium, axe (make site-extras) and a built site (make docs), of which not all are here",
)
def test_axe_finds_nothing(root: str, tmp_path: Path) -> None:
    command = (
        "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=600000", "--dump-dom",
        f"--user-data-dir={tmp_path / 'browser'}", f"{root}/axe.html#{quote(json.dumps([*PAGES, 'bad.html']))}",
    )  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=600)
    text = re.search(r'<pre id="found">(.*?)</pre>', done.stdout, re.DOTALL)
    assert text is not None
    found = json.loads(html.unescape(text[1]))
    assert [told.partition(" ")[0] for told in found.pop("bad.html")] == ["html-has-lang", "image-alt"]
    assert len(found) == 15
    assert {page: told for page, told in found.items() if told} == {}
