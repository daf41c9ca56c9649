"""Careful Resume (``spec/careful-resume/rules.md``)."""

from firstflight.algorithm import Startup
from firstflight.careful_resume.careful_resume import PROFILES, Readings, begin, step
from firstflight.events import SavedPath

ALGORITHM = Startup(
    name="careful-resume",
    title="Careful Resume",
    package="careful_resume",
    readings=Readings,
    profiles=PROFILES,
    begin=begin,
    step=step,
    started_by=SavedPath,
    answers_path_change=True,
)
