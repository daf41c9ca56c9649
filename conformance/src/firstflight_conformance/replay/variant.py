"""The model with the changes of a candidate."""

import importlib
from dataclasses import replace
from functools import lru_cache
from itertools import permutations
from pathlib import Path
from typing import Any

from firstflight import Config, controller
from firstflight.algorithm import Base
from firstflight.errors import DomainError
from firstflight_conformance.format.computations import answer, decode_inputs
from firstflight_conformance.format.vectors import COMPUTED_ALGORITHMS
from firstflight_conformance.replay.answers import check_types
from firstflight_conformance.replay.candidates import Candidate
from firstflight_conformance.replay.fresh import fresh_modules
from firstflight_conformance.replay.mutants import MutantError, changed_texts

#: Phases determined by the windows of the base controller.
_BASE_PHASES = ("slow_start", "congestion_avoidance")


class ConflictError(ValueError):
    """Changes that exclude each other."""


class Variant:
    """The model with the changes of a candidate; without a candidate, the right model."""

    def __init__(self, candidate: Candidate | None = None) -> None:
        """Build the model. ``texts``: texts of changed modules. ``key``: equal for equal models only.

        Raise :class:`ConflictError` if parts of the candidate exclude each other.
        """
        parts = candidate.parts if candidate else ()
        self._choices: dict[str, dict[str, Any]] = {}
        for part in parts:
            chosen = self._choices.setdefault(part.algorithm, {})
            if chosen.keys() & part.readings.keys():
                raise ConflictError("both change a reading")
            chosen |= part.readings
        computes = any(part.algorithm in COMPUTED_ALGORITHMS for part in parts)
        try:
            self.texts = texts = changed_texts(*parts)
        except MutantError as error:
            raise ConflictError(str(error)) from error
        self.key = tuple(texts.items()), repr(self._choices)
        self._model, self._computation = _executed(self.key[0], computes=computes)

    def stands_for(self, algorithm: str, profile: str) -> tuple[str, str]:
        """Return algorithm and profile that run in a case; their bounds apply."""
        return algorithm, profile

    def continues(self, other: "Variant") -> bool:
        """Return whether a state of another model has the classes and readings of this model."""
        return other is self

    def create(self, algorithm: str, profile: str, config: Config) -> Any:
        """Return a new controller, like ``firstflight.create``."""
        model = self._model
        if not any(self._choices.values()):  # a mutant may change the composition in create
            return model.create(algorithm, profile, config)
        own, plus, base = profile.partition("+")
        if isinstance(model.ALGORITHMS[algorithm], Base):
            return model.create_with(None, config, self._readings(algorithm, own))
        below = model.SUFFIXES[plus + base] if plus else model.DEFAULT_BASE
        return model.create_with(self._readings(algorithm, own), config, self._readings(*below))

    def advance(self, state: Any, event: Any) -> Any:
        """Process one event in place, like ``firstflight.advance``. Raise :class:`TypeError` for an invalid answer."""
        observation = self._model.advance(state, event)
        if self.texts:
            check_types(observation)
        return observation

    def followed(self, observation: Any, state: Any, shows: dict[str, Any]) -> Any:
        """Return the observation of a state whose windows were set to an implementation's, with members ``shows``."""
        base, phase = state.base, observation.phase
        if phase.value in _BASE_PHASES:
            phase = self._model.newreno.phase(base)
        windows = {"cwnd_bytes": base.cwnd_bytes, "ssthresh_bytes": base.ssthresh_bytes, "phase": phase}
        return replace(observation, **(windows | shows))

    def compute(self, profile: str, inputs: dict[str, Any]) -> dict[str, Any]:
        """Return the outputs of a computation in their JSON form."""
        numbers = decode_inputs(inputs)
        return answer(profile, numbers, self._computation) if self._computation else answer(profile, numbers)

    def _readings(self, algorithm: str, profile: str) -> Any:
        right = self._model.ALGORITHMS[algorithm].profiles[profile]
        chosen = self._choices.get(algorithm)
        if not chosen:
            return right
        return replace(right, **{name: type(getattr(right, name))(value) for name, value in chosen.items()})


@lru_cache(maxsize=1024)
def _executed(texts: tuple[tuple[Path, str], ...], *, computes: bool) -> tuple[Any, Any]:
    """Return the controller module of a model with these texts, and its computation if requested; cached."""
    if not texts:
        return controller, None
    with fresh_modules(dict(texts)) as changed:
        return changed, importlib.import_module("firstflight.transfer_time.transfer_time") if computes else None


def build(candidate: Candidate) -> Variant | None:
    """Return the variant, or ``None`` if parts of the candidate exclude each other or the text is invalid."""
    try:
        return Variant(candidate)
    except (ConflictError, DomainError, SyntaxError):
        return None


def buildable(candidate: Candidate) -> Candidate | None:
    """Return the candidate with its parts in an order that can be built, or ``None``."""
    orders = (replace(candidate, parts=parts) for parts in permutations(candidate.parts))
    return next((order for order in orders if build(order) is not None), None)
