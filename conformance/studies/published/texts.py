"""The sentences of the page of published results: settings, open parameters of the sources, and captions."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Text:
    """``setting``: parameters and their sources. ``plots``: name and caption. ``conclusion``: the main point."""

    setting: str
    plots: tuple[tuple[str, str], ...]
    conclusion: str = ""


TEXTS = {
    "thesis": Text(
        "Source: M. Grigore, *An experimental evaluation of TCP startup algorithms*, TU Delft 2025, tables 1 to 8. The preset `grigore-2025` contains its "
        "parameters, from its public script and the defaults of its simulator (ns-3). Its text differs. The real RTT is twice the bottleneck's delay plus "
        "four times the access delay of 1 ms: 14, 54 and 204 ms, while the text gives 200 ms in one place and 250 ms in another. "
        "JumpStart sends 65536 bytes regardless of the advertised window. CUBIC here is that simulator's. "
        "Two flows (tables 3 to 8) are simulated as a network with the same links, segments and ACKs, `hystart/linux+cubic` for CUBIC, `jumpstart/ns3-2025+cubic` for JumpStart and `bbr/draft-06` for BBRv3. The published bottleneck has "
        "FQ-CoDel above its queue, which our simulator supports for one flow only: ours drops at the tail of the queue of 312,500 bytes. These numbers are therefore judged to 10 %, not to the last digit, and an index to 0.01. "
        "BBRv3 of the thesis is a third-party port to its simulator; ours is the draft's, without probing after Drain and without ProbeRTT: 400 kB end in Startup, 10 MB after it. "
        "Its times are judged to 10 % as well. "
        "Open in the source: when the short flow begins; here 5 s after the long one.",
        (
            ("cells", "Flow completion times. Left: ours as lines, the published cells of that path as circles. JumpStart is faster for short flows and "
             "slower for long flows, since it leaves slow start at 64 KiB. Right: ours minus published, for every cell; the grey band is the last printed digit."),
        ),
        "Any other cell: `firstflight fct --preset grigore-2025 --algorithm cubic --rate-mbps 100 --one-way-delay-ms 25 --size-bytes 100000`.",
    ),
    "search-geo": Text(
        "Source: M. Cronin and others, LANMAN 2024, section IV, and the longer report of the project, section 4.5. 150 Mbit/s, 300 ms each way, a queue of 36 MB, "
        "a receive window of 256 MB, 200 MB to transfer; throughput in bins of 500 ms. From quicly, the stack of the paper: ten packets of 1252 bytes, an ACK for every two, "
        "no pacing. The base is CUBIC (`cubic/rfc-9438`) with plain slow start. Open in the source: the delayed-ACK timer, 25 ms as in RFC 9000. No randomness.",
        (
            ("rates", "Throughput, window and queue. All three fill the link and keep it full: the queue of 36 MB is two seconds of the link, so the sender detects its overflow "
             "two seconds later. SEARCH leaves slow start in between. Its later sending shows in window and queue, not in the throughput."),
            ("exits", "Exit of each profile from slow start, and the published times. Profiles far from them leave at the first evaluation, or never."),
            ("windows", "The compared windows up to the exit: bytes delivered in the last 3.5 initial RTTs, and the bytes expected or sent. On a logarithmic axis both rise "
             "in parallel lines while slow start doubles, and diverge once the link is full."),
        ),
        "Profiles that follow the paper's intent reproduce the published exit. Literal pseudocode, and code with its errors, behave as described in the "
        "[errata](../specification/search-errata.md).",
    ),
    "search-gateway": Text(
        "Source: LANMAN 2024, section IV, tables I to III and figures 9 and 10, and the report, section 4.7. 144 Mbit/s, RTT 600 ms, 36 MB of queue for a client; the gateway drops a quarter of the "
        "packets while more than 18 MB wait; the sender is limited by a token bucket of 200 Mbit/s, 200 kbit, 1.5 s; MTU 1360; downloads of 200 MB. "
        "Without SEARCH: CUBIC; with SEARCH: `quicly-pr583`, the measured code, which keeps its window, and `lanman-2024`, which lowers it as in the third set of measurements. "
        "Five runs each, with seeds 1 to 5 for the random drops; one more without the token bucket, at 1 Gbit/s. The radio link, its losses and its other users are omitted, since no numbers are published.",
        (
            ("times", "Time to deliver a number of bytes: medians as lines, quartiles as bands, which are thin since only the drops are random. Counted in any order (right) the times are equal. "
             "Counted in order (left) data after the first loss waits for retransmissions; SEARCH loses fewer packets and waits less."),
            ("rates", "Window and queue of the runs with seed 1. The exit is shortly before the detection of the first loss."),
        ),
    ),
    "search-factors": Text(
        "Source: the headline of LANMAN 2024, 3 s (14 %) at 160 MB. Path, controllers and seeds are the same as in the scenario above. Six factors are varied, one at a time: the queue, the packets per ACK, HyStart in the "
        "baseline, the base controller, the receive window (fixed, or raised by the receiver when half of it is used), and jitter. The values are our choice.",
        (
            ("gains", "Gain of the median with SEARCH over the delivered bytes: one line for each level of each factor, and the published gain. No line passes near it."),
        ),
    ),
    "search-max-data": Text(
        "Source: the report, sections 4.6 and 6.4, figures 6 and 7. The path of the first SEARCH scenario, with unlimited data; the controller is CUBIC (`cubic/rfc-9438`) with plain slow start. Windows are 16 MiB, the default of quicly, and "
        "256 MiB. quicly sends a new limit (MAX_DATA) once half of the window is used: the received bytes plus the window. Every ACK contains the limit here. The figures are images, so the text of the report is judged. No randomness.",
        (
            ("rates", "Throughput and RTT with windows of 16 MiB and 256 MiB. With 16 MiB the sender waits for a new limit in every round."),
        ),
    ),
    "search-numbers": Text(
        "Source: the draft of June 2024 (draft-00), LANMAN 2024 and the report. On an ideal path with a constant RTT, the rate doubles up to the rate of the path and is then constant. The "
        "compared windows are functions of time alone; they are computed in 50 decimal digits. Numbers of single profiles, with their bins, are in the tests of the model.",
        (
            ("difference", "The difference that SEARCH compares with its threshold. It stays 0 while the rate doubles and approaches 0.5 when it is constant; it reaches the threshold of the newer drafts, "
             "0.26, earlier than the paper's threshold, 0.35."),
        ),
    ),
    "careful-resume": Text(
        "Source: the paper of Careful Resume, sections III and V and table I. The paper describes draft -10, so Careful Resume here is `careful-resume/draft-10`. GEO: 50 Mbit/s down, 5 up, 300 ms each way, a queue of one bandwidth-delay product, 3.75 MB; the saved window is "
        "one bandwidth-delay product, the saved RTT 600 ms. The three satellite providers of figures 5b to 5d have the rates of table I: 50/5, 50/6 and 25/6 Mbit/s. LEO: 480 Mbit/s down, 100 up, 40 ms. Objects of 1 kB and 0.5 to 10 MB. Ten packets of 1536 bytes, paced. The base is CUBIC for all. "
        "Open in the source: ACKs (every second packet, after 25 ms at most; 60 bytes), the queue on the LEO path (one bandwidth-delay product), and which HyStart: its stack watches the "
        "delay and paces, so `hystart/google-quic`. Times run from the first packet sent to the last byte received. The other flow begins 30 s earlier; the object next to it has 5 MB, our choice, as "
        "its size is not given. No randomness.",
        (
            ("sizes", "Transfer times and gains of Careful Resume. HyStart and slow start coincide: up to 10 MB the queue is too short-lived for a difference. The gain grows beyond the 3 to 4 RTTs "
             "of the paper. On the LEO path large objects have their first loss under Careful Resume."),
            ("panels", "Four first flights of a large object on the GEO path, as in figure 2: window, bytes in flight and queue. Triangles are first losses and reductions. b: with ten bandwidth-delay "
             "products at once most packets are lost, repeatedly. d: the same amount under Careful Resume ends in one safe retreat."),
            ("cross", "An object of 5 MB next to a CUBIC flow that has filled the queue. Slow start and HyStart exit early and get a low rate. Careful Resume gets its share at once, "
             "loses packets, retreats, and completes first."),
        ),
    ),
    "scharf": Text(
        "Sources: M. Scharf, Networking 2009, sections 3, 5.1 and 5.2 (10 Mbit/s and 1 Gbit/s, 200 ms, segments of 1448 in packets of 1500 bytes, an initial window of three segments, an ACK for each), and D. Liu and others, "
        "*Congestion control without a startup phase*, PFLDnet 2007 (5 Mbit/s, 64 ms, 1460 in 1500 bytes, a queue of 60 packets). The [closed forms](../transfer-time.md) are computed exactly. The simulated controllers are "
        "`slow-start/rfc-9002`, `jumpstart/scharf-2009` and `jumpstart/pfldnet-2007` on a path without other limits, at 10 Mbit/s also `quick-start/networking-2009` and `jumpstart/more-start`. A response time runs "
        "from the request, half an RTT before the first packet, to the last byte. The base is NewReno; packets are lost only where the text mentions it. Open: the RTT of \"a factor of 10\". The figures of the paper are images, so the text about them is judged, but not their points.",
        (
            ("times", "Response times and speedups of five schemes: closed forms as lines, the packet simulation as points. They coincide, except for Jump-Start with few "
             "segments: the equation spreads n segments over a whole RTT, but the last segment leaves an n-th of the RTT earlier."),
            ("2007", "Gain of Jump Start for a response, in the setting of 2007. Two and three segments take longer, since they are paced; large responses overflow the queue."),
        ),
    ),
    "sharing": Text(
        "Source: Scharf 2009, sections 4.2 and 5.1: 10 Mbit/s, 200 ms, 1448 in 1500 bytes, a queue of B = 50 packets, an ACK for each segment, CUBIC (`cubic/rfc-9438`), and a response of 2 MB, alone or 10 s after the start of an unlimited "
        "flow. Open in the source: receive windows (the paper has socket buffers of 8 MB; here 1 MiB) and access links (1 Gbit/s with 1 ms at either end). A queue of 10 packets is our addition. Rates are averaged over 200 ms, as in "
        "figure 10. No randomness.",
        (
            ("beside", "A response of 2 MB next to a flow that has filled link and queue, for seven startup schemes: delivery rates of both flows, with a queue of 50 packets."),
            ("completion", "Completion time of the response, alone and next to the other flow, with queues of 50 and 10 packets."),
        ),
    ),
    "load": Text(
        "Source: Scharf 2009, sections 4.2, 5.2 and 5.3: 10 Mbit/s, 200 ms, B = 50, CUBIC; sizes by a Pareto distribution with a mean of 125 or 10 kB, shape 1.1, limited to 10 MB; exponential intervals. 1000 responses per run, drawn by the project's generator with "
        "seed 1, the same at every load. Larger responses have 10 MB; the mean is the mean of the distribution before this limit. The bytes on the link are 5 to 80 % of its capacity up to the start of the last response. For figure 15 every second response uses the other scheme. "
        "Open in the source: the loads of figure 14 other than 5 and 30 % (figure 15), and whether the limit counts in the mean. The paper sends requests of 50 or 400 connections over persistent connections. Here each response has its own connection, "
        "with a known RTT and an unknown ssthresh: as after a long idle time, without state of an earlier response.",
        (
            ("load", "Mean response time over the load of the link, one line per scheme, and the share of lost packets. The sizes are drawn with a mean of 125 kB before the limit of 10 MB; the mean of this run is 72 kB."),
        ),
    ),
}  # fmt: skip
