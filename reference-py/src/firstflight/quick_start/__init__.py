"""Quick-Start (``spec/quick-start/rules.md``)."""

from firstflight.algorithm import Startup
from firstflight.quick_start.quick_start import PROFILES, Readings, begin, step

ALGORITHM = Startup(
    name="quick-start",
    title="Quick-Start",
    package="quick_start",
    readings=Readings,
    profiles=PROFILES,
    begin=begin,
    step=step,
)
