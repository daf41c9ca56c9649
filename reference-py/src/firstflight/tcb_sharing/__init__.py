"""TCB sharing (``spec/tcb-sharing/rules.md``)."""

from firstflight.algorithm import Startup
from firstflight.events import SavedPath
from firstflight.tcb_sharing.tcb_sharing import PROFILES, Readings, begin, step

ALGORITHM = Startup(
    name="tcb-sharing",
    title="TCB sharing",
    package="tcb_sharing",
    readings=Readings,
    profiles=PROFILES,
    begin=begin,
    step=step,
    started_by=SavedPath,
)
