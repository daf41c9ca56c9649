"""The draft's promises for the first recovery of Rapid Start, in every order of ACKs and losses of a full flight."""

from fractions import Fraction

import pytest

from firstflight import Config, create, step
from firstflight.events import Ack
from firstflight_conformance.format.builder import MS, StreamBuilder
from firstflight_conformance.prng import SplitMix64

#: Packet size in bytes, divisible by every factor, and number of packets in the flight.
SIZE, PACKETS = 1800, 30
BETA = {
    "draft-02": Fraction(1, 2),
    "draft-00": Fraction(1, 2),
    "draft-02+cubic": Fraction(7, 10),
    "draft-00+cubic": Fraction(7, 10),
}


def window_after(profile: str, lost: list[bool], order: list[int]) -> int:
    """Return the window after all packets of a flight are acknowledged or lost in some order, a lost one first."""
    stream = StreamBuilder(SIZE, PACKETS * SIZE)
    stream.send(0, PACKETS)
    first = lost.index(True)
    for t_ms, packet in enumerate([first, *(packet for packet in order if packet != first)], start=100):
        act = stream.lose if lost[packet] else stream.ack
        act(t_ms * MS, (packet, packet))
    controller = create("rapid-start", profile, Config(SIZE, PACKETS * SIZE))
    for event in stream.events:
        controller, observation = step(controller, event)
    return observation.cwnd_bytes


@pytest.mark.parametrize("profile", BETA)
def test_window_is_beta_of_delivered_bytes(profile: str) -> None:
    """The window is beta times the delivered bytes for any K and order, and at least beta/3 of the flight."""
    rng = SplitMix64(7)
    for share in range(1, PACKETS):
        lost = [packet < share for packet in range(PACKETS)]
        order = sorted(range(PACKETS), key=lambda _: rng.below(2**32))
        got_through = (PACKETS - share) * SIZE
        assert window_after(profile, lost, order) == BETA[profile] * max(got_through, PACKETS * SIZE // 3)


@pytest.mark.parametrize(
    ("profile", "silence"),
    [
        ("draft-02", Fraction(1, 2)),
        ("draft-02+cubic", Fraction(3, 10)),
        ("draft-00", Fraction(7, 13)),
        ("draft-00+cubic", Fraction(1, 3)),
    ],
)
def test_sending_resumes_after_share_of_path_capacity(profile: str, silence: Fraction) -> None:
    """With two of three packets lost, sending resumes after 1 - beta of the path capacity; later with K = 11/18."""
    holds = 390
    stream = StreamBuilder(SIZE, 3 * holds * SIZE)
    stream.send(0, 3 * holds)
    for acked in range(holds):
        stream.lose(100 * MS + acked, (3 * acked, 3 * acked + 1))
        stream.ack(100 * MS + acked, (3 * acked + 2, 3 * acked + 2))
    controller = create("rapid-start", profile, Config(SIZE, 3 * holds * SIZE))
    acked = 0
    for event in stream.events:
        controller, observation = step(controller, event)
        if isinstance(event, Ack):
            acked += 1
            if observation.cwnd_bytes >= event.bytes_in_flight:
                break
    assert Fraction(acked, holds) == silence
