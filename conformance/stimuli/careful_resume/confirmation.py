"""Hand-built stimuli of Careful Resume: the RTT that confirms the path in Reconnaissance."""

from firstflight_conformance.format.builder import MS, US
from generate.catalogue import Catalogue
from stimuli.careful_resume.builder import CONFIRMED, ENTRY, RTT, ResumeBuilder
from stimuli.careful_resume.careful_resume import PROFILES, RFC, SOURCES

CATALOGUE = Catalogue(*PROFILES, sources=SOURCES, builder=ResumeBuilder)
add = CATALOGUE.add


def _one_sample(b: ResumeBuilder, rtt_ns: int, saved_rtt_ns: int = RTT) -> None:
    b.begin(rtt_ns=saved_rtt_ns)
    b.ack(rtt_ns, (0, 9))
    b.wake(rtt_ns + 50 * MS)


@add(
    "careful-resume.reconnaissance.rtt-equal-saved",
    "An RTT equal to the saved RTT fits",
    """100 ms is neither at most 50 ms nor above 1000 ms: the window jumps to 120000. The comparisons as printed
    in draft -10 would reject every RTT.""",
)
def reconnaissance_rtt_equal_saved(b: ResumeBuilder) -> None:
    _one_sample(b, RTT)
    b.expect(cwnd_bytes=120_000, phase="unvalidated")


@add(
    "careful-resume.reconnaissance.rtt-half-equal",
    "An RTT of exactly half the saved RTT does not fit",
    "2 * 50 ms <= 100 ms ends Careful Resume; the window stays at 24000. A strict comparison, as in draft-10, jumps.",
)
def reconnaissance_rtt_half_equal(b: ResumeBuilder) -> None:
    _one_sample(b, 50 * MS)
    b.expect(profile=RFC, at=2, outcome="rtt_not_validated", cwnd_bytes=24_000)
    b.expect(profile=RFC, cwnd_bytes=24_000)
    b.expect(profile="draft-10", cwnd_bytes=120_000)


@add(
    "careful-resume.reconnaissance.rtt-half-plus-one",
    "An RTT a microsecond above half the saved RTT fits",
    "2 * 50.001 ms = 100.002 ms > 100 ms: the window jumps to 120000. A gate of a quarter up and down rejects it.",
)
def reconnaissance_rtt_half_plus_one(b: ResumeBuilder) -> None:
    _one_sample(b, 50 * MS + US)
    b.expect(cwnd_bytes=120_000, phase="unvalidated")


@add(
    "careful-resume.reconnaissance.rtt-half-odd-below",
    "Half of an odd saved RTT is not rounded: just below",
    """2 * 50000 us = 100000 us <= 100001 us: rejected. Halving 100001 us in whole microseconds gives 50000, and a
    strict comparison with that accepts.""",
)
def reconnaissance_rtt_half_odd_below(b: ResumeBuilder) -> None:
    _one_sample(b, 50 * MS, RTT + US)
    b.expect(at=2, outcome="rtt_not_validated")
    b.expect(cwnd_bytes=24_000)


@add(
    "careful-resume.reconnaissance.rtt-half-odd-above",
    "Half of an odd saved RTT is not rounded: just above",
    "2 * 50001 us = 100002 us > 100001 us: the window jumps to 120000.",
)
def reconnaissance_rtt_half_odd_above(b: ResumeBuilder) -> None:
    _one_sample(b, 50 * MS + US, RTT + US)
    b.expect(cwnd_bytes=120_000, phase="unvalidated")


@add(
    "careful-resume.reconnaissance.rtt-ten-equal",
    "An RTT of exactly ten times the saved RTT fits",
    "1000 ms is not above 10 * 100 ms: the window jumps to 120000. A test for at least ten times rejects it.",
)
def reconnaissance_rtt_ten_equal(b: ResumeBuilder) -> None:
    _one_sample(b, 1000 * MS)
    b.expect(cwnd_bytes=120_000, phase="unvalidated")


@add(
    "careful-resume.reconnaissance.rtt-ten-plus-one",
    "An RTT a microsecond above ten times the saved RTT does not fit",
    "1000.001 ms > 10 * 100 ms ends Careful Resume; the window stays at 24000.",
)
def reconnaissance_rtt_ten_plus_one(b: ResumeBuilder) -> None:
    _one_sample(b, 1000 * MS + US)
    b.expect(at=2, outcome="rtt_not_validated")
    b.expect(cwnd_bytes=24_000)


@add(
    "careful-resume.reconnaissance.rtt-ten-later-sample",
    "A later sample above ten times the saved RTT does not fit, though the minimum does",
    """Samples of 100 ms and 1000.001 ms: the second, above 10 * 100 ms, ends Careful Resume, and the window stays at
    24000. The minimum of the phase is 100 ms; an implementation that compares the minimum jumps to 240000 / 2 = 120000.""",
    profiles=RFC,
)
def reconnaissance_rtt_ten_later_sample(b: ResumeBuilder) -> None:
    b.begin()
    b.ack(CONFIRMED, (0, 8))
    b.ack(10 * RTT + US, (9, 9))
    b.wake(10 * RTT + MS)
    b.expect(phase="normal", cwnd_bytes=24_000)


@add(
    "careful-resume.reconnaissance.rtt-minimum",
    "The minimum of the phase decides, not the latest sample",
    """Samples of 49 ms and 90 ms: 2 * 49 ms <= 100 ms ends Careful Resume at once. An implementation that checks the
    latest sample at the jump has 90 ms and jumps.""",
)
def reconnaissance_rtt_minimum(b: ResumeBuilder) -> None:
    b.begin()
    b.ack(49 * MS, (0, 0))
    b.ack(90 * MS, (1, 9))
    b.wake(ENTRY)
    b.expect(at=2, outcome="rtt_not_validated", cwnd_bytes=13_200)
    b.expect(cwnd_bytes=24_000, phase="normal")


@add(
    "careful-resume.reconnaissance.rtt-later-sample",
    "Every sample of the phase counts, not only the first",
    """The first sample is 90 ms. Packet 10, sent at 90 ms, is acknowledged at 135 ms: 2 * 45 ms <= 100 ms ends Careful
    Resume. The window is 12000 + 6000 + 1200 = 19200. An implementation that compares once continues, as in draft-10.""",
)
def reconnaissance_rtt_later_sample(b: ResumeBuilder) -> None:
    b.begin()
    b.ack(90 * MS, (0, 4))
    b.send(90 * MS, 1, app_limited=True)
    b.ack(135 * MS, (10, 10))
    b.expect(profile=RFC, outcome="rtt_not_validated", cwnd_bytes=19_200)
    b.expect(profile="draft-10", phase="reconnaissance", cwnd_bytes=19_200)


@add(
    "careful-resume.reconnaissance.rtt-later-sample-then-data",
    "A later sample that is too low prevents the jump",
    """As in careful-resume.reconnaissance.rtt-later-sample: samples of 90 ms and 45 ms, and 2 * 45 ms <= 100 ms ends Careful Resume. Packets 5 to 9 complete the initial data at 190 ms, in slow start: 19200 + 6000 = 25200. The saved set is gone when data is ready
    then. An implementation that compares the first sample, or the smoothed RTT, which is (7 * 90 + 45) / 8 = 84.375 ms, jumps to 240000 / 2 = 120000.""",
    profiles=RFC,
)
def reconnaissance_rtt_later_sample_then_data(b: ResumeBuilder) -> None:
    b.begin()
    b.ack(90 * MS, (0, 4))
    b.send(90 * MS, 1, app_limited=True)
    b.ack(135 * MS, (10, 10))
    b.ack(190 * MS, (5, 9), sample=False)
    b.wake(191 * MS)
    b.expect(phase="normal", cwnd_bytes=25_200)


@add(
    "careful-resume.reconnaissance.sample-missing",
    "Without an RTT sample the window does not jump",
    "All initial data is acknowledged, but no ACK gave a sample for the comparison: 24000 stays.",
    profiles=("rfc-9959", "rfc-9959-unvalidated"),
)
def reconnaissance_sample_missing(b: ResumeBuilder) -> None:
    b.begin()
    b.ack(CONFIRMED, (0, 9), sample=False)
    b.wake(ENTRY)
    b.expect(phase="reconnaissance", cwnd_bytes=24_000)
