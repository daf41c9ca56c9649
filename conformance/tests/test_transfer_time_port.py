"""The transfer-time models against their C port: every output and every refusal, with and without ``__int128``."""

from collections import Counter

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from c_models import BUILDS, Models
from every import every_computation
from firstflight.errors import DomainError
from firstflight.transfer_time import transfer_time
from firstflight.transfer_time.transfer_time import Inputs, TransferTime
from firstflight_conformance.format import computations
from firstflight_conformance.prng import SplitMix64
from transfer_time_inputs import LIMITS, SCHEMES, draw

#: Inputs of one bulk test, and the number of bulk tests.
NORMAL, LONG = (5_000, 2), (50_000, 20)


@pytest.fixture(scope="module", params=BUILDS)
def port(request: pytest.FixtureRequest) -> Models:
    return Models(request.param)


def answer_or_none(compute: object, scheme: str, inputs: Inputs) -> TransferTime | None:
    try:
        return compute(scheme, inputs)  # type: ignore[operator,no-any-return]
    except DomainError:
        return None


def compare_many(seed: int, count: int) -> Counter[str]:
    """Compare both builds with the model on random inputs; return the number of inputs of each kind."""
    ports = [Models(name) for name in BUILDS]
    rng = SplitMix64(seed)
    counts: Counter[str] = Counter()
    for _ in range(count):
        scheme, inputs = draw(rng)
        expected = answer_or_none(transfer_time.compute, scheme, inputs)
        for port in ports:
            assert answer_or_none(port.compute, scheme, inputs) == expected, (scheme, inputs)
        counts[scheme] += 1
        if expected is None:
            counts["refused"] += 1
            continue
        counts["no round"] += expected.psi == 0
        counts["rounds"] += expected.psi > 0
        counts["many rounds"] += expected.psi > 100
        counts["beyond 128 bits"] += expected.gamma.numerator >= 2**128
        counts["beyond 512 bits"] += expected.gamma.numerator >= 2**512
        counts["whole"] += expected.gamma.denominator == 1
        counts["boundary"] += on_boundary(scheme, inputs, expected)
    return counts


def on_boundary(scheme: str, inputs: Inputs, answer: TransferTime) -> bool:
    """Return whether psi changes with one ns, one bit/s or one byte more or less."""
    neighbours = (
        ("rtt_ns", 1),
        ("rtt_ns", -1),
        ("size_bytes", 1),
        ("size_bytes", -1),
        ("rate_bps", 1),
        ("rate_bps", -1),
    )
    for name, step in neighbours:
        values = {field: getattr(inputs, field) for field in LIMITS}
        values[name] += step
        neighbour = answer_or_none(transfer_time.compute, scheme, Inputs(**values))
        if neighbour is not None and neighbour.psi != answer.psi:
            return True
    return False


def check_variety(counts: Counter[str], count: int) -> None:
    kinds = [*SCHEMES, "refused", "no round", "rounds", "many rounds", "beyond 128 bits", "beyond 512 bits", "whole"]
    assert not [name for name in kinds if counts[name] < count // 1000]
    assert counts["boundary"] > count // 10


@pytest.mark.parametrize("seed", range(NORMAL[1]))
def test_port_equals_model_on_random_inputs(seed: int) -> None:
    check_variety(compare_many(1000 + seed, NORMAL[0]), NORMAL[0])


@pytest.mark.long
@pytest.mark.parametrize("seed", range(LONG[1]))
def test_port_equals_model_on_a_million_random_inputs(seed: int) -> None:
    assert LONG[0] * LONG[1] >= 10**6
    check_variety(compare_many(2000 + seed, LONG[0]), LONG[0])


def near(name: str) -> st.SearchStrategy[int]:
    most = LIMITS[name]
    return st.one_of(
        st.integers(0, 20), st.integers(0, most), st.sampled_from([0, 1, most - 1, most, most + 1, 2**64 - 1])
    )


any_inputs = st.builds(Inputs, **{name: near(name) for name in LIMITS})


@settings(max_examples=400, deadline=None)
@given(st.sampled_from([*SCHEMES, "no-such-scheme"]), any_inputs)
@example("slow-start", Inputs(10**12, 10**11, 2**48, 1, 1, 1, 8))
@example("jump-start", Inputs(10**12, 10**11, 2**48, 65535, 65535, 1, 8, 1))
@example("more-start", Inputs(10**12, 10**11, 2**48, 1, 1, 1, 8, 1, 1))
def test_port_equals_model_on_any_inputs(scheme: str, inputs: Inputs) -> None:
    expected = answer_or_none(transfer_time.compute, scheme, inputs)
    for name in BUILDS:
        assert answer_or_none(Models(name).compute, scheme, inputs) == expected


def test_port_equals_vectors(port: Models) -> None:
    count = 0
    for case in every_computation():
        inputs = computations.decode_inputs(case.inputs)
        if case.profile == computations.RATE_PROFILE:
            continue
        result = answer_or_none(port.compute, case.profile, Inputs(**inputs))
        answer = computations.REFUSED if result is None else computations.encode_time(result)
        assert answer == case.expectation.expect, case.id
        count += 1
    assert count >= 100


def test_quick_start_codes(port: Models) -> None:
    rates = {40_000 << code for code in range(42)} | {0, 79_000, 10**12, 10**12 + 1, 2**64 - 1}
    near = {rate + step for rate in rates for step in (-1, 0, 1)}
    for rate in sorted(rate for rate in near if 0 <= rate < 2**64):
        try:
            expected = transfer_time.quick_start_code(rate)
        except DomainError:
            with pytest.raises(DomainError):
                port.quick_start_code(rate)
        else:
            assert port.quick_start_code(rate) == expected


words = st.one_of(st.integers(0, 2**64 - 1), st.sampled_from([0, 1, 2**32 - 1, 2**32, 2**63, 2**64 - 1]))
wides = st.one_of(
    st.integers(0, 2**960),
    st.integers(0, 15).map(lambda k: 2 ** (64 * k)),
    st.integers(0, 15).map(lambda k: 2 ** (64 * k) - 1),
)


@settings(max_examples=300, deadline=None)
@given(wides, wides, words)
def test_wide_arithmetic(x: int, y: int, word: int) -> None:
    for name in BUILDS:
        port = Models(name)
        lib, high = port.lib, port.ffi.new("uint64_t *")
        low = lib.ff_wide_product(x % 2**64, word, high)
        assert high[0] << 64 | low == x % 2**64 * word
        a = port.wide(x)
        lib.ff_wide_multiply(a, word)
        assert port.integer(a) == x * word
        a = port.wide(x)
        lib.ff_wide_add(a, port.wide(y))
        assert port.integer(a) == x + y
        lib.ff_wide_subtract(a, port.wide(y))
        assert port.integer(a) == x
        if word:
            assert lib.ff_wide_remainder(port.wide(x), word) == x % word
            assert lib.ff_wide_divide(a, word) == x % word
            assert port.integer(a) == x // word
        order = lib.ff_wide_compare(port.wide(x), port.wide(y))
        assert (order > 0) - (order < 0) == (x > y) - (x < y)
        assert port.decimal(x) == str(x)


def test_overflow_of_1024_bits_is_truncated(port: Models) -> None:
    a = port.wide(2**1024 - 1)
    port.lib.ff_wide_multiply(a, 2)
    assert port.integer(a) == 2**1024 - 2
    port.lib.ff_wide_add(a, port.wide(2))
    assert a.limbs[0] == 0


def test_longest_decimal_fits_the_buffer(port: Models) -> None:
    assert port.decimal(2**1024 - 1) == str(2**1024 - 1)
    assert len(str(2**1024 - 1)) < port.lib.FF_WIDE_DECIMAL_SIZE


def test_port_and_model_have_the_same_domain(port: Models) -> None:
    for name in ("RATE_MAX_BPS", "RTT_MAX_NS", "SIZE_MAX_BYTES", "PACKET_MAX_BYTES", "INITIAL_WINDOW_MAX_SEGMENTS",
                 "SEGMENTS_PER_ACK_MAX", "BIT_NS_PER_BYTE_S"):  # fmt: skip
        assert getattr(port.lib, f"FF_TRANSFER_TIME_{name}") == getattr(transfer_time, name)
    assert port.lib.FF_QUICK_START_UNIT_BPS == transfer_time.QUICK_START_UNIT_BPS
    assert port.lib.FF_QUICK_START_CODE_MAX == transfer_time.QUICK_START_CODE_MAX
