"""What quiche works out of the packets that it is told of: rates, and how much is acknowledged at once (``spec/bbr/rules.md``).

Mirrors ``reference-c/firstflight/bbr/quiche_sampler.c``.
"""

from dataclasses import replace

from firstflight.bbr.quiche_state import NO_HEIGHT, NO_SAMPLE, Flight, Height, Largest, Quiche
from firstflight.bbr.rate import over
from firstflight.bbr.state import saturate
from firstflight.events import Ack, Run, Sent

#: The time of a byte at one bit a second.
BYTE_NS = 8 * 10**9
#: Rates end where binary64 has no fractions.
RATE_MAX = 2**53 - 1
#: The flights that are remembered.
FLIGHTS_MAX = 256
#: The window of the heights, in rounds.
HEIGHT_ROUNDS = 10


def rate_of(volume_bytes: int, time_ns: int) -> int:
    """Return the rate of a volume in a time."""
    if volume_bytes == 0:
        return 0
    return min(max(over(volume_bytes, BYTE_NS, max(time_ns, 1)), 1), RATE_MAX)  # [bbr.quiche.rate]


def delivers_bytes(rate: int, time_ns: int) -> int:
    """Return what a rate delivers in a time."""
    return over(rate, time_ns, BYTE_NS)


def _note(quiche: Quiche, run: Run, in_flight_bytes: int) -> None:
    """Note a run, unless it goes on with the flight that was noted last."""
    goes_on = quiche.flight_goes_on and run.first == quiche.last_sent_packet + 1
    if goes_on and run.size_bytes == quiche.flights[-1].size_bytes:
        return
    if len(quiche.flights) == FLIGHTS_MAX:
        del quiche.flights[0]
    noted = Flight(
        run.first, run.size_bytes, quiche.sent_bytes, in_flight_bytes, quiche.acked_bytes,
        quiche.last_sent_bytes, quiche.last_sent_ns, quiche.last_acked_ns, quiche.app_limited,
    )  # fmt: skip
    quiche.flights.append(noted)
    quiche.flight_goes_on = True


def note_sent(quiche: Quiche, sent: Sent, cwnd_bytes: int) -> None:
    """Note of packets that are sent what was sent and acknowledged before."""
    in_flight_bytes = saturate(max(sent.bytes_in_flight - sent.bytes, 0))
    if in_flight_bytes == 0:
        quiche.last_sent_bytes = saturate(quiche.sent_bytes + sent.packets[0].size_bytes)
        quiche.last_sent_ns = quiche.last_acked_ns = sent.t_ns  # [bbr.quiche.idle]
        quiche.flight_goes_on = False
    for run in sent.packets:
        _note(quiche, run, in_flight_bytes)
        in_flight_bytes = saturate(in_flight_bytes + run.count * run.size_bytes)
        quiche.sent_bytes = saturate(quiche.sent_bytes + run.count * run.size_bytes)
        quiche.last_sent_packet = run.last
    if sent.app_limited and sent.bytes_in_flight < cwnd_bytes:
        quiche.app_limited = True  # [bbr.quiche.app-limited]
        quiche.limited_end_packet = quiche.last_sent_packet
        quiche.flight_goes_on = False


def _flight_of(quiche: Quiche, packet: int) -> Flight | None:
    """Return what was noted of a packet, ``None`` where that was forgotten."""
    low, high = 0, len(quiche.flights)
    while low < high:  # the flights before low begin no later than with the packet, those from high on do
        middle = (low + high) // 2
        if quiche.flights[middle].first_packet <= packet:
            low = middle + 1
        else:
            high = middle
    return quiche.flights[low - 1] if low > 0 else None


def _rate_sample(quiche: Quiche, flight: Flight, run: Run, now_ns: int) -> int:
    """Return the rate of the last packet of a run: the smaller of those at which data was sent and acknowledged."""
    rate = rate_of(max(quiche.acked_bytes - flight.acked_bytes, 0), now_ns - flight.last_acked_ns)
    if run.sent_t_ns > flight.last_sent_ns:
        sent_bytes = max(quiche.last_sent_bytes - flight.last_sent_bytes, 0)
        rate = min(rate, rate_of(sent_bytes, run.sent_t_ns - flight.last_sent_ns))  # [bbr.quiche.sample.packet]
    return rate


def _acknowledge_run(quiche: Quiche, flight: Flight, run: Run, now_ns: int) -> None:
    """Take a run into what was acknowledged. Its last packet has the largest sample of it."""
    quiche.acked_bytes = saturate(quiche.acked_bytes + run.count * run.size_bytes)
    sent_bytes = saturate((run.last - flight.first_packet + 1) * flight.size_bytes)
    quiche.last_sent_bytes = saturate(flight.sent_bytes + sent_bytes)
    quiche.last_sent_ns, quiche.last_acked_ns = run.sent_t_ns, now_ns
    if quiche.limited_end_packet is None or run.last > quiche.limited_end_packet:
        quiche.app_limited = False  # [bbr.quiche.app-limited.ends]


def acknowledge(quiche: Quiche, ack: Ack) -> Largest:
    """Return the largest of the samples of the packets of an ACK."""
    largest = NO_SAMPLE
    quiche.flight_goes_on = False
    for run in ack.packets:
        quiche.last_acked_packet = run.last
        flight = _flight_of(quiche, run.last)
        if flight is None:
            continue
        _acknowledge_run(quiche, flight, run, ack.t_ns)
        if ack.t_ns <= flight.last_acked_ns:
            continue  # [bbr.quiche.sample.at-once]
        rtt_ns = ack.t_ns - run.sent_t_ns
        sent_bytes = saturate((run.last - flight.first_packet + 1) * flight.size_bytes)
        delivered_bytes = max(quiche.acked_bytes - flight.acked_bytes, 0)
        largest = Largest(
            True,
            max(largest.rate, _rate_sample(quiche, flight, run, ack.t_ns)),  # [bbr.quiche.sample]
            min(largest.rtt_ns, rtt_ns) if largest.is_valid else rtt_ns,
            max(largest.delivered_bytes, delivered_bytes),
            flight.acked_bytes,
            saturate(flight.in_flight_bytes + sent_bytes),
            flight.app_limited,
        )
    return largest


def _exceeds(height: Height, other: Height) -> bool:
    """Return whether a height is larger than another; of equal ones that of which more was acknowledged, then that of the longer time."""
    return (height.extra_bytes, height.acked_bytes, height.time_ns) > (
        other.extra_bytes, other.acked_bytes, other.time_ns,
    )  # fmt: skip


def _is_same(height: Height, other: Height) -> bool:
    return not _exceeds(height, other) and not _exceeds(other, height)


def _take_height(quiche: Quiche, now: Height) -> None:
    """Take a height into the largest of ten rounds, by three that are kept: the largest, and later ones that may follow it."""
    first, second, third = quiche.first_height, quiche.second_height, quiche.third_height
    if _exceeds(now, first) or now.round_count - third.round_count > HEIGHT_ROUNDS:
        quiche.first_height = quiche.second_height = quiche.third_height = now  # [bbr.quiche.height.anew]
        return
    if _exceeds(now, second):
        second = third = now  # [bbr.quiche.height.second]
    elif _exceeds(now, third):
        third = now
    if now.round_count - first.round_count > HEIGHT_ROUNDS:
        first, second, third = second, third, now  # [bbr.quiche.height.ten]
        if now.round_count - first.round_count > HEIGHT_ROUNDS:
            first, second = second, third
    elif _is_same(second, first) and now.round_count - second.round_count > HEIGHT_ROUNDS // 4:
        second = third = now  # [bbr.quiche.height.quarter]
    elif _is_same(third, second) and now.round_count - third.round_count > HEIGHT_ROUNDS // 2:
        third = now  # [bbr.quiche.height.half]
    quiche.first_height, quiche.second_height, quiche.third_height = first, second, third


def _reduce_heights(quiche: Quiche, rate: int) -> None:
    """Work the heights out anew with a rate. They lose their rounds."""
    heights = quiche.first_height, quiche.second_height, quiche.third_height
    quiche.first_height = quiche.second_height = quiche.third_height = NO_HEIGHT
    for height in heights:
        expected_bytes = delivers_bytes(rate, height.time_ns)
        if expected_bytes < height.acked_bytes:
            extra_bytes = height.acked_bytes - expected_bytes
            _take_height(quiche, replace(height, extra_bytes=extra_bytes, round_count=0))  # [bbr.quiche.height.rate]


def update_height(quiche: Quiche, rate: int, round_count: int, acked_bytes: int, *, grown: bool) -> None:
    """Take what an ACK acknowledged into the epoch, and see whether it is more than the rate delivers. ``grown``: the rate is a new largest one."""
    if acked_bytes == 0:
        return
    if grown:
        _reduce_heights(quiche, rate)
    start_ns = quiche.epoch_start_ns
    if start_ns is not None and quiche.last_acked_packet <= quiche.epoch_packet:  # [bbr.quiche.height.round]
        time_ns = quiche.last_acked_ns - start_ns
        expected_bytes = delivers_bytes(rate, time_ns)
        if quiche.epoch_bytes > expected_bytes:
            quiche.epoch_bytes = saturate(quiche.epoch_bytes + acked_bytes)
            extra_bytes = quiche.epoch_bytes - expected_bytes  # [bbr.quiche.height]
            _take_height(quiche, Height(extra_bytes, quiche.epoch_bytes, time_ns, round_count))
            return
    quiche.epoch_start_ns, quiche.epoch_bytes = quiche.last_acked_ns, acked_bytes  # [bbr.quiche.height.epoch]
    quiche.epoch_packet = quiche.last_sent_packet
