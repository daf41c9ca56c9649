"""Firstflight: an executable model of transport startup algorithms.

The model is a pure function of (state, event): it reads no clock, no file and no random number, and computes in integers.
Start with :func:`firstflight.controller.create` and :func:`firstflight.controller.step`;
:func:`firstflight.controller.advance` changes the state in place.
"""

from firstflight.controller import Config, Controller, advance, create, profiles, samples_rate, step
from firstflight.errors import DomainError
from firstflight.events import (
    Ack,
    Backlog,
    Ce,
    Event,
    IdleRestart,
    Lost,
    PathChange,
    PersistentCongestion,
    Pto,
    Run,
    SavedPath,
    Sent,
    SpuriousLoss,
)
from firstflight.observables import Observation, Outcome, Phase, Trigger
from firstflight.version import __version__

__all__ = [
    "Ack",
    "Backlog",
    "Ce",
    "Config",
    "Controller",
    "DomainError",
    "Event",
    "IdleRestart",
    "Lost",
    "Observation",
    "Outcome",
    "PathChange",
    "PersistentCongestion",
    "Phase",
    "Pto",
    "Run",
    "SavedPath",
    "Sent",
    "SpuriousLoss",
    "Trigger",
    "__version__",
    "advance",
    "create",
    "profiles",
    "samples_rate",
    "step",
]
