"""SUSS, Speeding Up Slow Start (``spec/suss.md``)."""

from firstflight.algorithm import Startup
from firstflight.suss.suss import PROFILES, Readings, begin, step

ALGORITHM = Startup(
    name="suss", title="SUSS", room="suss", readings=Readings, profiles=PROFILES, begin=begin, step=step
)
