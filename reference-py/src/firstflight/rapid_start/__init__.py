"""Rapid Start (``spec/rapid-start/rules.md``)."""

from firstflight.algorithm import Startup
from firstflight.rapid_start.rapid_start import PROFILES, Readings, begin, step

ALGORITHM = Startup(
    name="rapid-start",
    title="Rapid Start",
    package="rapid_start",
    readings=Readings,
    profiles=PROFILES,
    begin=begin,
    step=step,
)
