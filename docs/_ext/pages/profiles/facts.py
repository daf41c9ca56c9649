"""Facts about the program of a profile for pages and appendices: constants, state and first vectors, without markup."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from firstflight_conformance.format.first import known as first_known
from firstflight_conformance.format.vectors import Vector
from pages import site
from pages.profiles.fold import is_comment
from pages.profiles.resolved import Part, Program, Target, cited

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
#: The initial value of a member without a constant one.
WHEN_MADE = "when made"
#: How the numbers of programs and tables are computed and written.
ARITHMETIC = (
    "All numbers are integers of unlimited size; a port needs 128 bits for products. There is no floating point. "
    "`a // b` rounds down, `-(-a // b)` rounds up. Times are in ns, windows and sizes in bytes, unless the name or the "
    "description of a number contains another unit. `None` is `null` in JSON. Statements run in the order in which they are written."
)


@dataclass(frozen=True, slots=True)
class Constant:
    """A number of a program. ``used_in``: the function with the value, or None. ``clause``: its rule, or None."""

    name: str
    value: str
    unit: str
    meaning: str
    used_in: str | None
    clause: str | None


@dataclass(frozen=True, slots=True)
class Member:
    """A member of the state with its initial value."""

    name: str
    initial: str
    unit: str
    meaning: str


def constants(program: Program) -> Iterator[Constant]:
    """Yield the constants, then the numbers that the readings of the profile give."""
    for part in program.constants:
        name = program.names[part.target]
        meaning = _joined(" ".join(map(_comment, part.node.about)))
        unit = _unit(name, meaning)
        yield Constant(name, _number(part.node.value), unit, meaning, None, _clause_of(program, part))
    for part in program.parts.values():
        for text, value in part.numbers.items():
            if not text.startswith(("readings.", "_")) and "(" not in text:
                continue  # a choice between two literals, which the program shows
            name = re.split(r"[\[(]", text.removeprefix("readings."))[0].strip("_")
            yield Constant(name, str(value), _unit(name), "", program.names[part.target], _first_known(part.clauses))


def _number(value: ast.expr) -> str:
    """Return a constant as it is written; a whole number without the name of its type."""
    match value:
        case ast.Call(func=ast.Name(id="Fraction"), args=[ast.Constant(value=int()) as whole], keywords=[]):
            return ast.unparse(whole)
    return ast.unparse(value)


def _comment(node: ast.stmt) -> str:
    assert isinstance(node, ast.Expr)
    return str(node.value.value).removeprefix("#comment ")  # type: ignore[attr-defined]


def _unit(name: str, meaning: str = "") -> str:
    """Return the unit at the end of a number's name, else the unit in its description, else the text for no unit."""
    before, _, after = name.lower().rpartition("_per_")
    last = after.rpartition("_")[2]
    if before:
        return f"{before.rpartition('_')[2]} per {last}"
    unit = re.search(rf"\b(?:in|In|of) (?:ticks of )?({_SCALED}|bytes per second|{'|'.join(_UNITS)})(?![\w^])", meaning)
    # A name that is only a unit is the length of that unit.
    named = last in _UNITS and last != name.lower().strip("_")
    return last if named else unit[1] if unit else "none"


def _first_known(clauses: list[str]) -> str | None:
    return next((clause for clause in clauses if clause in site.clauses()), None)


def _clause_of(program: Program, part: Part) -> str | None:
    """Return the clause of the statements that use a constant, else of the functions with them, else of their callers."""
    targets = {part.target}
    users = _users(program, targets)
    clauses = [clause for user in users for clause in _clauses_at(user.node, part.target[1])]
    while users and not clauses:
        clauses = [clause for part in users for clause in part.clauses]
        targets |= {part.target for part in users}
        users = _users(program, targets)
    return _first_known(clauses)


def _users(program: Program, targets: set[Target]) -> list[Part]:
    """Return the parts that use any of several parts, without these."""
    return [part for part in program.parts.values() if part.target not in targets and targets & set(part.uses)]


def _clauses_at(node: ast.AST, name: str) -> Iterator[str]:
    """Yield the clauses of the statements that use a name: of the comments before one, in it, or else of the next comment."""
    for parent in ast.walk(node):
        for body in (value for _, value in ast.iter_fields(parent) if isinstance(value, list)):
            for place, statement in enumerate(body):
                if (
                    isinstance(statement, ast.stmt)
                    and not isinstance(statement, ast.ClassDef | ast.FunctionDef)
                    and _uses(statement, name)
                ):
                    before = [before for before in body[:place][-1:] if is_comment(before)]
                    around = [before, [statement], body[place + 1 :]]
                    yield from next((clauses for nodes in around if (clauses := cited(ast.Module(nodes, [])))), [])[:1]


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
    for member in value if isinstance(value, list) else [value]:
        if isinstance(member, ast.AST):
            yield from ast.walk(member)


def begins(program: Program) -> str:
    """Return how a connection begins and how it processes an event."""
    first, *further_entries = [program.names[target] for target in program.entries]
    last = [program.names[target] for target in program.events]
    state = [name for name in further_entries if name not in last]
    note = (
        "`max_datagram_size_bytes` and `initial_window_bytes` are from the `config` of a vector; an `initial_window_bytes` of `null` "
        "is the recommended one."
    )
    begin = f"{first}(max_datagram_size_bytes, initial_window_bytes)"
    if program.is_plain:
        return f"A connection begins with `state = {begin}`. Each event: `outcome = {last[0]}(state, event)`. {note}"
    if len(last) == 2:
        rules = f", then `base.rules_state = {state[0]}()`" if state else ""
        return f"A connection begins with `base = {begin}`{rules}. Each event: `{last[1]}(base, {last[0]}(base, event))`. {note}"
    resizes = (
        program.resizes
        and f"; before that, if it is a `datagram_size`: `{program.names[program.resizes]}(base, event)`"
    )
    return (
        f"A connection begins with `base = {begin}`, then `state = {state[0]}(base)`. Each event: `{last[0]}(state, base, event)`"
        f"{resizes or ''}. {note}"
    )


def state(program: Program) -> Iterator[tuple[str, str, list[Member]]]:
    """Yield name, description and members of each class of the state."""
    calls = [call for call in ast.walk(ast.parse(program.source)) if isinstance(call, ast.Call)]
    arguments = {ast.unparse(call.func): [ast.unparse(arg) for arg in call.args] for call in reversed(calls)}
    for part in program.classes:
        name = program.names[part.target]
        values = dict(enumerate(arguments.get(name, [])))
        class_members = [
            Member(member, initial or values.get(place, WHEN_MADE), _unit(member, meaning), _joined(meaning))
            for place, (member, initial, meaning) in enumerate(members(part))
        ]
        if class_members:
            yield name, _joined((ast.get_docstring(part.node) or "").split(". ")[0].rstrip(".")) + ".", class_members


def members(part: Part) -> Iterator[tuple[str, str, str]]:
    """Yield the members of a class with initial value (or nothing) and meaning."""
    doc, comments = ast.get_docstring(part.node) or "", []
    for statement in part.node.body:
        if is_comment(statement):
            comments.append(_comment(statement))
        elif isinstance(statement, ast.AnnAssign):
            name = ast.unparse(statement.target)
            yield (
                name,
                ast.unparse(statement.value) if statement.value else "",
                " ".join([*_about_member(doc, name), *comments]),
            )
            comments = []


def _about_member(doc: str, member: str) -> list[str]:
    """Return the sentences of a docstring about a member."""
    sentences = re.split(r"(?<=[.:;])\s+(?=[`A-Z])", " ".join(doc.split()))
    places = [place for place, sentence in enumerate(sentences) if f"``{member}``" in sentence]
    about = [sentence for place in places for sentence in sentences[place : place + 1 + sentences[place].endswith(":")]]
    return [" ".join(about).rstrip(";")] if about else []


def _joined(prose: str) -> str:
    return " ".join(prose.replace("``", "").split())


def step_text(part: Part) -> str:
    """Return the first paragraph of the docstring of a step, or ""."""
    doc = "" if is_comment(part.node.body[0]) else ast.get_docstring(part.node) or ""
    return doc.split("\n\n")[0].replace("\n", " ").replace("``", "`")


def first_vectors(algorithm: str, profile: str) -> list[Vector]:
    """Return the vectors of a profile that reject wrong implementations, in the order of `spec/first-vectors.json`; all, without any there."""
    mine = {
        vector.id: vector for vector in site.vectors() if vector.algorithm == algorithm and profile in vector.profiles
    }
    first = [mine[name] for name, _, _ in first_known().get(algorithm, {}).get("vectors", ()) if name in mine]
    return first or list(mine.values())
