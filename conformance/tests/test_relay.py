"""The emulated path for UDP: its computed times, and its behaviour on loopback."""

import json
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from firstflight_conformance.paths import SCENARIOS
from firstflight_conformance.simulate.scenario import Link, Scenario, load_scenario
from studies.live.path import Path as EmulatedPath

pytestmark = pytest.mark.live

MS = 1_000_000
DEEP = SCENARIOS / "closed-loop" / "deep-queue.json"
_CLI = (sys.executable, "-c", "from firstflight_conformance.cli import main; main()")


def scenario(**link: Any) -> Scenario:
    """Return a scenario of 8 Mbit/s with 10 ms there and 5 ms back."""
    path = {"rate_bps": 8_000_000, "forward_delay_ns": 10 * MS, "return_delay_ns": 5 * MS, "queue_bytes": 10**6}
    return replace(load_scenario(DEEP), link=Link(**path | {"loss_ppm": 0, "jitter_ns": 0} | link))


def test_rate_applies_only_to_the_forward_direction() -> None:
    """1000 bytes take 1 ms plus the delay there, one packet after another; the way back has unlimited rate."""
    path = EmulatedPath(scenario())
    assert path.next_ns() is None
    for name in b"ab":
        path.send(100 * MS, bytes([name]) * 1000)
    path.answer(107 * MS, b"back")
    assert path.next_ns() == 111 * MS
    assert path.there.pop(111 * MS - 1) is None
    assert path.there.pop(111 * MS + 7) == b"a" * 1000
    assert path.there.lateness_ns == [7]
    assert (path.there.next_ns(), path.back.next_ns()) == (112 * MS, 112 * MS)


def test_full_queue_drops_datagrams() -> None:
    """One datagram is served, one waits, the third is dropped."""
    path = EmulatedPath(scenario(queue_bytes=1000))
    for _ in range(3):
        path.send(100 * MS, bytes(1000))
    assert (len(path.there.due), path.bottleneck.dropped_packets) == (2, 1)


def test_losses_depend_on_the_seed() -> None:
    """The same seed loses the same datagrams; another seed loses others."""

    def lost(seed: int) -> list[int]:
        path = EmulatedPath(replace(scenario(loss_ppm=100_000), seed=seed))
        for number in range(200):
            path.send((100 + number) * MS, number.to_bytes(2))
        arrived = [int.from_bytes(datagram) for _, datagram in path.there.due]
        return sorted(set(range(200)) - set(arrived))

    assert lost(1) == lost(1) != lost(2)
    assert 5 < len(lost(1)) < 50


def test_delay_rises_at_the_scheduled_time() -> None:
    """The delay rises when the scenario's time since the first datagram has passed."""
    path = EmulatedPath(scenario(steps=((50 * MS, 20 * MS),)))
    path.send(100 * MS, bytes(1000))
    path.send(160 * MS, bytes(1000))
    assert [due_ns for due_ns, _ in path.there.due] == [111 * MS, 191 * MS]


@contextmanager
def relayed(tmp_path: Path, target: socket.socket, **link: int) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Run the command for at most a minute; yield the process and its port."""
    raw = json.loads(DEEP.read_text(encoding="utf-8"))
    raw["link"] |= {"rate_bps": 8_000_000, "forward_delay_ns": 10 * MS, "return_delay_ns": 5 * MS} | link
    file = tmp_path / "path.json"
    file.write_text(json.dumps(raw), encoding="utf-8")
    port = str(target.getsockname()[1])
    with subprocess.Popen(
        [*_CLI, "dev", "relay", file, "--to", port, "--seconds", "60"], stdout=subprocess.PIPE, text=True
    ) as child:
        try:
            assert child.stdout is not None
            word, _, number = child.stdout.readline().partition(" ")
            assert word == "ready"
            yield child, int(number)
        finally:
            child.kill()


def open_socket() -> socket.socket:
    udp_socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    udp_socket.bind(("127.0.0.1", 0))
    udp_socket.settimeout(30)
    return udp_socket


def test_datagrams_arrive_in_order_after_the_path_delay(tmp_path: Path) -> None:
    """Twenty datagrams of 1000 bytes arrive in order from 11 to 30 ms, an answer after 5 ms; a summary follows."""
    with open_socket() as receiver, open_socket() as sender, relayed(tmp_path, receiver) as (child, port):
        begun_ns = time.monotonic_ns()
        for number in range(20):
            sender.sendto(bytes([number]) * 1000, ("127.0.0.1", port))
        arrived = [(receiver.recvfrom(2000), time.monotonic_ns() - begun_ns) for _ in range(20)]
        assert [datagram[0] for (datagram, _), _ in arrived] == list(range(20))
        assert arrived[0][1] >= 11 * MS
        assert arrived[-1][1] >= 30 * MS
        back_ns = time.monotonic_ns()
        receiver.sendto(b"answer", arrived[0][0][1])
        assert sender.recv(2000) == b"answer"
        assert time.monotonic_ns() - back_ns >= 5 * MS
        child.send_signal(signal.SIGINT)
        assert child.stdout is not None
        summary = json.loads(child.stdout.readline())
        assert (summary["there"], summary["back"], summary["dropped"], summary["lost"]) == (20, 1, 0, 0)
        assert 0 <= summary["late_ns"][0] <= summary["late_ns"][1] <= summary["late_ns"][2]


def test_relay_continues_while_the_receiver_is_absent(tmp_path: Path) -> None:
    """Refused datagrams are lost; datagrams sent after the receiver starts arrive."""
    receiver = open_socket()
    address = receiver.getsockname()
    with open_socket() as sender, relayed(tmp_path, receiver) as (child, port):
        receiver.close()
        sender.sendto(b"early", ("127.0.0.1", port))
        time.sleep(0.1)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as late:
            late.bind(address)
            late.settimeout(60)
            sender.sendto(b"late", ("127.0.0.1", port))
            before = list(iter(lambda: late.recv(100), b"late"))
            assert before in ([], [b"early"])  # a slow relay delivers the early datagram as well
        assert child.poll() is None


def test_relay_ends_after_the_given_time() -> None:
    """The relay ends after the given number of seconds with exit code 0."""
    done = subprocess.run(
        [*_CLI, "dev", "relay", DEEP, "--to", "9", "--seconds", "1"],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (done.returncode, done.stdout.splitlines()[0][:6]) == (0, "ready ")


def test_port_in_use_is_an_error() -> None:
    """The relay ends with exit code 2 and prints the port."""
    with open_socket() as udp_socket:
        port = str(udp_socket.getsockname()[1])
        done = subprocess.run(
            [*_CLI, "dev", "relay", DEEP, "--to", "9", "--port", port],
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
    assert done.returncode == 2
    assert f"port {port}" in done.stderr
