"""Limited Slow-Start (``spec/limited-slow-start/rules.md``)."""

from firstflight.algorithm import Startup
from firstflight.limited_slow_start.limited_slow_start import PROFILES, Readings, begin, step

ALGORITHM = Startup(
    name="limited-slow-start",
    title="Limited Slow-Start",
    package="limited_slow_start",
    readings=Readings,
    profiles=PROFILES,
    begin=begin,
    step=step,
)
