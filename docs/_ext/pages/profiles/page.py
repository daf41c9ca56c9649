"""The pages of the profiles: constants, state, events, steps, rules, the program, and the first vectors."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory

from firstflight import observables
from firstflight.algorithm import Computation
from firstflight.controller import ALGORITHMS
from firstflight.events import KINDS
from firstflight_conformance.format.profile_rules import Rule, holds, rules_of
from firstflight_conformance.format.readings import Profile, load_tables
from firstflight_conformance.format.stream import confirms_address
from firstflight_conformance.format.vectors import Case
from firstflight_conformance.paths import SPEC
from pages import markdown as md
from pages import site, who_runs_it
from pages.appendix import shown
from pages.profiles import facts
from pages.profiles.resolved import Program, resolved
from pages.profiles.steps import DEEPEST, Step, steps

#: Steps by kind of event.
StepsByKind = Mapping[str, Sequence[Step]]

_FIRST = 10
#: Member of events with packets that contain only ACK frames. The caller of a program handles these events.
_NOT_IN_FLIGHT = "not_in_flight"
#: The enumerations of the observables, and their members in the answers.
_ENUMERATIONS = {"Phase": "phase", "Outcome": "outcome", "Trigger": "trigger"}


def profiles() -> list[tuple[str, Profile]]:
    """Return algorithm and profile of every page."""
    return [
        (name, profile)
        for name, known in ALGORITHMS.items()
        if not isinstance(known, Computation)
        for profile in load_tables()[name].profiles
    ]


def label(algorithm: str, profile: str) -> str:
    """Return the target of a page."""
    return f"profile-{algorithm}-{profile}"


def pages() -> dict[str, str]:
    """Return the pages by their documents, the index among them."""
    documents = {f"profiles/{name}-{profile.name}": page(name, profile) for name, profile in profiles()}
    return {"profiles/index": _index(), **documents}


def _index() -> str:
    rows = [
        (md.ref(f"{name}/{profile.name}", label(name, profile.name)), md.plain(profile.title))
        for name, profile in profiles()
    ]
    return md.page(
        "# Profiles",
        "One page per profile, sufficient to implement it: constants, state, the steps of each event, rules, and the whole "
        "program without the choices of other profiles.",
        md.list_table(("Profile", "Source"), rows, (34, 66), "compact"),
        "```{toctree}\n:hidden:\n:glob:\n\n*\n```",
    )


def page(algorithm: str, profile: Profile) -> str:
    """Return the page of a profile."""
    program = resolved(algorithm, profile.name)
    by_kind = {kind: steps(program, kind) for kind in KINDS}
    name = f"{algorithm}/{profile.name}"
    return md.page(
        md.label(label(algorithm, profile.name)),
        f"# {name}",
        f"{md.plain(profile.title)}. Algorithm: [{ALGORITHMS[algorithm].title}](../../algorithms/{algorithm}.md).",
        "Sources: " + "; ".join(md.plain(source) for source in profile.sources) + ".",
        "This page is sufficient to implement the profile. It is generated from the program at its end, which passes every vector of "
        "the profile, and from the rules that it cites.",
        facts.ARITHMETIC,
        "## Constants",
        *_constants(program),
        "## State",
        facts.begins(program),
        *_state(program),
        "## Events",
        "An event is a JSON object: `ev` is its kind, `t_ns` its time, at least 1. `bytes` is the sum of `packets`. `bytes_in_flight` is the value "
        "after the event. `packets` is a list of runs `[first, last, size_bytes, sent_t_ns]`: consecutive packets (`first` to `last`, "
        "both included) of one size, sent at one time; the runs of a `sent` event have no `sent_t_ns`. The table lists the members that "
        "the program uses. All events: [Events and observables](../../specification/events.md).",
        *_events(by_kind),
        *_callers_part(algorithm),
        "## Observables",
        "After each event an implementation reports these values. A larger number than 2^53 - 1 is a decimal string in JSON. "
        "Report `outcome` only to find differences: it is optional.",
        *_observables(algorithm, program),
        "## Steps per event, in order",
        "Each step is a function of the program; an indented step is called by the step above it. The links lead to the rules.",
        *_steps(algorithm, program, by_kind),
        "## Rules",
        *_rules(algorithm, profile, program),
        "## Program",
        "The comments contain the ids of the rules.",
        f"```python\n{formatted()[algorithm, profile.name].rstrip()}\n```",
        "## First vectors",
        *_vectors(algorithm, profile.name),
        *_appendix(name),
        *_errata(algorithm, profile.name),
        *_stacks(algorithm, profile.name),
    )


def _constants(program: Program) -> Iterator[str]:
    rows = [
        (
            md.code(constant.name),
            md.code(constant.value),
            constant.unit,
            _text(constant.meaning) if constant.used_in is None else f"in {md.code(constant.used_in)}",
            _source(constant.clause),
        )
        for constant in facts.constants(program)
    ]
    yield md.list_table(("Name", "Value", "Unit", "Meaning", "Source"), rows, (20, 16, 8, 32, 24), "compact")


def _source(clause: str | None) -> str:
    """Return the source of a clause with a link to it."""
    return f"{md.spans(site.clauses()[clause].source)}: {md.clause(clause)}" if clause else "this project"


def _state(program: Program) -> Iterator[str]:
    for name, description, members in facts.state(program):
        rows = [
            (md.code(member.name), md.code(member.initial), member.unit, _text(member.meaning)) for member in members
        ]
        yield f"### {name}"
        yield _text(description)
        yield md.list_table(("Member", "Initial value", "Unit", "Meaning"), rows, (24, 22, 10, 44), "compact")


def _text(prose: str) -> str:
    return md.plain(" ".join(prose.replace("``", "").split()))


def _observables(algorithm: str, program: Program) -> Iterator[str]:
    used: dict[str, list[str]] = {}
    for part in program.parts.values():
        for n in ast.walk(part.node):
            if isinstance(n, ast.Attribute) and ast.unparse(n.value) in _ENUMERATIONS and n.attr.isupper():
                enumeration = getattr(observables, ast.unparse(n.value))
                used.setdefault(enumeration.__name__, []).append(enumeration[n.attr].value)
    if confirms_address(algorithm):  # the caller reports it
        used.setdefault("Outcome", []).append(observables.Outcome.PATH_CHANGED.value)
    rows = [
        ("`cwnd_bytes`", "congestion window in bytes"),
        ("`ssthresh_bytes`", "slow start threshold in bytes, `null` while it is infinite"),
    ]
    if "next_release_ns" in program.source:
        released = (
            "release time of the next packet while packets are paced, also if it has passed; `null` if nothing is paced"
        )
        rows.append(("`next_release_ns`", released))
    rows += [
        (
            md.code(member),
            "one of "
            + ", ".join(map(md.code, dict.fromkeys(used[name])))
            + (", or `null`: what changed the phase, where a rule names it" if name == "Trigger" else ""),
        )
        for name, member in _ENUMERATIONS.items()
        if name in used
    ]
    yield md.list_table(("Observable", "Value"), rows, (24, 76), "compact")


def _events(by_kind: StepsByKind) -> Iterator[str]:
    rows = []
    for name, kind in KINDS.items():
        read = {_NOT_IN_FLIGHT}.union(*(step.members for step in by_kind[name]))
        members: tuple[str, ...] = kind.__slots__  # type: ignore[union-attr]
        used = [member for member in members if member in read and member != "t_ns"]
        rows.append(
            (md.code(name), ", ".join(map(md.code, used)) or "none", " ".join(_about(kind.__doc__ or "", used)))
        )
    yield md.list_table(("ev", "Members that are used", "Meaning"), rows, (16, 28, 56), "compact")


def _callers_part(algorithm: str) -> Iterator[str]:
    """Yield the rules for packets that are not in flight and for new paths, which are outside the program."""
    if not confirms_address(algorithm):
        return
    yield (
        f"**`{_NOT_IN_FLIGHT}`**: `sent` and `ack` events with this member set contain only packets with ACK frames alone, never packets of both "
        "kinds. Do not pass these events to the program: they change nothing, and the outcome is `unchanged`. The packets use packet "
        "numbers, but `bytes_in_flight`, `retransmits` and `oldest_unacked_packet` do not count them."
    )
    yield (
        "**`path_change`**: the caller begins the connection again, as under State, and reports outcome `path_changed`. It uses the "
        "`initial_window_bytes` of the configuration and the current maximum datagram size. The initial window for `null` is the recommended "
        "one for this size. Packets sent no later than this event are packets of the old path. From then on, remove them and their bytes from "
        "`ack` and `lost` events. Do not pass events of old packets alone, such as their `ce` events: outcome `unchanged`."
    )


def _about(doc: str, used: list[str]) -> Iterator[str]:
    """Yield the sentences of a description, without those about members that are not used."""
    is_shown = True
    for sentence in re.split(r"(?<=\.)\s+(?=[`A-Z])", " ".join(doc.split()).replace("``", "`")):
        if about := re.match(r"`(\w+)`(?:, `\w+`)*:", sentence):
            is_shown = about[1] in used
        if is_shown:
            yield sentence


def _steps(algorithm: str, program: Program, by_kind: StepsByKind) -> Iterator[str]:
    listed = {kind: "\n".join(_step_lines(program, kind_steps)) for kind, kind_steps in by_kind.items()}
    if confirms_address(algorithm):
        listed["path_change"] = "The caller begins the connection again: see Events."
    texts = list(dict.fromkeys(listed.values()))
    for text in texts:
        yield "### " + ", ".join(f"`{kind}`" for kind in KINDS if listed[kind] == text)
        yield text


def _step_lines(program: Program, kind_steps: Sequence[Step]) -> Iterator[str]:
    for step in kind_steps:
        doc = facts.step_text(step.part)
        rules = " ".join(md.clause(clause) for clause in step.clauses if clause in site.clauses())
        yield f"{'  ' * min(step.depth, DEEPEST)}- `{program.names[step.part.target]}`{': ' + doc if doc else '.'} {rules}"


def _rules(algorithm: str, profile: Profile, program: Program) -> Iterator[str]:
    rules = {rule.clause.id: rule for rule in rules_of(algorithm, profile.name, _cases(algorithm))}
    cited = [site.clauses()[clause] for clause in program.clauses if clause in site.clauses() and clause not in rules]
    profile_rules = [*rules.values(), *(Rule(clause, ()) for clause in cited if holds(clause, algorithm, profile.name))]
    profile_rules.sort(key=lambda rule: rule.clause.page != algorithm)
    for place, group in groupby(profile_rules, key=lambda rule: rule.clause.page):
        yield f"### Rules of {place}"
        for rule in group:
            clause = rule.clause
            level = "" if clause.level == "-" else f"{clause.level}; "
            here = "".join(
                f" *Here `{v.reading}` = `{v.value}`{': ' + md.plain(v.meaning) if v.meaning else ''}.*"
                for v in rule.values
            )
            yield f"{md.clause(clause.id)} ({level}{md.spans(clause.source)})<br>\n{clause.text.strip()}{here}"


@cache
def _cases(algorithm: str) -> list[Case]:
    return [
        Case(vector, profile)
        for vector in site.vectors()
        if vector.algorithm == algorithm
        for profile in vector.profiles
    ]


def _vectors(algorithm: str, profile: str) -> Iterator[str]:
    count = sum(vector.algorithm == algorithm and profile in vector.profiles for vector in site.vectors())
    first = facts.first_vectors(algorithm, profile)[:_FIRST]
    rows = [(md.ref(vector.id, site.anchor("vector", vector.id)), md.plain(vector.title)) for vector in first]
    yield f"The first of the {count} vectors of this profile: they reject the most wrong implementations."
    yield md.list_table(("Vector", "What it shows"), rows, (42, 58), "compact")
    yield f"`firstflight run --first {_FIRST} --algorithm {algorithm} --profile {profile} --adapter ...` runs them."


def _appendix(name: str) -> Iterator[str]:
    yield "## Appendix for a draft"
    yield (
        f"`firstflight appendix {name}` writes the constants, steps, program and vectors as sections of an Internet-Draft, for kramdown-rfc "
        "or with `--format xml` for xml2rfc."
    )
    if name in shown.PROFILES:
        yield f"[The appendix](../{shown.document(name)}.md), with both formats as downloads."


def _errata(algorithm: str, profile: str) -> Iterator[str]:
    path = SPEC / algorithm / "errata.md"
    if not path.exists():
        return
    yield "## Errata"
    sections = re.split(r"^### ", path.read_text("utf-8"), flags=re.M)[1:]
    mine = [
        section.splitlines()[0]
        for section in sections
        if re.search(rf"(?<![\w-]){re.escape(profile)}(?![\w-])", section)
    ]
    yield "\n".join(f"- {md.plain(heading)}" for heading in mine) or "No erratum mentions this profile."
    yield f"All of them: [errata](../../specification/{algorithm}-errata.md)."


def _stacks(algorithm: str, profile: str) -> Iterator[str]:
    rows = [row for row in who_runs_it.rows() if (row.algorithm, row.profile) == (algorithm, profile)]
    yield "## Stacks"
    yield (
        "\n".join(f"- {md.plain(row.stack)} {md.plain(row.version)}, {row.how}" for row in rows)
        or "No stack that we judge follows it."
    )


@cache
def formatted() -> dict[tuple[str, str], str]:
    """Return the texts of all programs, formatted by ruff in one run."""
    names = [(algorithm, profile.name) for algorithm, profile in profiles()]
    with TemporaryDirectory() as folder:
        files = {name: Path(folder) / f"{'-'.join(name).replace('.', '-')}.py" for name in names}
        for name, path in files.items():
            path.write_text(resolved(*name).source, "utf-8")
        ruff = Path(sys.executable).with_name("ruff")
        subprocess.run([ruff, "format", "-q", "--isolated", "--line-length", "100", folder], check=True)
        return {name: path.read_text("utf-8") for name, path in files.items()}
