"""The window of the thesis's simulator (ns-3): CUBIC with HyStart as it is there, and its JumpStart, which goes on in CUBIC's avoidance.

Windows grow in whole segments, only by ACKs that arrive while the last packet sent filled the window. As long as nothing is lost this
is what runs there, in integers; a loss reduces to 7/10 once per round trip, which is an approximation, and growth after it is
CUBIC's curve without its region below the last maximum.
"""

from firstflight.events import Ack, Event, Lost, PersistentCongestion, Sent
from firstflight_conformance.simulator.in_loop import Answer

NS = 1_000_000_000
MS = 1_000_000
#: Constants of the simulator: CntClamp, HyStartLowWindow in segments, HyStartMinSamples, HyStartAckDelta, HyStartDelayMin and Max.
COUNT_CLAMP = 20
LOW_WINDOW = 16
MIN_SAMPLES = 8
ACK_DELTA_NS = 2 * MS
DELAY_MIN_NS, DELAY_MAX_NS = 4 * MS, 1000 * MS
#: RTTs count again so long after growth in avoidance began (CubicDelta).
SETTLE_NS = 10 * MS
#: 15/8 windows of ACKs for one segment of the Reno-friendly window: 8 (1 + beta) / (3 (1 - beta)) in eighths, rounded down.
FRIENDLY_EIGHTHS = 15
#: JumpStart's window, and its threshold.
JUMP_BYTES = 65536


class ThesisWindow:
    """The window of ``cubic`` or ``jumpstart``. ``rtt_ns``, the smoothed RTT, comes with the ACKs."""

    def __init__(self, algorithm: str, segment_bytes: int, initial_window_bytes: int) -> None:
        """Begin before the first event."""
        self._segment_bytes = segment_bytes
        self._cwnd_bytes = initial_window_bytes
        self._ssthresh_bytes: int | None = None
        self._hystart = algorithm == "cubic"
        if algorithm == "jumpstart":
            self._cwnd_bytes = self._ssthresh_bytes = max(JUMP_BYTES, initial_window_bytes)
        self._window_full = False
        self._rest_bytes = 0
        self._delay_min_ns: int | None = None
        self._recovery_start_ns: int | None = None
        # HyStart: the round, its first ACKs and their RTT
        self._round_start_ns = self._last_ack_ns = 0
        self._round_end_packet = 0
        self._samples = 0
        self._round_rtt_ns: int | None = None
        # CUBIC's avoidance
        self._counted = 0
        self._epoch_ns: int | None = None
        self._origin = 0
        self._ack_count = self._friendly_window = 0
        self.reductions = 0
        self.samples_rate = False

    @property
    def initial_window_bytes(self) -> int:
        """The window before the first event."""
        return self._cwnd_bytes

    def on_event(self, event: Event) -> Answer:
        """Process an event."""
        if isinstance(event, Ack):
            self._on_ack(event)
        elif isinstance(event, Sent):
            self._window_full = self._cwnd_bytes < event.bytes_in_flight + self._segment_bytes
        elif isinstance(event, Lost):
            self._on_lost(event)
        elif isinstance(event, PersistentCongestion):
            self._cwnd_bytes = self._segment_bytes
        return Answer(self._cwnd_bytes, None, self._in_slow_start())

    def _in_slow_start(self) -> bool:
        return self._ssthresh_bytes is None or self._cwnd_bytes < self._ssthresh_bytes

    def _on_ack(self, ack: Ack) -> None:
        segments, self._rest_bytes = divmod(self._rest_bytes % self._segment_bytes + ack.bytes, self._segment_bytes)
        rtt_ns = ack.smoothed_rtt_ns or 0
        if self._epoch_ns is None or ack.t_ns - self._epoch_ns >= SETTLE_NS:
            if self._delay_min_ns is None or rtt_ns < self._delay_min_ns:
                self._delay_min_ns = rtt_ns
            self._look_for_exit(ack.t_ns, rtt_ns, self._delay_min_ns)
        old = self._recovery_start_ns is not None and ack.packets[-1].sent_t_ns <= self._recovery_start_ns
        if not self._window_full or old:
            return
        if self._in_slow_start():
            if self._hystart and ack.packets[-1].last >= self._round_end_packet:
                self._begin_round(ack)
            self._cwnd_bytes += segments * self._segment_bytes
        elif segments:
            self._counted += segments
            needed = self._needed(ack.t_ns, segments)
            if self._counted >= needed:
                self._counted -= needed
                self._cwnd_bytes += self._segment_bytes

    def _begin_round(self, ack: Ack) -> None:
        self._round_start_ns = self._last_ack_ns = ack.t_ns
        self._round_end_packet = ack.next_packet
        self._samples = 0
        self._round_rtt_ns = None

    def _look_for_exit(self, now_ns: int, rtt_ns: int, delay_min_ns: int) -> None:
        """HyStart: leave slow start after a train of ACKs as long as the RTT, or when the RTT of a round has doubled."""
        small = self._cwnd_bytes < LOW_WINDOW * self._segment_bytes
        if not self._hystart or small or not self._in_slow_start():
            return
        found = False
        if now_ns - self._last_ack_ns <= ACK_DELTA_NS:
            self._last_ack_ns = now_ns
            found = now_ns - self._round_start_ns > delay_min_ns
        if self._samples < MIN_SAMPLES:
            self._round_rtt_ns = rtt_ns if self._round_rtt_ns is None else min(self._round_rtt_ns, rtt_ns)
            self._samples += 1
        elif (self._round_rtt_ns or 0) > delay_min_ns + min(max(delay_min_ns, DELAY_MIN_NS), DELAY_MAX_NS):
            found = True
        if found:
            self._ssthresh_bytes = self._cwnd_bytes

    def _needed(self, now_ns: int, segments: int) -> int:
        """Return how many acknowledged segments grow the window by one."""
        window = self._cwnd_bytes // self._segment_bytes
        self._ack_count += segments
        if self._epoch_ns is None:
            self._epoch_ns, self._origin = now_ns, window
            self._ack_count, self._friendly_window = segments, window
        t_ns = now_ns + (self._delay_min_ns or 0) - self._epoch_ns
        target = self._origin + 4 * t_ns**3 // (10 * NS**3)
        needed = window // (target - window) if target > window else 100 * window
        needed = min(needed, COUNT_CLAMP)
        share = window * FRIENDLY_EIGHTHS // 8
        while self._ack_count > share:
            self._ack_count -= share
            self._friendly_window += 1
        if self._friendly_window > window:
            needed = min(needed, window // (self._friendly_window - window))
        return max(needed, 2)

    def _on_lost(self, lost: Lost) -> None:
        latest_ns = max(run.sent_t_ns for run in lost.packets)
        if self._recovery_start_ns is not None and latest_ns <= self._recovery_start_ns:
            return
        window = self._cwnd_bytes // self._segment_bytes
        self._cwnd_bytes = self._ssthresh_bytes = max(window * 7 // 10, 2) * self._segment_bytes
        self._recovery_start_ns = lost.t_ns
        self._epoch_ns = None
        self.reductions += 1
