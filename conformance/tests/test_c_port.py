"""Compares the Python model with the C port after every event: observables, whole state, and refusals."""

import json
import re
import subprocess
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import firstflight
from c_port import Port, ffi, lib, module_of
from c_port_streams import Stream, any_readings, full_bins, late_start
from firstflight import limits
from firstflight.controller import Config, Controller, create, create_with
from firstflight.errors import DomainError
from firstflight.events import Ack, Ce, Event, Lost, PathChange, PersistentCongestion, Pto, Run, Sent
from firstflight.limits import DATAGRAM_MAX_BYTES, TIME_MAX_NS, WINDOW_MAX_BYTES
from firstflight.newreno import newreno
from firstflight.newreno.newreno import BaseState
from firstflight.observables import Outcome, Phase
from firstflight.search.bins import Search, Series
from firstflight.search.profiles import (
    PROFILES,
    AppLimited,
    BeforeBin0,
    CurrentZero,
    Evaluated,
    Guard,
    Interpolation,
    Lower,
    Readings,
)
from firstflight.search.rtt import Sample
from firstflight_conformance.paths import BUILD, REFERENCE_C
from firstflight_conformance.prng import SplitMix64
from observed import outcomes_of
from quic_changes import in_flight_or_not, next_size

_WINDOWS = ("previous_bytes", "current_bytes")
#: The outcomes of the base controller and of SEARCH.
_SEARCH_OUTCOMES = outcomes_of("slow-start", "search")
#: Number of events of each profile, of random readings, and of the base controller in a usual run.
_EVENTS = {"profile": 6_000, "readings": 32_000, "slow-start": 8_000}
_LONG_EVENTS = 1_000_000
_SEARCH_SOURCES = tuple(
    f"search/{name}.c" for name in ("search", "rtt", "bins", "layout", "windows", "exit", "startup")
)
#: Profiles whose earlier and later windows are computed alike, without rounding.
TYING = ("lanman-2024", "draft-00", "draft-09", "quicly-pr583")


@dataclass
class Pair:
    """A model and a port that process the same events. A refused event counts as outcome ``None``."""

    model: Controller
    port: Port
    outcomes: Counter[Outcome | None] = field(default_factory=Counter)
    #: Evaluations exactly at the threshold, such as 13 * earlier window = 10 * later window.
    ties: int = 0

    @staticmethod
    def of(readings: Readings | None, config: Config, build: str = "int128") -> "Pair":
        """Return a pair of model and port with these readings."""
        return Pair(create_with(readings, config), Port(readings, config, build))

    def load(self, model: Controller) -> None:
        """Continue both from a state of the model."""
        self.model = model
        self.port.load(model)

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
            previous_bytes, current_bytes = (expected.state.get(name) for name in _WINDOWS)
            if previous_bytes and current_bytes:
                ratios = ((13, 10), (13, 20), (37, 25), (37, 50))
                self.ties += any(first * previous_bytes == second * current_bytes for first, second in ratios)
        assert not self.port.differs(self.model), (event, self.model)


def compare_streams(
    seed: int, events: int, choose: Callable[[SplitMix64], Readings | None], builds: tuple[str, ...] = ("int128",)
) -> tuple[Counter[Outcome | None], int]:
    """Compare streams of up to 400 events; return the number of each outcome and the number of ties."""
    rng, sizes = SplitMix64(seed), SplitMix64(seed)  # two generators, so that sizes do not change the other draws
    total: Counter[Outcome | None] = Counter()
    ties = 0
    while total.total() < events:
        readings = choose(rng)
        stream = Stream(rng, readings)
        pair = Pair.of(readings, stream.config, builds[rng.below(len(builds))])
        length, begun = 400, False
        if readings is not None and stream.chance(6):
            pair.load(late_start(stream, readings))
        elif readings is not None and stream.chance(92):
            # Few events, but many streams: full bins and windows at the threshold decide at once.
            pair.load(full_bins(stream, readings))
            length = 8
        else:
            begun = True  # with the initial window of a path
        for _ in range(length):
            if begun and (size := next_size(sizes, pair.model, 2_000)):
                pair.step(size)
            pair.step(in_flight_or_not(stream.event(pair.model)))
            if begun and rng.chance_ppm(5_000):
                pair.step(PathChange(min(pair.model.t_ns + 1, TIME_MAX_NS)))
            searched = readings is not None and newreno.phase(pair.model.base) is not Phase.SLOW_START
            if searched and rng.chance_ppm(20_000):
                break  # later events add little coverage
        assert pair.port.untouched_beyond()
        total += pair.outcomes
        ties += pair.ties
    return total, ties


def reachable(readings: Readings | None) -> set[Outcome]:
    """Return the outcomes that streams reach."""
    every = _SEARCH_OUTCOMES
    base = set(every[: every.index(Outcome.NO_RTT_SAMPLE)])
    if readings is None:
        return base
    # An ACK in slow start has an outcome of SEARCH.
    reached = set(every) - {Outcome.GROWN}
    if readings.missed_bins_maximum == 0 and readings.app_limited is not AppLimited.RESTART:
        reached.discard(Outcome.RESTARTED)
    if readings.interpolation is not Interpolation.FORWARD:
        reached.discard(Outcome.RTT_BELOW_BIN)
    if readings.current_zero is CurrentZero.DECIDES or readings.evaluated is Evaluated.EVERY_ACK:
        reached.discard(Outcome.CURRENT_ZERO)
    if readings.lower is not Lower.DRAIN:
        reached -= {Outcome.DRAINING, Outcome.DRAINED}
    if readings.evaluated is Evaluated.EVERY_ACK:
        reached.discard(Outcome.SAME_BIN)
    return reached


@pytest.mark.parametrize("name", PROFILES)
def test_bulk_profile(name: str) -> None:
    """Streams of a profile agree in both builds, and together they reach every possible outcome."""
    seed = list(PROFILES).index(name)
    builds = ("int128", "no_int128")
    total, ties = compare_streams(seed, _EVENTS["profile"], lambda rng: PROFILES[name], builds)
    assert {outcome: total[outcome] for outcome in reachable(PROFILES[name]) if total[outcome] == 0} == {}
    assert total[None] > _EVENTS["profile"] // 500
    assert ties > 0 or name not in TYING


@pytest.mark.parametrize("part", range(2))
def test_bulk_readings(part: int) -> None:
    """Streams of random readings agree, and together they reach every possible outcome."""
    events = _EVENTS["readings"] // 2
    total, ties = compare_streams(200 + part, events, lambda rng: any_readings(rng, PROFILES), ("int128", "no_int128"))
    assert set(_SEARCH_OUTCOMES) - {Outcome.GROWN} <= set(total)
    assert ties > 0


def test_bulk_slow_start() -> None:
    """Streams of the base controller agree, and together they reach every outcome."""
    total, _ = compare_streams(200, _EVENTS["slow-start"], lambda rng: None)
    assert {outcome: total[outcome] for outcome in reachable(None) if total[outcome] < 20} == {}


def test_bulk_tests_compare_enough_events() -> None:
    """The bulk tests compare at least 100,000 events."""
    assert len(PROFILES) * _EVENTS["profile"] + _EVENTS["readings"] + _EVENTS["slow-start"] >= 100_000


@pytest.mark.parametrize("build", ["int128", "no_int128"])
def test_largest_products(build: str) -> None:
    """Products beyond 128 bits, from a bin before bin 0 with all counted bytes, are compared correctly."""
    rng = SplitMix64(400)
    readings = replace(
        PROFILES["draft-09"],
        guard=Guard.AT_LEAST,
        before_bin_0=BeforeBin0.ZERO,
        shift_maximum_bins=38,
        lower=Lower.NOTHING,
    )
    outcomes: Counter[Outcome | None] = Counter()
    for _ in range(400):
        rtt_ns = min(2 ** (40 + rng.below(20)), TIME_MAX_NS // 4)
        sample_ns = rtt_ns * 7 * (1 + rng.below(8)) // 20 + 1 + rng.below(rtt_ns // 3 >> rng.below(20))
        curr = 9 + 20 * sample_ns // (7 * rtt_ns)
        delivered, sent = (Series(2**63 - 1 - rng.below(2 ** (30 + rng.below(34))), 0, (0,) * curr) for _ in "ds")
        last_bytes = rng.below(min(2**56 - 2**48, delivered.counter_bytes))
        delivered = replace(delivered, completed=(*delivered.completed[:-1], last_bytes))
        t_ns = TIME_MAX_NS // 2
        end_ticks = 20 * t_ns - 20
        end_ticks += ((curr + 1) * 7 * rtt_ns - end_ticks) % 20
        search = Search(7 * rtt_ns, end_ticks, curr, Sample(rtt_ns, None, None, 0), delivered, sent)
        pair = Pair.of(readings, Config(1200), build)
        pair.load(Controller(BaseState(1200, 12_000), readings, search, t_ns - 2))
        packets = 1 + rng.below(3)
        pair.step(Ack(t_ns + 2, (Run(0, packets - 1, 1200, 1),), packets * 1200, 0, 0, False, sample_ns, None, None, 0))
        outcomes += pair.outcomes
    assert outcomes[None] == 0
    assert min(outcomes[Outcome.EXITED], outcomes[Outcome.BELOW_THRESHOLD]) > 20


@pytest.mark.long
@pytest.mark.parametrize("name", [*PROFILES, "readings", "slow-start"])
def test_streams_long(name: str) -> None:
    """A million events of every profile agree."""

    def choose(rng: SplitMix64) -> Readings | None:
        return any_readings(rng, PROFILES) if name == "readings" else PROFILES.get(name)

    compare_streams(1000 + len(name), _LONG_EVENTS, choose, ("int128", "no_int128"))


def test_streams_execute_every_reachable_line() -> None:
    """Random streams execute every line of the port that events can reach, by the counters of gcov."""
    counted = module_of("coverage").lib
    folder = BUILD / "cffi" / "coverage"
    for data in folder.rglob("*.gcda"):
        data.unlink()  # gcov adds counters to the counters of the previous run
    counted.__gcov_reset()
    compare_streams(300, 25_000, lambda rng: any_readings(rng, PROFILES), ("coverage",))
    for number, readings in enumerate(PROFILES.values()):
        compare_streams(301 + number, 2_000, lambda rng, readings=readings: readings, ("coverage",))  # type: ignore[misc]
    counted.__gcov_dump()
    missed = lines_missed(folder, _SEARCH_SOURCES)
    assert missed == []


def lines_missed(folder: Path, names: tuple[str, ...]) -> list[str]:
    """Return the lines of these sources that were never executed."""
    missed = []
    for name in names:
        data = next(path for path in folder.rglob("*.gcda") if path.with_suffix(".c").as_posix().endswith(name))
        gcov = subprocess.run(
            ["gcov", "--json-format", "--stdout", str(data)], cwd=folder, check=True, capture_output=True
        )
        for source in json.loads(gcov.stdout)["files"]:
            if source["file"].endswith(name):
                missed += [f"{name}:{line['line_number']}" for line in source["lines"] if line["count"] == 0]
    return missed


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
    """An event with times relative to the previous event."""

    kind: type[Event]
    wait_ns: int
    runs: list[tuple[int, int, int]]
    rtts_ns: tuple[int | None, int | None, int | None]
    app_limited: bool

    def at(self, t_ns: int) -> Event:
        """Return the event at this time."""
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
        reading.name: st.integers(0, 38) if reading.type is int else st.sampled_from(list(reading.type))  # type: ignore[arg-type]
        for reading in fields(Readings)
    },
)


@settings(max_examples=150, deadline=None)
@given(st.none() | st.sampled_from(list(PROFILES.values())) | readings_strategy, configs, st.lists(drafts, max_size=40))
def test_streams(readings: Readings | None, config: Config, stream: list[Draft]) -> None:
    """Model and port agree for all readings, configurations and events."""
    pair = Pair.of(readings, config)
    t_ns = 1
    for draft in stream:
        t_ns += draft.wait_ns
        pair.step(draft.at(t_ns))


# --- Tests without streams --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ["slow-start", "search", "", "careful-resume"])
@pytest.mark.parametrize("profile", ["rfc-9002", *PROFILES, "", "lanman"])
def test_profiles(algorithm: str, profile: str) -> None:
    """Model and port accept the same profiles, with the same readings."""
    try:
        model = create(algorithm, profile, Config(1200))
    except DomainError:
        with pytest.raises(DomainError):
            Port.create(algorithm, profile, Config(1200))
        return
    port = Port.create(algorithm, profile, Config(1200))
    assert not port.differs(model)
    assert port.searching is (model.readings is not None)
    assert port.readings() == Port(model.readings, Config(1200)).readings()


@pytest.mark.parametrize("size_bytes", [0, 1, 65535, 65536, 2**64 - 1])
@pytest.mark.parametrize("window_bytes", [None, 1, WINDOW_MAX_BYTES, WINDOW_MAX_BYTES + 1, 2**64 - 1])
def test_configurations(size_bytes: int, window_bytes: int | None) -> None:
    """Model and port accept and refuse the same configurations."""
    config = Config(size_bytes, window_bytes)
    try:
        model = create_with(None, config)
    except DomainError:
        with pytest.raises(DomainError):
            Port(None, config)
    else:
        assert not Port(None, config).differs(model)


def test_recommended_initial_window() -> None:
    """The recommended initial window agrees for every datagram size."""
    for size_bytes in range(1, DATAGRAM_MAX_BYTES + 1):
        expected = newreno.recommended_initial_window_bytes(size_bytes)
        assert lib.ff_newreno_recommended_initial_window_bytes(size_bytes) == expected


def test_enumerations_have_the_same_order_and_names() -> None:
    """The enumerations of model and port have the same order and names."""
    for name_of, members in ((lib.ff_phase_name, list(Phase)), (lib.ff_outcome_name, list(Outcome))):
        assert [ffi.string(name_of(number)).decode() for number in range(len(members))] == [m.value for m in members]
        assert name_of(len(members)) == ffi.NULL


def test_limits() -> None:
    """The limits of model and port have the same names and values."""
    text = (REFERENCE_C / "firstflight" / "limits.h").read_text(encoding="utf-8")
    names = re.findall(r"^#define FF_(\w+) ", text, flags=re.MULTILINE)
    assert {name: getattr(lib, f"FF_{name}") for name in names} == {
        name: value for name, value in vars(limits).items() if name.isupper()
    }


def test_prng() -> None:
    """The generator gives the documented first numbers of the seed 1234567."""
    rng = SplitMix64(1234567)
    assert [rng.next() for _ in range(3)] == [6457827717110365317, 3203168211198807973, 9817491932198370423]
    with pytest.raises(ValueError, match="below"):
        rng.below(0)
