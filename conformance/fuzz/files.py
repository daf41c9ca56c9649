"""Fuzz the command with mutated files of every kind. A traceback or an undocumented exit code is a finding.

``python conformance/fuzz/files.py [--seconds N] [--seed N] [FILE KIND]``: findings are written to ``build/fuzz``; FILE
and KIND replay one. Needs only Firstflight.
"""

import argparse
import contextlib
import gzip
import io
import random
import re
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from click.testing import CliRunner

from firstflight import create
from firstflight_conformance.cli import main
from firstflight_conformance.format.vectors import load
from firstflight_conformance.logs.qlog.write import qlog_text
from firstflight_conformance.logs.recording.files import save
from firstflight_conformance.logs.recording.recording import Header, Recording, Step, Subject
from firstflight_conformance.paths import BUILD, CONFORMANCE, SCENARIOS, VECTORS
from firstflight_conformance.replay.measure import config_from_json, replay
from firstflight_conformance.simulate.scenario import scenario_files

sys.path.append(str(CONFORMANCE / "tests"))
from captures import How, capture_of

OUT = BUILD / "fuzz"
#: A call that takes longer is a finding.
PATIENCE_S = 60
#: Exit codes of the commands; 1 is a failed verdict of a log or an adapter.
CODES = {0, 1, 2, 3, 4}
#: Replacements for values in JSON, TOML and CSV, and delimiters of every kind.
VALUES = (
    b"0", b"-1", b"1e9999999999999999999", b"1e999999999", b"0.1", b"18446744073709551616", b"9" * 5000, b"null", b"true", b'""', b'"x"', b"[]",
    b"{}", b"[[[[1]]]]", b"[" * 2000, b"NaN", b"Infinity", b"\x1e", b"\0", b"\xff", b"\xed\xa0\x80", b'"\\ud800"', b",", b"\n", b"\r\n", b'"',
    b"1bdp", b"0bit/s", b"../x", b"\xef\xbb\xbf", b"search/draft-09", b"no-such/profile",
)  # fmt: skip
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?|[A-Za-z_]+|[^\sA-Za-z0-9]')
_MODEL = ["--kind", "model", "--algorithm", "slow-start", "--rate", "10Mbit/s", "--rtt", "100ms"]


@dataclass(frozen=True)
class Kind:
    """A kind of file: its name in its folder, its seeds, and the command line that reads it."""

    name: str
    seeds: Callable[[], list[bytes]]
    words: Callable[[Path], list[str]]


def _files(*paths: Path) -> list[bytes]:
    return [data for path in paths if len(data := path.read_bytes()) < 60_000]


def _short(*folders: str) -> Callable[[], list[bytes]]:
    def seeds() -> list[bytes]:
        return [
            data for name in folders for data in _files(*sorted((VECTORS / name).glob("*.json"))) if len(data) < 4000
        ]

    return seeds


def _ran(words: list[str], path: Path) -> bytes:
    result = CliRunner().invoke(main, words)
    if result.exit_code:
        raise SystemExit(result.output)
    return path.read_bytes()


def _recorded() -> list[Recording]:
    """Return recordings: events of vectors with the answers of the model."""
    recordings = []
    for algorithm, profile, rest in (
        ("hystartpp", "rfc-9406", "path.deep-queue"),
        ("search", "draft-09", "full-window.plateau-50-ms"),
    ):
        vector = load(VECTORS / algorithm / f"{rest}.json")
        config, events = config_from_json(vector.config), list(vector.events)[:100]
        answers = replay(create(algorithm, profile, config), events)
        header = Header({"kind": "vector", "name": vector.id}, config, quality={"app_limited": "stated"})
        steps = (
            Step(
                event,
                Subject(cwnd_bytes=answer.cwnd_bytes, ssthresh_bytes=answer.ssthresh_bytes, state=answer.phase.value),
            )
            for event, answer in zip(events, answers, strict=True)
        )
        recordings.append(Recording(header, tuple(steps)))
    return recordings


def _recordings() -> list[bytes]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.jsonl"
        return [(save(recording, path), path.read_bytes())[1] for recording in _recorded()]


def _qlogs() -> list[bytes]:
    return [qlog_text(recording, "a vector", "for the fuzzer").encode() for recording in _recorded()]


def _captures() -> list[bytes]:
    """Return captures of the recordings in every format, and the beginnings of real captures."""
    real = [
        gzip.decompress(path.read_bytes()) for path in sorted((CONFORMANCE / "tests" / "kept_captures").glob("*.gz"))
    ]
    ways = (
        How(),
        How(ng=True, micro=True),
        How(link="cooked-2", ng=True, joined=2),
        How(link="raw", micro=True),
        How(link="vlan"),
    )
    return [*(capture_of(recording, how) for recording in _recorded() for how in ways), *(data[:8000] for data in real)]


def _table() -> list[bytes]:
    sent = "0,,0,12000,12000,\n"
    rows = "".join(f"{100 + n},100,1200,{12000 + 1200 * n},{13200 + 1200 * n},\n" for n in range(40))
    return [f"t_ms,rtt_ms,acked_bytes,in_flight_bytes,cwnd_bytes,ssthresh_bytes\n{sent}{rows}".encode()]


def _sweep(suffix: str) -> Callable[[], list[bytes]]:
    def seeds() -> list[bytes]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"x.{suffix}"
            return [_ran(["sweep", str(path), *_MODEL, "--size", "1MB", "--size", "2MB", "--jobs", "1"], path)]

    return seeds


GRID = b'kind = "model"\nalgorithm = ["slow-start"]\nrate = ["10Mbit/s", "1Mbit/s"]\nrtt = "100ms"\nsize = ["1MB"]\n'
KINDS = {
    # The folder of a vector may have any name: the vector contains its algorithm and profiles.
    "vector": Kind(
        "slow-start/x.json",
        _short("search", "careful-resume", "cubic", "hystartpp"),
        lambda path: ["list", "--vectors", str(path.parents[1])],
    ),
    "computation": Kind("transfer-time/x.json", _short("transfer-time"), lambda path: ["list", "--vectors", str(path.parents[1])]),
    "judged": Kind(
        "slow-start/x.json",
        _short("slow-start"),
        lambda path: ["run", "--vectors", str(path.parents[1]), "--adapter", "python-model", "--jobs", "1",
                      "--html", str(path.with_suffix(".html")), "--junit", str(path.with_suffix(".xml"))],
    ),
    "scenario": Kind(
        "x.json",
        lambda: _files(*scenario_files().values()),
        lambda path: ["simulate", str(path), "--algorithm", "slow-start"],
    ),
    "network": Kind(
        "x.json", lambda: _files(*(SCENARIOS / "networks").glob("*.json")), lambda path: ["network", str(path)]
    ),
    "grid": Kind(
        "x.toml", lambda: [GRID], lambda path: ["sweep", str(path.with_suffix(".csv")), "--grid", str(path), "--jobs", "1"]
    ),
    "sweep-csv": Kind("x.csv", _sweep("csv"), lambda path: ["sweep", str(path), *_MODEL, "--size", "1MB", "--size", "2MB"]),
    "sweep-jsonl": Kind(
        "x.jsonl", _sweep("jsonl"), lambda path: ["sweep", str(path), *_MODEL, "--size", "1MB", "--size", "2MB"]
    ),
    "qlog": Kind("x.sqlog", _qlogs, lambda path: ["judge", str(path), "--profile", "search/draft-09"]),
    "recording": Kind(
        "x.jsonl", _recordings, lambda path: ["judge", str(path), "--profile", "hystartpp/rfc-9406"]
    ),
    "to-qlog": Kind("x.jsonl", _recordings, lambda path: ["record", "to-qlog", str(path), str(path.with_suffix(".sqlog"))]),
    "to-vector": Kind(
        "x.jsonl",
        _recordings,
        lambda path: ["record", "to-vector", str(path), str(path.with_suffix(".json")), "--profile", "hystartpp/rfc-9406"],
    ),
    "capture": Kind("x.pcap", _captures, lambda path: ["judge", str(path), "--profile", "hystart/linux"]),
    "table": Kind("x.csv", _table, lambda path: ["judge", str(path), "--profile", "slow-start/rfc-9002"]),
}  # fmt: skip


def mutated(data: bytes, draw: random.Random) -> bytes:
    """Return a file with a few random changes of values, tokens, bytes or lines."""
    for _ in range(draw.choice((1, 1, 1, 2, 3, 8))):
        how, at = draw.randrange(8), draw.randrange(len(data) + 1)
        if how <= 2 and (tokens := list(_TOKEN.finditer(data))):
            token = draw.choice(tokens)
            replacement = draw.choice(VALUES) if how < 2 else draw.choice(tokens)[0]
            data = data[: token.start()] + replacement + data[token.end() :]
        elif how == 3:
            data = data[:at] + draw.choice(VALUES) + data[at:]
        elif how == 4:
            data = data[:at]
        elif how == 5:
            data = data[:at] + data[at + draw.randrange(1, 200) :]
        elif how == 6:
            lines = data.splitlines(keepends=True) or [b""]
            lines.insert(draw.randrange(len(lines) + 1), draw.choice(lines))
            del lines[draw.randrange(len(lines))]
            data = b"".join(lines)
        else:
            data = data[:at] + bytes([draw.randrange(256)]) + data[at + 1 :]
    return data


class TooLongError(Exception):
    """A call took longer than PATIENCE_S."""


def _late(_number: int, _frame: object) -> None:
    raise TooLongError(f"longer than {PATIENCE_S} s")


def played(kind: Kind, data: bytes) -> str | None:
    """Call the command with a file; return the failure (a traceback or an exit code), or None."""
    folder = Path(tempfile.mkdtemp(dir="/dev/shm" if Path("/dev/shm").is_dir() else None))
    path = folder / kind.name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    signal.signal(signal.SIGALRM, _late)
    signal.alarm(PATIENCE_S)
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            result = CliRunner().invoke(main, kind.words(path))
    finally:
        signal.alarm(0)
        shutil.rmtree(folder)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        return "".join(traceback.format_exception(result.exception, limit=-6))
    return None if result.exit_code in CODES else f"exit code {result.exit_code}: {result.output}"


def fuzz(seconds: int, seed: int) -> tuple[int, list[Path]]:
    """Play mutated files of all kinds for `seconds`; return their number, and one finding per place in the code."""
    draw, tried, findings = random.Random(seed), 0, {}
    corpus = {name: kind.seeds() for name, kind in KINDS.items()}
    OUT.mkdir(parents=True, exist_ok=True)
    end_s = time.monotonic() + seconds
    while time.monotonic() < end_s:
        name = draw.choice(list(KINDS))
        data = mutated(draw.choice(corpus[name]), draw)
        wrong = played(KINDS[name], data)
        tried += 1
        if wrong is None:
            continue
        place = (name, *wrong.strip().splitlines()[-3:])
        if place not in findings:
            findings[place] = OUT / f"files-{name}-{len(findings)}"
            findings[place].write_bytes(data)
            print(f"{findings[place]} {name}:\n{wrong}", flush=True)
    return tried, list(findings.values())


def run() -> int:
    """Fuzz, or replay a finding."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--seed", type=int, default=time.time_ns() % 2**32)
    parser.add_argument("finding", nargs="*", metavar="FILE KIND")
    options = parser.parse_args()
    if options.finding:
        path, name = options.finding
        wrong = played(KINDS[name], Path(path).read_bytes())
        print(wrong or "nothing is wrong")
        return int(wrong is not None)
    tried, findings = fuzz(options.seconds, options.seed)
    print(f"Done {tried} in {options.seconds} s, seed {options.seed}: {len(findings)} findings")
    return int(bool(findings))


if __name__ == "__main__":
    sys.exit(run())
