"""NewReno (``spec/slow-start/rules.md``)."""

from firstflight.algorithm import Base
from firstflight.newreno.profiles import PROFILES, Readings

ALGORITHM = Base(name="slow-start", title="NewReno", package="newreno", readings=Readings, profiles=PROFILES)
