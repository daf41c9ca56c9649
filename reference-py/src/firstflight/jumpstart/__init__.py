"""JumpStart (``spec/jumpstart/rules.md``)."""

from firstflight.algorithm import Startup
from firstflight.events import Backlog
from firstflight.jumpstart.jumpstart import PROFILES, Readings, begin, step

ALGORITHM = Startup(
    name="jumpstart",
    title="JumpStart",
    package="jumpstart",
    readings=Readings,
    profiles=PROFILES,
    begin=begin,
    step=step,
    started_by=Backlog,
)
