"""SUSS, Speeding Up Slow Start (``spec/suss/rules.md``)."""

from firstflight.algorithm import Startup
from firstflight.suss.suss import PROFILES, Readings, begin, step

ALGORITHM = Startup(
    name="suss", title="SUSS", package="suss", readings=Readings, profiles=PROFILES, begin=begin, step=step
)
