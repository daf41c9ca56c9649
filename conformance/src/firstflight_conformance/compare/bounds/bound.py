"""The interface of a bound, and the values taken from its interval."""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from firstflight.events import Event


@dataclass(frozen=True, slots=True)
class Taken:
    """A value that an implementation took from an interval.

    ``quantity``: name of the value, such as "jump". ``share``: the value divided by a reference, such as the saved
    window. ``reference``: text with this divisor, such as "of the saved window". ``acts``: false if the text permits
    inaction and the implementation did nothing. ``shows``: accepted values, by name, for the model's observation, such
    as ``next_release_ns``. It does not contain the window and the threshold. ``extreme``: the value is 0, without a
    lower limit in the text.
    """

    point: str
    quantity: str
    value: int
    share: Fraction
    reference: str
    acts: bool = True
    shows: dict[str, Any] = field(default_factory=dict)
    extreme: bool = False


#: Processes an event in place in a controller.
Advance = Callable[[Any, Event], Any]


class Bound:
    """The interval of values that a text permits at one open point, followed event by event along one case.

    An open point is a place where a text permits several choices. The controllers in the parameters may come from a
    modified copy of the model with its own classes. Methods therefore use only attributes of controllers, and never
    test their classes.
    """

    def __init__(self, point: str, advance: Advance) -> None:
        """Create the bound of the open point with the id ``point``, before the first event of a case.

        ``advance``: function of the model that processes an event in place. The bound uses it to compute limits of its
        interval from modified events, such as an ACK that is not app-limited.
        """
        self.point, self.advance = point, advance

    def copy(self, advance: Advance) -> "Bound":
        """Return a copy of this bound that uses ``advance``, the function of another model to process an event.

        Each step makes copies; ``copy.copy`` takes several times as long.
        """
        duplicate: Bound = object.__new__(type(self))
        vars(duplicate).update(vars(self), advance=advance)
        return duplicate

    def follow(self, before: Any, state: Any, event: Event, observation: Any, observed: dict[str, Any]) -> Taken | None:
        """Return the value taken if ``observed`` is in the permitted interval, and let ``state`` continue from it.

        ``before``: the controller before the event. ``state`` and ``observation``: the model's controller and
        observation after the event. ``observed``: the answer of the implementation. Return None and leave ``state``
        unchanged if the value is outside the interval. Do the same if another observable of the answer rules the bound
        out, or if the bound does not apply to the event.
        """
        raise NotImplementedError

    def settle(self, before: Any, state: Any, event: Event) -> None:
        """Record an event, after ``state`` was changed to follow the answer to this event."""
