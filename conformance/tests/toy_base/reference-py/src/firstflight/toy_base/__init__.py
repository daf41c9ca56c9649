"""The base controller of ``conformance/tests/test_toy_base.py``."""

from firstflight.toy_base.profiles import PROFILES, Readings
from firstflight.toy_base.toy_base import RULES, begin, carry

from firstflight.algorithm import Base

ALGORITHM = Base(
    name="toy-base",
    title="Toy base",
    package="toy_base",
    readings=Readings,
    profiles=PROFILES,
    rules=RULES,
    begin=begin,
    carry=carry,
    carries="two",
)
