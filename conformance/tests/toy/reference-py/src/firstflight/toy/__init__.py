"""Toy (``spec/toy/rules.md``): the algorithm of ``conformance/tests/test_toy.py``."""

from firstflight.algorithm import Startup
from firstflight.toy.toy import PROFILES, Readings, begin, step

ALGORITHM = Startup(
    name="toy", title="Toy", package="toy", readings=Readings, profiles=PROFILES, begin=begin, step=step
)
