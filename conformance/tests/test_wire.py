"""Events and observables in JSON and back."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstflight import Ack, Ce, Event, Lost, Observation, Outcome, PersistentCongestion, Phase, Pto, Run, Sent
from firstflight_conformance.format.schemas import validator
from firstflight_conformance.format.wire import (
    decode_int,
    encode_int,
    event_from_json,
    event_to_json,
    observation_to_json,
)

MAX = 2**53 - 1

naturals = st.one_of(st.integers(0, 2**64 - 1), st.sampled_from([0, 1, MAX - 1, MAX, MAX + 1, 2**63, 2**64 - 1]))
optional = st.one_of(st.none(), naturals)
sizes = st.integers(1, 65535)
runs = st.lists(st.builds(Run, naturals, naturals, sizes, naturals), min_size=1, max_size=4).map(tuple)


@st.composite
def sent_events(draw: st.DrawFn) -> Sent:
    """Draw a sent event; its runs were sent at its time."""
    t_ns = draw(naturals)
    many = draw(st.lists(st.builds(Run, naturals, naturals, sizes, st.just(t_ns)), min_size=1, max_size=4))
    return Sent(t_ns, tuple(many), draw(naturals), draw(naturals), draw(st.booleans()))


events = st.one_of(
    sent_events(),
    st.builds(Ack, naturals, runs, naturals, naturals, naturals, st.booleans(), optional, optional, optional, naturals),
    st.builds(Lost, naturals, runs, naturals, naturals, naturals),
    st.builds(Ce, naturals, naturals, naturals, naturals),
    st.builds(PersistentCongestion, naturals),
    st.builds(Pto, naturals),
)


@given(naturals)
def test_numbers_round_trip(value: int) -> None:
    """A number up to 2^53 - 1 is a JSON number, a larger one is text."""
    encoded = encode_int(value)
    assert isinstance(encoded, int) == (value <= MAX)
    assert decode_int(json.loads(json.dumps(encoded))) == value


@pytest.mark.parametrize("value", [0, 1, MAX, str(MAX + 1), str(2**64 - 1)])
def test_edge_numbers_are_valid(value: int | str) -> None:
    """The edges are valid numbers."""
    assert decode_int(value) == int(value)


@pytest.mark.parametrize(
    "value",
    [
        -1, MAX + 1, 2**64, 1.0, float("nan"), True, False, None, [], {}, b"9007199254740992",
        "", "0", "1", str(MAX), str(2**64), str(10**20), "-9007199254740992", "+9007199254740992", " 9007199254740992",
        "9007199254740992 ", "9007199254740992\n", "09007199254740992", "9_007_199_254_740_992", "9007199254740992.0",
        "1e16", "0x20000000000000", "\u0669" * 16, "9" * 10_000,
    ],
    ids=lambda value: repr(value)[:24],
)  # fmt: skip
def test_invalid_numbers_are_refused(value: object) -> None:
    """Other values are refused, with the key and a shortened value."""
    with pytest.raises(ValueError, match=r"^window: .* is not a number up to 2\^53 - 1") as refusal:
        decode_int(value, "window")
    assert len(str(refusal.value)) < 200


@given(events)
def test_events_round_trip(event: Event) -> None:
    """An event survives conversion to JSON text and back, and its JSON form obeys the schema."""
    raw = event_to_json(event)
    validator("urn:firstflight:event:1").validate(raw)
    assert event_from_json(json.loads(json.dumps(raw))) == event


@given(events)
def test_missing_or_unknown_member_is_refused(event: Event) -> None:
    """An event with a missing or unknown member is refused with the name of the member."""
    raw = event_to_json(event)
    for key in raw:
        with pytest.raises(ValueError, match=rf"^{key}: "):
            event_from_json({name: value for name, value in raw.items() if name != key})
    with pytest.raises(ValueError, match=r"^cwnd_bytes: unknown"):
        event_from_json({**raw, "cwnd_bytes": 1})


def test_members_are_in_the_specified_order() -> None:
    """The members are in the order of the specification."""
    run = Run(0, 1, 1200, 5)
    ack = Ack(9, (run,), 2400, 0, 2, False, 4, 4, 4, 0)
    assert list(event_to_json(ack)) == [
        "ev", "t_ns", "packets", "bytes", "bytes_in_flight", "next_packet", "app_limited",
        "latest_rtt_ns", "min_rtt_ns", "smoothed_rtt_ns", "ack_delay_ns",
    ]  # fmt: skip
    assert event_to_json(ack)["packets"] == [[0, 1, 1200, 5]]
    assert event_to_json(Sent(5, (run,), 2400, 2400, False))["packets"] == [[0, 1, 1200]]


@given(naturals, optional, st.dictionaries(st.sampled_from(["bin", "shift_bins"]), optional))
def test_observations_keep_their_values(cwnd: int, ssthresh: int | None, state: dict[str, int | None]) -> None:
    """Observables keep their values: numbers above 2^53 - 1 as text, an infinite threshold as null."""
    raw = observation_to_json(Observation(cwnd, ssthresh, Phase.RECOVERY, Outcome.REDUCED, state))
    assert (raw["phase"], raw["outcome"]) == ("recovery", "reduced")
    assert decode_int(raw["cwnd_bytes"]) == cwnd
    assert raw["ssthresh_bytes"] == (None if ssthresh is None else encode_int(ssthresh))
    assert raw["state"] == {name: None if value is None else encode_int(value) for name, value in state.items()}


def test_empty_list_of_ranges_is_omitted() -> None:
    """The member is omitted if no data is repeated."""
    raw = event_to_json(Sent(5, (Run(0, 1, 1200, 5),), 2400, 2400, False))
    assert "retransmits" not in raw
    with pytest.raises(ValueError, match="is not a list of ranges with at least one"):
        event_from_json(raw | {"retransmits": []})


@pytest.mark.parametrize("member", ["oldest_unacked_packet", "rate_interval_ns", "rate_app_limited"])
def test_null_for_unknown_optional_member_is_refused(member: str) -> None:
    """Optional members are omitted, not null, if they are unknown."""
    raw = event_to_json(Ack(9, (Run(0, 1, 1200, 5),), 2400, 0, 2, False, 4, 4, 4, 0))
    assert member not in raw
    with pytest.raises(ValueError, match=f"^{member}: "):
        event_from_json(raw | {member: None})
