"""Hand-built stimuli of CUBIC: what a spurious loss restores after a CE mark, and after time that does not count."""

from firstflight_conformance.vectorgen.builder import MS, S
from firstflight_conformance.vectorgen.cubic.avoidance import RTT, AvoidanceBuilder
from firstflight_conformance.vectorgen.cubic.cubic import WINDOW, begin_stage
from firstflight_conformance.vectorgen.stimulus import Catalogue

CATALOGUE = Catalogue("rfc-9438", sources=("RFC 9438",), builder=AvoidanceBuilder)
add = CATALOGUE.add


@add(
    "cubic.spurious.after-ce",
    "A report of a spurious loss does not undo a reduction at a CE mark",
    """36000 falls to 25200 at a CE mark. A report that a loss was spurious finds nothing saved, because the mark is no loss: the window stays 25200. A sender that saves at marks too has 36000 again.""",
    **WINDOW,
)
def _(b: AvoidanceBuilder) -> None:
    b.send(0, 36)
    b.ce(RTT, 35, 0)
    b.expect(outcome="reduced", cwnd_bytes=25_200, ssthresh_bytes=25_200)
    b.spurious_loss(RTT + MS)
    b.expect(outcome="unchanged", cwnd_bytes=25_200, ssthresh_bytes=25_200)


@add(
    "cubic.spurious.ce-after-loss",
    "A reduction at a CE mark leaves nothing of an earlier loss to restore",
    """A loss leaves 25200, and the ACK of packet 36 grows that to 25221. A CE mark on packet 37, sent after recovery began, leaves 7/10: 17654. The report that the loss was spurious is about a reduction that is not the last one: 17654 stays.""",
    **WINDOW,
)
def _(b: AvoidanceBuilder) -> None:
    begin_stage(b)
    b.expect(at=b.acked(36), cwnd_bytes=25_221)
    b.ce(2 * S + 2 * MS, 37, S + MS)
    b.expect(outcome="reduced", cwnd_bytes=17_654)
    b.spurious_loss(2 * S + 3 * MS)
    b.expect(outcome="unchanged", cwnd_bytes=17_654)


@add(
    "cubic.spurious.limited-runs-on",
    "App-limited time that runs when a spurious loss is reported does not count",
    """25632 in the stage of cubic.concave.one-ack, at t = 1 s; then a loss and an app-limited ACK at the same time: time does not count from there on. The loss was none, and the window is 25632 again. An ACK a second later still finds
    t = 1 s: the target is W_cubic(2 s), which is 36000 - 400 = 35600; growth is 1000 * (35600 - 25632) / 25632 = 388.89, and with the fraction floor(25632.53 + 388.89) = 26021. A sender whose restored stage
    has forgotten the app-limited ACK counts that second: the target is 36000 and the window floor(25632.53 + 404.49) = 26037.""",
    **WINDOW,
)
def _(b: AvoidanceBuilder) -> None:
    begin_stage(b)
    b.ack(3 * S + MS, (61, 61))
    b.fill(3 * S + MS)
    b.lose(3 * S + MS, (37, 37))
    b.ack(3 * S + MS, (38, 38), sample=False, app_limited=True)
    b.spurious_loss(3 * S + 2 * MS)
    b.expect(outcome="restored", cwnd_bytes=25_632)
    b.ack(4 * S + MS, (62, 62))
    b.expect(cwnd_bytes=26_021)


@add(
    "cubic.spurious.idle-between",
    "Time in which nothing was in flight does not count for a restored stage either",
    """25632 at t = 1 s; then a loss and the ACKs of all the rest. Nothing is in flight for half a second, until packets 63 to 79 are sent; the loss is found to be spurious then, at t = 1 s of the restored stage. The ACK of packet 63, a second later, has
    the target W_cubic(3 s), 36000; growth is 1000 * (36000 - 25632) / 25632 = 404.49, and with the fraction floor(25632.53 + 404.49) = 26037. A sender that brings back t_epoch as it was finds t = 2.5 s: the target is
    36000 + 400 / 8 = 36050, its growth is 1000 * (36050 - 25632) / 25632 = 406.44, and the window floor(25632.53 + 406.44) = 26038.""",
    **WINDOW,
)
def _(b: AvoidanceBuilder) -> None:
    begin_stage(b)
    b.ack(3 * S + MS, (61, 61))
    b.fill(3 * S + MS)
    b.lose(3 * S + MS, (37, 37))
    b.ack(3 * S + MS, (38, 60), (62, 62), sample=False)
    b.fill(3 * S + 501 * MS)
    b.spurious_loss(3 * S + 501 * MS)
    b.expect(outcome="restored", cwnd_bytes=25_632, epoch_start_ns=3 * S + 501 * MS)
    b.ack(4 * S + 501 * MS, (63, 63))
    b.expect(cwnd_bytes=26_037)


@add(
    "cubic.spurious.limited-ended",
    "App-limited time that ended before a spurious loss is reported does not come back with the stage",
    """25632 at t = 1 s; then an app-limited ACK and a loss. Packet 63, sent a millisecond later, is acknowledged a second after that and begins a stage: 1001 ms did not count. The loss is found to be spurious then, at t = 1 s of the restored stage, and
    time counts again. The next ACK, a second later, is at t = 2 s: the target is W_cubic(3 s), 36000; growth is 1000 * (36000 - 25632) / 25632 = 404.49, and with the fraction floor(25632.53 + 404.49) = 26037. Where the
    restored stage still waits for the end of the app-limited time, it is at t = 1 s: the target is 36000 - 400 = 35600 and the window floor(25632.53 + 388.89) = 26021.""",
    **WINDOW,
)
def _(b: AvoidanceBuilder) -> None:
    begin_stage(b)
    b.ack(3 * S + MS, (61, 61))
    b.fill(3 * S + MS)
    b.ack(3 * S + MS, (37, 37), sample=False, app_limited=True)
    b.lose(3 * S + MS, (38, 38))
    b.ack(3 * S + MS, (39, 60), (62, 62), sample=False)
    b.send(3 * S + 2 * MS, 2)
    b.ack(4 * S + 2 * MS, (63, 63))
    b.spurious_loss(4 * S + 2 * MS)
    b.expect(outcome="restored", cwnd_bytes=25_632, epoch_start_ns=4 * S + 2 * MS)
    b.send(4 * S + 2 * MS, 1)
    b.ack(5 * S + 2 * MS, (65, 65))
    b.expect(cwnd_bytes=26_037)
