"""What quiche keeps beside the state of the draft (``spec/bbr/rules.md``). Rates are whole bits a second.

Mirrors ``reference-c/firstflight/bbr/quiche_state.h``.
"""

from dataclasses import dataclass, field

from firstflight.values import copied, value


@value
class Flight:
    """What is noted of packets of one size that left one after the other, the first of which is ``first_packet``, with nothing happening in between.

    ``sent_bytes``, ``in_flight_bytes``: sent in all, and in flight, before them. ``acked_bytes``: acknowledged in all. ``last_sent_ns``, ``last_acked_ns``: when
    the packet acknowledged last was sent and acknowledged; ``last_sent_bytes``: what had been sent in all with it.
    """

    first_packet: int
    size_bytes: int
    sent_bytes: int
    in_flight_bytes: int
    acked_bytes: int
    last_sent_bytes: int
    last_sent_ns: int
    last_acked_ns: int
    app_limited: bool


@value
class Height:
    """How much more than expected was acknowledged in a time: ``extra_bytes`` of ``acked_bytes``. 0 of 0 is none."""

    extra_bytes: int
    acked_bytes: int
    time_ns: int
    round_count: int


NO_HEIGHT = Height(0, 0, 0, 0)


@value
class Largest:
    """The largest of the samples of an ACK.

    ``delivered_bytes``: the most that was acknowledged while one of its packets was in flight; ``rtt_ns``: the smallest RTT. The rest is of the packet sent last.
    Without a sample ``is_valid`` is false, and nothing else counts.
    """

    is_valid: bool
    rate: int
    rtt_ns: int
    delivered_bytes: int
    acked_bytes: int
    in_flight_bytes: int
    app_limited: bool


NO_SAMPLE = Largest(False, 0, 0, 0, 0, 0, False)


@dataclass(slots=True)
class Quiche:
    """Totals, rates, and the present round. ``last_...``: as in :class:`Flight`. ``rate_bound`` and ``round_end_packet`` are ``None`` while there is none.

    ``flights``: those sent last, the oldest first; ``flight_goes_on``: nothing happened since the last one. ``limited_end_packet``: sent last when the application
    left a gap, which ends with the ACK of a later one; ``None`` for that of the beginning.

    ``latest_rate``, ``latest_bytes``: the largest of the round. ``lost_bytes``, ``loss_events``, ``delivered_bytes``: of the round; the last is the most that an ACK found delivered.

    ``epoch_start_ns``, ``epoch_bytes``: since when, and how much was acknowledged faster than expected; ``epoch_packet``: sent last when that began; ``None`` before.
    """

    sent_bytes: int = 0
    acked_bytes: int = 0
    last_sent_packet: int = 0
    last_sent_bytes: int = 0
    last_sent_ns: int = 0
    last_acked_ns: int = 0
    last_acked_packet: int = 0
    app_limited: bool = True
    limited_end_packet: int | None = None
    flight_goes_on: bool = False
    flights: list[Flight] = field(default_factory=list, compare=False, repr=False)
    round_end_packet: int | None = None
    max_rate: int = 0
    full_rate: int = 0
    latest_rate: int = 0
    latest_bytes: int = 0
    rate_bound: int | None = None
    lost_bytes: int = 0
    loss_events: int = 0
    delivered_bytes: int = 0
    pacing_rate: int = 0
    epoch_start_ns: int | None = None
    epoch_bytes: int = 0
    epoch_packet: int = 0
    first_height: Height = NO_HEIGHT
    second_height: Height = NO_HEIGHT
    third_height: Height = NO_HEIGHT

    def copy(self) -> "Quiche":
        """Return a copy that shares nothing that changes."""
        copy = copied(self)
        copy.flights = list(self.flights)
        return copy
