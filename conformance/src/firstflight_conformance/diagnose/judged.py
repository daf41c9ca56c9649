"""Cases that passed or conform, as far as they are judged, and what was not exercised in them."""

from dataclasses import dataclass

from firstflight_conformance.diagnose.subject import AnyCase, Subject


@dataclass(frozen=True, slots=True)
class Judged:
    """A case that passed or conforms. ``cut``: the event from which on it is not judged, ``None`` if it is judged to the end."""

    subject: Subject
    cut: int | None

    @property
    def case(self) -> AnyCase:
        """The case."""
        return self.subject.case


@dataclass(frozen=True, slots=True)
class Exercised:
    """The rules with a MUST that vectors of some profiles carry out and no judged event did; vectors judged in part, of all that were judged.

    ``rules``: of how many rules, where that is known.
    """

    missing: tuple[str, ...] = ()
    in_part: int = 0
    of: int = 0
    rules: int = 0
