"""Serves a folder on loopback for tests of pages."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread


@contextmanager
def served(folder: Path, added: dict[str, Path] | None = None) -> Iterator[tuple[str, list[str]]]:
    """Serve a folder; yield its address and the list of requested paths. ``added``: further files by their path."""
    requested: list[str] = []

    class Handler(SimpleHTTPRequestHandler):
        def translate_path(self, path: str) -> str:
            return str((added or {}).get(path) or super().translate_path(path))

        def do_GET(self) -> None:
            requested.append(self.path)
            super().do_GET()

        def log_message(self, *_: object) -> None:
            """Discard the message."""

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder))) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", requested
        server.shutdown()
        thread.join()
