"""The controllers of aioquic behind the adapter protocol: ``adapter.py reno`` or ``adapter.py cubic``.

Each event is handed to the function that aioquic's own recovery (``quic/recovery.py``) calls for it, and to no other.
"""

import json
import sys

import aioquic
from aioquic.quic.congestion.base import QuicCongestionControl
from aioquic.quic.congestion.cubic import CubicCongestionControl
from aioquic.quic.congestion.reno import RenoCongestionControl
from aioquic.quic.packet import QuicPacketType
from aioquic.quic.packet_builder import QuicSentPacket
from aioquic.tls import Epoch

NAME = sys.argv[1]
CONTROLLER = {"reno": RenoCongestionControl, "cubic": CubicCongestionControl}[NAME]
# Times are seconds as float, which tell nanoseconds apart for the first 48 days. Windows are integers; CUBIC computes them in
# floating point, and grows them by the same function with other roundings.
JUDGED = {
    "reno": {"algorithms": {"slow-start": ["rfc-9002"]}, "arithmetic": "integer"},
    "cubic": {
        "algorithms": {"cubic": ["rfc-9438", "rfc-9438-literal"]},
        "arithmetic": "float64",
        "avoidance": "datagram",
    },
}
HELLO = {
    "op": "hello",
    "protocol": 1,
    "name": f"aioquic {NAME}",
    "version": aioquic.__version__,
    "observables": ["cwnd_bytes", "ssthresh_bytes"],
    "clock": "ns",
} | JUDGED[NAME]


class UnsupportedError(Exception):
    """The stack has nothing that the runner's message could be translated to."""


def seconds(t_ns):
    return int(t_ns) / 1e9


def number(value):
    """Write a number from 2^53 on as a decimal string."""
    return value if value is None or value < 2**53 else str(value)


def packets(runs, sent_now_ns=None):
    """Yield the packets of the runs as aioquic records them. The runs of a ``sent`` event do not repeat its time."""
    for first, last, size, *sent_t_ns in runs:
        for packet_number in range(int(first), int(last) + 1):
            yield QuicSentPacket(
                epoch=Epoch.ONE_RTT,
                in_flight=True,
                is_ack_eliciting=True,
                is_crypto_packet=False,
                packet_number=packet_number,
                packet_type=QuicPacketType.ONE_RTT,
                sent_time=seconds(sent_t_ns[0] if sent_t_ns else sent_now_ns),
                sent_bytes=size,
            )


def start(message) -> "Connection":
    algorithm, profile, config = message["algorithm"], message["profile"], message["config"]
    if profile not in HELLO["algorithms"].get(algorithm, ()):
        raise UnsupportedError(f"{algorithm}/{profile} is not implemented")
    controller = CONTROLLER(max_datagram_size=config["max_datagram_size_bytes"])
    if config["initial_window_bytes"] is not None:
        # No parameter sets it. The constructor only assigns this public attribute; so does the adapter.
        controller.congestion_window = int(config["initial_window_bytes"])
    return Connection(controller)


class Connection:
    """A controller and the handshake's RTT sample, which a connection reports to it before the first application data."""

    def __init__(self, controller: QuicCongestionControl) -> None:
        self.controller = controller
        self.begun: float | None = None
        self.measured = False

    def on_handshake(self, event) -> None:
        """Report the handshake's sample at the time of the first packet.

        The path has one RTT until the first ACK, so the sample of the handshake is the first sample of the case.
        """
        if not self.measured:
            self.measured = True
            self.controller.on_rtt_measurement(now=self.begun, rtt=seconds(event["latest_rtt_ns"]))


def process(connection: Connection, event) -> None:
    controller = connection.controller
    now = seconds(event["t_ns"])
    match event["ev"]:
        case "sent":
            connection.begun = now if connection.begun is None else connection.begun
            for packet in packets(event["packets"], event["t_ns"]):
                controller.on_packet_sent(packet=packet)
        case "ack":
            if event["latest_rtt_ns"] is not None:
                connection.on_handshake(event)
            for packet in packets(event["packets"]):
                controller.on_packet_acked(now=now, packet=packet)
            if event["latest_rtt_ns"] is not None:
                controller.on_rtt_measurement(now=now, rtt=seconds(event["latest_rtt_ns"]))
        case "lost":
            controller.on_packets_lost(now=now, packets=list(packets(event["packets"])))
        case "persistent_congestion":
            controller.on_persistent_congestion()
        case "pto":
            pass  # aioquic takes packets out of flight then, but the event names none, and no window changes.
        case "ce":
            raise UnsupportedError(
                "aioquic skips the ECN counters of an ACK frame: its controllers never learn of them"
            )
        case other:
            raise UnsupportedError(f"no function for the event {other}")


connection = None
for line in sys.stdin:
    message = json.loads(line)
    try:
        match message["op"]:
            case "hello":
                answer = HELLO
            case "start":
                connection = start(message)
                answer = {"op": "started"}
            case "event":
                process(connection, message["event"])
                controller = connection.controller
                window, threshold = number(controller.congestion_window), number(controller.ssthresh)
                answer = {"op": "observed", "i": message["i"], "cwnd_bytes": window, "ssthresh_bytes": threshold}
            case "end":
                answer = {"op": "ended"}
    except UnsupportedError as reason:
        answer = {"op": "unsupported", "reason": str(reason)}
    print(json.dumps(answer), flush=True)
