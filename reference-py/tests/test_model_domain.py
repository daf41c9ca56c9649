"""The domain of the model, its initial values, and its public names."""

import copy
from dataclasses import FrozenInstanceError, fields, replace

import pytest
from mypy import api as mypy_api

import firstflight
from firstflight import (
    Ack,
    Ce,
    Config,
    Controller,
    DomainError,
    Event,
    Lost,
    Outcome,
    PersistentCongestion,
    Pto,
    Run,
    Sent,
    advance,
    create,
    profiles,
    step,
)
from firstflight.controller import create_with
from firstflight.limits import (
    BIN_MAX_BYTES,
    DATAGRAM_MAX_BYTES,
    EVENT_MAX_BYTES,
    NUMBER_MAX,
    PACKET_MAX,
    RUN_MAX_PACKETS,
    TIME_MAX_NS,
    WINDOW_MAX_BYTES,
)
from firstflight.search.bins import SHIFT_MAXIMUM_BINS, Series
from firstflight.search.profiles import PROFILES as SEARCH_READINGS
from model_streams import PROFILES, SEARCH_PROFILES, S, run_ack

RUN = Run(0, 9, 1200, S)
SENT = Sent(S, (RUN,), 12000, 12000, False)
ACK = Ack(2 * S, (RUN,), 12000, 0, 10, False, S, S, S, 0)
LOST = Lost(2 * S, (RUN,), 12000, 0, 10)
CE = Ce(2 * S, 9, S, 1)
every_profile = pytest.mark.parametrize(("algorithm", "profile"), PROFILES)


def with_run(event: Ack | Lost | Sent, **changes: int) -> Event:
    """Return the event with a changed run."""
    run = replace(RUN, **changes)
    return replace(event, packets=(run,), bytes=run.count * run.size_bytes)


BAD: dict[str, tuple[Event, str]] = {
    "time 0": (Pto(0), "t_ns: 0 is not within"),
    "time too large": (PersistentCongestion(TIME_MAX_NS + 1), "t_ns"),
    "negative time": (Pto(-1), "t_ns"),
    "no runs": (replace(ACK, packets=()), "at least one run"),
    "no runs sent": (replace(SENT, packets=()), "at least one run"),
    "no runs lost": (replace(LOST, packets=()), "at least one run"),
    "wrong sum": (replace(ACK, bytes=11999), "bytes: is not the sum"),
    "wrong sum sent": (replace(SENT, bytes=12001), "bytes: is not the sum"),
    "wrong sum lost": (replace(LOST, bytes=1200), "bytes: is not the sum"),
    "no bytes": (replace(ACK, bytes=0), "bytes: 0 is not within"),
    "too many bytes": (replace(ACK, bytes=EVENT_MAX_BYTES + 1), "bytes: "),
    "empty run": (with_run(ACK, first=10, size_bytes=1200), "bytes: 0|run: packets"),
    "backward run": (replace(ACK, packets=(RUN, replace(RUN, first=12, last=10)), bytes=10800), "run: packets: -1"),
    "long run": (with_run(ACK, last=RUN_MAX_PACKETS), "run: packets: 65536"),
    "empty packets": (replace(ACK, packets=(RUN, Run(10, 19, 0, S))), "run: size_bytes: 0"),
    "large packets": (with_run(LOST, size_bytes=DATAGRAM_MAX_BYTES + 1), "run: size_bytes: 65536"),
    "sent at 0": (with_run(LOST, sent_t_ns=0), "run: sent_t_ns: 0"),
    "acknowledged before it was sent": (with_run(ACK, sent_t_ns=2 * S + 1), "run: sent_t_ns"),
    "latest RTT": (replace(ACK, latest_rtt_ns=TIME_MAX_NS + 1), "latest_rtt_ns"),
    "minimum RTT": (replace(ACK, min_rtt_ns=-1), "min_rtt_ns"),
    "smoothed RTT": (replace(ACK, smoothed_rtt_ns=TIME_MAX_NS + 1), "smoothed_rtt_ns"),
    "mark of 0": (replace(CE, sent_t_ns=0), "sent_t_ns"),
    "runs that fall": (
        replace(ACK, packets=(Run(2, 3, 1200, S), Run(0, 1, 1200, S)), bytes=4800),
        "run: first: 0 is not above",
    ),
    "runs that overlap": (replace(LOST, packets=(Run(0, 1, 1200, S), Run(1, 2, 1200, S)), bytes=4800), "run: first: 1"),
    "runs that overlap sent": (replace(SENT, packets=(RUN, RUN), bytes=24000), "run: first: 0 is not above"),
    "negative packet": (with_run(ACK, first=-1), "run: first: -1"),
    "next packet": (replace(ACK, next_packet=PACKET_MAX + 2), "next_packet: "),
    "no next packet": (replace(ACK, next_packet=2**64 - 1), "next_packet: "),
    "next packet lost": (replace(LOST, next_packet=PACKET_MAX + 2), "next_packet: "),
    "negative next packet": (replace(LOST, next_packet=-1), "next_packet: -1"),
    "flight": (replace(ACK, bytes_in_flight=NUMBER_MAX + 1), "bytes_in_flight: "),
    "flight sent": (replace(SENT, bytes_in_flight=-1), "bytes_in_flight: -1"),
    "flight lost": (replace(LOST, bytes_in_flight=NUMBER_MAX + 1), "bytes_in_flight: "),
    "delay": (replace(ACK, ack_delay_ns=NUMBER_MAX + 1), "ack_delay_ns: "),
    "count of marks": (replace(CE, ce_count=NUMBER_MAX + 1), "ce_count: "),
    "mark of the future": (replace(CE, sent_t_ns=2 * S + 1), "sent_t_ns"),
}
EDGE: dict[str, Event] = {
    "first time": Pto(1),
    "last time": Pto(TIME_MAX_NS),
    "longest run": with_run(ACK, last=RUN_MAX_PACKETS - 1),
    "largest packets": with_run(ACK, size_bytes=DATAGRAM_MAX_BYTES),
    "smallest packets": with_run(ACK, size_bytes=1),
    "sent now": with_run(ACK, sent_t_ns=2 * S),
    "largest RTTs": replace(ACK, latest_rtt_ns=TIME_MAX_NS, min_rtt_ns=TIME_MAX_NS, smoothed_rtt_ns=TIME_MAX_NS),
    "RTT 0": replace(ACK, latest_rtt_ns=0),
    "no RTT": replace(ACK, latest_rtt_ns=None, min_rtt_ns=None, smoothed_rtt_ns=None),
    "last next packet": replace(ACK, next_packet=PACKET_MAX + 1),
    "largest flight and delay": replace(ACK, bytes_in_flight=NUMBER_MAX, ack_delay_ns=NUMBER_MAX),
    "mark of now": replace(CE, sent_t_ns=2 * S),
}


@every_profile
@pytest.mark.parametrize("name", BAD)
def test_event_outside_the_domain_is_refused(algorithm: str, profile: str, name: str) -> None:
    """An event outside the domain is refused with its reason, and the controller does not change."""
    event, reason = BAD[name]
    controller = create(algorithm, profile, Config(1200))
    with pytest.raises(DomainError, match=reason):
        step(controller, event)
    assert controller == create(algorithm, profile, Config(1200))


@every_profile
@pytest.mark.parametrize("name", EDGE)
def test_events_at_edge_of_the_domain_are_processed(algorithm: str, profile: str, name: str) -> None:
    """Events at the edge of the domain are processed."""
    after, _ = step(create(algorithm, profile, Config(1200)), EDGE[name])
    assert after.t_ns == EDGE[name].t_ns


@every_profile
@pytest.mark.parametrize("first", [0, 9])
def test_repeated_packet_number_is_refused(algorithm: str, profile: str, first: int) -> None:
    """A packet number at or below an earlier one is refused; a gap is allowed."""
    controller, _ = step(create(algorithm, profile, Config(1200)), SENT)
    with pytest.raises(DomainError, match=f"packets: {first} is sent after 9"):
        step(controller, replace(SENT, packets=(Run(first, first, 1200, S),), bytes=1200))
    after, _ = step(controller, replace(SENT, packets=(Run(12, 12, 1200, S),), bytes=1200))
    assert after.next_packet == 13


@pytest.mark.parametrize(
    ("algorithm", "profile", "config", "reason"),
    [
        ("slow-start", "rfc-9003", Config(1200), "slow-start/rfc-9003: no such profile"),
        ("slow_start", "rfc-9002", Config(1200), "slow_start/rfc-9002: no such algorithm; there are"),
        ("search", "rfc-9002", Config(1200), "no such profile"),
        ("search", "", Config(1200), "no such profile"),
        ("search", "lanman-2024", Config(0), "max_datagram_size_bytes: 0"),
        ("search", "lanman-2024", Config(65536), "max_datagram_size_bytes: 65536"),
        ("slow-start", "rfc-9002", Config(1200, 0), "initial_window_bytes: 0"),
        ("slow-start", "rfc-9002", Config(1200, WINDOW_MAX_BYTES + 1), "initial_window_bytes"),
    ],
)
def test_invalid_profiles_and_configurations_are_refused(
    algorithm: str, profile: str, config: Config, reason: str
) -> None:
    """Unknown profiles and configurations out of range are refused."""
    with pytest.raises(DomainError, match=reason):
        create(algorithm, profile, config)


@pytest.mark.parametrize("config", [Config(1, 1), Config(65535, WINDOW_MAX_BYTES)])
@every_profile
def test_extreme_configurations_begin_in_slow_start(algorithm: str, profile: str, config: Config) -> None:
    """The smallest and the largest configuration begin in slow start with their window."""
    _, observation = step(create(algorithm, profile, config), SENT)
    assert (observation.cwnd_bytes, observation.ssthresh_bytes, observation.phase.value) == (
        config.initial_window_bytes,
        None,
        "slow_start",
    )


@pytest.mark.parametrize(
    ("size", "window"),
    [
        (1, 10),
        (1200, 12000),
        (1472, 14720),
        (1473, 14720),
        (1500, 14720),
        (7360, 14720),
        (7361, 14722),
        (65535, 131070),
    ],
)
@every_profile
def test_recommended_window(algorithm: str, profile: str, size: int, window: int) -> None:
    """The window is ten datagrams, at most 14720 bytes or two datagrams (RFC 9002, section 7.2)."""
    _, observation = step(create(algorithm, profile, Config(size)), SENT)
    assert observation.cwnd_bytes == window


@pytest.mark.parametrize("profile", SEARCH_PROFILES)
@pytest.mark.parametrize(("held", "refused"), [(BIN_MAX_BYTES - 1200, False), (BIN_MAX_BYTES - 1199, True)])
def test_bin_above_the_limit_is_refused(profile: str, held: int, refused: bool) -> None:
    """A bin holds at most 2^56 bytes; the refusal does not change the state."""
    controller, _ = step(create("search", profile, Config(1200)), run_ack(10 * S, 1, 1, S))
    full = replace(controller, startup=replace(controller.search, delivered=Series(held, held)))
    event = run_ack(10 * S + 1, 1, 1200, S)
    if not refused:
        after, observation = step(full, event)
        assert (after.search.delivered.open_bytes, observation.outcome) == (BIN_MAX_BYTES, Outcome.SAME_BIN)
        return
    before: Controller = replace(full)
    with pytest.raises(DomainError, match="the open bin exceeds"):
        step(full, event)
    assert full == before


def test_configurations_are_immutable() -> None:
    """A configuration is immutable."""
    config = Config(1200)
    for field in fields(config):
        with pytest.raises(FrozenInstanceError):
            setattr(config, field.name, 5)


def test_values_are_read_only_for_mypy() -> None:
    """Events, runs and observations are frozen for mypy alone, since programs create millions of them."""
    program = (
        "from firstflight import Ack, Config, Run, create, step\n"
        "run = Run(0, 9, 1200, 1)\n"
        "ack = Ack(2, (run,), 12000, 0, 10, False, 1, 1, 1, 0)\n"
        "_, observation = step(create('slow-start', 'rfc-9002', Config(1200)), ack)\n"
        "ack.t_ns = 5\n"
        "run.first = 5\n"
        "observation.cwnd_bytes = 5\n"
    )
    out, _, _ = mypy_api.run(["--config-file=", "--no-error-summary", "-c", program])
    assert [line.split(":")[1] for line in out.splitlines() if "is read-only" in line] == ["5", "6", "7"], out
    assert len(out.splitlines()) == 3, out


@every_profile
def test_controllers_do_not_change_events(algorithm: str, profile: str) -> None:
    """A controller does not change its events."""
    controller = create(algorithm, profile, Config(1200))
    for event in (SENT, ACK, replace(LOST, t_ns=3 * S), replace(CE, t_ns=4 * S)):
        original = copy.deepcopy(event)
        advance(controller, event)
        assert event == original


def test_public_names_and_profiles_exist() -> None:
    """All announced names exist, and all listed profiles can be created."""
    assert all(hasattr(firstflight, name) for name in firstflight.__all__)
    named = {(algorithm, profile) for algorithm, names in profiles().items() for profile in names}
    assert named >= set(PROFILES)
    for algorithm, profile in named:
        create(algorithm, profile, Config(1200))


def test_errors_are_value_errors() -> None:
    """A caller without knowledge of the model can catch its errors."""
    assert issubclass(DomainError, ValueError)


def test_readings_with_too_many_bins_are_refused() -> None:
    readings = SEARCH_READINGS["lanman-2024"]
    config = Config(1200)
    create_with(replace(readings, shift_maximum_bins=SHIFT_MAXIMUM_BINS), config)
    with pytest.raises(DomainError, match="shift_maximum_bins: 39 is above 38"):
        create_with(replace(readings, shift_maximum_bins=SHIFT_MAXIMUM_BINS + 1), config)
