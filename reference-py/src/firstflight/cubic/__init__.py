"""CUBIC (``spec/cubic.md``)."""

from firstflight.algorithm import Base
from firstflight.cubic.profiles import PROFILES, Readings

ALGORITHM = Base(name="cubic", title="CUBIC", room="cubic", readings=Readings, profiles=PROFILES)
