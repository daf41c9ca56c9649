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

from firstflight import observables
from firstflight.algorithm import Computation
from firstflight.controller import ALGORITHMS
from firstflight.events import KINDS
from firstflight_conformance.format.first import known as first_known
from firstflight_conformance.format.profile_rules import Rule, holds, rules_of
from firstflight_conformance.format.readings import Profile, load_tables
from firstflight_conformance.format.vectors import Case
from firstflight_conformance.paths import SPEC
from pages import markdown as md
from pages import site, who_runs_it
from pages.profiles.fold import is_comment
from pages.profiles.resolved import Part, Program, Target, cited, resolved
from pages.profiles.steps import steps

_FIRST = 10
#: Levels of the list of steps: the parser drops the rest of a page after about ten.
_DEEPEST = 4
_UNITS = (
    "bytes",
    "ns",
    "us",
    "ms",
    "packets",
    "segments",
    "samples",
    "ticks",
    "bins",
    "rounds",
    "datagrams",
    "bits",
    "percent",
    "units",
)
#: A fraction as a unit, alone or of another unit: 1/100, 1/20 ns, 1/2^24 packets per us.
_SCALED = r"1/[\d^]+(?: ns| \w+ per \w+)?|ns\^3"
_ARITHMETIC = (
    "All numbers are integers of unlimited size; a port needs 128 bits for products. There is no floating point. "
    "`a // b` rounds down, `-(-a // b)` rounds up. Times are in ns, windows and sizes in bytes, unless the name or the "
    "description of a number contains another unit. `None` is `null` in JSON. Statements run in the order in which they are written."
)
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
        "This page is sufficient to implement the profile. It is generated from the program at its end, which passes every vector of "
        "the profile, and from the rules that it cites.",
        _ARITHMETIC,
        "## Constants",
        *_constants(program),
        "## State",
        _begins(program),
        *_state(program),
        "## Events",
        "An event is a JSON object: `ev` is its kind, `t_ns` its time. `bytes` is the sum of `packets`. `bytes_in_flight` is the value "
        "after the event. `packets` is a list of runs `[first, last, size_bytes, sent_t_ns]`: consecutive packets (`first` to `last`, "
        "both included) of one size, sent at one time; the runs of a `sent` event have no `sent_t_ns`. The table lists the members that "
        "the program uses. All events: [Events and observables](../../specification/events.md).",
        *_events(program),
        "## Observables",
        "After each event an implementation reports these values. A larger number than 2^53 - 1 is a decimal string in JSON. "
        "Report `outcome` only to find differences: an implementation need not have it.",
        *_observables(program),
        "## Steps per event, in order",
        "Each step is a function of the program; an indented step is called by the step above it. The links lead to the rules.",
        *_steps(program),
        "## Rules",
        *_rules(algorithm, profile, program),
        "## Program",
        "The comments contain the ids of the rules.",
        f"```python\n{formatted()[algorithm, profile.name].rstrip()}\n```",
        "## First vectors",
        *_vectors(algorithm, profile.name),
        *_errata(algorithm, profile.name),
        *_stacks(algorithm, profile.name),
    )


def _constants(program: Program) -> Iterator[str]:
    rows = []
    for part in program.constants:
        name = program.names[part.target]
        meaning = " ".join(map(_comment, part.node.about))
        value = ast.unparse(part.node.value)
        rows.append((md.code(name), md.code(value), _unit(name, meaning), _text(meaning), _source_of(program, part)))
    for part in program.parts.values():
        for text, value in part.numbers.items():
            if not text.startswith(("readings.", "_")) and "(" not in text:
                continue  # a choice between two literals, which the program shows
            name = re.split(r"[\[(]", text.removeprefix("readings."))[0].strip("_")
            meaning = f"in {md.code(program.names[part.target])}"
            rows.append((md.code(name), md.code(value), _unit(name), meaning, _source(part.clauses)))
    yield md.list_table(("Name", "Value", "Unit", "Meaning", "Source"), rows, (20, 16, 8, 32, 24), "compact")


def _comment(node: ast.stmt) -> str:
    assert isinstance(node, ast.Expr)
    return str(node.value.value).removeprefix("#comment ")  # type: ignore[attr-defined]


def _unit(name: str, meaning: str = "") -> str:
    """Return the unit that the name of a number ends in, else the one of its description, else that it has none."""
    before, _, after = name.lower().rpartition("_per_")
    last = after.rpartition("_")[2]
    if before:
        return f"{before.rpartition('_')[2]} per {last}"
    found = re.search(
        rf"\b(?:in|In|of) (?:ticks of )?({_SCALED}|bytes per second|{'|'.join(_UNITS)})(?![\w^])", meaning
    )
    # A name that is nothing but a unit is the length of that unit.
    named = last in _UNITS and last != name.lower().strip("_")
    return last if named else found[1] if found else "none"


def _source(clauses: list[str]) -> str:
    """Return the source of the first of several clauses with a link to it."""
    known = [one for one in clauses if one in site.clauses()]
    return f"{md.plain(site.clauses()[known[0]].source)}: {md.clause(known[0])}" if known else "this project"


def _source_of(program: Program, part: Part) -> str:
    """Return the source of the statements that use a constant, else of the functions that do, else of their callers."""
    wanted = {part.target}
    users = _users(program, wanted)
    found = [clause for one in users for clause in _clauses_at(one.node, part.target[1])]
    while users and not found:
        found = [clause for one in users for clause in one.clauses]
        wanted |= {one.target for one in users}
        users = _users(program, wanted)
    return _source(found)


def _users(program: Program, wanted: set[Target]) -> list[Part]:
    """Return the parts that use any of several parts, without these."""
    return [one for one in program.parts.values() if one.target not in wanted and wanted & set(one.uses)]


def _clauses_at(node: ast.AST, name: str) -> Iterator[str]:
    """Yield the clauses of the statements that use a name: of the comments before one, in it, or else of the next comment."""
    for parent in ast.walk(node):
        for body in (value for _, value in ast.iter_fields(parent) if isinstance(value, list)):
            for place, one in enumerate(body):
                if (
                    isinstance(one, ast.stmt)
                    and not isinstance(one, ast.ClassDef | ast.FunctionDef)
                    and _uses(one, name)
                ):
                    before = [before for before in body[:place][-1:] if is_comment(before)]
                    around = [before, [one], body[place + 1 :]]
                    yield from next((found for nodes in around if (found := cited(ast.Module(nodes, [])))), [])[:1]


def _uses(node: ast.stmt, name: str) -> bool:
    """Return whether a statement, without those inside it, uses a name."""
    parts = [
        value
        for _, value in ast.iter_fields(node)
        if not isinstance(value, list) or not value or not isinstance(value[0], ast.stmt)
    ]
    return any(
        isinstance(n, ast.Name | ast.Attribute) and name in (getattr(n, "id", ""), getattr(n, "attr", ""))
        for part in parts
        for n in _walk(part)
    )


def _walk(value: object) -> Iterator[ast.AST]:
    for one in value if isinstance(value, list) else [value]:
        if isinstance(one, ast.AST):
            yield from ast.walk(one)


def _begins(program: Program) -> str:
    first, *others = [program.names[one] for one in program.entries]
    last = [program.names[one] for one in program.events]
    state = [one for one in others if one not in last]
    given = (
        "`max_datagram_size_bytes` and `initial_window_bytes` are from the `config` of a vector; an `initial_window_bytes` of `null` "
        "is the recommended one."
    )
    begin = f"{first}(max_datagram_size_bytes, initial_window_bytes)"
    if program.is_plain:
        return f"A connection begins with `state = {begin}`. Each event: `outcome = {last[0]}(state, event)`. {given}"
    if len(last) == 2:
        rules = f", then `base.rules_state = {state[0]}()`" if state else ""
        return f"A connection begins with `base = {begin}`{rules}. Each event: `{last[1]}(base, {last[0]}(base, event))`. {given}"
    return f"A connection begins with `base = {begin}`, then `state = {state[0]}(base)`. Each event: `{last[0]}(state, base, event)`. {given}"


def _state(program: Program) -> Iterator[str]:
    calls = [one for one in ast.walk(ast.parse(program.source)) if isinstance(one, ast.Call)]
    given = {ast.unparse(one.func): [ast.unparse(arg) for arg in one.args] for one in reversed(calls)}
    for part in program.classes:
        name = program.names[part.target]
        values = dict(enumerate(given.get(name, [])))
        rows = [
            (
                md.code(member),
                md.code(initial or values.get(place, "when made")),
                _unit(member, meaning),
                _text(meaning),
            )
            for place, (member, initial, meaning) in enumerate(members(part))
        ]
        if rows:
            yield f"### {name}"
            yield _text((ast.get_docstring(part.node) or "").split(". ")[0].rstrip(".")) + "."
            yield md.list_table(("Member", "Initial value", "Unit", "Meaning"), rows, (24, 22, 10, 44), "compact")


def members(part: Part) -> Iterator[tuple[str, str, str]]:
    """Yield the members of a class with initial value (or nothing) and meaning."""
    doc, comments = ast.get_docstring(part.node) or "", []
    for one in part.node.body:
        if is_comment(one):
            comments.append(_comment(one))
        elif isinstance(one, ast.AnnAssign):
            name = ast.unparse(one.target)
            yield name, ast.unparse(one.value) if one.value else "", " ".join([*_about_member(doc, name), *comments])
            comments = []


def _text(prose: str) -> str:
    return md.plain(" ".join(prose.replace("``", "").split()))


def _about_member(doc: str, member: str) -> list[str]:
    """Return the sentences of a docstring about a member."""
    sentences = re.split(r"(?<=[.:;])\s+(?=[`A-Z])", " ".join(doc.split()))
    places = [place for place, one in enumerate(sentences) if f"``{member}``" in one]
    found = [one for place in places for one in sentences[place : place + 1 + sentences[place].endswith(":")]]
    return [" ".join(found).rstrip(";")] if found else []


def _observables(program: Program) -> Iterator[str]:
    used: dict[str, list[str]] = {}
    for part in program.parts.values():
        for n in ast.walk(part.node):
            if isinstance(n, ast.Attribute) and ast.unparse(n.value) in _ENUMERATIONS and n.attr.isupper():
                enumeration = getattr(observables, ast.unparse(n.value))
                used.setdefault(enumeration.__name__, []).append(enumeration[n.attr].value)
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


def _events(program: Program) -> Iterator[str]:
    read = {n.attr for part in program.parts.values() for n in ast.walk(part.node) if isinstance(n, ast.Attribute)}
    rows = []
    for name, kind in KINDS.items():
        members: tuple[str, ...] = kind.__slots__  # type: ignore[union-attr]
        used = [one for one in members if one in read and one != "t_ns"]
        rows.append(
            (md.code(name), ", ".join(map(md.code, used)) or "none", " ".join(_about(kind.__doc__ or "", used)))
        )
    yield md.list_table(("ev", "Members that are used", "Meaning"), rows, (16, 28, 56), "compact")


def _about(doc: str, used: list[str]) -> Iterator[str]:
    """Yield the sentences of a description, without those about members that are not used."""
    is_shown = True
    for sentence in re.split(r"(?<=\.)\s+(?=[`A-Z])", " ".join(doc.split()).replace("``", "`")):
        if about := re.match(r"`(\w+)`(?:, `\w+`)*:", sentence):
            is_shown = about[1] in used
        if is_shown:
            yield sentence


def _steps(program: Program) -> Iterator[str]:
    listed = {kind: "\n".join(_step_lines(program, kind)) for kind in KINDS}
    texts = list(dict.fromkeys(listed.values()))
    for text in texts:
        yield "### " + ", ".join(f"`{kind}`" for kind in KINDS if listed[kind] == text)
        yield text


def _step_lines(program: Program, kind: str) -> Iterator[str]:
    for step in steps(program, kind):
        doc = "" if is_comment(step.part.node.body[0]) else ast.get_docstring(step.part.node) or ""
        doc = doc.split("\n\n")[0].replace("\n", " ").replace("``", "`")
        rules = " ".join(md.clause(one) for one in step.clauses if one in site.clauses())
        yield f"{'  ' * min(step.depth, _DEEPEST)}- `{program.names[step.part.target]}`{': ' + doc if doc else '.'} {rules}"


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
