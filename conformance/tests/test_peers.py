"""The model as the controller of aioquic: it receives the events of aioquic, and its log identifies the profile."""

import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from aioquic.quic.packet import QuicPacketType
from aioquic.quic.packet_builder import QuicSentPacket
from aioquic.tls import Epoch

from every import every_case
from firstflight.events import Ack, Event, Lost, Run, Sent
from firstflight_conformance.adapters.children import descendants
from firstflight_conformance.format.stream import repeated
from firstflight_conformance.format.vectors import Case
from firstflight_conformance.judge.verdict import judge
from firstflight_conformance.logs.qlog.read import read_qlog
from firstflight_conformance.paths import LIVE_PATHS
from studies.live.peers.aioquic_model import Clock, ModelControl
from studies.live.peers.run import TransferError, aioquic_receiver, aioquic_sender, transfer

MS = 1_000_000
#: Time limit of a transfer, in seconds: it ends transfers that hang, not slow machines.
BOUND_S = 60


class Fixed(Clock):
    """A clock that shows the arrival time of the last packet."""

    def now_ns(self) -> int:
        return self.received_ns


def packet(number: int, size_bytes: int, t_ns: int) -> QuicSentPacket:
    """Return a packet as aioquic stores it."""
    return QuicSentPacket(
        epoch=Epoch.ONE_RTT,
        in_flight=True,
        is_ack_eliciting=True,
        is_crypto_packet=False,
        packet_number=number,
        packet_type=QuicPacketType.ONE_RTT,
        sent_time=t_ns / 1e9,
        sent_bytes=size_bytes,
    )


def packets(runs: tuple[Run, ...]) -> list[QuicSentPacket]:
    return [packet(number, run.size_bytes, run.sent_t_ns) for run in runs for number in range(run.first, run.last + 1)]


def call(control: ModelControl, event: Event) -> None:
    """Make the calls of aioquic for an event."""
    now = event.t_ns / 1e9
    match event:
        case Sent():
            for sent in packets(event.packets):
                control.on_packet_sent(packet=sent)
        case Ack():
            for acked in packets(event.packets):
                control.on_packet_acked(now=now, packet=acked)
            if event.latest_rtt_ns is not None:
                control.on_rtt_measurement(now=now, rtt=event.latest_rtt_ns / 1e9)
        case Lost():
            control.on_packets_lost(now=now, packets=packets(event.packets))
    control.get_log_data()


def sayable(case: Case) -> bool:
    """Return whether aioquic reports everything in a case to its controllers."""
    size_bytes, window_bytes = (
        int(case.vector.config[name] or 0) for name in ("max_datagram_size_bytes", "initial_window_bytes")
    )
    if window_bytes not in (0, 10 * size_bytes) or len(case.events) < 20:
        return False
    return size_bytes >= 1200 and all(
        (isinstance(event, Sent | Lost) and not repeated(event))
        or (isinstance(event, Ack) and (event.app_limited, event.ack_delay_ns) == (False, 0))
        for event in case.events
    )


def sayable_cases() -> Iterator[Case]:
    """Yield the cases of the profiles that run in aioquic."""
    chosen = {
        "slow-start/rfc-9002",
        "hystart/linux",
        "hystartpp/rfc-9406",
        "search/draft-09",
        "search/linux-4",
        "cubic/rfc-9438",
    }
    for case in every_case():
        if f"{case.vector.algorithm}/{case.profile}" in chosen and sayable(case):
            yield case


CASES = list(sayable_cases())


def test_each_algorithm_has_cases() -> None:
    """Each algorithm has cases; otherwise the tests below check nothing."""
    assert {case.vector.algorithm for case in CASES} == {"slow-start", "hystart", "hystartpp", "search", "cubic"}


@pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
def test_aioquic_windows_match_vector(case: Case) -> None:
    """The windows agree after every event; the floating-point RTTs of aioquic convert back to the nanosecond."""
    clock = Fixed()
    control = ModelControl(
        case.vector.algorithm,
        case.profile,
        max_datagram_size=case.vector.config["max_datagram_size_bytes"],
        clock=clock,
    )
    for event, expected in zip(case.events, case.expected(), strict=True):
        clock.received_ns = event.t_ns
        call(control, event)
        observed = control.congestion_window, control.ssthresh, control.bytes_in_flight
        flight = event.bytes_in_flight if isinstance(event, Sent | Ack | Lost) else None
        assert observed == (expected["cwnd_bytes"], expected["ssthresh_bytes"], flight), event


def control() -> ModelControl:
    """Return a controller that has sent ten packets at 1 s."""
    clock = Fixed()
    clock.received_ns = 1000 * MS
    model_control = ModelControl("slow-start", "rfc-9002", max_datagram_size=1200, clock=clock)
    for number in range(10):
        model_control.on_packet_sent(packet=packet(number, 1200, 1000 * MS))
    return model_control


def test_log_call_completes_ack_without_sample() -> None:
    """aioquic reports only the packets of the ACK; the log call after every ACK completes it as well."""
    first = control()
    first.on_packet_acked(now=1.1, packet=packet(0, 1200, 1000 * MS))
    assert first.congestion_window == 12_000
    assert first.get_log_data() == {"cwnd": 13_200, "bytes_in_flight": 10_800}


def test_forgotten_packets_leave_window_unchanged() -> None:
    """Forgotten packets leave flight, and the window is unchanged."""
    first = control()
    first.on_packets_expired(packets=[packet(number, 1200, 1000 * MS) for number in range(4)])
    assert (first.congestion_window, first.bytes_in_flight, first.ssthresh) == (12_000, 7200, None)
    first.on_packets_lost(now=1.2, packets=[packet(4, 1200, 1000 * MS)])
    assert (first.congestion_window, first.bytes_in_flight, first.ssthresh) == (6000, 6000, 6000)


def has_ipv6() -> bool:
    """Return whether IPv6 sockets are available, which the client of aioquic needs."""
    try:
        socket.socket(socket.AF_INET6, socket.SOCK_DGRAM).close()
    except OSError:
        return False
    return True


@pytest.mark.live
@pytest.mark.skipif(not has_ipv6(), reason="needs IPv6 sockets for the client of aioquic")
@pytest.mark.parametrize("profile", ["search/draft-09", "hystart/linux"])
def test_upload_log_is_explained_by_true_profile(tmp_path: Path, profile: str) -> None:
    """Over real sockets the true profile is among the explanations, with every growth before the exit."""
    qlog = tmp_path / "sender.qlog"
    before = set(descendants(os.getpid()))
    sender = aioquic_sender(profile, 600_000, qlog, BOUND_S)
    transfer(LIVE_PATHS / "deep-queue.json", aioquic_receiver(BOUND_S), sender, BOUND_S)
    assert set(descendants(os.getpid())) <= before
    verdict = judge(read_qlog(qlog).recording, app_limited="never")
    assert verdict.undecided is None
    assert profile in verdict.may_be
    (true,) = [explanation for explanation in verdict.explained if explanation.profile == profile]
    assert true.equal == true.counted > 50


@pytest.mark.live
def test_failed_sender_is_an_error(tmp_path: Path) -> None:
    """The result is an error, not a verdict; receiver and relay end with the sender."""
    before = set(descendants(os.getpid()))
    sender = aioquic_sender("search/nonesuch", 1000, tmp_path / "sender.qlog", BOUND_S)
    with pytest.raises(TransferError, match=r"the sender ended with 1: .*search/nonesuch: no such profile"):
        transfer(LIVE_PATHS / "deep-queue.json", aioquic_receiver(BOUND_S), sender, BOUND_S)
    with pytest.raises(TransferError, match="is not ready"):
        transfer(LIVE_PATHS / "deep-queue.json", [sys.executable, "-c", "pass"], sender, BOUND_S)
    assert set(descendants(os.getpid())) <= before
