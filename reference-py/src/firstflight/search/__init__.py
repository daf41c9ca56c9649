"""SEARCH (``spec/search/rules.md``)."""

from firstflight.algorithm import Startup
from firstflight.search.startup import PROFILES, Readings, begin, step

ALGORITHM = Startup(
    name="search",
    title="SEARCH",
    package="search",
    readings=Readings,
    profiles=PROFILES,
    begin=begin,
    step=step,
    on_bases=("+cubic", "+hybla"),
)
