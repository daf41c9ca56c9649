"""The state of BBR in quinn-proto (``spec/bbr/rules.md``, section quinn).

Mirrors ``reference-c/firstflight/bbr/quinn_state.h``.
"""

from dataclasses import dataclass

from firstflight.bbr.rate import NONE_KEPT, Kept
from firstflight.observables import Phase
from firstflight.values import copied

#: TransportConfig::initial_rtt, with which the smallest RTT of a connection begins.
INITIAL_RTT_NS = 333 * 10**6


@dataclass(slots=True)
class Quinn:
    """State of BBR in quinn-proto. Rates are whole bytes per second. ``cwnd_bytes`` is the window without ProbeRTT and recovery.

    ``sent_bytes``, ``sent_ns``: of the last transmission; ``prev_sent_ns``: of the one before. ``acked_bytes``: in all, ``acked_ns``: last.
    ``path_min_rtt_ns``: the smallest RTT that the connection knows; ``min_rtt_ns``: that of BBR, 0 before there is one.
    ``aggregation_epoch_bytes``: acknowledged since ``aggregation_epoch_start_ns``. ``max_ack_height``: the three samples that are kept.
    ``extra_acked_bytes``: what the last window has of them. ``lost_bytes``: since the last ACK. Times are ``None`` before there is one.
    """

    initial_window_bytes: int
    cwnd_bytes: int
    phase: Phase = Phase.STARTUP
    app_limited: bool = False
    sent_bytes: int = 0
    sent_ns: int | None = None
    prev_sent_ns: int | None = None
    acked_bytes: int = 0
    acked_ns: int | None = None
    bw: int = 0
    path_min_rtt_ns: int = INITIAL_RTT_NS
    min_rtt_ns: int = 0
    max_sent_packet: int = 0
    max_acked_packet: int = 0
    round_end_packet: int = 0
    round_count: int = 0
    bw_at_last_round: int = 0
    round_wo_bw_gain: int = 0
    is_at_full_bandwidth: bool = False
    aggregation_epoch_start_ns: int | None = None
    aggregation_epoch_bytes: int = 0
    max_ack_height: Kept = NONE_KEPT
    extra_acked_bytes: int = 0
    max_inflight_bytes: int = 0
    lost_bytes: int = 0
    in_recovery: bool = False
    conservation: bool = False
    recovery_window_bytes: int = 0
    end_recovery_packet: int = 0
    probe_rtt_last_started_ns: int | None = None
    exit_probe_rtt_ns: int | None = None
    pacing_rate: int = 0

    def copy(self) -> "Quinn":
        """Return a copy that shares nothing that changes."""
        return copied(self)
