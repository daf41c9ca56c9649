"""The sentences of the page of published results: settings, with what the sources leave open, and captions."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Text:
    """``setting``: parameters and where they come from. ``plots``: name and caption. ``conclusion``: what to take away."""

    setting: str
    plots: tuple[tuple[str, str], ...]
    conclusion: str = ""


TEXTS = {
    "thesis": Text(
        "Source: M. Grigore, *An experimental evaluation of TCP startup algorithms*, TU Delft 2025, tables 1 to 8. The preset `grigore-2025` holds its "
        "parameters, taken from its public script and the defaults of its simulator (ns-3), not from its text, which differs: the real RTT is four times "
        "the access delay of 1 ms more than twice that of the bottleneck, so 14, 54 and 204 ms, where the text says 200 ms in one place and 250 ms in another; "
        "and JumpStart sends 65536 bytes whatever window is advertised. CUBIC here is that simulator's. "
        "Two flows (tables 3 to 8) are simulated as a network with the same links, segments and ACKs, `hystart/linux+cubic` for CUBIC, `jumpstart/ns3-2025+cubic` for JumpStart and `bbr/draft-06` for BBRv3. The published bottleneck has "
        "FQ-CoDel above its queue, which the simulator has for one flow only: ours drops at the tail of the queue of 312,500 bytes. So these numbers are judged to 10 %, not to their last digit, and an index to 0.01. "
        "BBRv3 of the thesis is a port of others to its simulator; ours is the draft's, which does not probe after Drain and has no ProbeRTT: 400 kB end in Startup, 10 MB after it. "
        "Its times are judged to 10 % as well. "
        "Open in the source: when the short flow begins; here 5 s after the long one.",
        (
            ("cells", "Flow completion times. Left: ours as lines, the published cells of that path as circles. JumpStart is faster for short flows and "
             "slower for long ones, since it leaves slow start at 64 KiB. Right: ours less published, for every cell; the grey band is the last printed digit."),
        ),
        "Any other cell: `firstflight fct --preset grigore-2025 --algorithm cubic --rate-mbps 100 --one-way-delay-ms 25 --size-bytes 100000`.",
    ),
    "search-geo": Text(
        "Source: M. Cronin and others, LANMAN 2024, section IV, and the longer report of the project, section 4.5. 150 Mbit/s, 300 ms each way, a queue of 36 MB, "
        "a receive window of 256 MB, 200 MB to transfer; throughput in bins of 500 ms. From quicly, the stack of the paper: ten packets of 1252 bytes, an ACK for every two, "
        "no pacing. The base is CUBIC (`cubic/rfc-9438`) with plain slow start. Open in the source: the delayed-ACK timer, 25 ms as in RFC 9000. No randomness.",
        (
            ("rates", "Throughput, window and queue. All three fill the link and keep it full: the queue of 36 MB is two seconds of the link, so that the sender learns of its overflow "
             "that much later. SEARCH leaves in between, and how much it sends from there on shows in window and queue, not in the throughput."),
            ("exits", "When each profile leaves slow start, and the published times. Profiles that are nowhere near leave at the first evaluation, or never."),
            ("windows", "What is compared, up to the exit: bytes delivered in the last 3.5 initial RTTs, and what they are compared with. On a logarithmic axis both rise "
             "in a line while slow start doubles, and part once the link is full."),
        ),
        "The published exit is met by the readings that say what the paper means. Pseudocode to the letter, and code with its errors, show what the "
        "[errata](../specification/search-errata.md) say of them.",
    ),
    "search-gateway": Text(
        "Source: LANMAN 2024, section IV, tables I to III and figures 9 and 10, and the report, section 4.7. 144 Mbit/s, RTT 600 ms, 36 MB of queue for a client, of which the gateway drops a quarter of the "
        "packets while more than 18 MB wait; the sender is capped by a token bucket of 200 Mbit/s, 200 kbit, 1.5 s; MTU 1360; downloads of 200 MB. "
        "Without SEARCH: CUBIC; with it `quicly-pr583`, the code that was measured, which keeps its window; and `lanman-2024`, which lowers it as in the third set of measurements. "
        "Five runs each, seeds 1 to 5, which decide about random drops only; one more without the token bucket, at 1 Gbit/s. Left out, since no numbers are published: the radio link, its losses and its other users.",
        (
            ("times", "Time to deliver a number of bytes: medians as lines, quartiles as bands, which are thin since only the drops are random. In any order (right) nothing differs. "
             "In order (left) everything after the first loss waits for repetitions; SEARCH loses fewer packets and waits less."),
            ("rates", "Window and queue of the runs with seed 1. The exit comes shortly before the first loss is seen."),
        ),
    ),
    "search-factors": Text(
        "Source: the headline of LANMAN 2024, 3 s (14 %) at 160 MB. The path, the controllers and the seeds are those of the scenario above. Six factors are varied, one at a time: the queue, the packets for one ACK, HyStart in the "
        "baseline, the base controller, the receive window (a fixed one, and one that the receiver raises when half of it is used), and jitter. Values are ours.",
        (
            ("gains", "By how much the median with SEARCH is faster, over the delivered bytes: one line for each level of each factor, and the published gain. No line passes near it."),
        ),
    ),
    "search-max-data": Text(
        "Source: the report, sections 4.6 and 6.4, figures 6 and 7. The path of the first SEARCH scenario, without an end of the data; the controller is CUBIC (`cubic/rfc-9438`) with plain slow start. Windows are 16 MiB, the default of quicly, and "
        "256 MiB. quicly sends a new limit (MAX_DATA) once half of the window is used: the received bytes plus the window. Every ACK contains the limit here. The figures are images: the text of the report is judged. No randomness.",
        (
            ("rates", "Throughput and RTT with a window of 16 MiB and of 256 MiB. With 16 MiB the sender waits for a new limit in every round."),
        ),
    ),
    "search-numbers": Text(
        "Source: the draft of June 2024 (draft-00), LANMAN 2024 and the report. On an ideal path, doubling up to its rate and constant from there on, with an RTT that stays, the "
        "compared windows are functions of time alone; they are computed in 50 decimal digits. Numbers of single profiles, with their bins, are in the tests of the model.",
        (
            ("difference", "The difference that SEARCH compares with its threshold. It stays 0 while the rate doubles and approaches 0.5 when it is constant; the threshold of the newer drafts, "
             "0.26, is reached earlier than that of the paper, 0.35."),
        ),
    ),
    "careful-resume": Text(
        "Source: the paper of Careful Resume, sections III and V and table I, which is on draft -10: Careful Resume here is `careful-resume/draft-10`. GEO: 50 Mbit/s down, 5 up, 300 ms each way, a queue of one bandwidth-delay product, 3.75 MB; the saved window is "
        "one, the saved RTT 600 ms. The three satellite providers of figures 5b to 5d have the rates of table I: 50/5, 50/6 and 25/6 Mbit/s. LEO: 480 Mbit/s down, 100 up, 40 ms. Objects of 1 kB and 0.5 to 10 MB. Ten packets of 1536 bytes, paced. The base is CUBIC for all. "
        "Open in the source: ACKs (every second packet, after 25 ms at most; 60 bytes), the queue on the LEO path (one bandwidth-delay product), and which HyStart: its stack watches the "
        "delay and paces, so `hystart/google-quic`. Times run from the first packet sent to the last byte received. The other flow begins 30 s before; the object beside it has 5 MB, as "
        "its size is not given. No randomness.",
        (
            ("sizes", "Transfer times and what Careful Resume gains. HyStart and slow start coincide: up to 10 MB the queue is too short-lived for a difference. The gain grows beyond the 3 to 4 RTTs "
             "of the paper. On the LEO path large objects meet their first loss under Careful Resume."),
            ("panels", "Four first flights of a large object on the GEO path, as in figure 2: window, bytes in flight and queue. Triangles are first losses and reductions. b: ten bandwidth-delay "
             "products at once lose most of what is sent, again and again. d: the same amount under Careful Resume ends in one safe retreat."),
            ("cross", "An object of 5 MB beside a CUBIC flow that has filled the queue. Slow start and HyStart leave early and get little; Careful Resume takes its share at once, "
             "loses, retreats, and is done first."),
        ),
    ),
    "scharf": Text(
        "Sources: M. Scharf, Networking 2009, sections 3, 5.1 and 5.2 (10 Mbit/s and 1 Gbit/s, 200 ms, segments of 1448 in packets of 1500 bytes, three segments at first, an ACK for each), and D. Liu and others, "
        "*Congestion control without a startup phase*, PFLDnet 2007 (5 Mbit/s, 64 ms, 1460 in 1500 bytes, a queue of 60 packets). The [closed forms](../transfer-time.md) are computed exactly; simulated are "
        "`slow-start/rfc-9002`, `jumpstart/scharf-2009` and `jumpstart/pfldnet-2007` on a path without other limits, at 10 Mbit/s also `quick-start/networking-2009` and `jumpstart/more-start`. A response time runs "
        "from the request, half an RTT before the first packet, to the last byte. The base is NewReno: nothing is lost, except where the text says so. Open: which RTT is behind \"a factor of 10\". The figures of the paper are images: what its text says of them is judged, their points are not.",
        (
            ("times", "Response times and speedups of five schemes: closed forms as lines, the same simulated packet by packet as points. They coincide, except for Jump-Start with few "
             "segments: the equation spreads them over a whole RTT, of which the last one does not use its n-th part."),
            ("2007", "By how much a response is shorter with Jump Start, in the setting of 2007. Two and three segments take longer, since they are paced; large ones overflow the queue."),
        ),
    ),
    "sharing": Text(
        "Source: Scharf 2009, sections 4.2 and 5.1: 10 Mbit/s, 200 ms, 1448 in 1500 bytes, a queue of B = 50 packets, an ACK for each segment, CUBIC (`cubic/rfc-9438`), and a response of 2 MB, alone or 10 s after a flow without "
        "end has begun. Open in the source: receive windows (the paper has socket buffers of 8 MB; here 1 MiB) and access links (1 Gbit/s with 1 ms at either end). A queue of 10 packets is added. Rates are taken over 200 ms, as in "
        "figure 10. No randomness.",
        (
            ("beside", "A response of 2 MB beside a flow that has filled link and queue, for seven ways to begin: what each of the two is delivered, with a queue of 50 packets."),
            ("completion", "How long the response takes, alone and beside the other flow, with a queue of 50 and of 10 packets."),
        ),
    ),
    "load": Text(
        "Source: Scharf 2009, sections 4.2, 5.2 and 5.3: 10 Mbit/s, 200 ms, B = 50, CUBIC; sizes by a Pareto distribution with a mean of 125 or 10 kB, shape 1.1, cut at 10 MB; exponential times between. 1000 responses a run, drawn by the project's generator with "
        "seed 1, the same at every load; a response larger than 10 MB has 10 MB, and the mean is that of the distribution before the cut. Their bytes on the link are 5 to 80 % of what it carries until the last one begins. For figure 15 every second response begins in the other way. "
        "Open in the source: the loads of figure 14 but those of figure 15 (5 and 30 %), and whether the cut counts in the mean. Unlike the paper, which sends 50 or 400 connections' requests over persistent connections, each response here has a connection of its own, "
        "whose RTT is known and whose ssthresh is not: as after an idle time that is long enough, without what an earlier response has left.",
        (
            ("load", "Mean response time over the load of the link, one line for each way to begin, and the part of the packets that is lost. The sizes are drawn with a mean of 125 kB before the cut at 10 MB; those of this run have 72 kB."),
        ),
    ),
}  # fmt: skip
