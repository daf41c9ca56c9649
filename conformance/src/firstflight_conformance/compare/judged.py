"""Cases that passed or conform, and how far they are judged."""

from dataclasses import dataclass

from firstflight_conformance.compare.subject import AnsweredCase
from firstflight_conformance.simulate.cases import AnyCase


@dataclass(frozen=True, slots=True)
class Judged:
    """A case that passed or conforms. ``cut``: the first event that is not judged, or ``None``."""

    subject: AnsweredCase
    cut: int | None

    @property
    def case(self) -> AnyCase:
        """The case."""
        return self.subject.case
