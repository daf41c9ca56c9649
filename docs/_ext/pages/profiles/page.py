"""The pages of the profiles: constants, state, events, steps, rules, the program, and the vectors to begin with."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory

from firstflight.algorithm import Computation
from firstflight.controller import ALGORITHMS
from firstflight.events import KINDS
from firstflight_conformance.cases.vectors import Case
from firstflight_conformance.paths import SPEC
from firstflight_conformance.run.first import known as first_known
from firstflight_conformance.spec.profile_rules import Rule, holds, rules_of
from firstflight_conformance.spec.readings import Profile, load_tables
from pages import markdown as md
from pages import site, who_runs_it
from pages.profiles.fold import is_comment
from pages.profiles.resolved import Part, Program, resolved
from pages.profiles.steps import steps

_FIRST = 10
#: Levels of the list of steps: the parser drops the rest of a page after about ten.
_DEEPEST = 4
_UNITS = ("bytes", "ns", "packets", "ticks", "bins", "rounds", "datagrams", "bits", "tenths", "percent", "units")
_ARITHMETIC = (
    "All numbers are non-negative integers of unlimited size; a port needs 128 bits for products. There is no floating point. "
    "`a // b` rounds down, `-(-a // b)` rounds up. Times are in ns, sizes in bytes, unless the name of a number ends in another "
    "unit. `None` is `null` in vectors. The statements of a function run in the order in which they are written: an update is "
    "visible to all statements after it."
)


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
    found = {f"profiles/{name}-{profile.name}": page(name, profile) for name, profile in profiles()}
    return {"profiles/index": _index(), **found}


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
    name = f"{algorithm}/{profile.name}"
    return md.page(
        md.label(label(algorithm, profile.name)),
        f"# {name}",
        f"{md.plain(profile.title)}. Algorithm: [{ALGORITHMS[algorithm].title}](../../algorithms/{algorithm}.md).",
        "Sources: " + "; ".join(md.plain(source) for source in profile.sources) + ".",
        "This page is generated from the model with the choices of this profile filled in.",
        "## Choices",
        *_choices(algorithm, profile),
        "## Arithmetic",
        _ARITHMETIC,
        "## Constants",
        *_constants(program),
        "## State",
        _begins(program),
        *_state(program),
        "## Events",
        "An event is a JSON object; `ev` is its kind. [Events and observables](../../specification/events.md) has the format. "
        "The program uses these members. A packet of `packets` is a run `first, last, size_bytes, sent_t_ns` of consecutive "
        "packet numbers; the runs of a `sent` event have no `sent_t_ns`, they were sent at the time of the event.",
        *_events(program),
        "## Steps per event, in order",
        "Each step is a function of the program below; an indented step is called by the step above it. The conditions are in the program.",
        *_steps(program),
        "## Rules",
        *_rules(algorithm, profile, program),
        "## Program",
        "After each event the program returns the observables. `outcome` and `state` are for finding a difference; a vector judges "
        "`cwnd_bytes`, `ssthresh_bytes`, `phase`, and `next_release_ns` or `trigger` where the algorithm has them.",
        f"```python\n{formatted()[algorithm, profile.name].rstrip()}\n```",
        "## First vectors",
        *_vectors(algorithm, profile.name),
        *_errata(algorithm, profile.name),
        *_stacks(algorithm, profile.name),
    )


def _choices(algorithm: str, profile: Profile) -> Iterator[str]:
    rows = [
        (
            md.plain(reading.question),
            md.plain(reading.choices.get(str(value), str(value))),
            md.code(f"{reading.name} = {value}"),
        )
        for reading in load_tables()[algorithm].readings
        for value in [profile.readings[reading.name]]
    ]
    yield md.list_table(("Question", "Answer", "Reading"), rows, (38, 42, 20), "compact") if rows else "None."


def _constants(program: Program) -> Iterator[str]:
    rows = []
    for part in program.of(ast.Assign | ast.AnnAssign):  # type: ignore[arg-type]
        name = program.names[part.target]
        comment = " ".join(md.plain(_comment(one)) for one in getattr(part.node, "before", ()))
        rows.append((md.code(name), md.code(_value(part)), _unit(name), comment, _sources(program, part)))
    for part in program.parts.values():
        for text, value in part.numbers.items():
            if not text.startswith(("readings.", "_")) and "(" not in text:
                continue  # a choice between two literals, which the program shows
            rows.append((md.code(_named(text)), md.code(value), _unit(_named(text)), f"in {md.code(program.names[part.target])}", _links(part.clauses)))  # fmt: skip
    yield md.list_table(("Name", "Value", "Unit", "Meaning", "Rules that use it"), rows, (22, 18, 8, 32, 20), "compact")


def _comment(node: ast.stmt) -> str:
    assert isinstance(node, ast.Expr)
    return str(node.value.value).removeprefix("#comment ")  # type: ignore[attr-defined]


def _value(part: Part) -> str:
    return ast.unparse(part.node.value)


def _named(text: str) -> str:
    """Return a name for a number that readings give."""
    return text.removeprefix("readings.") if text.startswith("readings.") else re.split(r"[\[(]", text)[0].strip("_")


def _unit(name: str) -> str:
    last = name.lower().rpartition("_")[2]
    return last if last in _UNITS else ""


def _links(clauses: list[str]) -> str:
    return ", ".join(md.clause(one) for one in clauses if one in site.clauses()) or "-"


def _sources(program: Program, part: Part) -> str:
    """Return the clauses of the statements that use a constant, else of the functions that do."""
    users = [one for one in program.parts.values() if part.target in one.uses]
    name = part.target[1]
    close = [clause for one in users for clause in _clauses_at(one.node, name)]
    return _links(list(dict.fromkeys(close or [clause for one in users for clause in one.clauses]))[:4])


def _clauses_at(node: ast.AST, name: str) -> Iterator[str]:
    for parent in ast.walk(node):
        for field in ("body", "orelse"):
            pending: list[str] = []
            body = getattr(parent, field, None)
            for one in body if isinstance(body, list) else ():
                if is_comment(one):
                    pending += re.findall(r"\[([a-z0-9.-]+)\]", _comment(one))
                    continue
                if any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(one)):
                    yield from pending
                pending = []


def _begins(program: Program) -> str:
    first, *others = [program.names[one] for one in program.entries]
    last = [program.names[one] for one in program.events]
    state = [one for one in others if one not in last]
    begin = f"`base = {first}(max_datagram_size_bytes, initial_window_bytes)`, from the `config` of a vector"
    if len(last) == 2:
        rules = f", then `base.rules_state = {state[0]}()`" if state else ""
        return f"A connection begins with {begin}{rules}. Each event: `{last[1]}(base, {last[0]}(base, event))`."
    return f"A connection begins with {begin}, then `state = {state[0]}(base)`. Each event: `{last[0]}(state, base, event)`."


def _state(program: Program) -> Iterator[str]:
    given = _given(program)
    for part in program.of(ast.ClassDef):
        fields = [one for one in part.node.body if isinstance(one, ast.AnnAssign)]
        if not fields:
            continue
        name, doc = program.names[part.target], ast.get_docstring(part.node) or ""
        values = given.get(name, [])
        rows = []
        for place, one in enumerate(fields):
            member = ast.unparse(one.target)
            initial = values[place] if place < len(values) else ast.unparse(one.value) if one.value else "when made"
            rows.append((md.code(member), md.code(initial), _unit(member), _meaning(doc, member)))
        yield f"### {name}"
        yield md.plain(doc.split("\n\n")[0].split(". ")[0].replace("\n", " ").rstrip(".").replace("``", "")) + "."
        yield md.list_table(("Member", "Initial value", "Unit", "Meaning"), rows, (24, 22, 10, 44), "compact")


def _given(program: Program) -> dict[str, list[str]]:
    """Return the values with which the functions that begin make each class."""
    begins = set(program.entries) - set(program.events)
    calls = [
        n
        for one in begins
        if one in program.parts
        for n in ast.walk(program.parts[one].node)
        if isinstance(n, ast.Call)
    ]
    return {ast.unparse(call.func).rpartition(".")[2]: [ast.unparse(arg) for arg in call.args] for call in calls}


def _meaning(doc: str, member: str) -> str:
    sentences = re.split(r"(?<=[.:;])\s+(?=[`A-Z])", " ".join(doc.split()))
    found = [
        one
        for place, one in enumerate(sentences)
        if f"``{member}``" in one
        for one in sentences[place : place + (2 if one.endswith(":") else 1)]
    ]
    return md.plain(" ".join(found).replace("``", ""))


def _events(program: Program) -> Iterator[str]:
    read = {n.attr for part in program.parts.values() for n in ast.walk(part.node) if isinstance(n, ast.Attribute)}
    rows = []
    for name, kind in KINDS.items():
        members = [one for one in kind.__slots__ if one in read]  # type: ignore[union-attr]
        doc = " ".join((kind.__doc__ or "").split()).replace("``", "`")
        rows.append((md.code(name), ", ".join(map(md.code, members)) or "-", doc))
    yield md.list_table(("ev", "Members that are used", "Meaning"), rows, (16, 28, 56), "compact")


def _steps(program: Program) -> Iterator[str]:
    listed = {kind: "\n".join(_step_lines(program, kind)) for kind in KINDS}
    texts = list(dict.fromkeys(listed.values()))
    for text in texts:
        yield "### " + ", ".join(f"`{kind}`" for kind in KINDS if listed[kind] == text)
        yield text


def _step_lines(program: Program, kind: str) -> Iterator[str]:
    for step in steps(program, kind):
        doc = (ast.get_docstring(step.part.node) or "").split("\n\n")[0].replace("\n", " ").replace("``", "`")
        rules = f" {_links(list(step.clauses))}" if step.clauses else ""
        yield f"{'  ' * min(step.depth, _DEEPEST)}- `{program.names[step.part.target]}`{': ' + doc if doc else '.'}{rules}"


def _rules(algorithm: str, profile: Profile, program: Program) -> Iterator[str]:
    rules = {rule.clause.id: rule for rule in rules_of(algorithm, profile.name, _cases(algorithm))}
    cited = [site.clauses()[one] for one in program.clauses if one in site.clauses() and one not in rules]
    found = [*rules.values(), *(Rule(one, ()) for one in cited if holds(one, algorithm, profile.name))]
    found.sort(key=lambda rule: rule.clause.page != algorithm)
    for place, group in groupby(found, key=lambda rule: rule.clause.page):
        yield f"### Rules of {place}"
        for rule in group:
            clause = rule.clause
            level = "" if clause.level == "-" else f"{clause.level}; "
            here = "".join(
                f" *Here `{v.reading}` = `{v.value}`{': ' + md.plain(v.meaning) if v.meaning else ''}.*"
                for v in rule.values
            )
            yield f"{md.clause(clause.id)} ({level}{md.plain(clause.source)})<br>\n{clause.text.strip()}{here}"


@cache
def _cases(algorithm: str) -> list[Case]:
    return [
        Case(vector, profile)
        for vector in site.vectors()
        if vector.algorithm == algorithm
        for profile in vector.profiles
    ]


def _vectors(algorithm: str, profile: str) -> Iterator[str]:
    mine = {
        vector.id: vector for vector in site.vectors() if vector.algorithm == algorithm and profile in vector.profiles
    }
    first = [name for name, _, _ in first_known().get(algorithm, {}).get("vectors", ()) if name in mine][:_FIRST]
    rows = [
        (md.ref(name, site.anchor("vector", name)), md.plain(mine[name].title)) for name in first or list(mine)[:_FIRST]
    ]
    yield f"The first of the {len(mine)} vectors of this profile: they reject the most wrong implementations."
    yield md.list_table(("Vector", "What it shows"), rows, (42, 58), "compact")
    yield f"`firstflight run --first {_FIRST} --algorithm {algorithm} --profile {profile} --adapter ...` runs them."


def _errata(algorithm: str, profile: str) -> Iterator[str]:
    path = SPEC / algorithm / "errata.md"
    if not path.exists():
        return
    yield "## Errata"
    sections = re.split(r"^### ", path.read_text("utf-8"), flags=re.M)[1:]
    mine = [one.splitlines()[0] for one in sections if re.search(rf"(?<![\w-]){re.escape(profile)}(?![\w-])", one)]
    yield "\n".join(f"- {md.plain(one)}" for one in mine) or "No erratum mentions this profile."
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
