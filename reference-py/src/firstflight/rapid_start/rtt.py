"""Detection of a queue: the samples of min_rtt and rtt_floor, and their comparison (``spec/rapid-start/rules.md``).

Functions change the state in place.

Mirrors ``reference-c/firstflight/rapid_start/rtt.c``.
"""

from firstflight.events import Ack
from firstflight.rapid_start.profiles import QueueThreshold, Readings, RttFloor, TinyRtt
from firstflight.rapid_start.state import SLOTS, RapidStart, Stage, floor_ns

#: The rise of the RTT in both bounds, and the smallest RTT for Rapid Start in quicly, in ns.
RISE_NS = 4_000_000
TINY_NS = 4_000_000


def _move_slots(state: RapidStart, t_ns: int, min_rtt_ns: int) -> None:
    """Move the slots of RTT samples forward until the newest covers ``t_ns``, and drop the oldest.

    Each of the four slots is a time of a quarter of ``min_rtt_ns``, at least 1 ns, and stores the smallest RTT sample
    in it. New slots are empty, ``None``.
    """
    if t_ns < state.slot_end_ns:
        return
    width_ns = max(min_rtt_ns // SLOTS, 1)  # [rapid-start.floor.quarters]
    distance = (t_ns - state.slot_end_ns) // width_ns + 1
    state.slot_end_ns += distance * width_ns
    for slot in reversed(range(SLOTS)):
        state.slots_ns[slot] = state.slots_ns[slot - distance] if slot >= distance else None


def sample(readings: Readings, state: RapidStart, ack: Ack) -> None:
    """Record the RTTs of an ACK before the first loss or CE mark."""
    by_round = readings.rtt_floor is RttFloor.ROUND
    if ack.app_limited and readings.rtt_floor is RttFloor.QUARTERS_USED:
        return  # [rapid-start.floor.used]
    if by_round and ack.packets[-1].last >= state.round_end_packet:
        state.round_end_packet = ack.next_packet
        state.round_min_ns = None  # [rapid-start.floor.round]
    if ack.min_rtt_ns is not None:
        state.min_rtt_ns = ack.min_rtt_ns  # [rapid-start.min-rtt]
        if readings.tiny_rtt is TinyRtt.ORDINARY and ack.min_rtt_ns < TINY_NS:
            state.stage = Stage.OVER  # [rapid-start.tiny]
    latest_ns = ack.latest_rtt_ns
    if latest_ns is None:
        return
    if by_round:
        if state.round_min_ns is None or latest_ns < state.round_min_ns:
            state.round_min_ns = latest_ns
    elif state.min_rtt_ns is not None:
        _move_slots(state, ack.t_ns, state.min_rtt_ns)
        newest_ns = state.slots_ns[0]
        if newest_ns is None or latest_ns < newest_ns:
            state.slots_ns[0] = latest_ns


def no_queue(readings: Readings, state: RapidStart) -> bool:
    """Return whether no queue is building up: rtt_floor, the smallest recent RTT, is close to the minimum RTT.

    The rise above the minimum RTT is compared with bounds in integers, without rounding. Return false without samples.
    """
    smallest_ns = floor_ns(readings, state)
    if smallest_ns is None or state.min_rtt_ns is None:
        return False  # [rapid-start.floor.none]
    rise_ns = max(smallest_ns - state.min_rtt_ns, 0)
    if readings.queue_threshold is QueueThreshold.LARGER:
        return rise_ns <= RISE_NS or 32 * rise_ns <= 3 * state.min_rtt_ns  # [rapid-start.threshold.larger]
    return rise_ns <= RISE_NS and 10 * rise_ns <= state.min_rtt_ns  # [rapid-start.threshold]
