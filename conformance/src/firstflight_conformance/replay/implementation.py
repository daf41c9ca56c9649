"""Common interface of all implementations of a profile, and the loop that drives them."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, Protocol, TypeVar

import firstflight
from firstflight import Config
from firstflight.events import Event

Seen = TypeVar("Seen")
SeenOut = TypeVar("SeenOut", covariant=True)


class Run(Protocol[SeenOut]):
    """One connection that an implementation of a profile controls."""

    @property
    def on(self) -> Callable[[Event], SeenOut]:
        """The function that processes one event of this connection and returns the observables after the event."""


class Implementation(Protocol[SeenOut]):
    """An implementation of one profile: the model, a model with a change, or an adapter process, which may host a shared object."""

    def begin(self, config: Config) -> Run[SeenOut]:
        """Begin a connection."""


def drive(run: Run[Seen], events: Iterable[Event]) -> Iterator[Seen]:
    """Yield the observables after each event."""
    on = run.on
    for event in events:
        yield on(event)


class ModelRun:
    """A connection of the model; the controller is changed in place."""

    def __init__(self, controller: Any, advance: Callable[[Any, Event], Any] = firstflight.advance) -> None:
        """Store the controller. ``advance``: the function of the controller's model."""
        self.controller = controller
        self.on: Callable[[Event], Any] = partial(advance, controller)


class Model:
    """A profile of the model, or of the model with a change."""

    def __init__(self, algorithm: str, profile: str, model: Any = firstflight) -> None:
        """Store the profile. ``model``: a :class:`Variant`, or the package of the model."""
        self.algorithm, self.profile, self._model = algorithm, profile, model

    def begin(self, config: Config) -> ModelRun:
        """Begin with a new controller. Raise :class:`DomainError` if the profile is unknown."""
        return ModelRun(self._model.create(self.algorithm, self.profile, config), self._model.advance)
