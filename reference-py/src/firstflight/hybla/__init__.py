"""Hybla (``spec/hybla.md``)."""

from firstflight.algorithm import Base
from firstflight.hybla.profiles import PROFILES, Readings

ALGORITHM = Base(name="hybla", title="Hybla", room="hybla", readings=Readings, profiles=PROFILES)
