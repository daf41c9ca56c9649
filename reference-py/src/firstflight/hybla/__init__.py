"""Hybla (``spec/hybla.md``)."""

from firstflight.algorithm import Startup
from firstflight.hybla.hybla import PROFILES, Readings, begin, step

ALGORITHM = Startup(
    name="hybla", title="Hybla", room="hybla", readings=Readings, profiles=PROFILES, begin=begin, step=step
)
