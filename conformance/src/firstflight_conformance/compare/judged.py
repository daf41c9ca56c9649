"""Cases that passed or conform, as far as they are judged."""

from dataclasses import dataclass

from firstflight_conformance.compare.subject import AnsweredCase
from firstflight_conformance.simulate.cases import AnyCase


@dataclass(frozen=True, slots=True)
class Judged:
    """A case that passed or conforms. ``cut``: the event from which on it is not judged, ``None`` if it is judged to the end."""

    subject: AnsweredCase
    cut: int | None

    @property
    def case(self) -> AnyCase:
        """The case."""
        return self.subject.case
