"""Stimuli for SEARCH with a full window and unusual ACKs, or silent periods of the receiver."""

from firstflight_conformance.format.builder import MS
from stimuli.search.full_window import LAST, over

# Unusual ACKs

over(
    "acks-once-a-round",
    "One ACK for each flight",
    "Each ACK ends two or three bins at once, and the bins between two ACKs are empty.",
    slot_ms=100,
    rate=(100,),
    loop="neqo-2026",
    until_ms=2500,
)
over(
    "acks-twice-a-round",
    "Two ACKs for each flight",
    "50 ms between ACKs, 35 ms in a bin: one or two bins end at each.",
    slot_ms=50,
    rate=(100,),
    until_ms=1500,
)
over(
    "acks-at-bin-ends",
    "ACKs on a grid of 5 ms, every seventh at the end of a bin",
    "Whether a bin ends with the ACK that arrives at its very end decides where that ACK's bytes count.",
    slot_ms=5,
    rate=(100,),
    until_ms=1000,
)
over(
    "acks-of-a-bin",
    "One ACK in each bin",
    "An ACK every 35 ms, and an RTT of 105 ms. Bins last 36.75 ms: nearly every ACK ends one bin, and occasionally an ACK ends none.",
    slot_ms=35,
    rtt_ms=(100,),
    rate=(100,),
    loop="lanman-2024",
    until_ms=1700,
)
over(
    "ack-delay-5-ms",
    "ACKs are delayed by 5 ms and report the delay",
    "The path's RTT is 100 ms, every sample is 105 ms or more, and the ACKs report 5 ms. The first sample is not adjusted. Stacks that pass their adjusted RTT to SEARCH "
    "subtract the delay from later samples, unless the result is below the minimum.",
    ack_delay_ns=5 * MS,
    rate=(100,),
    loop="lanman-2024",
    until_ms=1300,
)
over(
    "ack-delay-25-ms",
    "ACKs are delayed by 25 ms and report the delay, while a queue grows",
    "As much as max_ack_delay allows by default. Once the queue adds 25 ms the whole delay is subtracted: a shift of 0.71 bins less than with the unadjusted "
    "sample.",
    ack_delay_ns=25 * MS,
    rate=(100,),
    loop="lanman-2024",
    until_ms=1400,
)

# A silent period, then one ACK for all packets

for bins, end_ms, loop in (
    (1, 535, LAST),
    (4, 640, LAST),
    (8, 780, "picoquic-fork"),
    (12, 920, "picoquic-fork"),
    (30, 1550, "picoquic-fork"),
):
    over(
        f"silence-of-{bins}-bins", f"No ACK arrives for the time of {bins} bin{'s' if bins > 1 else ''}",
        f"From 500 to {end_ms} ms the way back is cut; then one ACK covers everything. The bins in between are empty, or, if too many are missed, "
        "SEARCH starts again with an RTT that includes the silence.",
        silence_ms=(500, end_ms), rate=(400,), until_ms=end_ms + 900, loop=loop,
    )  # fmt: skip
