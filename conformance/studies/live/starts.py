"""Plain headers in quinn over three paths: ``python conformance/studies live.starts``. Used by `make quinn-example`.

Stores recordings of the connections, which `make test` judges, and their durations. The page *State of the connections*
compares the durations with the path simulator.
"""

import gzip
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import median_low

from firstflight import Config
from firstflight_conformance.format.files import write_whole
from firstflight_conformance.judge.subject import subject_of
from firstflight_conformance.judge.verdict import judge
from firstflight_conformance.logs.qlog.read import read_qlog
from firstflight_conformance.logs.recording.files import RecordingError, lines
from firstflight_conformance.logs.recording.recording import Recording
from firstflight_conformance.paths import LIVE_PATHS, STUDIES
from firstflight_conformance.simulate.dumbbell import run_network
from firstflight_conformance.simulate.network import FlowPlan, Network
from firstflight_conformance.simulate.scenario import load_scenario
from firstflight_conformance.simulate.transfer import Handshake, Pacing, Receiver, Transfer
from studies.live.kernel.namespace import UnavailableError
from studies.live.peers.run import QUIC_GO, QUINN_EXAMPLE, TransferError, quic_go_receiver, quinn_example, transfer

STARTS = STUDIES / "live" / "starts.json"
KEPT = STUDIES / "live" / "starts"
PATHS = ("deep-queue", "long", "fast")
RUNS = 5
#: Sizes: an upload that is long enough to leave slow start, and a response whose duration depends on the start.
_LONG_BYTES, RESPONSE_BYTES = 6_000_000, 300_000
#: Names of algorithms in the example, each with its profile and the size of the upload.
CARRIED = {
    "slow-start": ("slow-start/rfc-9002", RESPONSE_BYTES),
    "search": ("search/draft-09", _LONG_BYTES),
    "hystartpp": ("hystartpp/rfc-9406", _LONG_BYTES),
    "careful-resume": ("careful-resume/rfc-9959", RESPONSE_BYTES),
    "jumpstart": ("jumpstart/pfldnet-2007", RESPONSE_BYTES),
}
#: Algorithms with compared durations; each is compared with the first.
GAINS = ("slow-start", "careful-resume", "jumpstart")
_UPLOAD_S = 30
#: Number of stored events after the exit; more after an exit shown by slower growth, which needs half a window of it.
_AFTER_EVENTS, _AFTER_GROWTH_EVENTS = 40, 600
#: Data in a full datagram of quinn, without header, tag and frame header; and the size of the datagram.
_PAYLOAD_BYTES, _DATAGRAM_BYTES = 1160, 1200
_MS, _S = 10**6, 10**9


@dataclass(frozen=True, slots=True)
class Took:
    """Durations of an algorithm over a path, by run: from the end of the handshake to the answer that all data arrived.

    ``decided``: number of runs that are decided as the profile; the others are undecided, none is refuted.
    ``saved_cwnd_bytes``, ``saved_rtt_ns``: saved by the first connection of each run for the measured one, 0 without
    it.
    """

    algorithm: str
    path: str
    size_bytes: int
    decided: int
    took_ns: tuple[int, ...]
    saved_cwnd_bytes: tuple[int, ...]
    saved_rtt_ns: tuple[int, ...]


def runs(algorithm: str, path: str) -> Iterator[tuple[Recording, int, int, int]]:
    """Yield for each run its recording, its duration, and the window and RTT saved by an earlier connection."""
    for _ in range(RUNS):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            saved = folder / "saved"
            if algorithm == "careful-resume":  # the first connection saves the parameters that the second resumes with
                _upload(algorithm, path, saved)
            cwnd_bytes, rtt_ns = map(int, saved.read_text("utf-8").split()) if saved.exists() else (0, 0)
            recording, took_ns = _upload(algorithm, path, saved)
            yield recording, took_ns, cwnd_bytes, rtt_ns


def _upload(algorithm: str, path: str, saved: Path) -> tuple[Recording, int]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        qlog = folder / "sender.qlog"
        sender = quinn_example(algorithm, CARRIED[algorithm][1], qlog, _UPLOAD_S, folder, saved)
        output = transfer(LIVE_PATHS / f"{path}.json", quic_go_receiver(_UPLOAD_S, folder), sender, _UPLOAD_S)
        (received,) = folder.glob(
            "*.sqlog"
        )  # quinn does not log frames: the receiver's log contains the content of its packets
        return read_qlog(qlog, received).recording, int(output.split()[0])


def stored_part(recording: Recording) -> Recording:
    """Return the stored part of a recording: up to some events after the exit from slow start."""
    slow_start_exit = subject_of(recording).left
    after_events = _AFTER_GROWTH_EVENTS if slow_start_exit.evidence == "growth" else _AFTER_EVENTS
    return recording if slow_start_exit.by is None else recording.cut(events=slow_start_exit.by + after_events)


def predicted_ns(took: Took) -> int:
    """Return the duration of a transfer in the path simulator: same number of datagrams, quinn's pacing, same path."""
    scenario = load_scenario(LIVE_PATHS / f"{took.path}.json")
    transfer_bytes = -(-took.size_bytes // _PAYLOAD_BYTES) * _DATAGRAM_BYTES
    plan = Transfer(
        Config(_DATAGRAM_BYTES, 10 * _DATAGRAM_BYTES),
        transfer_bytes,
        Pacing.WINDOW,
        named_data=True,
        probes=True,
        max_ack_delay_ns=25 * _MS,
        announced=True,
        saved_cwnd_bytes=median_low(took.saved_cwnd_bytes) or None,
        saved_rtt_ns=median_low(took.saved_rtt_ns),
        connection=Handshake(0),
    )
    flow = FlowPlan("upload", CARRIED[took.algorithm][0], 0, plan, Receiver(2, 25 * _MS))
    net = Network("upload", "an upload", ("this study",), 1, 600 * _S, _S, scenario.link, None, (flow,))
    upload = run_network(net).flow("upload")
    assert upload.completed_ns is not None
    assert upload.first_sent_ns is not None
    return upload.completed_ns - upload.first_sent_ns + scenario.link.return_delay_ns


def load() -> list[Took]:
    """Return the stored durations."""
    members = ("took_ns", "saved_cwnd_bytes", "saved_rtt_ns")
    raws = json.loads(STARTS.read_text("utf-8")) if STARTS.exists() else []
    return [Took(**raw | {name: tuple(raw[name]) for name in members}) for raw in raws]


def _keep(rows: Sequence[Took]) -> None:
    new = {(row.algorithm, row.path) for row in rows}
    old = [row for row in load() if (row.algorithm, row.path) not in new]
    ordered = sorted([*old, *rows], key=lambda row: (row.algorithm, row.path))
    write_whole(STARTS, json.dumps([asdict(row) for row in ordered], indent=1) + "\n")


def _write(recording: Recording, file: Path) -> None:
    header = replace(recording.header, source={**recording.header.source, "name": "quinn"})
    text = "".join(json.dumps(line) + "\n" for line in lines(replace(recording, header=header)))
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def main(names: Sequence[str]) -> int:
    """Make and store the runs of these algorithms, or of all. Return the exit code: 1 if a run is refuted or failed."""
    for program, remedy in ((QUINN_EXAMPLE, "`make quinn-example`"), (QUIC_GO, "`make peers`")):
        if not program.exists():
            raise UnavailableError(f"{program} is not built; run {remedy}")
    code = 0
    for algorithm in names or CARRIED:
        profile, size_bytes = CARRIED[algorithm]
        for path in PATHS:
            try:
                uploads = list(runs(algorithm, path))
            except (TransferError, RecordingError) as reason:
                print(f"{algorithm}, {path}: errored: {reason}", flush=True)
                code = 1
                continue
            verdicts = [judge(stored_part(recording), [profile]) for recording, *_ in uploads]
            refuted = [refutation for verdict in verdicts for refutation in verdict.refuted]
            decided = sum(verdict.undecided is None for verdict in verdicts)
            for number, (recording, *_) in enumerate(uploads, 1):
                _write(stored_part(recording), KEPT / f"{algorithm}-{path}-{number}.jsonl.gz")
            _, took_ns, cwnd_bytes, rtt_ns = zip(*uploads, strict=True)
            _keep([Took(algorithm, path, size_bytes, decided, took_ns, cwnd_bytes, rtt_ns)])
            print(f"{algorithm}, {path}: {decided} of {RUNS} decided, {len(refuted)} refuted as {profile}", flush=True)
            for refutation in refuted:
                print(
                    f"  event {refutation.event}: expected: {refutation.expected}; observed: {refutation.observed}",
                    flush=True,
                )
                code = 1
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
