"""Runs real senders and stores results: ``python conformance/studies live.measure [kernel|known|quic-go|quinn]...``.

Used by `make live`. A run that is impossible here is skipped with its reason, and its row does not change.
"""

import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path

from firstflight_conformance.logs.qlog.read import read_qlog
from firstflight_conformance.logs.recording.files import RecordingError
from firstflight_conformance.logs.recording.recording import Recording
from firstflight_conformance.paths import LIVE_PATHS
from firstflight_conformance.simulate.scenario import load_scenario
from studies.live import agreement
from studies.live.agreement import Row, row
from studies.live.kernel.namespace import UnavailableError
from studies.live.kernel.record import RunError, record
from studies.live.kernel.verdict import PROFILES
from studies.live.peers.run import (
    QUIC_GO,
    QUINN,
    TransferError,
    aioquic_receiver,
    aioquic_sender,
    quic_go_receiver,
    quic_go_sender,
    quinn_sender,
    transfer,
)

#: The profiles that are run in aioquic: the right verdict is known.
KNOWN = (
    "search/draft-09",
    "search/draft-00",
    "search/linux-4",
    "search/lanman-2024",
    "hystartpp/rfc-9406",
    "hystart/linux",
    "cubic/rfc-9438",
    "slow-start/rfc-9002",
)
KNOWN_PATHS = ("deep-queue", "delay-step")
_KERNEL_RUNS = {"bbr": 5, "cubic": 4, "reno": 1}
_UPLOAD_BYTES = 3_000_000
_UPLOAD_S = 30


def kernel() -> Iterator[Row]:
    """Four runs of CUBIC, five of BBR and one of Reno over each path."""
    for path in sorted(LIVE_PATHS.glob("*.json")):
        for name, runs in _KERNEL_RUNS.items():
            profile = PROFILES[name][load_scenario(path).paced]
            recordings = [record(path, name) for _ in range(runs)]
            yield row(f"Linux {name}", os.uname().release.partition("-")[0], path.stem, profile, recordings)


def known() -> Iterator[Row]:
    """Each profile in aioquic, once over each of two paths.

    aioquic does not report application-limited ACKs, so the model's events never mark one, nor does the judgement.
    """
    for profile in KNOWN:
        for path in KNOWN_PATHS:
            recording = upload(path, aioquic_receiver(_UPLOAD_S), profile)
            yield row(
                f"aioquic carrying {profile}", version("aioquic"), path, profile, [recording], app_limited="never"
            )


def quic_go() -> Iterator[Row]:
    """One run of quic-go over each path."""
    _need(QUIC_GO, "run `make peers` (needs go)")
    for path in sorted(LIVE_PATHS.glob("*.json")):
        recording = upload(path.stem, quic_go_receiver(_UPLOAD_S), None)
        yield row("quic-go", "0.65.0", path.stem, "hystart/google-quic", [recording])


def quinn() -> Iterator[Row]:
    """One run of quinn over each path. Its log lacks frames: the receiver's log contains the content of its packets."""
    _need(QUINN, "run `make quinn` (needs cargo)")
    _need(QUIC_GO, "run `make peers` (needs go)")
    for path in sorted(LIVE_PATHS.glob("*.json")):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            qlog = folder / "sender.qlog"
            sender = quinn_sender(2 * _UPLOAD_BYTES, qlog, _UPLOAD_S, folder)  # only a loss ends its slow start
            transfer(path, quic_go_receiver(_UPLOAD_S, folder), sender, _UPLOAD_S)
            (received,) = folder.glob("*.sqlog")
            yield row("quinn", "0.11.12", path.stem, "cubic/rfc-9438", [read_qlog(qlog, received).recording])


def _need(program: Path, remedy: str) -> None:
    if not program.exists():
        raise UnavailableError(f"{program} is not built; {remedy}")


def upload(path: str, receiver: Sequence[str], profile: str | None) -> Recording:
    """Return the recording of an upload over a path, by aioquic with a profile of the model, or by quic-go."""
    with tempfile.TemporaryDirectory() as folder:
        qlog = Path(folder) / "sender.qlog"
        if profile is None:
            sender = quic_go_sender(_UPLOAD_BYTES, qlog, _UPLOAD_S)
        else:
            sender = aioquic_sender(profile, _UPLOAD_BYTES, qlog, _UPLOAD_S)
        transfer(LIVE_PATHS / f"{path}.json", receiver, sender, _UPLOAD_S)
        return read_qlog(qlog).recording


SOURCES = {"kernel": kernel, "known": known, "quic-go": quic_go, "quinn": quinn}


def main(names: Sequence[str]) -> int:
    """Make the runs of these sources, or of all. Return the exit code: 1 if a run disagrees or failed."""
    code = 0
    for name in names or SOURCES:
        try:
            for row in SOURCES[name]():
                agreement.keep([row])
                code |= row.agree < row.judged or not row.judged
                print(agreement.line(row), flush=True)
        except UnavailableError as reason:
            print(f"{name}: skipped: {reason}")
        except (RunError, TransferError, RecordingError) as reason:
            print(f"{name}: errored: {reason}")
            code = 1
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
