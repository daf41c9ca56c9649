"""HyStart++ (``spec/hystartpp/rules.md``)."""

from firstflight.algorithm import Startup
from firstflight.hystartpp.hystartpp import PROFILES, Readings, begin, step

ALGORITHM = Startup(
    name="hystartpp",
    title="HyStart++",
    package="hystartpp",
    readings=Readings,
    profiles=PROFILES,
    begin=begin,
    step=step,
)
