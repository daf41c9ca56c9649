"""Answers that were right before: the same bytes in answer to the same case are right again, and are not compared anew."""

from dataclasses import astuple
from functools import cache

from firstflight_conformance.kept import Store, code_digest, digest
from firstflight_conformance.run.messages import Declaration
from firstflight_conformance.run.results import Growth
from firstflight_conformance.run.script import Script


class RightAnswers:
    """The digests of answers that passed without a tolerance, each with where growth was reduced; of adapters that declare the same."""

    def __init__(self, declaration: Declaration) -> None:
        """Read what is kept."""
        self._key = digest([repr(declaration)])
        self._known: dict[str, tuple[int | None, int | None]] = _store().get(self._key) or {}
        self._news = False

    def get(self, script: Script, received: bytes) -> Growth | None:
        """Return where growth was reduced in answers that are known to be right, ``None`` if they are not known."""
        growth = self._known.get(_digest(script, received))
        return None if growth is None else Growth(*growth)

    def add(self, script: Script, received: bytes, growth: Growth) -> None:
        """Take note of answers that are right. A case from outside the checkout has no digest, and is not known again."""
        if script.case.vector.digest:
            self._known[_digest(script, received)] = astuple(growth)
            self._news = True

    def keep(self) -> None:
        """Write what is new, beside what others have kept meanwhile. What two lose who do so at once is compared once more."""
        if self._news:
            _store().put(self._key, (_store().get(self._key) or {}) | self._known)
        self._news = False


def _digest(script: Script, received: bytes) -> str:
    return digest([script.case.vector.digest, script.case.profile, received])


@cache
def _store() -> Store:
    return Store("right-answers", code_digest("cases", "run"))
