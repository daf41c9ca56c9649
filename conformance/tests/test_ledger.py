"""The ledger compared with a dictionary of packets, and the RTT estimator compared with RFC 9002."""

from copy import deepcopy
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstflight import Run
from firstflight.events import Ce, Sent
from firstflight_conformance.format import ledger as ledger_module
from firstflight_conformance.format.ledger import DataLedger, Ledger, LedgerError, RttEstimator
from firstflight_conformance.format.stream import StreamError, check_stream


def filled() -> Ledger:
    """Return a ledger with packets 0..9 of 1200 bytes and 10..11 of 600 bytes."""
    ledger = Ledger()
    ledger.send(Run(0, 9, 1200, 5))
    ledger.send(Run(10, 11, 600, 7))
    return ledger


draws = st.lists(st.tuples(st.booleans(), st.integers(1, 9), st.integers(0, 70), st.integers(0, 9)), max_size=40)


@given(draws)
def test_ledger_contains_the_same_packets_as_a_dictionary(operations: list[tuple[bool, int, int, int]]) -> None:
    """After any operations the ledger contains the same packets as a dictionary, in rising runs."""
    ledger = Ledger()
    packets: dict[int, tuple[int, int]] = {}
    for now, (sends, count, first, more) in enumerate(operations, 1):
        if sends:
            run = Run(ledger.next_packet, ledger.next_packet + count - 1, 100 * count, now)
            ledger.send(run)
            packets |= dict.fromkeys(range(run.first, run.last + 1), (100 * count, now))
        elif all(packet in packets for packet in range(first, first + more + 1)):
            runs = ledger.take(first, first + more)
            removed = {n: (run.size_bytes, run.sent_t_ns) for run in runs for n in range(run.first, run.last + 1)}
            assert removed == {packet: packets.pop(packet) for packet in range(first, first + more + 1)}
        else:
            with pytest.raises(LedgerError, match=r"never sent|not in flight"):
                deepcopy(ledger).take(first, first + more)
            in_flight = [packet for packet in range(first, first + more + 1) if packet in packets]
            runs = [run for packet in in_flight for run in ledger.take(packet, packet)]
            removed = {n: (run.size_bytes, run.sent_t_ns) for run in runs for n in range(run.first, run.last + 1)}
            assert removed == {packet: packets.pop(packet) for packet in in_flight}
        held = {n: (run.size_bytes, run.sent_t_ns) for run in ledger.in_flight for n in range(run.first, run.last + 1)}
        assert held == packets
        assert list(held) == sorted(held)
        assert ledger.bytes_in_flight == sum(size for size, _ in packets.values())
        assert all((ledger.find(packet) is None) == (packet not in packets) for packet in range(80))


def test_taking_from_the_middle_splits_a_run() -> None:
    """A run without its middle becomes two runs."""
    ledger = filled()
    assert ledger.take(3, 4) == [Run(3, 4, 1200, 5)]
    assert ledger.in_flight == [Run(0, 2, 1200, 5), Run(5, 9, 1200, 5), Run(10, 11, 600, 7)]
    assert ledger.bytes_in_flight == 8 * 1200 + 2 * 600


def test_find_returns_the_run_of_a_packet() -> None:
    """``find`` returns the run of a packet at any place in the run."""
    ledger = filled()
    assert [ledger.find(packet) for packet in (0, 9, 10, 11, 12)] == [
        Run(0, 9, 1200, 5), Run(0, 9, 1200, 5), Run(10, 11, 600, 7), Run(10, 11, 600, 7), None
    ]  # fmt: skip


def test_range_over_two_runs_is_taken_as_two_runs() -> None:
    """A range over two runs is returned as two runs."""
    assert filled().take(8, 10) == [Run(8, 9, 1200, 5), Run(10, 10, 600, 7)]


@pytest.mark.parametrize(
    ("first", "last", "reason"),
    [(12, 12, "packet 12 was never sent"), (11, 13, "packet 12 was never sent"), (2, 4, "packet 3 is not in flight")],
)
def test_take_of_packet_not_in_flight_is_refused(first: int, last: int, reason: str) -> None:
    """A packet that is not in flight cannot be taken; the message contains the reason."""
    ledger = filled()
    ledger.take(3, 3)
    with pytest.raises(LedgerError, match=reason):
        ledger.take(first, last)


@pytest.mark.parametrize("run", [Run(13, 13, 1, 1), Run(11, 12, 1, 1), Run(12, 11, 1, 1)])
def test_send_of_unexpected_packet_number_is_refused(run: Run) -> None:
    """A packet number other than the next one is refused."""
    with pytest.raises(LedgerError, match="the next packet number is 12"):
        filled().send(run)


def test_first_sample_sets_all_rtts() -> None:
    """The first sample sets all three RTTs, regardless of its delay (RFC 9002, section 5.2 and 5.3)."""
    rtt = RttEstimator()
    rtt.sample(100, 40)
    assert (rtt.latest_ns, rtt.min_ns, rtt.smoothed_ns) == (100, 100, 100)


@pytest.mark.parametrize(
    ("latest", "delay", "adjusted"),
    # The delay is subtracted unless the sample would come below the minimum of 100.
    [(180, 60, 120), (160, 60, 100), (159, 60, 159), (100, 0, 100), (60, 0, 60), (60, 40, 60)],
)
def test_smoothed_rtt_of_later_samples(latest: int, delay: int, adjusted: int) -> None:
    """The smoothed RTT is seven eighths of the old one plus one eighth of the adjusted sample."""
    rtt = RttEstimator()
    rtt.sample(100, 0)
    rtt.sample(latest, delay)
    assert rtt.smoothed_ns == (700 + adjusted) // 8
    assert (rtt.latest_ns, rtt.min_ns) == (latest, min(100, latest))


def test_rtt_variation() -> None:
    """The variation begins at half the sample; a quarter is then the distance to the smoothed RTT (section 5.3)."""
    rtt = RttEstimator()
    rtt.sample(100, 0)
    assert rtt.variation_ns == 50
    rtt.sample(200, 0)
    assert (rtt.variation_ns, rtt.smoothed_ns) == ((3 * 50 + 100) // 4, 112)


def test_retransmitted_data_is_open_until_acknowledged() -> None:
    """Data is open until one of its packets is acknowledged; the number of its first packet identifies it."""
    data = DataLedger()
    data.send(0, 3, ())
    data.send(4, 6, ((1, 2),))  # 4 and 5 repeat 1 and 2, 6 is new
    assert data.open_data == {0, 1, 2, 3, 6}
    data.acknowledge(0, 0)
    data.acknowledge(4, 4)
    assert data.oldest_unacked(7) == 2
    data.acknowledge(2, 3)
    assert data.oldest_unacked(7) == 6
    data.acknowledge(5, 6)
    assert data.oldest_unacked(7) == 7


def test_packets_with_only_ack_frames() -> None:
    """A packet with only ACK frames carries no open data, repeats none and cannot be repeated."""
    data = DataLedger()
    data.send(0, 0, ())
    data.send(1, 2, (), not_in_flight=True)
    data.send(3, 3, ())
    assert data.open_data == {0, 3}
    data.acknowledge(0, 0)
    assert data.oldest_unacked(4) == 3
    data.acknowledge(3, 3)
    assert data.oldest_unacked(4) == 4
    with pytest.raises(LedgerError, match="packet 2 carries no data"):
        data.send(4, 4, ((2, 2),))
    with pytest.raises(LedgerError, match=r"packets 4\.\.4: packets that are not in flight carry no data"):
        data.send(4, 4, ((0, 0),), not_in_flight=True)


@pytest.mark.parametrize(
    ("again", "reason"),
    [(((0, 2),), "3 packets are repeated by 2"), (((4, 4),), "was not sent before"), (((2, 2),), "name that one")],
)
def test_invalid_retransmission_is_refused(again: tuple[tuple[int, int], ...], reason: str) -> None:
    """Repeating more packets than are sent, unsent packets, or packets that repeat data is refused."""
    data = DataLedger()
    data.send(0, 1, ())
    data.send(2, 3, ((0, 0),))
    with pytest.raises(LedgerError, match=reason):
        data.send(4, 5, again)


@given(st.lists(st.tuples(st.integers(0, 2**59), st.integers(0, 2**40)), min_size=1, max_size=20))
def test_estimator_stays_near_exact_values(samples: list[tuple[int, int]]) -> None:
    """The minimum is the smallest sample, and the smoothed RTT is at most a rounding below the exact value."""
    rtt = RttEstimator()
    exact: Fraction | None = None
    for latest, delay in samples:
        least = latest if rtt.min_ns is None else min(rtt.min_ns, latest)
        adjusted = latest - delay if latest - delay >= least else latest
        exact = Fraction(latest) if exact is None else (7 * exact + adjusted) / 8
        rtt.sample(latest, delay)
        assert rtt.smoothed_ns is not None
        assert exact - 8 < rtt.smoothed_ns <= exact
    assert rtt.min_ns == min(latest for latest, _ in samples)
    assert rtt.latest_ns == samples[-1][0]


def test_long_ledger_frees_entries_at_the_front(monkeypatch: pytest.MonkeyPatch) -> None:
    """A long ledger frees entries at the front of its list, and keeps all packets in flight."""
    monkeypatch.setattr(ledger_module, "_SPARE_RUNS", 4)
    ledger = Ledger()
    for packet in range(100):
        ledger.send(Run(packet, packet, 1000, packet + 1))
        if packet >= 10:
            assert ledger.take(packet - 10, packet - 10)[0].sent_t_ns == packet - 9
    assert [run.first for run in ledger.in_flight] == list(range(90, 100))
    assert len(ledger._runs) <= 25


def test_ecn_mark_has_the_sending_time_of_its_packet() -> None:
    """An ECN-CE mark contains the sending time of its packet, also after the packet has left flight."""
    sent = [Sent(5, (Run(0, 3, 1200, 5),), 4800, 4800, False), Sent(7, (Run(4, 4, 1200, 7),), 1200, 6000, False)]
    config = {"max_datagram_size_bytes": 1200}
    check_stream([*sent, Ce(9, 3, 5, 1), Ce(9, 4, 7, 2)], config)
    with pytest.raises(StreamError, match=r"events\[2\]\.sent_t_ns: is 7, but the events give 5"):
        check_stream([*sent, Ce(9, 3, 7, 1)], config)


def test_falling_ranges_are_refused() -> None:
    """A falling range is refused and leaves the packets in flight unchanged."""
    ledger = filled()
    with pytest.raises(LedgerError, match=r"packets 5\.\.4: expected a rising range"):
        ledger.take(5, 4)
    assert ledger.bytes_in_flight == 10 * 1200 + 2 * 600
