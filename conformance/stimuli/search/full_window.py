"""Stimuli for SEARCH with windows that the flight fills: a stack that works app-limited out by itself can follow them. Paths."""

from typing import Any

from firstflight_conformance.format.builder import MS
from generate.catalogue import Catalogue
from stimuli.search.full_window_flow import NO_BOTTLENECK, FullWindow, steps

#: The recommended text, the last draft, and the QUIC stacks, one of them on CUBIC as it is shipped.
PROFILES = ("lanman-2024", "draft-09", "quicly-pr583", "neqo-2026", "neqo-2026+cubic", "picoquic-fork")
#: The same without CUBIC, whose window is another one after an exit or a loss: where the stream goes on beyond that.
ON_NEWRENO = tuple(profile for profile in PROFILES if not profile.endswith("+cubic"))
#: Of these the last to leave slow start: the others are judged until the stream does not fit their window any more.
LAST = "quicly-pr583"

CATALOGUE = Catalogue(*PROFILES, sources=("RFC 9002, section 7.8", "searches A5, A8, A17, A20"))


def over(name: str, title: str, why: str, *, until_ms: int, loop: str = LAST, **path: Any) -> None:
    """Add a transfer over a path, until a time. RTT and rate change with time: (value, (from ms, value) ...)."""
    rtt_ms, rate, slot_ms = path.pop("rtt_ms", (100,)), path.pop("rate", (NO_BOTTLENECK,)), path.pop("slot_ms", 10)
    start, stop = path.pop("silence_ms", (0, 0))
    profiles, datagram_bytes = path.pop("profiles", PROFILES), path.pop("datagram_bytes", 1200)
    catalogue: Catalogue = path.pop("catalogue", CATALOGUE)

    @catalogue.add(
        f"search.full-window.{name}", title, why, tier="core", profiles=profiles,
        max_datagram_size_bytes=datagram_bytes, initial_window_bytes=None,
    )  # fmt: skip
    def fill(b: Any) -> None:
        FullWindow(
            b,
            loop,
            rtt_ns=steps(rtt_ms[0] * MS, *((t_ms * MS, value * MS) for t_ms, value in rtt_ms[1:])),
            rate=steps(rate[0], *((t_ms * MS, value) for t_ms, value in rate[1:])),
            slot_ns=slot_ms * MS,
            silence_ns=(start * MS, stop * MS),
            **path,
        ).transfer(until_ms * MS)


# Where the rate of delivery stops growing

over(
    "plateau-20-ms",
    "A plateau at an RTT of 20 ms",
    "500 packets in 100 ms pass the bottleneck, 100 in an RTT: from the fifth round on the delivery no longer doubles. Bins last 7 ms. "
    "Sent against delivered sees it first; delivered against delivered sees it an RTT later, in a window twice as large.",
    rtt_ms=(20,),
    rate=(500,),
    slot_ms=2,
    until_ms=220,
)
over(
    "plateau-50-ms",
    "A plateau at an RTT of 50 ms",
    "The same bandwidth-delay product as at 20 ms with bins of 17.5 ms, which no clock in milliseconds holds: a stack that rounds the bin down to "
    "17 ms ends bins at other ACKs.",
    rtt_ms=(50,),
    rate=(200,),
    slot_ms=5,
    loop="lanman-2024",
    until_ms=550,
)
over(
    "plateau-100-ms",
    "A plateau at an RTT of 100 ms",
    "Bins of 35 ms, ACKs on multiples of 10 ms: some arrive at the very end of a bin. Those end it or not as the profile reads the boundary.",
    rate=(100,),
    until_ms=1230,
)
over(
    "plateau-300-ms",
    "A plateau at an RTT of 300 ms",
    "Bins of 105 ms hold several ACKs each. Who evaluates at each ACK instead of once in a bin leaves earlier.",
    rtt_ms=(300,),
    rate=(40,),
    slot_ms=30,
    until_ms=3300,
)
over(
    "plateau-600-ms",
    "A plateau on a path over a satellite",
    "Bins of 210 ms. The bottleneck passes 120 packets in an RTT. Constants in milliseconds, tuned for paths on the ground, would leave elsewhere.",
    rtt_ms=(600,),
    rate=(20,),
    slot_ms=60,
    until_ms=6600,
)
over(
    "plateau-early",
    "A plateau that begins before SEARCH can look back",
    "30 packets an RTT are reached in the second round, while bins are still too few. The first evaluations compare windows that lie wholly or partly on the "
    "plateau: an exit is due at once, and a queue has been growing.",
    rate=(30,),
    until_ms=1000,
)
over(
    "plateau-late",
    "A plateau after seven doublings",
    "Many evaluations find doubling, each near the border of what is tolerated, before the plateau comes: a threshold taken too low leaves too early.",
    rate=(400,),
    until_ms=1300,
)

# No plateau: an exit would be wrong

over(
    "doubling",
    "Doubling without a bottleneck, no exit",
    "The window doubles for eleven rounds. What was sent an RTT ago is what is delivered now, and delivery is twice what it was: no evaluation may exit.",
    rate=(1600,),
    until_ms=790,
)
over(
    "doubling-10-ms",
    "Doubling without a bottleneck at an RTT of 10 ms",
    "Bins of 3.5 ms, and ACKs every millisecond. A clock in milliseconds makes bins of 3 ms and looks back too far or not far enough.",
    rtt_ms=(10,),
    slot_ms=1,
    rate=(16_000,),
    loop="lanman-2024",
    until_ms=79,
)
over(
    "doubling-333-ms",
    "Doubling with the RTT that RFC 9002 assumes at first",
    "Bins of 116.55 ms. A stack that takes its initial RTT of 333 ms for a sample cannot be told from one that measures it here, but in all others.",
    rtt_ms=(333,),
    slot_ms=37,
    rate=(500,),
    until_ms=2600,
)

# The RTT changes, the delivery does not

over(
    "rtt-up-30-percent",
    "The RTT rises from 100 to 130 ms",
    "No capacity is missing, but for 30 ms nothing arrives, and the look back grows from 20/7 to 26/7 bins. Who keeps the initial RTT compares "
    "with packets sent too late.",
    rtt_ms=(100, (500, 130)),
    rate=(4000,),
    until_ms=1050,
)
over(
    "rtt-doubles",
    "The RTT doubles in slow start",
    "The look back grows from 2.86 to 5.71 bins, and delivery stands still for an RTT.",
    rtt_ms=(100, (500, 200)),
    rate=(2000,),
    loop="neqo-2026",
    profiles=ON_NEWRENO,
    until_ms=1500,
)
over(
    "rtt-beyond-the-bins",
    "The RTT rises beyond what the bins hold",
    "From 100 to 600 ms: 17.1 bins. Profiles that hold 15 bins more than a window cannot evaluate, and others that hold fewer neither.",
    rtt_ms=(100, (500, 600)),
    rate=(1000,),
    until_ms=2300,
)
over(
    "rtt-halves",
    "The RTT falls from 200 to 100 ms",
    "Packets sent after the change arrive with those sent before it. The bins keep the duration of the first RTT, 70 ms: the look back is 1.43 bins, "
    "and interpolation decides more than bins.",
    rtt_ms=(200, (600, 100)),
    rate=(2000,),
    loop="neqo-2026",
    profiles=ON_NEWRENO,
    until_ms=1400,
)
over(
    "rtt-ramp",
    "The RTT rises by 10 ms every 100 ms",
    "A delay that rises while delivery doubles: an exit by delay would leave, SEARCH has no reason to.",
    rtt_ms=(100, *((t_ms, 100 + t_ms // 10) for t_ms in range(100, 1200, 100))),
    rate=(2000,),
    loop="neqo-2026",
    profiles=ON_NEWRENO,
    until_ms=1200,
)
over(
    "rtt-first-round-slow",
    "The first round takes three times as long",
    "As after a handshake over a cold path: bins last 105 ms for the whole slow start though the RTT is 100 ms, so the look back is less than one bin. "
    "Who starts again with a later RTT has bins of 35 ms.",
    rtt_ms=(300, (1, 100)),
    rate=(100,),
    until_ms=1700,
)
over(
    "rtt-first-round-quick",
    "The first round takes a third of the time",
    "Bins last 35 ms, the RTT is 300 ms from then on: the look back is 8.57 bins, and 18 bins must pass before the first evaluation.",
    rtt_ms=(100, (1, 300)),
    rate=(100,),
    until_ms=2000,
)
over(
    "rtt-up-and-back",
    "The RTT is higher for two rounds",
    "ACKs delayed by the rise arrive with those after it, in one frame: a bin without delivery, then one with twice as much.",
    rtt_ms=(100, (500, 150), (700, 100)),
    rate=(2000,),
    loop="neqo-2026",
    until_ms=1000,
)
over(
    "rtt-jitter",
    "The RTT alternates between 100 and 120 ms",
    "With the newest sample the look back jumps between 2.86 and 3.43 bins; a smoothed RTT would lie between. ACKs come in pairs.",
    rtt_ms=(100, *((t_ms, 120 - 20 * (t_ms // 30 % 2)) for t_ms in range(30, 1400, 30))),
    rate=(100,),
    until_ms=1300,
)

# The rate changes

over(
    "rate-falls",
    "The rate falls to a quarter in slow start",
    "400 packets in an RTT, then 100: the queue that was empty is full within a round, and the RTT rises while delivery falls.",
    rate=(400, (500, 100)),
    until_ms=1400,
)
over(
    "rate-rises",
    "The rate rises before the plateau is seen",
    "100 packets in an RTT, and 1000 from 700 ms on. The queue of the plateau drains at once: delivery more than doubles for one window.",
    rate=(100, (700, 1000)),
    until_ms=1300,
)
over(
    "rate-dips",
    "The rate dips for one RTT",
    "Another flow's burst takes most of the bottleneck from 500 to 600 ms. A window of 3.5 RTTs holds it together with what comes after: it is the sum "
    "that decides, not one bin.",
    rate=(1000, (500, 100), (600, 1000)),
    loop="neqo-2026",
    profiles=ON_NEWRENO,
    until_ms=1300,
)
over(
    "rate-policed",
    "A policer lets a burst pass, then little",
    "From 600 ms on a twentieth of the rate: delivery falls below what was sent before, and even below half of it.",
    rate=(1000, (600, 50)),
    loop="neqo-2026",
    profiles=ON_NEWRENO,
    until_ms=1500,
)
over(
    "rate-steps",
    "The rate steps down twice",
    "From 800 to 400 to 200 packets in an RTT, each step when the window is about to pass it.",
    rate=(800, (600, 400), (800, 200)),
    until_ms=1270,
)
