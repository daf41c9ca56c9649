"""CUBIC (``spec/cubic/rules.md``)."""

from firstflight.algorithm import Base
from firstflight.cubic.cubic import RULES, begin, carry
from firstflight.cubic.profiles import PROFILES, Readings

ALGORITHM = Base(
    name="cubic",
    title="CUBIC",
    package="cubic",
    readings=Readings,
    profiles=PROFILES,
    rules=RULES,
    begin=begin,
    carry=carry,
    carries="rfc-9438",
)
