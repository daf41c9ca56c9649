"""Captures of TCP senders give the verdict of the recording for every link and file type; others are refused."""

import gzip
import json
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest

from firstflight_conformance.format.vectors import Case, load
from firstflight_conformance.judge.formats import read
from firstflight_conformance.judge.verdict import AT_THE_RECEIVER, ConnectionVerdict, judge
from firstflight_conformance.logs.qlog.read import LogOptions
from firstflight_conformance.logs.recording.files import RecordingError, lines, parse
from firstflight_conformance.logs.recording.from_case import recording_of
from firstflight_conformance.logs.recording.recording import Recording
from firstflight_conformance.paths import VECTORS

from captures import LINKS, RECEIVER, SENDER, How, at_the_receiver, capture_of, file_of, frames, segment  # isort: skip
from known_senders import Sender, recorded_sender  # isort: skip

KEPT = Path(__file__).parent / "kept_captures"
TRUE = "hystart/linux"


@cache
def recorded() -> Recording:
    """Return a connection that leaves slow start by HyStart and continues for some rounds."""
    return recording_of(Case(load(VECTORS / "hystart" / "path.deep-queue.json"), "linux"))


@cache
def captured(how: How) -> Recording:
    """Return the recording read from a capture of this connection."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "connection.pcap"
        file.write_bytes(capture_of(recorded(), how))
        return read(file).recording


def judged(tmp_path: Path, data: bytes) -> ConnectionVerdict:
    """Return the verdict on a file with these bytes."""
    file = tmp_path / "connection.pcap"
    file.write_bytes(data)
    return judge(read(file).recording)


def test_capture_gives_the_result_of_the_recording() -> None:
    """The capture gives the profile, growth and exit of the recording."""
    plain = judge(recorded())
    verdict = judge(captured(How()))
    assert verdict.undecided is None
    assert TRUE in verdict.may_be
    assert "slow-start/rfc-9002" not in verdict.may_be
    assert verdict.did.initial_window_bytes == plain.did.initial_window_bytes
    assert verdict.did.growth == plain.did.growth == 1
    assert verdict.did.evidence == "growth"
    assert abs((verdict.did.window_bytes or 0) - (plain.did.window_bytes or 0)) <= 2 * 1200


@pytest.mark.parametrize(("link", "ng", "micro"), list(product(LINKS, (False, True), (False, True))))
def test_every_link_and_file_type_gives_the_same_recording(link: str, *, ng: bool, micro: bool) -> None:
    """Every link and file type gives the same recording, except for times in microseconds."""
    plain, other = captured(How()), captured(How(link, ng, micro))
    assert other.header == plain.header
    assert len(other.steps) == len(plain.steps)
    for step, expected in zip(other.steps, plain.steps, strict=True):
        assert step.subject.get("cwnd_bytes") == expected.subject.get("cwnd_bytes")
        assert type(step.event) is type(expected.event)
        assert abs(step.event.t_ns - expected.event.t_ns) <= (1000 if micro or ng else 0)


@pytest.mark.parametrize("joined", [2, 4])
def test_tso_segments_are_counted_as_full_segments(tmp_path: Path, joined: int) -> None:
    """Segments that the network card splits (TSO) are counted as full segments."""
    verdict = judged(tmp_path, capture_of(recorded(), How(joined=joined)))
    assert verdict.undecided is None
    assert TRUE in verdict.may_be


def test_slow_start_exit_by_loss_is_undecided(tmp_path: Path) -> None:
    """A sender that leaves slow start by loss, seen as a retransmission, is not decided."""
    verdict = judged(tmp_path, capture_of(recorded_sender(Sender())))
    assert verdict.did.evidence == "loss"
    assert verdict.undecided is not None
    assert "slow-start/rfc-9002" in verdict.may_be


def test_twice_the_growth_exceeds_every_window(tmp_path: Path) -> None:
    """A sender that grows twice as fast exceeds every window; its capture needs the option --initial-window."""
    file = tmp_path / "connection.pcap"
    file.write_bytes(capture_of(recorded_sender(Sender(growth=Fraction(2)))))
    with pytest.raises(RecordingError, match="--initial-window"):
        read(file)
    assert judge(read(file, options=LogOptions(initial_window_bytes=12000)).recording).none_of_ours


def test_flight_below_the_window_is_undecided(tmp_path: Path) -> None:
    """A flight below the window does not show whether the application or the sender limited it."""
    verdict = judged(tmp_path, capture_of(recorded_sender(Sender(rests=True))))
    assert verdict.undecided is not None


def test_saved_recording_gets_the_same_verdict(tmp_path: Path) -> None:
    """The recording of ``--save`` gets the same verdict as the capture."""
    file = tmp_path / "connection.pcap"
    file.write_bytes(capture_of(recorded()))
    recording = read(file).recording
    again = parse(file, "".join(json.dumps(line) + "\n" for line in lines(recording)).encode())
    assert judge(again).may_be == judge(recording).may_be


@pytest.mark.parametrize("late_ns", [None, 10_000_000])
def test_capture_at_the_receiver_does_not_show_the_exit(tmp_path: Path, late_ns: int | None) -> None:
    """Captures at the receiver or in the network, without time stamps, show the initial window but not the exit."""
    data = at_the_receiver(recorded()) if late_ns is None else capture_of(recorded(), How(late_ns=late_ns))
    verdict = judged(tmp_path, data)
    assert verdict.undecided == AT_THE_RECEIVER
    assert verdict.may_be == ()
    assert verdict.did.initial_window_bytes == 12000
    assert verdict.did.event is None


def test_sender_rtt_follows_from_data_after_a_gap(tmp_path: Path) -> None:
    """Without time stamps the sender's RTT follows from the first data after a gap; it is below the handshake's RTT."""
    mss, shake_ns, rtt_ns, t_ns, start = 1420, 56_600_000, 53_000_000, 10**9, 0
    options = bytes([2, 4, mss >> 8, mss & 255, 1, 3, 3, 8])
    packets = [
        (t_ns, segment(SENDER, RECEIVER, (99, 0), 2, options=options)),
        (t_ns + 40_000, segment(RECEIVER, SENDER, (499, 100), 18, options=options)),
        (t_ns + shake_ns, segment(SENDER, RECEIVER, (100, 500), 16)),
    ]
    for number in range(5):
        for at in range(10 << number):
            now_ns = t_ns + shake_ns + 100_000 + number * rtt_ns + at * 50_000
            packets.append((now_ns, segment(SENDER, RECEIVER, (100 + start, 500), 16, payload_bytes=mss)))
            start += mss
            if at % 2:
                packets.append((now_ns + 10_000, segment(RECEIVER, SENDER, (500, 100 + start), 16)))
    file = tmp_path / "connection.pcap"
    file.write_bytes(file_of(packets, How()))
    verdict = judge(read(file).recording)
    assert (verdict.undecided, verdict.did.initial_window_bytes) == (AT_THE_RECEIVER, 10 * mss)


def test_the_receivers_window_ends_the_recording(tmp_path: Path) -> None:
    """The recording ends when the receiver's window limits the sender; the growth up to there is the sender's."""
    verdict = judged(tmp_path, capture_of(recorded(), How(window=1 << 16)))
    assert verdict.did.initial_window_bytes == 12000
    assert verdict.did.growth == 1
    assert verdict.did.event is None
    assert verdict.undecided is not None


_REFUSED = {
    "window": (
        lambda: capture_of(recorded(), How(window=1, first_window=12000)),
        "the receiver's window limited the sender",
    ),
    "gaps": (lambda: capture_of(recorded(), How(missing=20)), "segments are missing in it"),
    "middle": (lambda: capture_of(recorded(), How(handshake=False)), "begins after the handshake"),
    "no data": (lambda: file_of([(1, segment(SENDER, RECEIVER, (1, 1), 16))], How()), "has no TCP segment with data"),
    "other link": (lambda: capture_of(recorded())[:20] + b"\x69\0\0\0" + capture_of(recorded())[24:], "link type 105"),
    "cut": (lambda: capture_of(recorded())[:10], "the header of the capture is cut"),
}


@pytest.mark.parametrize("name", _REFUSED)
def test_capture_without_sender_information_is_refused(tmp_path: Path, name: str) -> None:
    """A capture without information on the sender is refused with a reason."""
    data, reason = _REFUSED[name]
    with pytest.raises(RecordingError, match=reason):
        judged(tmp_path, data())


def test_missing_segment_is_treated_as_sent(tmp_path: Path) -> None:
    """A single missing segment is treated as sent."""
    assert TRUE in judged(tmp_path, capture_of(recorded(), How(missing=300))).may_be


def test_the_connection_with_most_data_is_judged(tmp_path: Path) -> None:
    """The connection with most data is judged, and the others are counted in a note."""
    small_connection = [
        (t_ns, packet.replace(SENDER[0], b"\x0a\x00\x00\x09")) for t_ns, packet in frames(recorded(), How())[:40]
    ]
    file = tmp_path / "connection.pcap"
    file.write_bytes(file_of(sorted(small_connection + frames(recorded(), How())), How()))
    source = read(file)
    assert any("1 more connections carry data" in note for note in source.notes)
    assert TRUE in judge(source.recording).may_be


@pytest.mark.parametrize("ng", [False, True])
def test_a_damaged_file_is_refused_or_read(tmp_path: Path, *, ng: bool) -> None:
    """A damaged file is read or refused by RecordingError, without other errors."""
    whole = capture_of(recorded(), How(ng=ng))[:9000]
    random = Random(7)
    file = tmp_path / "connection.pcap"
    for _ in range(150):
        data = bytearray(whole[: random.randrange(30, len(whole))])
        for _ in range(random.randrange(1, 6)):
            data[random.randrange(4, len(data))] = random.randrange(256)
        file.write_bytes(data)
        try:
            read(file)
        except RecordingError as error:
            assert str(file) in str(error)


@pytest.mark.parametrize(
    ("path", "profile"), [("bbr/path.plateau", "draft-06"), ("limited-slow-start/path.half-a-product", "rfc-3742")]
)
def test_only_bbr_is_identified_as_bbr(tmp_path: Path, path: str, profile: str) -> None:
    """BBR's flight is three quarters of its window; a slower sender, with half of BBR's flight, is not named BBR."""
    vector = load(VECTORS / f"{path}.json")
    file = tmp_path / "connection.pcap"
    file.write_bytes(capture_of(recording_of(Case(vector, profile))))
    verdict = judge(
        read(file, options=LogOptions(initial_window_bytes=vector.config["initial_window_bytes"])).recording
    )
    named = () if verdict.undecided else verdict.may_be
    assert any(name.startswith("bbr/") for name in named) == path.startswith("bbr/")
    assert "bbr/linux-v1" not in named


def test_stored_kernel_captures_have_expected_verdicts(tmp_path: Path) -> None:
    """CUBIC of Linux 6.18 is identified, also with TSO and delayed bursts, and BBR by its rate; Reno is not decided."""
    verdicts = {}
    for capture_file in sorted(KEPT.glob("*.pcap.gz")):
        verdicts[capture_file.name.partition(".")[0]] = judged(tmp_path, gzip.decompress(capture_file.read_bytes()))
    assert len(verdicts) == 6
    for name, verdict in verdicts.items():
        if "cubic" in name:
            assert verdict.undecided is None, name
            assert TRUE in verdict.may_be, name
            assert {profile.partition("/")[0] for profile in verdict.may_be} <= {"hystart", "suss"}, name
        elif "reno" in name:
            assert verdict.undecided is not None
            assert verdict.did.evidence == "loss"
            assert "slow-start/rfc-9002" in verdict.may_be
        else:
            assert verdict.undecided is None
            assert verdict.may_be == ("bbr/linux-v1",)
