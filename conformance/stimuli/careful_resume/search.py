"""Careful Resume with SEARCH: bins fill in every phase, and an exit counts only while the window is not frozen.

Ten packets arrive in each bin of 35 ms from the first ACK on. At this flat rate SEARCH alone leaves slow start in bin
14.
"""

from collections.abc import Callable
from functools import partial

from firstflight_conformance.format.builder import MS
from generate.catalogue import Catalogue
from stimuli.careful_resume.builder import RTT, ResumeBuilder
from stimuli.search.flow import in_bin

CATALOGUE = Catalogue(
    "rfc-9959-search", sources=("draft-ietf-tsvwg-careful-resume-24; LANMAN 2024",), builder=ResumeBuilder
)
add = CATALOGUE.add

SAVED = 2_000_000
Action = tuple[int, Callable[[ResumeBuilder], None]]


def _send_ten(t_ns: int, b: ResumeBuilder) -> None:
    b.send(t_ns, 10, app_limited=True)


def _ack_ten(number: int, app_limited: bool, b: ResumeBuilder) -> None:
    b.ack(in_bin(number), (10 * number, 10 * number + 9), app_limited=app_limited)


def _flat(
    b: ResumeBuilder, bins: int, *actions: Action, saved: int = SAVED, app_limited: bool = False, until_ns: int = 10**12
) -> None:
    """Send ten packets an RTT before each ACK, acknowledge ten in each bin, and call the actions at their times."""
    b.saved_path(0, saved)
    moments: list[tuple[int, int, Callable[[ResumeBuilder], None]]] = []
    for number in range(bins):
        moments.append((in_bin(number) - RTT, 2, partial(_send_ten, in_bin(number) - RTT)))
        moments.append((in_bin(number), 0, partial(_ack_ten, number, app_limited)))
    moments += [(t_ns, 1, act) for t_ns, act in actions]
    for t_ns, _, act in sorted(moments, key=lambda moment: moment[:2]):
        if t_ns <= until_ns:
            act(b)


def _wake(t_ns: int) -> Action:
    return t_ns, lambda b: b.wake(t_ns)


@add(
    "careful-resume.search.masked-unvalidated",
    "SEARCH decides in the Unvalidated phase, and the window stays",
    """After the ACK in bin 13 the window is 36000 + 14 * 12000 = 204000. It jumps to 1000000; the ACK in bin 14, of old packets, shows no growth, and SEARCH would leave slow start there. The window is frozen: it stays, and so does the
    infinite threshold. The bins continue to fill.""",
    initial_window_bytes=36_000,
)
def search_masked_unvalidated(b: ResumeBuilder) -> None:
    _flat(b, 15, _wake(in_bin(13) + 10 * MS))
    b.expect(cwnd_bytes=1_000_000, ssthresh_bytes=None)


@add(
    "careful-resume.search.masked-retreat",
    "SEARCH decides in Safe Retreat, and the window stays",
    """The jump comes in bin 12, with 24000 in flight, and ten packets follow. The ACK in bin 13 makes PipeSize 36000, and a signal that the path changed makes the window 18000. In bin 14 SEARCH would leave slow start
    and set the window: the window stays at 18000, and the threshold infinite.""",
    initial_window_bytes=36_000,
)
def search_masked_retreat(b: ResumeBuilder) -> None:
    t_ns = in_bin(13) + 5 * MS
    sent_ns = in_bin(12) + 12 * MS
    _flat(
        b,
        15,
        _wake(in_bin(12) + 10 * MS),
        (sent_ns, lambda b: b.send(sent_ns, 10)),
        (t_ns, lambda b: b.path_change(t_ns)),
    )
    b.expect(cwnd_bytes=18_000, ssthresh_bytes=None)


@add(
    "careful-resume.search.exit-validating",
    "An exit in the Validating phase counts",
    """The ACKs are app-limited, the window is 36000 when it jumps to 120000 in bin 10. Ten packets leave every 10 ms until the window is full: Validating. Their ACKs reach bin 14. SEARCH compares
    ten bins at the old rate with twice the ten bins of an RTT before. Slow start ends, and SEARCH sets window and threshold. The ACK of the last unvalidated packet ends the
    phase in congestion avoidance.""",
    tier="core",
    initial_window_bytes=36_000,
    alternatives=({"at_threshold": "avoidance"},),
)
def search_exit_validating(b: ResumeBuilder) -> None:
    wake_ns = in_bin(13) - RTT + 4 * MS
    _flat(b, 14, _wake(wake_ns), saved=240_000, app_limited=True, until_ns=wake_ns)
    done = 140
    for number in range(20):
        t_ns = wake_ns + (10 * number + 9) * MS
        for bin_number in range(11, 14):
            if t_ns - 10 * MS < in_bin(bin_number) <= t_ns:
                b.ack(in_bin(bin_number), (10 * bin_number, 10 * bin_number + 9), app_limited=True)
        if number < 10 and b.ledger.bytes_in_flight + 12_000 <= 120_000:
            b.send(t_ns, 10)
        if number >= 10 and done < b.ledger.next_packet:
            b.ack(t_ns, (done, done + 9))
            done += 10


@add(
    "careful-resume.search.exit-reconnaissance",
    "After an exit in Reconnaissance the window may still jump",
    """SEARCH leaves slow start with the ACK in bin 14 and sets the threshold. That is not congestion: with the next data the window jumps to 1000000, above the threshold.""",
    initial_window_bytes=36_000,
)
def search_exit_reconnaissance(b: ResumeBuilder) -> None:
    _flat(b, 16, _wake(in_bin(14) + 5 * MS))
    b.expect(cwnd_bytes=1_000_000)
