"""BBR: Startup and Drain (``spec/bbr/rules.md``)."""

from firstflight.algorithm import Startup
from firstflight.bbr.bbr import PROFILES, Readings, begin, step

ALGORITHM = Startup(
    name="bbr",
    title="BBR",
    package="bbr",
    readings=Readings,
    profiles=PROFILES,
    begin=begin,
    step=step,
    on_bases=(),
    samples_rate=True,
)
