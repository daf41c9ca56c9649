"""The sender of an upload with picoquic: ``send PORT CONTROLLER BYTES FOLDER SECONDS``; picoquic writes its qlog into the folder.

Runs in the Python environment of the package aiopquic (`make picoquic`), so it does not import this project.
"""

import asyncio
import ssl
import sys

from aiopquic.asyncio.client import connect
from aiopquic.asyncio.protocol import QuicConnectionProtocol
from aiopquic.quic.configuration import QuicConfiguration
from aiopquic.quic.connection import QuicConnection
from aiopquic.quic.events import ConnectionTerminated, QuicEvent, StreamDataReceived

_LOOPBACK = "127.0.0.1"
_CHUNK_BYTES = 1 << 16
#: Wait before the next attempt if the ring of the stream is full.
_FULL_S = 0.001


class _Sender(QuicConnectionProtocol):  # type: ignore[misc]
    """Waits until the receiver ends the stream, or the connection ends."""

    def __init__(self, quic: QuicConnection, **options: object) -> None:
        super().__init__(quic, **options)
        self.ended = asyncio.Event()
        self.received = False

    def quic_event_received(self, event: QuicEvent) -> None:
        if isinstance(event, StreamDataReceived) and event.end_stream:
            self.received = True
        if self.received or isinstance(event, ConnectionTerminated):
            self.ended.set()

    async def upload(self, size_bytes: int) -> None:
        """Send a number of bytes. Raise ``ConnectionError`` if the connection ends before the receiver has them."""
        stream = self._quic.get_next_available_stream_id()
        remaining_bytes = size_bytes
        while remaining_bytes and not self.ended.is_set():
            count = min(remaining_bytes, _CHUNK_BYTES)
            try:
                self._quic.send_stream_data(stream, bytes(count), end_stream=count == remaining_bytes)
                remaining_bytes -= count
            except BufferError:
                await asyncio.sleep(_FULL_S)
        await self.ended.wait()
        if not self.received:
            raise ConnectionError("the connection ended before the receiver had everything")


async def send(port: int, controller: str, size_bytes: int, folder: str, seconds: int) -> None:
    """Upload a number of bytes within a number of seconds."""
    configuration = QuicConfiguration(
        is_client=True,
        alpn_protocols=["firstflight"],
        congestion_control_algorithm=controller,
        qlog_dir=folder,
        server_name="localhost",
        verify_mode=ssl.CERT_NONE,  # the receiver's certificate was made for this run
    )
    connecting = connect(_LOOPBACK, port, configuration=configuration, create_protocol=_Sender)
    async with asyncio.timeout(seconds), connecting as connection:
        await connection.upload(size_bytes)


def main(words: list[str]) -> int:
    """Run the sender; return the exit code."""
    match words:
        case ["send", port, controller, size, folder, seconds]:
            asyncio.run(send(int(port), controller, int(size), folder, int(seconds)))
            return 0
    print("usage: picoquic_peer send PORT CONTROLLER BYTES FOLDER SECONDS", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
