"""The two ends of an upload with aioquic: ``receive SECONDS``, and ``send PORT PROFILE BYTES QLOG SECONDS``. Both on loopback, bounded in time.

``PROFILE`` is ``ALGORITHM/PROFILE`` of the model, or a controller of aioquic, such as ``aioquic/reno``.
"""

import asyncio
import datetime
import gc
import json
import ssl
import sys
import tempfile
from pathlib import Path

from aioquic.asyncio.client import connect
from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.asyncio.server import QuicServer
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import QuicEvent, StreamDataReceived
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from studies.live.peers import aioquic_model
from studies.live.relay import LOOPBACK

_ALPN = ["firstflight"]
_WINDOW_BYTES = 1 << 28  # flow control never limits the sender


class _Sink(QuicConnectionProtocol):
    """Discards received data; ends the stream when the sender has ended it."""

    def quic_event_received(self, event: QuicEvent) -> None:
        if isinstance(event, StreamDataReceived) and event.end_stream:
            self._quic.send_stream_data(event.stream_id, b"", end_stream=True)
            self.transmit()


async def receive(seconds: int) -> None:
    """Accept uploads for ``seconds``."""
    configuration = QuicConfiguration(
        is_client=False, alpn_protocols=_ALPN, max_data=_WINDOW_BYTES, max_stream_data=_WINDOW_BYTES
    )
    with tempfile.TemporaryDirectory() as folder:
        configuration.load_cert_chain(*_certificate(Path(folder)))
    transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(
        lambda: QuicServer(configuration=configuration, create_protocol=_Sink), local_addr=(LOOPBACK, 0)
    )
    print(f"ready {transport.get_extra_info('sockname')[1]}", flush=True)
    await asyncio.sleep(seconds)


def _certificate(folder: Path) -> tuple[Path, Path]:
    """Write a certificate for this run and its key; return the files."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, LOOPBACK)])
    now = datetime.datetime.now(datetime.UTC)
    day = datetime.timedelta(days=1)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - day)
        .not_valid_after(now + day)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    (folder / "certificate.pem").write_bytes(certificate.public_bytes(pem))
    (folder / "key.pem").write_bytes(
        key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return folder / "certificate.pem", folder / "key.pem"


async def send(port: int, profile: str, size_bytes: int, seconds: int) -> aioquic_model.Log:
    """Upload a number of bytes within a number of seconds; return the log."""
    algorithm, _, name = profile.partition("/")
    logger = aioquic_model.Log()
    if algorithm != "aioquic":
        aioquic_model.register(algorithm, name, logger.clock)
        name = aioquic_model.NAME
    configuration = QuicConfiguration(
        is_client=True,
        alpn_protocols=_ALPN,
        congestion_control_algorithm=name,
        quic_logger=logger,
        verify_mode=ssl.CERT_NONE,  # the receiver's certificate was made for this run
    )
    async with asyncio.timeout(seconds), connect(LOOPBACK, port, configuration=configuration) as connection:
        reader, writer = await connection.create_stream()
        writer.write(bytes(size_bytes))
        writer.write_eof()
        await reader.read()
    return logger


def main(words: list[str]) -> None:
    """Run as receiver or sender."""
    gc.disable()  # the run takes seconds, and a collection would delay ACKs
    match words:
        case ["receive", seconds]:
            asyncio.run(receive(int(seconds)))
        case ["send", port, profile, size, qlog, seconds]:
            logger = asyncio.run(send(int(port), profile, int(size), int(seconds)))
            Path(qlog).write_text(json.dumps(logger.to_dict()), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
