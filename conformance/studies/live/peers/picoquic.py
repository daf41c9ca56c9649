"""picoquic as a sender: ``python conformance/studies live.peers.picoquic PYTHON`` runs it and stores the agreement.

``PYTHON`` is an interpreter with the package aiopquic (`make picoquic`). No profile describes a controller of picoquic,
so differing runs do not fail the job. A log that the readers cannot reconstruct does.
"""

import subprocess
import sys
import tempfile
from itertools import product
from pathlib import Path

from firstflight_conformance.logs.qlog.read import Log, read_qlog
from firstflight_conformance.logs.recording.files import RecordingError
from firstflight_conformance.paths import LIVE_PATHS
from studies.live import agreement
from studies.live.peers.run import TransferError, aioquic_receiver, transfer

_PEER = Path(__file__).with_name("picoquic_peer.py")
_PATHS = ("deep-queue", "slow", "paced")
_UPLOAD_BYTES = 3_000_000
_UPLOAD_S = 30
#: The controllers of picoquic, each with the profile that it partly implements.
CONTROLLERS = {"newreno": "slow-start/rfc-9002", "cubic": "cubic/rfc-9438", "bbr": "bbr/draft-06"}
_VERSION = "import importlib.metadata; print(importlib.metadata.version('aiopquic'))"


def recorded(python: Path, path: str, controller: str) -> Log:
    """Return the log of one upload over a path."""
    with tempfile.TemporaryDirectory() as folder:
        sender = [str(python), str(_PEER), "send", "PORT", controller, str(_UPLOAD_BYTES), folder, str(_UPLOAD_S)]
        transfer(LIVE_PATHS / f"{path}.json", aioquic_receiver(_UPLOAD_S), sender, _UPLOAD_S)
        logs = sorted(Path(folder).glob("*.qlog"))
        if len(logs) != 1:
            raise TransferError(f"picoquic has written {len(logs)} qlogs")
        return read_qlog(logs[0])


def main(words: list[str]) -> int:
    """Make the runs. Return the exit code: 1 if a log's bytes in flight differ from its packets, or a run failed."""
    if len(words) != 1:
        print("usage: picoquic PYTHON", file=sys.stderr)
        return 2
    python = Path(words[0])
    version = subprocess.run([python, "-c", _VERSION], capture_output=True, text=True, check=True).stdout.strip()
    code = 0
    for (controller, profile), path in product(CONTROLLERS.items(), _PATHS):
        try:
            log = recorded(python, path, controller)
        except (TransferError, RecordingError) as reason:
            print(f"picoquic {controller}, {path}: errored: {reason}")
            code = 1
            continue
        row = agreement.row(f"picoquic {controller}", f"aiopquic {version}", path, profile, [log.recording])
        agreement.keep([row])
        code |= log.agreement < 1
        print(f"{agreement.line(row)}; bytes in flight as logged: {100 * log.agreement:.1f} %", flush=True)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
