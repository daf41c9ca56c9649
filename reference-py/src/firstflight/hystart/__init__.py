"""HyStart (``spec/hystart/rules.md``)."""

from firstflight.algorithm import Startup
from firstflight.hystart.hystart import PROFILES, Readings, begin, step

ALGORITHM = Startup(
    name="hystart", title="HyStart", package="hystart", readings=Readings, profiles=PROFILES, begin=begin, step=step
)
