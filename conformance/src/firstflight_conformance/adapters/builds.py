"""Builds adapters with make, one target after another, while other adapters are judged."""

import subprocess
import tempfile
from collections.abc import Sequence

from firstflight_conformance.adapters import children
from firstflight_conformance.adapters.manifest import Manifest
from firstflight_conformance.paths import ROOT

_SHOWN_BYTES = 2000


class Builds:
    """Queue of the make targets of manifests, in the order of the adapters. Only :meth:`ready` starts a target.

    Adapters with missing build tools are skipped, not failed: no target is built for them.
    ``failures``: the last output of each failed target.
    """

    def __init__(self, manifests: Sequence[Manifest]) -> None:
        """Collect the build targets of the adapters (names of rules for make) without starting a build."""
        self.failures: dict[str, str] = {}
        targets = [m.build for m in manifests if m.build is not None and m.missing_program() is None]
        self._waiting = list(dict.fromkeys(targets))
        self._output = tempfile.TemporaryFile()  # noqa: SIM115 read after make has ended
        self._make: subprocess.Popen[bytes] | None = None

    def ready(self, manifest: Manifest) -> bool:
        """Return whether an adapter needs no (more) build. Call repeatedly: a call starts the next target."""
        if self._make is not None and self._make.poll() is not None:
            self._end()
        waits = manifest.build in self._waiting
        if waits and self._make is None:
            self._begin()
        return not waits

    def _begin(self) -> None:
        self._output.truncate(0)
        self._make = subprocess.Popen(
            ["make", "--no-print-directory", "--silent", self._waiting[0]],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=self._output,
            stderr=subprocess.STDOUT,
            preexec_fn=children.die_with_parent,  # noqa: PLW1509 one call of the C library
        )

    def _end(self) -> None:
        assert self._make is not None
        target = self._waiting.pop(0)
        if self._make.returncode:
            self._output.seek(0)
            self.failures[target] = self._output.read()[-_SHOWN_BYTES:].decode("utf-8", "replace")
        self._make = None
