"""Hand-built stimuli of the toy."""

from firstflight_conformance.format.builder import MS, StreamBuilder
from generate.catalogue import Catalogue

CATALOGUE = Catalogue("twelve", "thirteen", sources=("conformance/tests/test_toy.py",))


@CATALOGUE.add(
    "toy.exit.at-the-limit",
    "The window reaches the limit of one profile, then of the other",
    "12000 + 2 * 1200 = 14400 is the limit of 12 datagrams, and 14400 + 1200 = 15600 is the limit of 13.",
)
def _(b: StreamBuilder) -> None:
    b.send(0, 10)
    b.ack(100 * MS, (0, 1))
    b.expect(profile="twelve", outcome="exited", ssthresh_bytes=14_400)
    b.ack(101 * MS, (2, 2))
    b.expect(profile="thirteen", outcome="exited", ssthresh_bytes=15_600)
