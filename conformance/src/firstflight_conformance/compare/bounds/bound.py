"""The interface of a bound, and what was taken of it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from firstflight.events import Event


@dataclass(frozen=True, slots=True)
class Taken:
    """A value that an implementation took of an interval.

    ``share`` is the value over what it is a share of, which ``of`` names: "of the saved window". ``what`` names the value: "jump".
    ``acts`` is false where the text allows to do nothing, and nothing was done. ``shows``: what follows from it in the observation of the
    model, by the names there, beside windows and threshold. ``extreme``: the text has no lower limit, and the value is 0.
    """

    point: str
    what: str
    value: int
    share: Fraction
    of: str
    acts: bool = True
    shows: dict[str, Any] = field(default_factory=dict)
    extreme: bool = False


#: Lets a controller process an event in place.
Advance = Callable[[Any, Event], Any]


class Bound:
    """The bound of one point along one case. The state of a controller is that of the model, or of a wrong one; only its members are used."""

    def __init__(self, point: str, advance: Advance) -> None:
        """Begin before the first event. ``point``: the id of the open point; ``advance``: the model, to be asked what another event does."""
        self.point, self.advance = point, advance

    def copy(self, advance: Advance) -> "Bound":
        """Return a copy for another model. Each step makes some; ``copy.copy`` takes several times as long."""
        other: Bound = object.__new__(type(self))
        vars(other).update(vars(self), advance=advance)
        return other

    def follow(self, before: Any, state: Any, event: Event, observation: Any, observed: dict[str, Any]) -> Taken | None:
        """Return what was taken if ``observed`` lies in the interval, and change the ``state`` to go on from it.

        ``before``: the controller before the event, ``state`` and ``observation``: after it, ``observed``: the answer of the implementation.
        The state stays as it is if the answer lies outside, or is of something else.
        """
        raise NotImplementedError

    def settle(self, before: Any, state: Any, event: Event) -> None:
        """Take note of an event, after the state follows the answer to it."""
