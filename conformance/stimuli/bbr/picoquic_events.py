"""What random events for BBR of picoquic have beside those of the others: times of sending near what its filters of the RTT look at."""

from dataclasses import replace

from firstflight.bbr.state import Bbr
from firstflight.events import Ack
from firstflight.limits import TIME_MAX_NS
from stimuli.streams import AckStream

US, MS = 10**3, 10**6
#: Of 32 RTTs those after these are long, mostly.
QUIET = 8


def timed(stream: AckStream, ack: Ack, state: Bbr) -> Ack:
    """Return the ACK of packets that were sent about an RTT ago, mostly, and with a delay now and then."""
    least_ns = state.min_rtt_ns or 40 * MS
    long_ns = least_ns + 128 * US + least_ns // 4
    near = (least_ns, least_ns, least_ns, least_ns + US, least_ns - US, least_ns + least_ns // 2000)
    rtt_ns = stream.pick((*near, long_ns, long_ns + US, 2 * long_ns, 2 * long_ns, 128 * US, 300 * MS, 500, 0))
    if state.picoquic.rtt_count % 32 > QUIET and stream.pick((True,) * 40 + (False,)):
        rtt_ns = 2 * long_ns
    sent_ns = min(max(ack.t_ns - max(rtt_ns, 0), 1), ack.t_ns)
    runs = tuple(replace(run, sent_t_ns=sent_ns) for run in ack.packets)
    delay_ns = stream.pick((0, 0, 0, 999, US, 25 * MS, least_ns, TIME_MAX_NS))
    return replace(ack, packets=runs, ack_delay_ns=delay_ns)
