"""The Python model against the C port: every observable, the whole state and every refusal, after every event."""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from enum import Enum

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import firstflight
from c_port import Port, ffi, lib
from c_port_streams import Stream, full_bins
from firstflight import limits, slow_start
from firstflight.controller import Config, Controller, create, create_with
from firstflight.errors import DomainError
from firstflight.events import Ack, Ce, Event, Lost, PersistentCongestion, Pto, Run, Sent
from firstflight.limits import DATAGRAM_MAX_BYTES, TIME_MAX_NS, WINDOW_MAX_BYTES
from firstflight.observables import Outcome, Phase
from firstflight.search_profiles import PROFILES, Readings
from firstflight_conformance.paths import REFERENCE_C
from firstflight_conformance.prng import SplitMix64


def any_readings(rng: SplitMix64) -> Readings:
    """Return a random combination, in half of the cases one near the recommended profile."""
    base = PROFILES["lanman-2024"]
    near = rng.chance_ppm(500_000)
    changes: dict[str, Enum | int] = {}
    for reading in fields(Readings):
        value = getattr(base, reading.name)
        if near and not rng.chance_ppm(200_000):
            continue
        if isinstance(value, Enum):
            choices = list(type(value))
            changes[reading.name] = choices[rng.below(len(choices))]
        else:
            changes[reading.name] = rng.below(4) if reading.name == "shift_minimum_bins" else 25 - rng.below(20)
    return replace(base, **changes)  # type: ignore[arg-type]


#: Seed, events and the choice of readings of each bulk test.
BULK: dict[str, tuple[int, int, Callable[[SplitMix64], Readings | None]]] = {
    "slow-start": (1, 60_000, lambda rng: None),
    "literal": (2, 80_000, lambda rng: PROFILES["lanman-2024-literal"]),
    "recommended": (3, 80_000, lambda rng: PROFILES["lanman-2024"]),
    "readings": (4, 120_000, any_readings),
}
FULL_BINS_EVENTS = 60_000
_WINDOWS = ("previous_bytes", "current_bytes")


@dataclass
class Pair:
    """The model and the port side by side. A refused event counts as outcome ``None``."""

    model: Controller
    port: Port
    outcomes: Counter[Outcome | None] = field(default_factory=Counter)

    @staticmethod
    def of(readings: Readings | None, config: Config) -> "Pair":
        """Begin both in the given readings."""
        return Pair(create_with(readings, config), Port(readings, config))

    def step(self, event: Event) -> None:
        """Let both process the event, and compare."""
        try:
            model, expected = firstflight.step(self.model, event)
        except DomainError:
            with pytest.raises(DomainError):
                self.port.step(event)
            self.outcomes[None] += 1
        else:
            assert self.port.step(event) == expected, event
            self.model = model
            self.outcomes[expected.outcome] += 1
        assert self.port.state() == self.model, event


@pytest.mark.parametrize("name", BULK)
def test_bulk_streams(name: str) -> None:
    """Streams of 400 events each agree, and together they reach every outcome that can be."""
    seed, events, choose = BULK[name]
    rng = SplitMix64(seed)
    total: Counter[Outcome | None] = Counter()
    while total.total() < events:
        stream = Stream(rng)
        pair = Pair.of(choose(rng), stream.config)
        for _ in range(400):
            pair.step(stream.event(pair.model))
            searched = pair.model.readings is not None and slow_start.phase(pair.model.base) is not Phase.SLOW_START
            if searched and rng.chance_ppm(20_000):
                break  # little that is new follows
        total += pair.outcomes
    rare = {outcome.value: total[outcome] for outcome in _reachable(name) if total[outcome] < 20}
    assert not rare
    assert total[None] > events // 500


def _reachable(name: str) -> list[Outcome]:
    every = list(Outcome)
    if name == "slow-start":
        return every[: every.index(Outcome.NO_RTT_SAMPLE)]
    # On an ACK in slow start the outcome is that of SEARCH. With a step per ACK every completed bin holds bytes.
    never = {Outcome.GROWN, Outcome.PREVIOUS_ZERO} if name == "literal" else {Outcome.GROWN}
    return [outcome for outcome in every if outcome not in never]


def test_bulk_full_bins() -> None:
    """From states with full bins and windows at the threshold both agree; ties and refusals occur."""
    rng = SplitMix64(5)
    total: Counter[Outcome | None] = Counter()
    ties = 0
    while total.total() < FULL_BINS_EVENTS:
        readings = PROFILES["lanman-2024"] if rng.chance_ppm(500_000) else any_readings(rng)
        config = Config(1200)
        pair = Pair.of(readings, config)
        pair.model = full_bins(rng, readings, config)
        pair.port.load(pair.model)
        stream = Stream(rng)
        stream.rtt_ns = min(pair.model.search.rtt_ns * (3 + rng.below(4)), TIME_MAX_NS)
        for _ in range(6):
            pair.step(stream.event(pair.model))
            seen = pair.port.last
            previous_bytes, current_bytes = (seen.state[name] if seen else None for name in _WINDOWS)
            if previous_bytes and current_bytes:
                ties += 13 * previous_bytes == 10 * current_bytes
        total += pair.outcomes
    assert ties > 20
    assert min(total[None], total[Outcome.EXITED], total[Outcome.BELOW_THRESHOLD], total[Outcome.RTT_INFLATED]) > 20


def test_bulk_is_bulk() -> None:
    """The bulk tests compare at least 200,000 events."""
    assert sum(events for _, events, _ in BULK.values()) + FULL_BINS_EVENTS >= 200_000


# --- Streams that Hypothesis finds and shrinks --------------------------------------------------------------------------

times = st.one_of(
    st.integers(0, 40),
    st.sampled_from([7, 10**6, 35 * 10**6, TIME_MAX_NS // 2, TIME_MAX_NS]),
    st.integers(0, TIME_MAX_NS),
)
rtts = st.none() | times
counts = st.one_of(st.integers(1, 20), st.sampled_from([1, 65535]))
sizes = st.one_of(st.integers(1, 3), st.integers(1, DATAGRAM_MAX_BYTES))
ages = st.tuples(counts, sizes, times)


@dataclass(frozen=True)
class Draft:
    """An event before its times are known: they count from the event before."""

    kind: type[Event]
    wait_ns: int
    runs: list[tuple[int, int, int]]
    rtts_ns: tuple[int | None, int | None, int | None]
    app_limited: bool

    def at(self, t_ns: int) -> Event:
        """Return the event."""
        runs = tuple(Run(0, count - 1, size, max(t_ns - age, 1)) for count, size, age in self.runs)
        total = sum(run.count * run.size_bytes for run in runs)
        if self.kind is Sent:
            return Sent(t_ns, runs, total, 0, self.app_limited)
        if self.kind is Ack:
            return Ack(t_ns, runs, total, 0, 0, self.app_limited, *self.rtts_ns, 0)
        if self.kind is Lost:
            return Lost(t_ns, runs, total, 0, 0)
        if self.kind is Ce:
            return Ce(t_ns, 0, runs[0].sent_t_ns, 1)
        return PersistentCongestion(t_ns) if self.kind is PersistentCongestion else Pto(t_ns)


kinds = st.sampled_from([Ack, Ack, Ack, Ack, Ack, Sent, Lost, Ce, PersistentCongestion, Pto])
drafts = st.builds(
    Draft, kinds, times, st.lists(ages, min_size=1, max_size=3), st.tuples(rtts, rtts, rtts), st.booleans()
)
configs = st.builds(
    Config,
    st.integers(1, DATAGRAM_MAX_BYTES),
    st.one_of(st.none(), st.integers(1, 10**6), st.integers(1, WINDOW_MAX_BYTES)),
)
readings_strategy = st.builds(
    Readings,
    **{
        reading.name: st.integers(0, 25) if reading.type is int else st.sampled_from(list(reading.type))  # type: ignore[arg-type]
        for reading in fields(Readings)
    },
)


@settings(max_examples=300, deadline=None)
@given(st.none() | st.sampled_from(list(PROFILES.values())) | readings_strategy, configs, st.lists(drafts, max_size=40))
def test_streams(readings: Readings | None, config: Config, stream: list[Draft]) -> None:
    """Whatever the readings, the configuration and the events: both agree."""
    pair = Pair.of(readings, config)
    t_ns = 1
    for draft in stream:
        t_ns += draft.wait_ns
        pair.step(draft.at(t_ns))


# --- Beside the streams --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ["slow-start", "search", "", "careful-resume"])
@pytest.mark.parametrize("profile", ["rfc-9002", "lanman-2024", "lanman-2024-literal", "", "lanman"])
def test_profiles(algorithm: str, profile: str) -> None:
    """Both know the same profiles, and take the same readings for them."""
    try:
        model = create(algorithm, profile, Config(1200))
    except DomainError:
        with pytest.raises(DomainError):
            Port.create(algorithm, profile, Config(1200))
        return
    port = Port.create(algorithm, profile, Config(1200))
    assert port.state() == model
    assert port.searching is (model.readings is not None)
    assert port.readings() == Port(model.readings, Config(1200)).readings()


@pytest.mark.parametrize("size_bytes", [0, 1, 65535, 65536, 2**64 - 1])
@pytest.mark.parametrize("window_bytes", [None, 1, WINDOW_MAX_BYTES, WINDOW_MAX_BYTES + 1, 2**64 - 1])
def test_configurations(size_bytes: int, window_bytes: int | None) -> None:
    """Both accept and refuse the same configurations."""
    config = Config(size_bytes, window_bytes)
    try:
        model = create_with(None, config)
    except DomainError:
        with pytest.raises(DomainError):
            Port(None, config)
    else:
        assert Port(None, config).state() == model


def test_recommended_initial_window() -> None:
    """The recommended initial window agrees for every datagram size."""
    for size_bytes in range(1, DATAGRAM_MAX_BYTES + 1):
        expected = slow_start.recommended_initial_window_bytes(size_bytes)
        assert lib.ff_slow_start_recommended_initial_window_bytes(size_bytes) == expected


def test_names_of_phases_and_outcomes() -> None:
    """The enumerations have the same order and names."""
    for name_of, members in ((lib.ff_phase_name, list(Phase)), (lib.ff_outcome_name, list(Outcome))):
        assert [ffi.string(name_of(number)).decode() for number in range(len(members))] == [m.value for m in members]
        assert name_of(len(members)) == ffi.NULL


def test_limits() -> None:
    """The limits have the same names and values."""
    text = (REFERENCE_C / "include" / "firstflight" / "limits.h").read_text(encoding="utf-8")
    names = re.findall(r"^#define FF_(\w+) ", text, flags=re.MULTILINE)
    assert {name: getattr(lib, f"FF_{name}") for name in names} == {
        name: value for name, value in vars(limits).items() if name.isupper()
    }


def test_prng() -> None:
    """The first numbers of the seed that the page names."""
    rng = SplitMix64(1234567)
    assert [rng.next() for _ in range(3)] == [6457827717110365317, 3203168211198807973, 9817491932198370423]
    with pytest.raises(ValueError, match="below"):
        rng.below(0)
