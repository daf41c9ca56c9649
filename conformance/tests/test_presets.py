"""The preset of the thesis of TU Delft 2025: published numbers, numbers by hand, and refused parameters."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from firstflight_conformance.cli import main
from firstflight_conformance.paths import PRESETS
from firstflight_conformance.simulate import presets
from firstflight_conformance.simulate.completion import complete as run
from firstflight_conformance.simulate.presets import Completion
from firstflight_conformance.simulate.scenario import ScenarioError
from studies.published.thesis import CELLS

PRESET = "grigore-2025"
MS = 1_000_000
#: The only cell with a dropped packet: algorithm, rate in Mbit/s, one-way delay in ms, size in kB.
WITH_LOSS = ("cubic", 10, 25, 400)
LOSSLESS = [cell[1:] for cell in CELLS if cell[1:5] != WITH_LOSS]


def complete(name: str, algorithm: str, rate_mbps: int, one_way_delay_ms: int, size_bytes: int) -> Completion:
    """Simulate one transfer of a preset."""
    return run(presets.experiment(name, algorithm, rate_mbps, one_way_delay_ms, size_bytes))


@pytest.mark.parametrize(("_table", "algorithm", "rate", "delay", "kilobytes", "published_us"), CELLS)
def test_published_numbers(
    _table: int, algorithm: str, rate: int, delay: int, kilobytes: int, published_us: int
) -> None:
    """Each completion time is within half a microsecond, the rounding of the published time."""
    result = complete(PRESET, algorithm, rate, delay, 1000 * kilobytes)
    assert abs(result.fct_ns - 1000 * published_us) <= 500
    lost = int((algorithm, rate, delay, kilobytes) == WITH_LOSS)
    assert (result.lost, result.comparable) == (lost, not lost)


def test_receiver_fin_acknowledges_repeated_segment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The repeated segment arrives after the FIN: the receiver's FIN follows earlier by 54 bytes at 10 Mbit/s."""
    algorithm, rate, delay, kilobytes = WITH_LOSS
    as_published = complete(PRESET, algorithm, rate, delay, 1000 * kilobytes)
    preset = presets.load(PRESET)
    monkeypatch.setattr(presets, "load", lambda _: preset | {"tcp": preset["tcp"] | {"fin_acknowledges": False}})
    with_an_ack = complete(PRESET, algorithm, rate, delay, 1000 * kilobytes)
    assert with_an_ack.fct_ns - as_published.fct_ns == 54 * 8 * 100


def fifo(arrivals: list[tuple[int, int]], rate_bps: int, delay_ns: int) -> list[tuple[int, int]]:
    """Return when packets, given with their arrival times at a link, have crossed it."""
    free_ns, out = 0, []
    for t_ns, size_bytes in arrivals:
        free_ns = max(free_ns, t_ns) + (16 * 10**9 * size_bytes + rate_bps) // (2 * rate_bps)
        out.append((free_ns + delay_ns, size_bytes))
    return out


def cross(sent: list[tuple[int, int]], rate: int, delay: int) -> list[tuple[int, int]]:
    """Return when packets arrive at the other end."""
    for rate_bps, delay_ns in ((10**10, MS), (rate * 10**6, delay * MS), (10**10, MS)):
        sent = fifo(sent, rate_bps, delay_ns)
    return sent


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 999), st.integers(12, 300), st.integers(1, 5360))
def test_one_flight_by_hand(rate: int, delay: int, size_bytes: int) -> None:
    """Data within the initial window: SYN, SYN-ACK, ACK with the flight, ACKs with the FIN, the last ACK."""
    syn_ack_ns = cross(cross([(0, 58)], rate, delay), rate, delay)[0][0]
    sizes = [min(536, size_bytes - first) + 54 for first in range(0, size_bytes, 536)]
    arrived = cross([(syn_ack_ns, 54), *((syn_ack_ns + 1, size) for size in sizes)], rate, delay)[1:]
    # An ACK for the first packet, for every second packet after it, and for the last with the FIN behind it.
    acks = [(t_ns, 54) for n, (t_ns, _) in enumerate(arrived) if n % 2 == 0 or n == len(arrived) - 1]
    back = cross([*acks, (arrived[-1][0], 54)], rate, delay)
    expected_ns = cross([back[-1]], rate, delay)[0][0]
    result = complete(PRESET, "cubic", rate, delay, size_bytes)
    # The simulator of the thesis rounds a half down.
    assert abs(result.fct_ns - expected_ns) <= 12
    assert result.lost == 0


@pytest.mark.parametrize(("algorithm", "rate", "delay", "kilobytes", "_"), LOSSLESS)
def test_model_slow_start_matches_published_window(
    algorithm: str, rate: int, delay: int, kilobytes: int, _: int
) -> None:
    """Without losses and without HyStart exits, slow start of the model takes as long as the thesis's CUBIC."""
    if algorithm == "jumpstart":
        todo = presets.experiment(PRESET, algorithm, rate, delay, 1000 * kilobytes)
        theirs = run(replace(todo, algorithm="jumpstart/ns3-2025"))  # paced as the published window
        mine = complete(PRESET, algorithm, rate, delay, 1000 * kilobytes)
        # The model's release times are not rounded individually: 122 gaps of at most half a ns.
        assert abs(theirs.fct_ns - mine.fct_ns) <= 500
        return
    theirs = complete(PRESET, "slow-start/rfc-9002", rate, delay, 1000 * kilobytes)
    assert theirs.fct_ns == complete(PRESET, "cubic", rate, delay, 1000 * kilobytes).fct_ns
    assert not theirs.comparable


#: Cells beyond the published ones, from an independent simulator, written hop by hop from the public code.
FURTHER = [
    # an RTT of 204 ms, longer than the timer of delayed ACKs
    ("cubic", 100, 100, 100_000, 1_328_106_885), ("jumpstart", 100, 100, 100_000, 804_442_882),
    ("jumpstart", 1000, 100, 400_000, 1_670_609_845),
    # more than the send buffer and the receive window
    ("cubic", 1000, 25, 10_000_000, 1_002_555_465), ("cubic", 100, 100, 10_000_000, 3_800_071_115),
    ("jumpstart", 1000, 25, 10_000_000, 2_634_248_101),
    # HyStart ends slow start before the buffer limits it
    ("cubic", 137, 9, 2_203_000, 311_483_399),
    # CUBIC's curve grows faster than a segment per 20
    ("jumpstart", 5, 300, 2_000_000, 12_086_231_023),
    # rates of JumpStart that are whole bit/s, and a short last segment
    ("jumpstart", 1478, 98, 5979, 514_997_132), ("jumpstart", 2, 198, 47_121, 1_240_468_018),
    # sizes and rates between the published ones
    ("cubic", 100, 25, 200_000, 409_689_490), ("jumpstart", 10, 25, 200_000, 311_422_900),
    ("jumpstart", 1000, 25, 50_000, 169_232_465),
]  # fmt: skip


@pytest.mark.parametrize(("algorithm", "rate", "delay", "size_bytes", "expected_ns"), FURTHER)
def test_other_parameters_give_exact_times(
    algorithm: str, rate: int, delay: int, size_bytes: int, expected_ns: int
) -> None:
    """Times for other parameters are exact as well."""
    result = complete(PRESET, algorithm, rate, delay, size_bytes)
    assert (result.fct_ns, result.lost, result.comparable) == (expected_ns, 0, True)


def test_size_of_one_byte() -> None:
    """A byte takes two and a half round trips and the wire times of its packets."""
    result = complete(PRESET, "cubic", 100, 25, 1)
    assert 5 * 27 * MS < result.fct_ns < 5 * 27 * MS + 100_000
    assert result.sent_packets == 1


@pytest.mark.parametrize("algorithm", ["cubic", "jumpstart"])
def test_drops_are_reported(algorithm: str) -> None:
    """If CoDel drops packets, the transfer still ends, and the result is marked."""
    result = complete(PRESET, algorithm, 10, 25, 4_000_000)
    assert result.lost > 0
    assert not result.comparable
    assert f"dropped {result.lost} packets" in (result.reason or "")
    # No faster than the link: 590 bytes for each 536.
    assert result.fct_ns > 8 * 4_000_000 * 590 // 536 * 100


def test_queue_smaller_than_packet_is_reported() -> None:
    """A queue smaller than a packet stalls the published simulator."""
    result = complete(PRESET, "cubic", 10, 1, 5000)
    assert not result.comparable
    assert "1250 bytes" in (result.reason or "")


def fct(*words: object) -> Result:
    """Run ``firstflight fct``."""
    return CliRunner().invoke(main, ["fct", *map(str, words)])


def words(**changes: object) -> list[object]:
    """Return options of the command."""
    options = {"algorithm": "cubic", "rate-mbps": 100, "one-way-delay-ms": 25, "size-bytes": 100_000} | {
        name.replace("_", "-"): value for name, value in changes.items()
    }
    return [word for name, value in options.items() for word in (f"--{name}", value)]


def test_command_prints_json() -> None:
    """The command prints one JSON object with the inputs, the time and the losses."""
    result = fct("--preset", PRESET, *words(), "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout) == {
        "preset": PRESET, "algorithm": "cubic", "rate_mbps": 100, "one_way_delay_ms": 25, "size_bytes": 100_000,
        "fct_ns": 353_626_085, "lost": 0, "comparable": True,
    }  # fmt: skip
    assert fct(*words()).stdout == "353.626085 ms, 0 lost of 187 packets\n"


def test_command_with_a_model() -> None:
    """Any profile of the model can replace the published window; the result is then marked as not comparable."""
    result = json.loads(fct(*words(algorithm="search/draft-09"), "--json").stdout)
    assert (result["fct_ns"], result["comparable"]) == (353_626_085, False)
    assert "not comparable" in fct(*words(algorithm="search/draft-09")).stdout


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"algorithm": "bbr"}, "algorithm: bbr: unknown; grigore-2025 has cubic, jumpstart"),
        ({"algorithm": "search/none"}, "search/none: no such profile"),
        ({"rate_mbps": 0}, "rate_mbps: 0 is outside 1..10000"),
        ({"one_way_delay_ms": -1}, "one_way_delay_ms: -1 is outside 0..10000"),
        ({"size_bytes": 0}, "size_bytes: 0 is outside 1..1000000000"),
        ({"size_bytes": "1 acre"}, "--size-bytes"),
        ({"preset": "grigore-2026"}, "--preset"),
    ],
)
def test_invalid_arguments_are_usage_errors(changes: dict[str, object], reason: str) -> None:
    """Values out of range and unknown names are usage errors."""
    result = fct(*words(**changes))
    assert (result.exit_code, result.stdout) == (2, "")
    assert reason in result.stderr


def test_function_refuses_same_inputs_as_command() -> None:
    """The function refuses the same inputs as the command."""
    with pytest.raises(ScenarioError, match="size_bytes: 0"):
        complete(PRESET, "cubic", 1, 1, 0)


def test_work_is_bounded() -> None:
    """10 MB take a bounded number of events per packet."""
    result = complete(PRESET, "cubic", 1000, 25, 10_000_000)
    assert isinstance(result, Completion)
    assert result.events < 7 * result.sent_packets


def test_same_answer_with_another_hash_seed() -> None:
    """The answer is independent of the order of sets and of the hash seed of the process."""
    run = "from firstflight_conformance.cli import main; main()"
    options = [str(word) for word in words(size_bytes=4_000_000, rate_mbps=10)]
    command = [sys.executable, "-c", run, "fct", *options, "--json"]
    answers = {
        subprocess.run(command, env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, check=True).stdout
        for seed in ("0", "1", "2")
    }
    assert len(answers) == 1


def test_custom_preset(tmp_path: Path) -> None:
    """A larger initial window saves a flight, a real round trip of 2 * (25 + 2) ms; an error contains its place."""
    own = tmp_path / "own.toml"
    text = (PRESETS / f"{PRESET}.toml").read_text("utf-8")
    own.write_text(text.replace("initial_window_segments = 10", "initial_window_segments = 20"), encoding="utf-8")
    size_bytes = 20 * 536
    mine, theirs = (complete(name, "cubic", 1000, 25, size_bytes) for name in (str(own), PRESET))
    assert 54 * MS - MS < theirs.fct_ns - mine.fct_ns < 54 * MS
    assert (mine.comparable, mine.reason) == (False, "an unpublished preset")
    own.write_text(text.replace("ack_bytes = 54", "ack_byte = 54"), encoding="utf-8")
    presets.load.cache_clear()
    with pytest.raises(ScenarioError, match=r"own\.toml: "):
        complete(str(own), "cubic", 1000, 25, size_bytes)
