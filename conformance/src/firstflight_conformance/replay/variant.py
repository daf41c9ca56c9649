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
        """Build the model with the changes (parts) of a candidate: other readings, or edits of its source text.

        ``texts``: changed source texts by file. ``key``: equal for equal models only. Raise :class:`ConflictError` if
        two parts change the same reading, or if the text that an edit replaces does not occur exactly once.
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
        """Return the algorithm and the profile that this model runs in a case of ``algorithm`` and ``profile``.

        They are the same here; a subclass may run others. The permitted bounds of the returned profile apply.
        """
        return algorithm, profile

    def continues(self, other: "Variant") -> bool:
        """Return whether this model can continue from a controller state of ``other``: only if both are the same."""
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
        """Process one event in place, like ``firstflight.advance``, and return the observation.

        Raise :class:`TypeError` if the source text of the model is changed, and an observable has a wrong type.
        """
        observation = self._model.advance(state, event)
        if self.texts:
            check_types(observation)
        return observation

    def followed(self, observation: Any, state: Any, shows: dict[str, Any]) -> Any:
        """Return ``observation`` with cwnd and ssthresh of ``state``.

        The caller has set both windows of ``state``, a controller, to the values that an implementation reports. In
        slow start and congestion avoidance the phase is derived from these windows again. ``shows``: values of further
        members, which replace the members of the observation.
        """
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
    """Return the controller module of a model with these source texts, and its module of transfer times; cached.

    The second is None without texts, or unless ``computes``.
    """
    if not texts:
        return controller, None
    with fresh_modules(dict(texts)) as changed:
        return changed, importlib.import_module("firstflight.transfer_time.transfer_time") if computes else None


def build(candidate: Candidate) -> Variant | None:
    """Return the model with the changes of a candidate, or ``None`` if it cannot be built.

    It cannot be built if parts of the candidate exclude each other. The edited source text of the model may also be
    invalid Python, or raise :class:`DomainError`.
    """
    try:
        return Variant(candidate)
    except (ConflictError, DomainError, SyntaxError):
        return None


def buildable(candidate: Candidate) -> Candidate | None:
    """Return the candidate with its parts in the first order that gives a valid model, or ``None`` if no order does.

    The parts are changes of the model, applied in order. The order matters, since an edit replaces text that must occur
    exactly once, and an earlier edit may remove or add this text.
    """
    orders = (replace(candidate, parts=parts) for parts in permutations(candidate.parts))
    return next((order for order in orders if build(order) is not None), None)
