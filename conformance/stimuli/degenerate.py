"""Stimuli with RTT samples of 0 and of 1 ns, for every algorithm; all events of a flight happen at one time.

A clock of milliseconds has samples of 0 on any path within a rack, and on a virtual machine that was stopped.
"""

from collections.abc import Callable

from firstflight_conformance.format.builder import StreamBuilder
from generate.catalogue import Catalogue
from stimuli.builders import ALGORITHMS, Fitting, builder_of, full_profiles
from stimuli.careful_resume.builder import ResumeBuilder

CATALOGUE = Catalogue(sources=("ours",))

#: Algorithms that count samples or ACKs of a round. For others one ACK per flight shows that the window is used.
COUNTING = ("hystart", "hystartpp", "suss")


def _begin(b: StreamBuilder, algorithm: str, rtt_ns: int) -> None:
    """Provide the queued data or the saved path that the algorithm combines with the RTT."""
    if algorithm in ("jumpstart", "quick-start"):
        b.backlog(0, 10**6, 10**6, rtt_ns)
    elif isinstance(b, ResumeBuilder):
        b.saved_path(0, rtt_ns=1)


def _connection(algorithm: str, rtt_ns: int) -> Callable[[StreamBuilder], None]:
    """Return a stream of three flights in slow start, one with a loss, and two in congestion avoidance."""

    def fill(b: StreamBuilder) -> None:
        frames = 8 if algorithm in COUNTING else 1
        _begin(b, algorithm, rtt_ns)
        sender = Fitting(b, algorithm, full_profiles(algorithm))
        sender.flights((frames,), rtt_ns)
        if isinstance(b, ResumeBuilder) and algorithm == "careful-resume":
            b.wake(sender.now_ns)
        # Flights of at least four initial windows would be saved: no text excludes a saved RTT of 0.
        saves_zero = algorithm == "careful-resume" and rtt_ns == 0
        sender.flights((frames,) if saves_zero else (frames, 1), rtt_ns)
        sender.flight_with_loss(rtt_ns)
        sender.flights((1, 1), rtt_ns)

    return fill


#: If all events happen at one time, comparing packet numbers differs from comparing times
#: (open point S6 of NewReno, which does not use the RTT).
_SAMPLES = {"slow-start": (("one", 1),)}
for _algorithm in ALGORITHMS:
    for _name, _rtt_ns in _SAMPLES.get(_algorithm, (("zero", 0), ("one", 1))):
        CATALOGUE.add(
            f"{_algorithm}.degenerate.rtt-{_name}",
            f"Every RTT sample is {_rtt_ns} ns",
            """Flights in slow start, one whose first packet is lost, and two after it, a millisecond apart. A stack that divides by
            the RTT, or skips the sample, crashes, or has a window of 0 or a wrong window.""",
            tier="core",
            profiles=full_profiles(_algorithm),
            flags=("same-time-order",),
            builder=builder_of(_algorithm),
        )(_connection(_algorithm, _rtt_ns))
