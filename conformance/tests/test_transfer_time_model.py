"""The transfer-time models against other forms of their equations, a packet simulation, and published numbers."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from every import every_computation
from firstflight import Config, create
from firstflight.errors import DomainError
from firstflight.transfer_time import transfer_time
from firstflight.transfer_time.transfer_time import Inputs, TransferTime, compute
from firstflight_conformance.format import computations
from firstflight_conformance.prng import SplitMix64
from firstflight_conformance.simulate.loop import ORIGIN_NS, simulate
from firstflight_conformance.simulate.scenario import Link, Receiver, Scenario
from firstflight_conformance.sweep import Scheme
from studies.published import scharf

MS = 10**6
PATH = Inputs(10 * 10**6, 200 * MS, 0)
GIGABIT = Inputs(10**9, 200 * MS, 0)


# --- Other forms of equation (1): the sum of idle times, and a maximum -----------------------------------------------


def rounds_possible(inputs: Inputs) -> int:
    """Return psi_end: the least m with S(m) >= n, minus 1; at least 0."""
    segments = -(-inputs.size_bytes // inputs.mss_bytes)
    factor = Fraction(inputs.segments_per_ack + 1, inputs.segments_per_ack)
    sent, window, rounds = Fraction(0), Fraction(inputs.initial_window_segments), 0
    while sent + window < segments:
        sent, window, rounds = sent + window, window * factor, rounds + 1
    return rounds


def forms(inputs: Inputs) -> tuple[Fraction, Fraction]:
    """Return Gamma as s / R plus all idle times, and as the maximum over the rounds."""
    packet = Fraction(8 * 10**9 * inputs.mtu_bytes, inputs.rate_bps)
    whole = packet * inputs.size_bytes / inputs.mss_bytes
    factor = Fraction(inputs.segments_per_ack + 1, inputs.segments_per_ack)
    idle, best = Fraction(0), whole
    window, sent = Fraction(inputs.initial_window_segments), Fraction(0)
    for k in range(1, rounds_possible(inputs) + 1):
        idle += max(Fraction(0), inputs.rtt_ns + packet - window * packet)
        sent, window = sent + window, window * factor
        best = max(best, whole + packet * (k - sent) + k * inputs.rtt_ns)
    return whole + idle, best


small = st.builds(
    Inputs,
    st.one_of(st.sampled_from([64_000, 10**7, 12 * 10**6, 10**9]), st.integers(1_000, 10**11)),
    st.one_of(st.sampled_from([0, 1, 23 * MS, 200 * MS]), st.integers(0, 10**10)),
    st.one_of(st.integers(0, 50), st.integers(0, 10**9)),
    st.just(1448),
    st.integers(1448, 1600),
    st.integers(1, 200),
    st.integers(1, 8),
)


@settings(max_examples=500, deadline=None)
@given(small)
def test_slow_start_equals_sum_and_maximum_forms(inputs: Inputs) -> None:
    gamma = compute("slow-start", inputs).gamma
    assert forms(inputs) == (gamma, gamma)


def test_the_forms_agree_on_every_vector() -> None:
    count = 0
    for case in every_computation():
        if case.profile in ("slow-start", "initial-start") and "gamma" in case.expectation.expect:
            inputs = Inputs(**computations.decode_inputs(case.inputs))
            gamma = Fraction(*case.expected()["gamma"])
            assert forms(inputs) == (gamma, gamma), case.id
            count += 1
    assert count >= 35


@settings(max_examples=300, deadline=None)
@given(small)
def test_initial_start_equals_slow_start_at_the_same_growth(inputs: Inputs) -> None:
    assert compute("initial-start", inputs) == compute("slow-start", inputs)


# --- Equation (3) as a fluid, round by round -------------------------------------------------------------------------


def paced_by_rounds(inputs: Inputs, initial: Fraction) -> tuple[int, Fraction]:
    """Return psi and Gamma of a fluid from an initial rate in bytes per ns."""
    link = Fraction(inputs.mss_bytes * inputs.rate_bps, 8 * 10**9 * inputs.mtu_bytes)
    factor = Fraction(inputs.segments_per_ack + 1, inputs.segments_per_ack)
    remaining_bytes, rate, rounds = Fraction(inputs.size_bytes), initial, 0
    while rate < link and remaining_bytes > rate * inputs.rtt_ns:
        remaining_bytes, rate, rounds = remaining_bytes - rate * inputs.rtt_ns, rate * factor, rounds + 1
    return rounds, rounds * inputs.rtt_ns + remaining_bytes / min(rate, link)


@settings(max_examples=400, deadline=None)
@given(small, st.integers(1, 15), st.integers(1, 10**7))
def test_paced_schemes_match_computation_by_rounds(path: Inputs, code: int, threshold: int) -> None:
    fields = {name: getattr(path, name) for name in Inputs.__dataclass_fields__}
    inputs = Inputs(**{**fields, "approved_rate_bps": 40_000 << code, "threshold_bytes": threshold})
    quick = compute("quick-start", inputs)
    assert quick == compute("more-start", inputs)
    if inputs.size_bytes == 0:
        assert quick.gamma == compute("jump-start", inputs).gamma == 0
        return
    initial = Fraction(inputs.mss_bytes * (40_000 << code), 8 * 10**9 * inputs.mtu_bytes)
    assert (quick.psi, quick.gamma) == paced_by_rounds(inputs, initial)
    if inputs.rtt_ns > 0:
        jump = compute("jump-start", inputs)
        flight = min(inputs.size_bytes, threshold)
        assert (jump.psi, jump.gamma) == paced_by_rounds(inputs, Fraction(flight, inputs.rtt_ns))
        link = Fraction(inputs.mss_bytes * inputs.rate_bps, 8 * 10**9 * inputs.mtu_bytes)
        if inputs.size_bytes <= min(threshold, link * inputs.rtt_ns):
            assert jump.gamma == inputs.rtt_ns
            assert jump.response_time_ns == 2 * inputs.rtt_ns


# --- A packet simulation ---------------------------------------------------------------------------------------------


def simulated_ns(inputs: Inputs, segments: int) -> int:
    """Return the time of the path simulator until the ACK of the last packet: Gamma plus one RTT."""
    mtu = inputs.mtu_bytes
    config = Config(mtu, inputs.initial_window_segments * mtu)
    half_ns = inputs.rtt_ns // 2
    link = Link(inputs.rate_bps, half_ns, inputs.rtt_ns - half_ns, 2**40, 0, 0)
    scenario = Scenario(
        "ideal",
        "ideal sender",
        1,
        4 * 10**12,
        4 * 10**12,
        config,
        segments * mtu,
        False,
        None,
        link,
        Receiver(1, 0),
        (),
    )
    recording = simulate(scenario, create("slow-start", "rfc-9002", config))
    assert recording.dropped_packets == 0
    return recording.events[-1].t_ns - ORIGIN_NS


def simulation_cases() -> list[tuple[Inputs, int]]:
    """Return paths with a packet time in whole ns, and sizes at and between the ends of rounds."""
    rng = SplitMix64(7)
    cases = []
    for rate_bps, rtt_ns in (
        (10**7, 200 * MS),
        (10**9, 20 * MS),
        (12 * 10**6, 23 * MS),
        (10**6, 50 * MS + 1),
        (10**8, 0),
    ):
        for window in (1, 2, 3, 4, 10):
            ends = {window * (2**k - 1) + step for k in range(8) for step in (-1, 0, 1)}
            sizes = sorted({size for size in ends if 1 <= size <= 400} | {1 + rng.below(300) for _ in range(6)})
            cases += [(Inputs(rate_bps, rtt_ns, 1448 * n, 1448, 1500, window), n) for n in sizes]
    return cases


def test_slow_start_equals_the_path_simulator() -> None:
    cases = simulation_cases()
    assert len(cases) >= 500
    for inputs, segments in cases:
        answer = compute("slow-start", inputs)
        assert answer.gamma.denominator == 1
        assert simulated_ns(inputs, segments) == answer.gamma + inputs.rtt_ns, inputs


# --- The numbers of the notes ----------------------------------------------------------------------------------------

SS, IS10 = Scheme("slow-start", PATH), Scheme("initial-start", Inputs(10**7, 200 * MS, 0, initial_window_segments=10))
QS = Scheme("quick-start", Inputs(10**7, 200 * MS, 0, approved_rate_bps=5_120_000))
JS, MORE = Scheme("jump-start", PATH), Scheme("more-start", Inputs(10**7, 200 * MS, 0, approved_rate_bps=10**7))
IS83 = Scheme("initial-start", Inputs(10**7, 200 * MS, 0, initial_window_segments=83))


def candidates(scheme: Scheme, other: Scheme, most: int) -> list[int]:
    """Return the ends of the size ranges with linear response times, with their neighbours."""
    sizes = {1}
    for compared in (scheme, other):
        inputs, k = compared.inputs, 1
        while True:
            if compared.name in ("slow-start", "initial-start"):
                at = inputs.mss_bytes * inputs.initial_window_segments * (2**k - 1)
            elif compared.name == "jump-start":
                at = inputs.threshold_bytes * (2**k - 1)
            else:
                rate = inputs.mss_bytes * (inputs.approved_rate_bps or 0) * inputs.rtt_ns * (2**k - 1)
                at = rate // (8 * 10**9 * inputs.mtu_bytes)
            if at > most:
                break
            sizes |= {at - 1, at, at + 1, at + 2}
            k += 1
    return sorted(sizes)


def test_the_peak_speedups_at_10_mbit() -> None:
    def peak(scheme: Scheme, other: Scheme = SS) -> tuple[Fraction, int]:
        return scharf.peak(scheme, other, candidates(scheme, other, 10**8))

    assert peak(QS) == (Fraction(232_792_256, 70_771_375), 65_161)
    assert peak(JS) == (Fraction(454_813, 181_000), 65_536)
    assert peak(MORE) == peak(IS83)
    assert peak(MORE)[1] == 65_161
    assert f"{float(peak(MORE)[0]):.6f}" == "3.955896"
    assert peak(IS10)[1] == 13_033
    assert f"{float(peak(IS10)[0]):.6f}" == "2.857678"
    two = Scheme("slow-start", Inputs(10**7, 200 * MS, 0, initial_window_segments=2))
    assert (f"{float(peak(QS, two)[0]):.3f}", peak(QS, two)[1]) == ("3.717", 43_441)
    assert (f"{float(peak(JS, two)[0]):.3f}", peak(JS, two)[1]) == ("2.760", 89_777)


def test_every_other_size_is_at_most_the_peak() -> None:
    """The candidates of the test above are sufficient: every size up to 100000 bytes is worse or equal."""
    best = scharf.peak(QS, SS, range(1, 100_001, 7))[0]
    assert best <= Fraction(232_792_256, 70_771_375)
    assert scharf.peak(QS, SS, range(65_000, 65_400)) == (Fraction(232_792_256, 70_771_375), 65_161)


@pytest.mark.parametrize(
    ("approved_bps", "printed", "at"),
    [
        (5_120_000, "3.27", None),
        (10_240_000, "3.96", None),
        (40_960_000, "5.48", None),
        (81_920_000, "6.25", None),
        (163_840_000, "7.03", None),
        (327_680_000, "7.89", None),
        (655_360_000, "8.77", 2_219_785),
        (10**9, "9.29", 4_443_913),
    ],
)
def test_the_peak_speedups_at_1_gbit(approved_bps: int, printed: str, at: int | None) -> None:
    name = "more-start" if approved_bps == 10**9 else "quick-start"
    scheme = Scheme(name, Inputs(10**9, 200 * MS, 0, approved_rate_bps=approved_bps))
    other = Scheme("slow-start", GIGABIT)
    value, size = scharf.peak(scheme, other, candidates(scheme, other, 10**9))
    assert f"{float(value):.2f}" == printed
    assert at in (None, size)


def test_peak_speedup_of_jump_start_at_1_gbit() -> None:
    scheme, other = Scheme("jump-start", GIGABIT), Scheme("slow-start", GIGABIT)
    assert f"{float(scharf.peak(scheme, other, candidates(scheme, other, 10**9))[0]):.2f}" == "2.50"


@pytest.mark.parametrize(
    ("size", "printed"),
    [
        (1_000, "200.829 201.619 400.000 200.829 200.829"),
        (10_000, "405.887 216.186 400.000 208.287 208.287"),
        (65_536, "1005.112 306.077 400.000 254.312 620.712"),
        (131_072, "1059.423 406.223 500.000 308.623 828.223"),
        (300_000, "1429.019 546.219 685.684 448.619 1073.419"),
        (2_000_000, "2837.859 1955.059 2094.524 1857.459 2491.459"),
    ],
)
def test_response_times_equal_printed_values(size: int, printed: str) -> None:
    times = [scheme.response_time_ns(size) for scheme in (SS, QS, JS, MORE, IS10)]
    assert " ".join(f"{float(time / MS):.3f}" for time in times) == printed


# --- Refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["rate_bps", "rtt_ns", "size_bytes", "mss_bytes", "mtu_bytes", "segments_per_ack"])
@pytest.mark.parametrize("value", [-1, 2**64, True, None, "1", 1.0])
@pytest.mark.parametrize("scheme", transfer_time.SCHEMES)
def test_numbers_outside_the_domain_are_refused(scheme: str, name: str, value: object) -> None:
    fields = {"rate_bps": 10**7, "rtt_ns": MS, "size_bytes": 1, "approved_rate_bps": 80_000, name: value}
    with pytest.raises(DomainError, match=name):
        compute(scheme, Inputs(**fields))  # type: ignore[arg-type]


def test_an_unknown_scheme_is_refused() -> None:
    with pytest.raises(DomainError, match="unknown scheme; choose one of"):
        compute("tahoe", PATH)


def test_the_answer_is_exact_and_rounded_once() -> None:
    answer = compute("slow-start", Inputs(10**7, 200 * MS, 65_536))
    assert answer == TransferTime(4, Fraction(145_725_200_000, 181), 805_111_602, 1_005_111_602)
