"""Results of a run, for the reports."""

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
    """The adapter does not declare a property of the case, so the case is not judged.

    ``kind``: the undeclared property, ``algorithm``, ``profile`` (a version of the algorithm) or ``protocol`` (the
    version of the adapter protocol). ``name``: its value. ``reason``: the text for reports.
    """

    kind: str
    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Refused:
    """The adapter declares the profile but refuses the case. ``why``: reason in hello or manifest, or ``None``.

    ``event``: the unsupported kind of event, by the declaration.
    """

    reason: str
    why: str | None = None
    event: str | None = None


class Verdict(Enum):
    """Verdict on a case. The values are the names in reports."""

    PASS = "pass"
    FAIL = "fail"
    UNSUPPORTED = "unsupported"
    ERRORED = "errored"


@dataclass(frozen=True, slots=True)
class ClosedLoop:
    """The run of a stack over a simulated path, and the model's own run over the same path.

    ``divergence``: the first answer of the stack that differs from the model's answer to the same events, or ``None``.
    ``within_tolerance``: whether an answer agrees only within the declared tolerance. ``judged_events``: number of
    judged events, or ``None`` if all events up to the divergence are judged.
    """

    divergence: Divergence | None
    within_tolerance: bool
    stack: LoopRun
    model: LoopRun
    judged_events: int | None = None


@dataclass(frozen=True, slots=True)
class Growth:
    """Where the window first grew less than in slow start, or shrank: the index of the event, or ``None`` for no event.

    ``expected``: in the answers of the model. ``observed``: in the answers of the adapter.
    """

    expected: int | None
    observed: int | None


@dataclass(frozen=True, slots=True)
class RecordedAnswers:
    """Answers of an adapter to a failed case: the events, and the observables after each event.

    A computation has one answer and an empty list of events.
    """

    events: tuple[Event, ...]
    observed: tuple[dict[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Result:
    """The verdict on one case. ``fault`` is set for an errored case, ``divergence`` for a failed case.

    ``explained_by``: the known deviation in the manifest that explains the failure. ``growth``: where the window first
    grew less than in slow start, for cases of vectors. ``loop``: the runs of stack and model, in closed loop.
    ``change``: text on the difference from the recorded first divergence. ``recording``: the answers, for the
    diagnosis of a failure. The diagnosis sets ``level``, the level of the broken rule such as MUST, and ``cause``.

    A failure ``conforms`` if the cause is a choice that the specification permits. It is ``undecided`` if the step
    budget ends first. ``clash``: id of a case that contradicts the choices needed for this case to conform; empty if
    only several cases together contradict them, ``None`` without contradiction. ``judged_events``: number of judged
    events if not all. Judging of a pass may end at the first reduction of the window, if the stack has its own
    controller, such as CUBIC. The cases of that controller judge the behaviour after a reduction. Judging of a
    conforming failure ends where the vector sends more than the smaller window that the implementation chose.

    ``log``: last log lines of the adapter after a fault. ``about``: title and reason of the vector of a failure.
    ``unsupported``: why the case was not judged. ``seconds``: duration; 0 if the adapter was not asked.
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
        """Return the pickled form. The default for dataclasses with slots takes twice the time."""
        return Result, _FIELDS(self)

    @property
    def undeclared(self) -> bool:
        """Whether the adapter does not declare the algorithm, profile or protocol of the case."""
        return isinstance(self.unsupported, Undeclared)

    @property
    def status(self) -> str:
        """The verdict, or ``choice``, ``undecided``, ``explained`` or ``changed`` for a failure.

        ``choice``: the failure conforms. ``undecided``: the step budget ended first. ``explained``: by the manifest.
        ``changed``: not as recorded.

        Unexplained failures and errors keep their verdict.
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

#: The rule that slow-start/* leaves to the profiles of a stack's own controller.
_REDUCTION = "slow-start.recovery.begin"


@dataclass(frozen=True, slots=True)
class Unseen:
    """Gaps of a run: ``rules`` not exercised by any judged event, and ``idle`` profiles whose algorithm did not act."""

    rules: tuple[str, ...] = ()
    idle: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AdapterReport:
    """The results of one adapter. ``skipped``: why the adapter was not run. ``diagnosis``: causes of its failures."""

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
        """Ids of rules that no judged event exercised, although the selected cases contain them.

        A case may not exercise its rules because it is refused or judged only in part. It may also conform by another
        permitted choice, which does not apply the rule.
        """
        if self.diagnosis is None or self.manifest.role == "null":
            missing: tuple[str, ...] = ()
        else:
            missing = self.diagnosis.exercised.missing
        reductions = self.counts["up_to_reduction"] and not self.judged_by_own_controller
        return tuple(dict.fromkeys((*missing, *([_REDUCTION] if reductions else []), *self.unseen.rules)))

    @property
    def refused(self) -> tuple[Result, ...]:
        """The cases that the adapter refuses, although it declares their profile (a version of the algorithm)."""
        return tuple(result for result in self.results if isinstance(result.unsupported, Refused))

    @property
    def passed(self) -> int:
        """The number of cases that pass or conform.

        A case passes if its judged answers agree with the model. It conforms if they differ from the model only by
        choices that the specification permits.
        """
        return self.counts["pass"] + self.counts["choice"]

    @property
    def total(self) -> int:
        """The number of selected cases of declared profiles, refused ones included."""
        return sum(not result.undeclared for result in self.results)

    @property
    def not_green(self) -> tuple[str, ...]:
        """Reasons why a run without failures is not green, that is, judges or exercises less than it should.

        Empty if the run is green, or if the adapter is a null adapter, which contains no congestion control.
        """
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
        """Number of MUST rules listed by passed cases, and number of MUST rules listed by all judged cases.

        The numbers are reported for a null adapter only. It contains no congestion control, so its passed cases should
        list few rules. Return ``None`` for all other adapters, for a report without the list of the rules that the
        cases exercised, and if the judged cases list no MUST rule.
        """
        exercised = self.diagnosis.exercised if self.diagnosis is not None else None
        return (
            (exercised.rules - len(exercised.missing), exercised.rules)
            if exercised is not None and exercised.rules
            else None
        )

    @property
    def judged_by_own_controller(self) -> int | None:
        """Number of judged cases of the stack's own controller, such as cubic/*; ``None`` if none was selected."""
        controller = "" if self.declaration is None else self.declaration.controller
        names = (f"{controller}.", f"@{controller}/")  # in ids of vectors, and of closed-loop cases
        own = [
            r for r in self.results if (r.case_id.startswith(names[0]) or names[1] in r.case_id) and not r.undeclared
        ]
        return sum(result.verdict is not Verdict.UNSUPPORTED for result in own) if own else None

    @property
    def is_seen_in_part(self) -> bool:
        """Whether some vectors are judged in part, and no closed-loop case was judged that could cover the rest."""
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
    NOTHING_RUN = 4  # or no failure, but not green


def exit_code(reports: list[AdapterReport], *, strict: bool, refusals: bool = True) -> int:
    """Return the exit code of a run, a member of :class:`ExitCode`.

    ``FAULT`` if a case errored. Otherwise ``DIVERGENCE`` for an unexplained failure, a change since the record, or a
    known deviation that disappeared. With ``strict`` explained deviations and permitted choices are divergences too.
    With ``refusals`` false, a refused case is a divergence. Otherwise ``NOTHING_RUN`` if no case passed, conforms or is
    explained, or if a report is not green (has gaps such as unexercised rules). Otherwise ``OK``. Null adapters, which
    contain no congestion control, do not count.
    """
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
