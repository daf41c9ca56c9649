"""Cases that passed or conform, and how far they are judged."""

from dataclasses import dataclass

from firstflight_conformance.compare.subject import AnsweredCase
from firstflight_conformance.simulate.cases import AnyCase


@dataclass(frozen=True, slots=True)
class Judged:
    """A case that passed (its answers agree with the model) or conforms (it differs by permitted choices only).

    ``subject``: the case with its answers. ``cut``: index of the first event that is not judged, or ``None`` if all
    are.
    """

    subject: AnsweredCase
    cut: int | None

    @property
    def case(self) -> AnyCase:
        """The case."""
        return self.subject.case
