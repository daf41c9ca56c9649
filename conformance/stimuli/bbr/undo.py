"""Hand-built stimuli of BBR: recovery, the saved state, and its restoration.

`why` derives the expectation; ``sender`` describes the common stream.
"""

from firstflight_conformance.format.builder import MS, StreamBuilder
from generate.catalogue import Catalogue
from stimuli.bbr.losses import lossy
from stimuli.bbr.sender import DRAFT, SOURCE, WIDE, Sampled, grown

CATALOGUE = Catalogue(DRAFT, sources=(f"{SOURCE}, section 5.5.11.2",), builder=Sampled)
add = CATALOGUE.add


@add(
    "bbr.undo.startup",
    "After a spurious loss Startup continues",
    """The losses of `bbr.loss-exit.six-ranges` ended Startup with a long-term volume of 112800. They were spurious: the state is Startup again, without that bound, and the search for a full pipe restarts. The next ACK delivers packet 221, and 86 * 1200 = 103200 bytes in 100 ms in all: floor(2.77 * 0.99 * 1032000) = 2830053.""",
    initial_window_bytes=WIDE,
)
def undo_startup(b: StreamBuilder) -> None:
    f = lossy(b)
    f.ack(1)
    b.expect(phase="drain", full_bw_delivered_bytes=102_000)
    b.spurious_loss(f.now_ns)
    b.expect(outcome="startup_resumed", phase="startup", inflight_longterm_bytes=None, full_bw_delivered_bytes=0)
    f.ack(1)
    b.expect(phase="startup", pacing_rate_bytes_per_s=2_830_053)


@add(
    "bbr.undo.saved-again",
    "In the pseudocode a loss of the next round discards the saved state of Startup",
    """After the exit packet 222 is lost. It left with the acknowledged packet, at 500 ms, as recovery began, so it does not begin another recovery. But it is the first loss of its loss round: the pseudocode saves the state again, after Startup. A spurious loss then does not restore Startup. In the prose the state is saved when recovery begins, and Startup continues, which conforms (B6).""",
    sources=(f"{SOURCE}, section 5.5.10.2", f"{SOURCE}, section 5.5.11.1"),
    initial_window_bytes=WIDE,
)
def undo_saved_again(b: StreamBuilder) -> None:
    f = lossy(b)
    f.ack(1)
    f.lose(222)
    b.expect(outcome="loss_noted")
    b.spurious_loss(f.now_ns)
    b.expect(outcome="restored", phase="drain", inflight_longterm_bytes=112_800)


@add(
    "bbr.undo.plateau-anew",
    "In Startup a spurious recovery restarts the search for a full pipe",
    """Two rounds without growth are counted when packet 220 is lost. The loss is spurious: the baseline is reset, so that the next 50 packets, 60000 bytes in 100 ms, are growth.""",
)
def undo_plateau_anew(b: StreamBuilder) -> None:
    f = grown(b)
    f.flight(50)
    f.flight(49, left=1)
    b.expect(outcome="plateau_counted", full_bw_count=2)
    f.lose_next(1)
    b.spurious_loss(f.now_ns)
    b.expect(outcome="restored", phase="startup", full_bw_count=0, full_bw_delivered_bytes=0)
    f.flight(50)
    b.expect(outcome="bw_grown", full_bw_count=0)


@add(
    "bbr.undo.nothing",
    "Without a loss only the baseline is reset",
    """The window stays 156000, and only the baseline is reset.""",
    tier="core",
)
def undo_nothing(b: StreamBuilder) -> None:
    f = grown(b)
    b.spurious_loss(f.now_ns)
    b.expect(outcome="restored", phase="startup", cwnd_bytes=156_000, full_bw_delivered_bytes=0)


@add(
    "bbr.recovery.timeout",
    "A timeout leaves the bytes in flight and one datagram, and the end of recovery restores the window",
    """The window is 156000 when five of 50 packets are lost, and then persistent congestion is established with 45 in flight: (45 + 1) * 1200 = 55200. The ACK of the 45 grows it by their bytes: 55200 + 54000 = 109200. A packet sent after the timeout ends recovery: 156000. This exceeds BBR.max_inflight, 2 * 60000 + 1200 = 121200, so the window stays.""",
    sources=(f"{SOURCE}, section 5.6.4.4", f"{SOURCE}, section 5.6.4.6"),
)
def recovery_timeout(b: StreamBuilder) -> None:
    f = grown(b)
    f.send(50)
    f.now_ns += 90 * MS
    f.lose_next(5)
    b.expect(outcome="loss_noted", cwnd_bytes=156_000)
    b.persistent_congestion(f.now_ns)
    b.expect(outcome="collapsed", cwnd_bytes=55_200, phase="startup")
    f.ack(45, 10 * MS)
    b.expect(cwnd_bytes=109_200)
    f.send(1)
    f.ack(1, 100 * MS)
    b.expect(cwnd_bytes=156_000)


@add(
    "bbr.recovery.largest",
    "Recovery saves the largest window",
    """Packet 120 is lost with a window of 156000. The timeout leaves (39 + 1) * 1200 = 48000, in recovery. The larger window, 156000, is saved, also at the next timeout, when the window is 48000. The other 39 grow it to 48000 + 39 * 1200 = 94800. A packet sent after that ends recovery, and the window is 156000 again. Its ACK grows it to 157200, since BBR.max_inflight is 2 * 60000 + 46800 = 166800.""",
    sources=(f"{SOURCE}, section 5.6.4.4",),
)
def recovery_largest(b: StreamBuilder) -> None:
    f = grown(b)
    f.send(40)
    f.now_ns += 90 * MS
    f.lose_next(1)
    b.persistent_congestion(f.now_ns)
    b.expect(cwnd_bytes=48_000)
    b.persistent_congestion(f.now_ns + MS)
    b.expect(cwnd_bytes=48_000)
    f.now_ns += 2 * MS
    f.send(1)
    f.ack(39, 10 * MS)
    b.expect(cwnd_bytes=94_800)
    f.ack(1, 90 * MS)
    b.expect(cwnd_bytes=157_200, max_inflight_bytes=166_800)


@add(
    "bbr.recovery.renewed",
    "A packet lost in recovery restarts it",
    """As in `bbr.recovery.timeout` the window is 55200 after the timeout at 490 ms and 109200 after the ACK of the 45. Two packets leave at 500 ms. The first is lost at 590 ms: recovery restarts then. The ACK of the second, which left before, does not end it: 109200 + 1200 = 110400. The ACK of a packet that leaves at 600 ms, with an app-limited sample, ends it: the window is 156000.""",
    sources=(f"{SOURCE}, section 5.6.4.4", "RFC 9002, section 7.3.2"),
)
def recovery_renewed(b: StreamBuilder) -> None:
    f = grown(b)
    f.send(50)
    f.now_ns += 90 * MS
    f.lose_next(5)
    b.persistent_congestion(f.now_ns)
    b.expect(cwnd_bytes=55_200)
    f.ack(45, 10 * MS)
    b.expect(cwnd_bytes=109_200)
    f.send(2)
    f.now_ns += 90 * MS
    f.lose_next(1)
    b.expect(outcome="loss_noted")
    f.ack(1, 10 * MS)
    b.expect(cwnd_bytes=110_400)
    f.send(1)
    f.ack(1, 100 * MS, rate_app_limited=True)
    b.expect(cwnd_bytes=156_000)


@add(
    "bbr.recovery.mark",
    "A CE mark is treated as a loss without bytes",
    """A mark of packet 120 at 490 ms begins recovery and a loss round, at 156000. Without lost bytes Startup continues at the end of the loss round. The window is restored, since the bounds are infinite in Startup.""",
    sources=(f"{SOURCE}, section 3.7",),
)
def recovery_mark(b: StreamBuilder) -> None:
    f = grown(b)
    f.send(50)
    f.now_ns += 90 * MS
    b.ce(f.now_ns, 120, 400 * MS)
    b.expect(outcome="loss_noted", cwnd_bytes=156_000)
    b.ce(f.now_ns, 121, 400 * MS)
    b.expect(outcome="already_noted")
    f.ack(50, 10 * MS)
    b.expect(phase="startup")


@add(
    "bbr.undo.long-term",
    "A restored long-term volume does not bound the window after Drain",
    """Startup continues after `bbr.undo.startup`. The rest of the flight is acknowledged, and 50 packets in each round. The fourth round is the third without growth: Drain, and with an empty flight the phase after it. The largest rate comes from the rest of the flight, at least 114000 bytes in a round. The window is above the 112800 of the exit by loss.""",
    initial_window_bytes=WIDE,
    tier="core",
)
def undo_long_term(b: StreamBuilder) -> None:
    f = lossy(b)
    f.ack(1)
    b.expect(phase="drain", inflight_longterm_bytes=112_800)
    b.spurious_loss(f.now_ns)
    f.ack(99, 90 * MS)
    for _ in range(4):
        f.flight(50)
    b.expect(phase="probe_bw", inflight_longterm_bytes=None)
