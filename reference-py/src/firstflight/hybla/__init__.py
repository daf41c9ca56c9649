"""Hybla (``spec/hybla/rules.md``)."""

from firstflight.algorithm import Base
from firstflight.hybla.hybla import RULES, begin, carry
from firstflight.hybla.profiles import PROFILES, Readings

ALGORITHM = Base(
    name="hybla",
    title="Hybla",
    package="hybla",
    readings=Readings,
    profiles=PROFILES,
    rules=RULES,
    begin=begin,
    carry=carry,
    carries="linux",
)
