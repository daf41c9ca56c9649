"""Runs a transfer between two programs over an emulated path: receiver, relay and sender, each with a time limit."""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from selectors import EVENT_READ, DefaultSelector
from typing import IO

from firstflight_conformance.adapters import children
from firstflight_conformance.paths import BUILD, STUDIES

_START_S = 30  # for a program to report that it is ready, on a busy machine
#: Built by `make peers` (needs go).
QUIC_GO = BUILD / "peers" / "quic-go-peer"
#: Built by `make quinn` (needs cargo).
QUINN = BUILD / "peers" / "quinn"
#: The example of reference-c, built by `make quinn-example`.
QUINN_EXAMPLE = BUILD / "examples" / "quinn"
_AIOQUIC = (sys.executable, str(STUDIES), "live.peers.aioquic_peer")


class TransferError(Exception):
    """A transfer failed, without a result about the controller; the text is the reason."""


@contextmanager
def _started(command: Sequence[str]) -> Iterator[int]:
    """Run a program until the context ends; yield the port that it reports as ready."""
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        preexec_fn=children.die_with_parent,  # noqa: PLW1509
    ) as program:
        try:
            assert program.stdout is not None
            word, _, port = _line(program.stdout).partition(b" ")
            if word != b"ready":
                raise TransferError(f"{command[-1]}: is not ready")
            yield int(port)
        finally:
            program.kill()


def _line(stream: IO[bytes]) -> bytes:
    with DefaultSelector() as selector:
        selector.register(stream, EVENT_READ)
        return stream.readline() if selector.select(_START_S) else b""


def transfer(scenario_file: Path, receiver: Sequence[str], sender: Sequence[str], seconds: int) -> str:
    """Run a receiver, the path and a sender; return the sender's output. In its command ``PORT`` is the path's port.

    Raise :class:`TransferError` if a program does not start, or the sender fails or exceeds the time limit.
    """
    with ExitStack() as running:
        target = running.enter_context(_started(receiver))
        relay = [
            sys.executable,
            "-m",
            "firstflight_conformance",
            "dev",
            "relay",
            str(scenario_file),
            "--to",
            str(target),
        ]
        port = running.enter_context(_started([*relay, "--seconds", str(seconds + _START_S)]))
        command = [str(port) if word == "PORT" else word for word in sender]
        try:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                check=False,
                timeout=seconds + _START_S,
                preexec_fn=children.die_with_parent,
            )
        except subprocess.TimeoutExpired as error:
            raise TransferError(f"the sender has not ended after {seconds + _START_S} s") from error
    if done.returncode:
        *_, last = done.stderr.strip().splitlines() or [""]
        raise TransferError(f"the sender ended with {done.returncode}: {last[:300]}")
    return done.stdout


def aioquic_sender(profile: str, size_bytes: int, qlog: Path, seconds: int) -> list[str]:
    """Return the command of an upload with aioquic, with a profile of the model or aioquic's ``aioquic/NAME``."""
    return [*_AIOQUIC, "send", "PORT", profile, str(size_bytes), str(qlog), str(seconds)]


def aioquic_receiver(seconds: int) -> list[str]:
    """Return the command of aioquic's receiver."""
    return [*_AIOQUIC, "receive", str(seconds + 2 * _START_S)]


def quic_go_sender(size_bytes: int, qlog: Path, seconds: int) -> list[str]:
    """Return the command of an upload with quic-go and its controller."""
    return [str(QUIC_GO), "send", "PORT", str(size_bytes), str(qlog), str(seconds)]


def quic_go_receiver(seconds: int, folder: Path | None = None) -> list[str]:
    """Return the command of quic-go's receiver, for all senders. It writes its certificate and qlog to the folder."""
    return [str(QUIC_GO), "receive", str(seconds + 2 * _START_S), *([] if folder is None else [str(folder)])]


def quinn_sender(size_bytes: int, qlog: Path, seconds: int, folder: Path) -> list[str]:
    """Return the command of an upload with quinn and its controller. The receiver's certificate is in the folder."""
    return [str(QUINN), "send", "PORT", str(size_bytes), str(qlog), str(seconds), str(folder / "certificate.der")]


def quinn_example(algorithm: str, size_bytes: int, qlog: Path, seconds: int, folder: Path, saved: Path) -> list[str]:
    """Return the command of an upload with quinn and a plain header. ``saved``: file with saved parameters."""
    certificate = str(folder / "certificate.der")
    return [
        str(QUINN_EXAMPLE),
        "send",
        "PORT",
        algorithm,
        str(size_bytes),
        str(qlog),
        str(seconds),
        certificate,
        str(saved),
    ]
