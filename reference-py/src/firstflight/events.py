"""The event alphabet (``spec/events.md``). Events are values, which nobody changes."""

from typing import TypeAlias

from firstflight.errors import DomainError
from firstflight.limits import (
    BETA_MAX,
    DATAGRAM_MAX_BYTES,
    EVENT_MAX_BYTES,
    NUMBER_MAX,
    PACKET_MAX,
    RUN_MAX_PACKETS,
    TIME_MAX_NS,
    WINDOW_MAX_BYTES,
)
from firstflight.values import value


@value
class Run:
    """Consecutive packets of one size that were sent at one time.

    ``first``, ``last``: packet numbers, both included. ``size_bytes``: size of each. ``sent_t_ns``: when they were sent.
    """

    first: int
    last: int
    size_bytes: int
    sent_t_ns: int

    @property
    def count(self) -> int:
        """How many packets the run has."""
        return self.last - self.first + 1


@value
class Sent:
    """Packets were sent. ``bytes_in_flight`` counts them already; their ``sent_t_ns`` is ``t_ns``.

    ``retransmits``: ranges (first, last) of the packets that first carried the data which these carry again.
    """

    t_ns: int
    packets: tuple[Run, ...]
    bytes: int
    bytes_in_flight: int
    app_limited: bool
    retransmits: tuple[tuple[int, int], ...] = ()


@value
class Ack:
    """One ACK frame newly acknowledged ``packets``. RTTs are ``None`` where there is no sample.

    ``oldest_unacked_packet``: the first packet whose data is not acknowledged, neither in it nor in one that repeats it; the next
    packet number if there is none. ``None`` where the stream does not say.
    """

    t_ns: int
    packets: tuple[Run, ...]
    bytes: int
    bytes_in_flight: int
    next_packet: int
    app_limited: bool
    latest_rtt_ns: int | None
    min_rtt_ns: int | None
    smoothed_rtt_ns: int | None
    ack_delay_ns: int
    oldest_unacked_packet: int | None = None


@value
class Lost:
    """The loss detector declared ``packets`` lost."""

    t_ns: int
    packets: tuple[Run, ...]
    bytes: int
    bytes_in_flight: int
    next_packet: int


@value
class Ce:
    """The ECN-CE counter rose to ``ce_count``; ``packet``, sent at ``sent_t_ns``, is the largest that the frame acknowledges."""

    t_ns: int
    packet: int
    sent_t_ns: int
    ce_count: int


@value
class PersistentCongestion:
    """The loss detector established persistent congestion (RFC 9002, section 7.6)."""

    t_ns: int


@value
class Pto:
    """The probe timer expired (RFC 9002, section 6.2)."""

    t_ns: int


@value
class Backlog:
    """Data is ready to be sent: after the handshake, after idle time, or more than before; or the receive window changed.

    ``queued_bytes``: not sent yet. ``receive_window_bytes``: may be sent from now on. ``latest_rtt_ns``: ``None`` without sample.
    """

    t_ns: int
    queued_bytes: int
    receive_window_bytes: int
    latest_rtt_ns: int | None


@value
class IdleRestart:
    """The connection was idle so long that its window is not validated any more (RFC 7661; RFC 5681, section 4.1)."""

    t_ns: int


@value
class SavedPath:
    """Connection setup is complete, and this is the saved set for the Remote Endpoint, with what the endpoint allows.

    ``saved_cwnd_bytes`` and ``saved_rtt_ns`` are 0 if there is no set. ``expires_t_ns``: the end of its Lifetime, ``None``
    if it has none. ``max_jump_bytes``: ``None`` for no bound. Beta is ``beta_numerator`` / ``beta_denominator``.
    """

    t_ns: int
    saved_cwnd_bytes: int
    saved_rtt_ns: int
    endpoint_matches: bool
    in_use: bool
    expires_t_ns: int | None
    max_jump_bytes: int | None
    beta_numerator: int
    beta_denominator: int


@value
class PathChange:
    """The path changed: migration, or a signal of the local network."""

    t_ns: int


@value
class SpuriousLoss:
    """Packets declared lost were acknowledged after all."""

    t_ns: int


Event: TypeAlias = (
    Sent | Ack | Lost | Ce | PersistentCongestion | Pto | Backlog | IdleRestart | SavedPath | PathChange | SpuriousLoss
)


def check(event: Event) -> None:
    """Raise :class:`DomainError` if ``event`` lies outside the domain in ``firstflight.limits``."""
    if not 1 <= event.t_ns <= TIME_MAX_NS:
        raise _outside("t_ns", event.t_ns, 1, TIME_MAX_NS)
    match event:
        case Sent():
            _check_runs(event)
            for first, last in event.retransmits:
                _within("retransmits: first", first, 0, last)
                _within("retransmits: last", last, first, min(first + RUN_MAX_PACKETS - 1, PACKET_MAX))
        case Ack():
            _check_runs(event)
            _check_ack(event)
        case Lost():
            _check_runs(event)
            _within("next_packet", event.next_packet, 0, PACKET_MAX + 1)
        case Ce():
            _within("packet", event.packet, 0, PACKET_MAX)
            _within("sent_t_ns", event.sent_t_ns, 1, event.t_ns)
            _within("ce_count", event.ce_count, 0, NUMBER_MAX)
        case Backlog():
            _within("queued_bytes", event.queued_bytes, 0, WINDOW_MAX_BYTES)
            _within("receive_window_bytes", event.receive_window_bytes, 0, WINDOW_MAX_BYTES)
            if event.latest_rtt_ns is not None:
                _within("latest_rtt_ns", event.latest_rtt_ns, 0, TIME_MAX_NS)
        case SavedPath():
            _check_saved_path(event)
        case PersistentCongestion() | Pto() | IdleRestart() | PathChange() | SpuriousLoss():
            pass


def _check_saved_path(event: SavedPath) -> None:
    _within("saved_cwnd_bytes", event.saved_cwnd_bytes, 0, WINDOW_MAX_BYTES)
    _within("saved_rtt_ns", event.saved_rtt_ns, 0, TIME_MAX_NS)
    if event.expires_t_ns is not None:
        _within("expires_t_ns", event.expires_t_ns, 0, TIME_MAX_NS)
    if event.max_jump_bytes is not None:
        _within("max_jump_bytes", event.max_jump_bytes, 1, WINDOW_MAX_BYTES)
    _within("beta_denominator", event.beta_denominator, 1, BETA_MAX)
    _within("beta_numerator", event.beta_numerator, (event.beta_denominator + 1) // 2, event.beta_denominator)


def _check_ack(event: Ack) -> None:
    """Check what only ACKs have. They are most of the events: comparisons stand here without a call for each."""
    if not 0 <= event.next_packet <= PACKET_MAX + 1:
        raise _outside("next_packet", event.next_packet, 0, PACKET_MAX + 1)
    if not 0 <= event.ack_delay_ns <= NUMBER_MAX:
        raise _outside("ack_delay_ns", event.ack_delay_ns, 0, NUMBER_MAX)
    if event.latest_rtt_ns is not None and not 0 <= event.latest_rtt_ns <= TIME_MAX_NS:
        raise _outside("latest_rtt_ns", event.latest_rtt_ns, 0, TIME_MAX_NS)
    if event.min_rtt_ns is not None and not 0 <= event.min_rtt_ns <= TIME_MAX_NS:
        raise _outside("min_rtt_ns", event.min_rtt_ns, 0, TIME_MAX_NS)
    if event.smoothed_rtt_ns is not None and not 0 <= event.smoothed_rtt_ns <= TIME_MAX_NS:
        raise _outside("smoothed_rtt_ns", event.smoothed_rtt_ns, 0, TIME_MAX_NS)
    if event.oldest_unacked_packet is not None and not 0 <= event.oldest_unacked_packet <= PACKET_MAX + 1:
        raise _outside("oldest_unacked_packet", event.oldest_unacked_packet, 0, PACKET_MAX + 1)


def _check_runs(event: Sent | Ack | Lost) -> None:
    """Check packets, bytes and bytes in flight. As in ``_check_ack`` comparisons stand here without calls."""
    if not event.packets:
        raise DomainError("packets: at least one run is needed")
    if not 1 <= event.bytes <= EVENT_MAX_BYTES:
        raise _outside("bytes", event.bytes, 1, EVENT_MAX_BYTES)
    next_packet = total_bytes = 0
    for run in event.packets:
        if run.first < next_packet:
            raise DomainError(f"run: first: {run.first} is not above the packets before it")
        next_packet = run.last + 1
        count = next_packet - run.first
        if not 1 <= count <= RUN_MAX_PACKETS:
            raise _outside("run: packets", count, 1, RUN_MAX_PACKETS)
        if not 0 <= run.last <= PACKET_MAX:
            raise _outside("run: last", run.last, 0, PACKET_MAX)
        if not 1 <= run.size_bytes <= DATAGRAM_MAX_BYTES:
            raise _outside("run: size_bytes", run.size_bytes, 1, DATAGRAM_MAX_BYTES)
        if not 1 <= run.sent_t_ns <= event.t_ns:
            raise _outside("run: sent_t_ns", run.sent_t_ns, 1, event.t_ns)
        total_bytes += count * run.size_bytes
    if total_bytes != event.bytes:
        raise DomainError("bytes: is not the sum over the runs")
    if not 0 <= event.bytes_in_flight <= NUMBER_MAX:
        raise _outside("bytes_in_flight", event.bytes_in_flight, 0, NUMBER_MAX)


def _within(name: str, value: int, low: int, high: int) -> None:
    if not low <= value <= high:
        raise _outside(name, value, low, high)


def _outside(name: str, value: int, low: int, high: int) -> DomainError:
    return DomainError(f"{name}: {value} is not within {low}..{high}")
