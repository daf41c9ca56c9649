"""The results of a run, as the reports show them."""

from collections import Counter
from dataclasses import dataclass, field
from enum import Enum
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from firstflight.events import Event
from firstflight_conformance.adapters.faults import FaultKind
from firstflight_conformance.adapters.manifest import Deviation, Manifest
from firstflight_conformance.adapters.messages import Declaration
from firstflight_conformance.records.divergence import Divergence
from firstflight_conformance.simulate.loop_run import LoopRun

if TYPE_CHECKING:
    from firstflight_conformance.records.findings import Diagnosis


@dataclass(frozen=True, slots=True)
class Undeclared:
    """The adapter does not claim to know the ``kind``, ``algorithm`` or ``profile``, of this name: there is nothing to report but that."""

    kind: str
    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Refused:
    """The adapter knows the profile, and cannot take the case. ``why``: the reason in its hello or its manifest, or ``None``.

    ``event``: the kind of event that the adapter declares not to support.
    """

    reason: str
    why: str | None = None
    event: str | None = None


class Verdict(Enum):
    """The verdict on a case. The value is the name in reports."""

    PASS = "pass"
    FAIL = "fail"
    UNSUPPORTED = "unsupported"
    ERRORED = "errored"


@dataclass(frozen=True, slots=True)
class ClosedLoop:
    """A stack in the loop of a scenario, and the model's own run of the same scenario.

    ``judged_events``: of how many events the answers were judged; ``None`` if of all, up to the divergence.
    """

    divergence: Divergence | None
    within_tolerance: bool
    stack: LoopRun
    model: LoopRun
    judged_events: int | None = None


@dataclass(frozen=True, slots=True)
class Growth:
    """The events at which the window of a vector first grew less than in slow start, or shrank; ``None`` if at none."""

    expected: int | None
    observed: int | None


@dataclass(frozen=True, slots=True)
class RecordedAnswers:
    """What an adapter answered in a case that failed, to the end: the events, and the observables after each of them.

    A computation has no events and one answer.
    """

    events: tuple[Event, ...]
    observed: tuple[dict[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Result:
    """The verdict on one case. ``fault`` is set if it is errored, ``divergence`` if it failed.

    ``growth`` is of cases with events, ``loop`` of the closed loop. ``change`` says how the result differs from what was recorded.
    ``recording`` is of a failure, for its diagnosis, which gives ``level`` and ``cause``. A failure ``conforms`` where the cause is another
    choice at points that the text leaves open. It is ``undecided`` if the budget of steps ends first. ``clash``: it conforms only by other
    choices than the run; the case that contradicts it, empty if only several do. ``log``: the last lines of the log of an adapter that broke down. ``judged_events``: so many
    events were judged, not all: of a pass up to the first reduction of the window (``run/up_to.py``), of one that conforms to where the stream sends more.
    ``about``: title and reason of the vector of a failure. ``unsupported``: why it was not judged. ``seconds``: how long it took; 0 if the adapter was not asked.
    """

    case_id: str
    verdict: Verdict
    reason: str = ""
    within_tolerance: bool = False
    fault: FaultKind | None = None
    divergence: Divergence | None = None
    explained_by: Deviation | None = None
    growth: Growth | None = None
    loop: ClosedLoop | None = None
    change: str | None = None
    recording: RecordedAnswers | None = field(default=None, repr=False, compare=False)
    level: str | None = None
    cause: str | None = None
    conforms: bool = False
    undecided: bool = False
    clash: str | None = None
    judged_events: int | None = None
    log: tuple[str, ...] = ()
    seconds: float = field(default=0.0, repr=False, compare=False)
    unsupported: Undeclared | Refused | None = None
    about: str = field(default="", repr=False, compare=False)

    def __reduce__(self) -> tuple[type["Result"], tuple[Any, ...]]:
        """Return what is sent from one process to another. The way of a dataclass with slots takes twice the time, and there are many."""
        return Result, _FIELDS(self)

    @property
    def undeclared(self) -> bool:
        """Whether the adapter does not claim to know the algorithm or profile: then there is nothing to report."""
        return isinstance(self.unsupported, Undeclared)

    @property
    def status(self) -> str:
        """The verdict, or ``choice``, ``undecided``, ``explained`` or ``changed`` for a failure.

        It is a ``choice`` if it conforms, ``undecided`` if the budget of steps ended first, ``explained`` by the manifest, or ``changed`` if it is not as recorded.

        A failure that nothing explains and an error remain what they are.
        """
        if self.conforms:
            return "choice"
        if self.undecided:
            return "undecided"
        unexplained = self.verdict is Verdict.FAIL and self.explained_by is None
        if self.change is not None and self.verdict is not Verdict.ERRORED and not unexplained:
            return "changed"
        return "explained" if self.explained_by else str(self.verdict.value)


_FIELDS = attrgetter(*Result.__slots__)

#: The rule that slow-start/* leaves to the controller of a stack that has another.
_REDUCTION = "slow-start.recovery.begin"


@dataclass(frozen=True, slots=True)
class Unseen:
    """Gaps of a run: ``rules`` that no judged event exercised, and ``idle`` profiles, in which the algorithm did not act."""

    rules: tuple[str, ...] = ()
    idle: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AdapterReport:
    """The results of one adapter. ``skipped``: why it was not run at all. ``diagnosis``: the causes of its failures."""

    manifest: Manifest
    skipped: str | None = None
    declaration: Declaration | None = None
    results: tuple[Result, ...] = ()
    disappeared: tuple[Deviation, ...] = ()
    diagnosis: "Diagnosis | None" = None
    unseen: Unseen = Unseen()
    counts: Counter[str] = field(init=False)

    @property
    def not_exercised(self) -> tuple[str, ...]:
        """The rules that no judged event exercised, because cases are judged in part, refused, or conform without them."""
        if self.diagnosis is None or self.manifest.role == "null":
            missing: tuple[str, ...] = ()
        else:
            missing = self.diagnosis.exercised.missing
        reductions = self.counts["up_to_reduction"] and not self.judged_by_own_controller
        return tuple(dict.fromkeys((*missing, *([_REDUCTION] if reductions else []), *self.unseen.rules)))

    @property
    def refused(self) -> tuple[Result, ...]:
        """The refused cases of declared profiles."""
        return tuple(result for result in self.results if isinstance(result.unsupported, Refused))

    @property
    def passed(self) -> int:
        """The number of cases that pass or conform."""
        return self.counts["pass"] + self.counts["choice"]

    @property
    def total(self) -> int:
        """The number of selected cases of declared profiles, refused ones included."""
        return sum(not result.undeclared for result in self.results)

    @property
    def not_green(self) -> tuple[str, ...]:
        """The reasons why a run without failures is not green. A null adapter has none."""
        if self.manifest.role == "null":
            return ()
        refused = sum(
            result.unsupported.why is None for result in self.refused if isinstance(result.unsupported, Refused)
        )
        reasons = {
            f"{self.counts['undecided']} undecided": self.counts["undecided"],
            f"{refused} refused without a declared reason": refused,
            f"the algorithm did not act: {', '.join(self.unseen.idle)}": len(self.unseen.idle),
            f"rules not exercised: {len(self.not_exercised)}": len(self.not_exercised),
        }
        return tuple(reason for reason, count in reasons.items() if count)

    @property
    def rules_passed(self) -> tuple[int, int] | None:
        """Of a null adapter how many rules with a MUST the cases exercise that it passes, of how many; ``None`` where that is not known."""
        found = self.diagnosis.exercised if self.diagnosis is not None else None
        return (found.rules - len(found.missing), found.rules) if found is not None and found.rules else None

    @property
    def judged_by_own_controller(self) -> int | None:
        """How many cases of its own controller, such as cubic/*, judged what slow-start/* leaves to that; ``None`` if none was selected."""
        controller = "" if self.declaration is None else self.declaration.controller
        names = (f"{controller}.", f"@{controller}/")  # of vectors, and in closed loop
        own = [
            r for r in self.results if (r.case_id.startswith(names[0]) or names[1] in r.case_id) and not r.undeclared
        ]
        return sum(result.verdict is not Verdict.UNSUPPORTED for result in own) if own else None

    @property
    def is_seen_in_part(self) -> bool:
        """Whether vectors are judged in part, and no closed loop judged what follows there."""
        looped = any(result.loop is not None for result in self.results)
        return self.diagnosis is not None and self.diagnosis.exercised.in_part > 0 and not looped

    def __post_init__(self) -> None:
        """Count the results by status."""
        counts = Counter(result.status for result in self.results)
        counts["within_tolerance"] = sum(result.within_tolerance for result in self.results)
        counts["up_to_reduction"] = sum(r.verdict is Verdict.PASS and r.judged_events is not None for r in self.results)
        object.__setattr__(self, "counts", counts)


class ExitCode:
    """The exit codes of ``firstflight run``."""

    OK = 0
    DIVERGENCE = 1
    USAGE = 2
    FAULT = 3
    NOTHING_RUN = 4  # or nothing failed, and the result is not green


def exit_code(reports: list[AdapterReport], *, strict: bool, refusals: bool = True) -> int:
    """Return the exit code. Null adapters do not count. Without ``refusals`` a refused case is a divergence."""
    judged = [report for report in reports if report.manifest.role != "null"]
    total: Counter[str] = sum((report.counts for report in judged), Counter())
    if total["errored"]:
        return ExitCode.FAULT
    if (
        total["fail"]
        or total["changed"]
        or any(report.disappeared for report in judged)
        or (strict and (total["explained"] or total["choice"]))
        or (not refusals and any(report.refused for report in judged))
    ):
        return ExitCode.DIVERGENCE
    nothing = not any(total[status] for status in ("pass", "explained", "choice"))
    if nothing or any(report.not_green for report in judged):
        return ExitCode.NOTHING_RUN
    return ExitCode.OK
