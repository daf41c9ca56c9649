"""A qlog written by aioquic itself: an upload over a path without sockets, in virtual time."""

import datetime
import heapq
import json
from pathlib import Path
from typing import Any

import pytest
from aioquic.quic import logger
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.connection import QuicConnection
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

CLIENT, SERVER = ("client", 1), ("server", 2)
#: Parameters of the path: one-way delay in seconds, and rate to the server in bytes per second.
DELAY_S, RATE = 0.025, 1_250_000
START_S = 1_700_000_000.0


def _certificate() -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    day = datetime.timedelta(days=1)
    now = datetime.datetime.now(datetime.UTC)
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    builder = builder.serial_number(1).not_valid_before(now - day).not_valid_after(now + day)
    return builder.sign(key, hashes.SHA256()), key


def write_log(folder: Path, monkeypatch: pytest.MonkeyPatch, *, upload_bytes: int = 400_000) -> Path:
    """Upload over the path and return the client's log."""
    certificate, key = _certificate()
    quic_logger = logger.QuicLogger()
    client_config = QuicConfiguration(is_client=True, alpn_protocols=["x"], verify_mode=0, quic_logger=quic_logger)
    server_config = QuicConfiguration(is_client=False, alpn_protocols=["x"])
    server_config.certificate, server_config.private_key = certificate, key
    client = QuicConnection(configuration=client_config)
    server = QuicConnection(
        configuration=server_config, original_destination_connection_id=client.original_destination_connection_id
    )
    now = START_S
    monkeypatch.setattr(logger.time, "time", lambda: now)
    queue: list[tuple[float, int, QuicConnection, bytes, Any]] = []
    free_at, count, sent, started = now, 0, False, False
    client.connect(SERVER, now)
    while now < START_S + 5:
        for side, peer, address in ((client, server, CLIENT), (server, client, SERVER)):
            if side is server and not started:
                continue
            for data, _ in side.datagrams_to_send(now):
                count += 1
                at = now
                if side is client:
                    at = free_at = max(free_at, now) + len(data) / RATE
                heapq.heappush(queue, (at + DELAY_S, count, peer, data, address))
        timers = [client.get_timer(), server.get_timer() if started else None]
        times = [*(timer for timer in timers if timer is not None), *([queue[0][0]] if queue else [])]
        if not queue and sent:
            break
        now = max(now, min(times))
        for side, timer in zip((client, server), timers, strict=True):
            if timer is not None and timer <= now:
                side.handle_timer(now)
        while queue and queue[0][0] <= now:
            _, _, peer, data, address = heapq.heappop(queue)
            started = started or peer is server
            peer.receive_datagram(data, address, now)
        while client.next_event() is not None:
            pass
        while server.next_event() is not None:
            pass
        if not sent and client._handshake_confirmed:
            client.send_stream_data(client.get_next_available_stream_id(), bytes(upload_bytes), end_stream=True)
            sent = True
    path = folder / "aioquic.qlog"
    path.write_text(json.dumps(quic_logger.to_dict()), encoding="utf-8")
    return path
