"""NewReno (``spec/slow-start.md``)."""

from firstflight.algorithm import Base
from firstflight.newreno.profiles import PROFILES, Readings

ALGORITHM = Base(name="slow-start", title="NewReno", room="newreno", readings=Readings, profiles=PROFILES)
