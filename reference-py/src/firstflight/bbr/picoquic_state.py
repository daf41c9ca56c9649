"""What BBR of picoquic knows beside the state of the draft (``spec/bbr/rules.md``). Times are whole microseconds, counted in ns.

Mirrors ``reference-c/firstflight/bbr/picoquic_state.h``.
"""

from dataclasses import dataclass, field

from firstflight.values import copied

#: BBRRTTJitterBufferLen.
JITTER_RTTS = 7


@dataclass(slots=True)
class Picoquic:
    """State that only picoquic has.

    ``estimate_bytes_per_s``: the last rate of the path, of a packet that was sent at ``estimate_sent_ns``. ``path_rtt_ns``: the smallest RTT of the path, ``None`` before one, as ``shortest_ns`` and ``longest_ns``.
    ``rtts_ns``: the last RTTs, ``rtt_count`` were taken so far, the last one at ``rtt_stamp_ns``; ``shortest_ns`` and ``longest_ns`` are of them. ``rtt_excess``: ACKs in a row, nearly, whose RTTs were too long.
    ``highest_packet``: the last one that was acknowledged; ``round_end_packet`` ends the round, ``recovery_end_packet`` recovery. ``limited_bytes``: what is delivered where the gap of the
    application is over, 0 for none. ``sent_ns``: when a packet was sent last, ``None`` before. ``lost_since_ack``, ``lost_bytes``, ``lost_ranges``: since the last ACK. ``too_high_in_round``: too much was lost at an ACK of this round.
    """

    estimate_bytes_per_s: int = 0
    estimate_sent_ns: int = 0
    path_rtt_ns: int | None = None
    rtts_ns: list[int] = field(default_factory=lambda: [0] * JITTER_RTTS)
    rtt_count: int = 0
    rtt_stamp_ns: int = 0
    shortest_ns: int | None = None
    longest_ns: int | None = None
    rtt_excess: int = 0
    highest_packet: int = 0
    round_end_packet: int = 0
    recovery_end_packet: int = 0
    limited_bytes: int = 0
    sent_ns: int | None = None
    lost_since_ack: bool = False
    lost_ranges: int = 0
    too_high_in_round: bool = False

    def copy(self) -> "Picoquic":
        """Return a copy that shares nothing that changes."""
        copy = copied(self)
        copy.rtts_ns = list(self.rtts_ns)
        return copy


#: What the other profiles have, which nothing changes.
UNUSED = Picoquic()
