"""Stimuli for SEARCH with a full window, for stacks that derive app-limited themselves. Paths."""

from typing import Any

from firstflight_conformance.format.builder import MS
from generate.catalogue import Catalogue
from stimuli.search.full_window_flow import NO_BOTTLENECK, FullWindow, steps

#: The recommended text, the last draft, and the QUIC stacks, one of them on CUBIC as shipped.
PROFILES = ("lanman-2024", "draft-09", "quicly-pr583", "neqo-2026", "neqo-2026+cubic", "picoquic-fork")
#: The same without CUBIC: its window differs after an exit or a loss. For streams that continue beyond that.
ON_NEWRENO = tuple(profile for profile in PROFILES if not profile.endswith("+cubic"))
#: The last of these to leave slow start. The others are judged until the stream exceeds their window.
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
    "500 packets in 100 ms pass the bottleneck, 100 in an RTT: from the fifth round on delivery no longer doubles. Bins last 7 ms. "
    "Sent against delivered detects it first; delivered against delivered detects it an RTT later, at a window twice as large.",
    rtt_ms=(20,),
    rate=(500,),
    slot_ms=2,
    until_ms=220,
)
over(
    "plateau-50-ms",
    "A plateau at an RTT of 50 ms",
    "The same bandwidth-delay product as at 20 ms with bins of 17.5 ms, not a whole number of milliseconds. A stack that rounds the bin down to "
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
    "Bins of 35 ms, ACKs on multiples of 10 ms: some arrive at the very end of a bin. Whether they end the bin depends on the profile's reading of the boundary.",
    rate=(100,),
    until_ms=1230,
)
over(
    "plateau-300-ms",
    "A plateau at an RTT of 300 ms",
    "Bins of 105 ms contain several ACKs each. Implementations that evaluate at each ACK instead of once per bin leave earlier.",
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
    "A plateau that begins before the first evaluation of SEARCH",
    "30 packets an RTT are reached in the second round, while bins are still too few. The first evaluations compare windows that are wholly or partly on the "
    "plateau: an exit is due at once, and a queue has been growing.",
    rate=(30,),
    until_ms=1000,
)
over(
    "plateau-late",
    "A plateau after seven doublings",
    "Before the plateau delivery doubles in many evaluations, each near the tolerance. A threshold that is too low leaves too early.",
    rate=(400,),
    until_ms=1300,
)

# No plateau: an exit would be wrong

over(
    "doubling",
    "Doubling without a bottleneck, no exit",
    "The window doubles for eleven rounds. The bytes sent an RTT ago are delivered now, and delivery has doubled: no evaluation may exit.",
    rate=(1600,),
    until_ms=790,
)
over(
    "doubling-10-ms",
    "Doubling without a bottleneck at an RTT of 10 ms",
    "Bins of 3.5 ms, and ACKs every millisecond. A clock in milliseconds makes bins of 3 ms and shifts too far or not far enough.",
    rtt_ms=(10,),
    slot_ms=1,
    rate=(16_000,),
    loop="lanman-2024",
    until_ms=79,
)
over(
    "doubling-333-ms",
    "Doubling with the RTT that RFC 9002 assumes at first",
    "Bins of 116.55 ms. A stack that uses its initial RTT of 333 ms as a sample is correct by chance here. The other vectors detect it.",
    rtt_ms=(333,),
    slot_ms=37,
    rate=(500,),
    until_ms=2600,
)

# The RTT changes, delivery does not

over(
    "rtt-up-30-percent",
    "The RTT rises from 100 to 130 ms",
    "No capacity is missing, but for 30 ms no packets arrive, and the shift grows from 20/7 to 26/7 bins. Implementations that keep the initial RTT "
    "compare with packets sent too late.",
    rtt_ms=(100, (500, 130)),
    rate=(4000,),
    until_ms=1050,
)
over(
    "rtt-doubles",
    "The RTT doubles in slow start",
    "The shift grows from 2.86 to 5.71 bins, and delivery stops for an RTT.",
    rtt_ms=(100, (500, 200)),
    rate=(2000,),
    loop="neqo-2026",
    profiles=ON_NEWRENO,
    until_ms=1500,
)
over(
    "rtt-beyond-the-bins",
    "The RTT rises beyond the bins in memory",
    "From 100 to 600 ms: 17.1 bins. Profiles that store 15 bins more than a window cannot evaluate, and neither can profiles that store fewer.",
    rtt_ms=(100, (500, 600)),
    rate=(1000,),
    until_ms=2300,
)
over(
    "rtt-halves",
    "The RTT falls from 200 to 100 ms",
    "Packets sent after the change arrive with those sent before it. The bins keep the duration of the first RTT, 70 ms: the shift is 1.43 bins, "
    "and interpolation matters more than bins.",
    rtt_ms=(200, (600, 100)),
    rate=(2000,),
    loop="neqo-2026",
    profiles=ON_NEWRENO,
    until_ms=1400,
)
over(
    "rtt-ramp",
    "The RTT rises by 10 ms every 100 ms",
    "The delay rises while delivery doubles: an exit by delay would leave, SEARCH stays in slow start.",
    rtt_ms=(100, *((t_ms, 100 + t_ms // 10) for t_ms in range(100, 1200, 100))),
    rate=(2000,),
    loop="neqo-2026",
    profiles=ON_NEWRENO,
    until_ms=1200,
)
over(
    "rtt-first-round-slow",
    "The first round takes three times as long",
    "As after a handshake over a cold path. Bins last 105 ms for the whole slow start though the RTT is 100 ms, so the shift is less than one bin. "
    "Implementations that start again with a later RTT have bins of 35 ms.",
    rtt_ms=(300, (1, 100)),
    rate=(100,),
    until_ms=1700,
)
over(
    "rtt-first-round-quick",
    "The first round takes a third of the time",
    "Bins last 35 ms, and the RTT is 300 ms from then on. The shift is 8.57 bins, and 18 bins must pass before the first evaluation.",
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
    "With the newest sample the shift alternates between 2.86 and 3.43 bins; a smoothed RTT would be between. ACKs come in pairs.",
    rtt_ms=(100, *((t_ms, 120 - 20 * (t_ms // 30 % 2)) for t_ms in range(30, 1400, 30))),
    rate=(100,),
    until_ms=1300,
)

# The rate changes

over(
    "rate-falls",
    "The rate falls to a quarter in slow start",
    "400 packets in an RTT, then 100: the empty queue fills within a round, and the RTT rises while delivery falls.",
    rate=(400, (500, 100)),
    until_ms=1400,
)
over(
    "rate-rises",
    "The rate rises before SEARCH detects the plateau",
    "100 packets in an RTT, and 1000 from 700 ms on. The queue of the plateau drains at once: delivery more than doubles for one window.",
    rate=(100, (700, 1000)),
    until_ms=1300,
)
over(
    "rate-dips",
    "The rate dips for one RTT",
    "Another flow's burst takes most of the bottleneck from 500 to 600 ms. A window of 3.5 RTTs contains the dip and the bins after it: the sum "
    "decides, not one bin.",
    rate=(1000, (500, 100), (600, 1000)),
    loop="neqo-2026",
    profiles=ON_NEWRENO,
    until_ms=1300,
)
over(
    "rate-policed",
    "A policer passes a burst, then a twentieth of the rate",
    "From 600 ms on the rate is a twentieth: delivery falls below the bytes sent before, and even below half of them.",
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
