"""The state of BBR, with the names of the draft, and its constants (``spec/bbr/rules.md``).

Mirrors ``reference-c/firstflight/bbr/state.c``.
"""

from dataclasses import dataclass, field

from firstflight.bbr.rate import INFINITE, NONE_KEPT, ZERO, Kept, Rate
from firstflight.limits import WINDOW_MAX_BYTES
from firstflight.observables import Phase
from firstflight.values import copied, value

#: Parts of a gain of 1: 277/100, 1/2, and the 739/256, 710/256 and 88/256 of kernels are whole numbers of parts.
GAIN_UNIT = 64_000
#: ExtraAckedFilterLen, in rounds.
EXTRA_ACKED_ROUNDS = 10


@value
class Sample:
    """RS, the rate sample of an ACK. ``prior_delivered_bytes`` is ``None`` if the event lacks a sample."""

    rate: Rate
    delivered_bytes: int
    prior_delivered_bytes: int | None
    app_limited: bool
    in_flight_bytes: int
    lost_bytes: int


@dataclass(slots=True)
class Bbr:
    """State of BBR. Bounds, threshold and RTTs are ``None`` while they are infinite.

    The window, ``in_recovery`` and ``recovery_start_ns`` are in the base.

    ``delivered_bytes``, ``in_flight_bytes``, ``app_limited_bytes``: C.delivered, C.inflight, C.app_limited.

    ``newly_lost_bytes``: lost since the last ACK. ``conservation_due``: recovery began since the last ACK.

    ``extra_acked_rounds``: the largest sample of each of the last ten rounds, at the index round number mod 10. Linux
    uses only the items 0 and 1, each for several rounds. In BBR version 3, ``extra_acked_slot`` is the index of the
    current item, and ``extra_acked_age`` the number of rounds since it began.

    ``lost_ranges``, ``lost_acks``: lost ranges, and ACKs with losses, of this round. ``next_lost_packet``: number after
    the last loss. ``window_reached``: the window has reached BBR.max_inflight. ``timeout``: a timeout began recovery.
    ``recovery_delivered_bytes``: C.delivered at the beginning of recovery. ``undo_startup``: BBR.undo_state is Startup.
    ``has_rtt``: the pacing rate was computed from an RTT. ``next_send_ns``: ``None`` before the first sent packet.
    """

    initial_window_bytes: int
    pacing_gain: int
    cwnd_gain: int
    phase: Phase = Phase.STARTUP
    delivered_bytes: int = 0
    in_flight_bytes: int = 0
    app_limited_bytes: int = 0
    round_count: int = 0
    round_start: bool = False
    next_round_delivered_bytes: int = 0
    drain_start_round: int = 0
    max_bw: Rate = ZERO
    max_bw_kept: Kept = NONE_KEPT
    bw: Rate = ZERO
    bw_shortterm: Rate = INFINITE
    bw_latest: Rate = ZERO
    inflight_longterm_bytes: int | None = None
    inflight_shortterm_bytes: int | None = None
    inflight_latest_bytes: int = 0
    min_rtt_ns: int | None = None
    min_rtt_stamp_ns: int = 0
    probe_rtt_min_delay_ns: int | None = None
    probe_rtt_min_stamp_ns: int = 0
    bdp_bytes: int = 0
    max_inflight_bytes: int = 0
    extra_acked_bytes: int = 0
    extra_acked_interval_start_ns: int = 0
    extra_acked_delivered_bytes: int = 0
    extra_acked_rounds: list[int] = field(default_factory=lambda: [0] * EXTRA_ACKED_ROUNDS)
    extra_acked_age: int = 0
    extra_acked_slot: int = 0
    full_bw: Rate = ZERO
    full_bw_count: int = 0
    full_bw_now: bool = False
    full_bw_reached: bool = False
    is_loss_in_round: bool = False
    loss_round_start: bool = False
    loss_round_delivered_bytes: int = 0
    lost_ranges: int = 0
    next_lost_packet: int | None = None
    lost_acks: int = 0
    newly_lost_bytes: int = 0
    conservation_due: bool = False
    packet_conservation: bool = False
    timeout: bool = False
    recovery_delivered_bytes: int = 0
    prior_cwnd_bytes: int = 0
    undo_startup: bool = False
    undo_bw_shortterm: Rate = ZERO
    undo_inflight_shortterm_bytes: int | None = 0
    undo_inflight_longterm_bytes: int | None = 0
    ssthresh_bytes: int | None = None
    pacing_rate: int = 0
    has_rtt: bool = False
    send_quantum_bytes: int = 0
    window_reached: bool = False
    next_send_ns: int | None = None

    def copy(self) -> "Bbr":
        """Return a copy without shared mutable state."""
        copy = copied(self)
        copy.extra_acked_rounds = list(self.extra_acked_rounds)
        return copy


def saturate(volume_bytes: int) -> int:
    """Return a volume, or the largest window if it is larger."""
    return min(volume_bytes, WINDOW_MAX_BYTES)


def smaller_bound(bound_bytes: int | None, other_bytes: int | None) -> int | None:
    """Return the smaller of two upper bounds. ``None`` is an infinite bound."""
    if bound_bytes is None or other_bytes is None:
        return other_bytes if bound_bytes is None else bound_bytes
    return min(bound_bytes, other_bytes)


def larger_bound(bound_bytes: int | None, other_bytes: int | None) -> int | None:
    """Return the larger of two upper bounds. ``None`` is an infinite bound, so one ``None`` gives ``None``."""
    return None if bound_bytes is None or other_bytes is None else max(bound_bytes, other_bytes)
