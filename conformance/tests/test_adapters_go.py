"""Behaviour of the adapters of Go stacks that no vector reaches. ``make go-adapters`` builds them with Go."""

import json
import subprocess
from typing import Any

import pytest

from firstflight_conformance.paths import ROOT

HELLO = {"op": "hello", "protocol": 1}
START = {
    "op": "start",
    "case": "x",
    "algorithm": "slow-start",
    "profile": "rfc-9002",
    "config": {"max_datagram_size_bytes": 1200, "initial_window_bytes": 12000},
}


def converse(name: str, *arguments: str, messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the answers of an adapter, or skip the test if it is not built."""
    program = ROOT / "build" / "adapters" / name
    if not program.exists():
        pytest.skip(f"{name} is not built: `make go-adapters`")
    lines = "".join(json.dumps(message) + "\n" for message in messages)
    run = subprocess.run([program, *arguments], input=lines, capture_output=True, text=True, check=True, timeout=60)
    return [json.loads(line) for line in run.stdout.splitlines()]


def play(name: str, *arguments: str, events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the answers to the events of a case."""
    messages = [{"op": "event", "i": i, "event": event} for i, event in enumerate(events)]
    return converse(name, *arguments, messages=[HELLO, START, *messages, {"op": "end"}])[2:-1]


def sent(t_ms: int, first: int, last: int, in_flight: int) -> dict[str, Any]:
    return {
        "ev": "sent",
        "t_ns": t_ms * 10**6,
        "packets": [[first, last, 1200]],
        "bytes": (last - first + 1) * 1200,
        "bytes_in_flight": in_flight * 1200,
        "app_limited": False,
    }


def ack(t_ms: int, packet: int, sent_ms: int, in_flight: int, next_packet: int) -> dict[str, Any]:
    rtt_ns = (t_ms - sent_ms) * 10**6
    return {
        "ev": "ack",
        "t_ns": t_ms * 10**6,
        "packets": [[packet, packet, 1200, sent_ms * 10**6]],
        "bytes": 1200,
        "bytes_in_flight": in_flight * 1200,
        "next_packet": next_packet,
        "app_limited": False,
        "latest_rtt_ns": rtt_ns,
        "min_rtt_ns": rtt_ns,
        "smoothed_rtt_ns": rtt_ns,
        "ack_delay_ns": 0,
    }


def lost(t_ms: int, packets: list[tuple[int, int]], in_flight: int, next_packet: int) -> dict[str, Any]:
    return {
        "ev": "lost",
        "t_ns": t_ms * 10**6,
        "packets": [[packet, packet, 1200, sent_ms * 10**6] for packet, sent_ms in packets],
        "bytes": 1200 * len(packets),
        "bytes_in_flight": in_flight * 1200,
        "next_packet": next_packet,
    }


def test_established_persistent_congestion_is_observed() -> None:
    """Losses 1.8 s apart, longer than three probe timeouts, give persistent congestion at its event."""
    events = [
        sent(1000, 0, 0, 1),
        ack(1100, 0, 1000, 0, 1),
        sent(1200, 1, 1, 1),
        sent(3000, 2, 2, 2),
        lost(4000, [(1, 1200), (2, 3000)], 0, 3),
        {"ev": "persistent_congestion", "t_ns": 4000 * 10**6},
    ]
    answers = play("x-net-quic", events=events)
    assert [answer["cwnd_bytes"] for answer in answers[3:]] == [13200, 6600, 2400]


def test_unestablished_persistent_congestion_is_unsupported() -> None:
    """Losses 100 ms apart make the persistent congestion event unsupported."""
    events = [
        sent(1000, 0, 0, 1),
        ack(1100, 0, 1000, 0, 1),
        sent(1200, 1, 1, 1),
        sent(1300, 2, 2, 2),
        lost(4000, [(1, 1200), (2, 1300)], 0, 3),
        {"ev": "persistent_congestion", "t_ns": 4000 * 10**6},
    ]
    assert play("x-net-quic", events=events)[5]["op"] == "unsupported"


@pytest.mark.parametrize(("name", "argument"), [("quic-go", None), ("gvisor", "cubic"), ("x-net-quic", None)])
def test_events_after_a_refused_event_are_unsupported(name: str, argument: str | None) -> None:
    """After a refused event the adapter answers later events as unsupported, and the next case is unaffected."""
    case = [START, *({"op": "event", "i": i, "event": event} for i, event in enumerate(events_with_unknown_kind()))]
    answers = converse(name, *([argument] if argument else []), messages=[HELLO, *case, {"op": "end"}, *case])
    assert [answer["op"] for answer in answers] == [
        "hello",
        *(rest := ["started", "observed", "unsupported", "unsupported"]),
        "ended",
        *rest,
    ]


def events_with_unknown_kind() -> list[dict[str, Any]]:
    return [sent(1000, 0, 1, 2), {"ev": "no_such_event", "t_ns": 1050 * 10**6}, ack(1100, 0, 1000, 1, 2)]


def test_gvisor_first_segment_loss_needs_an_earlier_ack() -> None:
    """gVisor detects the loss of the first segment only if a segment was acknowledged before the case.

    Two segments beyond the gap are enough for SACKScoreboard.IsRangeLost, where RFC 6675 wants more than two.
    """
    events = [sent(1000, 0, 9, 10), *(ack(1100, packet, 1000, 10 - packet, 10) for packet in (1, 2, 3, 4))]
    answers = play("gvisor", "reno", events=[*events, lost(1100, [(0, 1000)], 5, 10)])
    assert [answer["ssthresh_bytes"] for answer in answers] == [None, None, 6000, 6000, 6000, 6000]


def test_gvisor_undetected_loss_is_unsupported() -> None:
    """One packet acknowledged beyond the gap does not make a loss for TCP, so the event is unsupported."""
    events = [sent(1000, 0, 9, 10), ack(1100, 1, 1000, 9, 10), lost(1100, [(0, 1000)], 8, 10)]
    assert play("gvisor", "reno", events=events)[2]["op"] == "unsupported"
