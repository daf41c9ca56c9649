"""Judges controllers that use a freedom of a text, and similar ones that break a rule, without a process.

The variants are in ``conformance/stimuli/ALGORITHM/freedoms.toml``. Each is a self-contained reference implementation
of ``firstflight.plain`` with a few lines replaced, so that the model does not judge itself.
"""

import sys
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import cycle
from pathlib import Path
from types import ModuleType
from typing import Any

from every import every_case, packets
from firstflight_conformance.adapters.conversation import Answers
from firstflight_conformance.adapters.faults import ConversationError, FaultKind
from firstflight_conformance.adapters.manifest import Manifest
from firstflight_conformance.adapters.messages import Declaration
from firstflight_conformance.adapters.script import Script
from firstflight_conformance.compare.answers import failed
from firstflight_conformance.explain.departures import of_profile
from firstflight_conformance.explain.diagnosis import diagnosed
from firstflight_conformance.format import wire
from firstflight_conformance.format.open_points import OpenPoint, open_points
from firstflight_conformance.format.vectors import Case
from firstflight_conformance.paths import STIMULI, of_algorithms
from firstflight_conformance.records.results import AdapterReport, ExitCode, Verdict, exit_code
from firstflight_conformance.replay.answers import CRASHES
from firstflight_conformance.replay.candidates import Candidate
from firstflight_conformance.replay.measure import config_from_json
from firstflight_conformance.replay.mutants import Mutant
from firstflight_conformance.replay.variant import Variant as Model
from firstflight_conformance.run.judge import verdict_on
from plain.judge import Run, programs

#: Observables of a variant that declares no others.
WINDOWS = ("cwnd_bytes", "ssthresh_bytes")
_BASE = "newreno_rfc_9002"
#: A self-contained program processes packets one by one: a case with more packets takes a second.
PACKETS_MAX = 10**7


@dataclass(frozen=True)
class Variant:
    """A changed reference implementation, and the expected result of its run.

    ``replace``: pairs of a text that occurs once in the ``program`` and its replacement. ``base``: pairs for NewReno.
    ``point``: number of an open point of the algorithm, or algorithm and number: ``slow-start S2``. Conforming variants
    end with exit code 0, or with ``exits`` if they leave a MUST unexercised. Their report lists the points ``names``,
    by default ``point``. A variant with a ``rule`` breaks it: it ends with 1, and the first cause lists the rule.
    ``source``: the sentence of the text; not needed if the clause of the ``rule`` has it.
    ``declares``: members of the adapter's declaration. ``pending``: why it is not judged yet.
    The head of a file has the default ``profile`` and ``program`` of its variants.
    """

    id: str
    profile: str
    point: str
    what: str
    program: str
    replace: list[list[str]] = field(default_factory=list)
    base: list[list[str]] = field(default_factory=list)
    names: list[str] | None = None
    exits: int = 0
    rule: str = ""
    source: str = ""
    declares: dict[str, Any] = field(default_factory=dict)
    pending: str = ""

    def __post_init__(self) -> None:
        """Raise ValueError for a variant without a change."""
        if not (self.replace or self.base or self.declares):
            raise ValueError(f"{self.id}: changes nothing")

    @property
    def conforms(self) -> bool:
        """Whether the variant conforms, which is the case without a ``rule``."""
        return not self.rule

    @property
    def algorithm(self) -> str:
        """The algorithm of the profile."""
        return self.profile.split("/")[0]

    @property
    def point_id(self) -> str:
        """The id of the variant's open point."""
        return self._id_of(self.point)

    @property
    def named(self) -> set[str]:
        """The ids of the points that the report must name."""
        return {self._id_of(number) for number in ([self.point] if self.names is None else self.names)}

    def _id_of(self, number: str) -> str:
        return number if " " in number else f"{self.algorithm} {number}"

    @property
    def declaration(self) -> Declaration:
        """The declaration of an adapter of the variant."""
        declared = {"observables": WINDOWS} | {
            name: tuple(value) if isinstance(value, list) else value for name, value in self.declares.items()
        }
        return Declaration(self.id, "1", {self.algorithm: (self.profile.split("/")[1],)}, **declared)


@cache
def variants() -> tuple[Variant, ...]:
    """Return the variants of every algorithm, in the order of the files."""
    all_variants: list[Variant] = []
    for path in of_algorithms("freedoms.toml", STIMULI):
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        usual = {"profile": data["profile"], "program": data["program"]}
        all_variants += (Variant(**(usual | entry)) for entry in data["variant"])
    return tuple(all_variants)


def point_of(variant: Variant) -> OpenPoint | None:
    """Return the open point of a variant."""
    return next((point for point in open_points() if point.id == variant.point_id), None)


def changed(name: str, replaced: Iterable[list[str]], module: str) -> ModuleType:
    """Return a reference implementation with these texts replaced."""
    source = Path(str(programs()[name].__file__)).read_text(encoding="utf-8")
    for old, new in replaced:
        if source.count(old) != 1:
            raise ValueError(f"{module}: {name} has {source.count(old)} times {old!r}")
        source = source.replace(old, new)
    made = ModuleType(module)
    sys.modules[module] = made  # dataclasses look up their module here
    exec(compile(source, module, "exec"), vars(made))  # noqa: S102
    return made


def together(parts: Sequence[Variant]) -> Variant | None:
    """Combine variants of one implementation; return ``None`` if they change the same text."""
    made = replace(
        parts[0],
        id="-".join(variant.id for variant in parts),
        replace=[pair for variant in parts for pair in variant.replace],
        base=[pair for variant in parts for pair in variant.base],
    )
    try:
        for name, texts in ((made.program, made.replace), (_BASE, made.base)):
            changed(name, texts, "together")
    except (ValueError, SyntaxError):
        return None
    return made


def program_of(variant: Variant) -> ModuleType:
    """Return the changed implementation, with the changed base if the variant has one."""
    module = f"variant_{variant.algorithm}_{variant.id}".replace("-", "_")
    made = changed(variant.program, variant.replace, module)
    if variant.base:
        vars(made)["newreno"] = changed(_BASE, variant.base, f"{module}_base")
    return made


@cache
def scripts_of(profile: str, *, whole: bool = True) -> tuple[Script, ...]:
    """Return the scripts of a profile, shared by its variants: all, or only up to :data:`PACKETS_MAX` packets."""
    if not whole:
        return tuple(script for script in scripts_of(profile) if packets(script.case) <= PACKETS_MAX)
    cases = (case for case in every_case() if f"{case.vector.algorithm}/{case.profile}" == profile)
    return tuple(map(Script, cases))


def answers_of(program: ModuleType, script: Script, observables: tuple[str, ...]) -> Answers:
    """Return the answers of an implementation to a case, up to a crash."""
    answers = Answers()
    run = Run(program, config_from_json(script.case.vector.config))
    try:
        for event, expected in zip(script.case.events, script.case.expected(), strict=True):
            observed = run.step(event)
            triggers = observed.pop("triggers", ())
            if "trigger" in expected:
                observed["trigger"] = triggers[0] if triggers else None
            answers.observed.append({name: observed[name] for name in observables if name in observed})
    except CRASHES as error:
        answers.fault = ConversationError(FaultKind.EXITED, f"{type(error).__name__}: {error}")
    return answers


def judged(variant: Variant, *, whole: bool = True) -> AdapterReport:
    """Return the report of ``firstflight run`` on a variant, with the causes of its failures."""
    return judged_programs(variant.profile, variant.declaration, [program_of(variant)], whole=whole)


def is_rejected(variant: Variant) -> bool:
    """Return whether one of the usual cases rejects a variant, tried shortest first, without a search for causes."""
    program, declaration = program_of(variant), variant.declaration
    for script in sorted(scripts_of(variant.profile, whole=False), key=lambda script: len(script.case.events)):
        result = verdict_on(script, declaration, answers_of(program, script, declaration.observables))
        if result.verdict is not Verdict.FAIL or result.recording is None:
            continue
        if of_profile([failed(result, script.case, declaration)], []).departures.failing:
            return True
    # No case alone rejects the variant, but the choices of several cases may contradict each other.
    return exit_code([judged(variant, whole=False)], strict=False) == ExitCode.DIVERGENCE


def judged_programs(
    profile: str, declaration: Declaration, programs: Sequence[ModuleType], *, whole: bool = True
) -> AdapterReport:
    """Return the report on an implementation that alternates between several programs from case to case."""
    scripts = scripts_of(profile, whole=whole)
    scripts_and_programs = zip(scripts, cycle(programs), strict=False)
    answers = [answers_of(program, script, declaration.observables) for script, program in scripts_and_programs]
    return _reported(scripts, declaration, answers)


def judged_mutant(mutant: Mutant, declaration: Declaration) -> AdapterReport:
    """Return the report of ``firstflight run`` on a mutant of the model."""
    candidate = Candidate(mutant.id, "mutant", "", (mutant,))
    profile = f"{mutant.algorithm}/{mutant.profile}"
    scripts = scripts_of(profile)
    answers = [_answers_of_model(Model(candidate), script.case, declaration.observables) for script in scripts]
    return _reported(scripts, declaration, answers)


def _answers_of_model(model: Model, case: Case, observables: tuple[str, ...]) -> Answers:
    answers = Answers()
    try:
        state = model.create(case.vector.algorithm, case.profile, config_from_json(case.vector.config))
        for event in case.events:
            observed = wire.observables(model.advance(state, event))
            answers.observed.append({name: observed[name] for name in observables if name in observed})
    except CRASHES as error:
        answers.fault = ConversationError(FaultKind.EXITED, f"{type(error).__name__}: {error}")
    return answers


def _reported(scripts: Sequence[Script], declaration: Declaration, answers: Sequence[Answers]) -> AdapterReport:
    """Return the report on answers to the cases of a profile, with the causes of the failures."""
    results = tuple(verdict_on(script, declaration, answer) for script, answer in zip(scripts, answers, strict=True))
    manifest = Manifest(declaration.name, declaration.name, "Python", "third-party", (), Path())
    report = AdapterReport(manifest, None, declaration, results)
    return diagnosed(report, {script.case.id: script.case for script in scripts})


def points_named(report: AdapterReport) -> set[str]:
    """Return the ids of the open points where a report lists another choice."""
    return set() if report.diagnosis is None else {choice.point.id for choice in report.diagnosis.choices}
