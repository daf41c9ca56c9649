"""Questions for the transfer-time models: the usual inputs, and the sources of the answers."""

from generate.computation import Questions

MS = 10**6
QUESTIONS = Questions(
    "transfer-time",
    {
        "rate_bps": 10_000_000,
        "rtt_ns": 200 * MS,
        "size_bytes": 2_000_000,
        "mss_bytes": 1448,
        "mtu_bytes": 1500,
        "segments_per_ack": 1,
        "initial_window_segments": 3,
        "threshold_bytes": 65536,
        "approved_rate_bps": 5_120_000,
    },
)
PAPER = "Scharf 2009, equations (1) and (2)"
PACED = "Scharf 2009, equations (3) and (4)"
