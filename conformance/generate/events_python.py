"""Python code of the model from the alphabet of events: a class for each kind, and the checks of its numbers."""

from collections.abc import Iterator
from textwrap import wrap

from generate.alphabet import BOOLEAN, RANGES, RUNS, Kind, Member

#: Maximum length of a line of code.
_LINE = 120


def classes(kinds: tuple[Kind, ...]) -> list[str]:
    """Return the classes, their union, and the classes by name."""
    lines: list[str] = []
    for kind in kinds:
        lines += ["@value", f"class {kind.camel}:", *_docstring(kind), "    t_ns: int"]
        lines += [f"    {member.name}: {_type(member)}" for member in kind.members]
        lines += ["", ""]
    union = [" | ".join(kind.camel for kind in kinds)]
    if len(union[0]) > _LINE - 4:
        union = [f"{'| ' if kind is not kinds[0] else ''}{kind.camel}" for kind in kinds]
    lines += ["Event: TypeAlias = (", *(f"    {line}" for line in union), ")"]
    lines += ["", "#: The kinds of events by the name that they are written with.", "KINDS: dict[str, type[Event]] = {"]
    lines += [f'    "{kind.name}": {kind.camel},' for kind in kinds]
    return [*lines, "}"]


def checks(kinds: tuple[Kind, ...]) -> list[str]:
    """Return a function for each kind with bounded numbers or ranges. Comparisons are inline, for speed."""
    lines: list[str] = []
    for kind in kinds:
        check_lines = [line for member in kind.members if not member.grouped for line in _check(member)] + _together(
            kind
        )
        if check_lines:
            lines += ["", "", f"def _check_{kind.name}(event: {kind.camel}) -> None:", *check_lines]
    return [*lines[2:], "", ""]


def _together(kind: Kind) -> list[str]:
    """Return the check of a group. One chained comparison skips it: groups are nearly always absent."""
    if not kind.group:
        return []
    names = [f"event.{member.name}" for member in kind.group]
    lines = [f"    if not ({' is '.join(names)} is None):"]
    if len(lines[0]) > _LINE:
        lines = [
            "    if not (",
            f"        {names[0]}",
            *(f"        is {name}" for name in [*names[1:], "None"]),
            "    ):",
        ]
    for member in kind.group:
        bounds = f"{member.number.low}, {member.number.high}" if member.number else "0, 1"
        lines.append(f'        _beside("{member.name}", event.{member.name}, {bounds})')
    return lines


def _docstring(kind: Kind) -> list[str]:
    about = [f"``{member.name}``: {_python(member.about)}." for member in kind.members if member.about]
    first, *rest = _python(kind.about).split(". ")
    text = " ".join([". ".join(rest), *about] if rest else about)
    if not text:
        return [f'    """{first.removesuffix(".")}."""', ""]
    return [f'    """{first.removesuffix(".")}.', "", *(f"    {line}" for line in wrap(text, _LINE - 4)), '    """', ""]


def _python(text: str) -> str:
    return text.replace("`null`", "`None`").replace("`", "``")


def _type(member: Member) -> str:
    if member.type in RUNS:
        return "tuple[Run, ...]"
    if member.type == RANGES:
        return "tuple[tuple[int, int], ...]" + (" = ()" if member.optional else "")
    if member.type == BOOLEAN:
        if not member.optional:
            return "bool"
        return "bool | None = None" if member.grouped else "bool = False"
    return ("int | None" if member.may_be_none else "int") + (" = None" if member.optional else "")


def _check(member: Member) -> Iterator[str]:
    if member.type == RANGES:
        yield f"    for first, last in event.{member.name}:"
        yield f'        _within("{member.name}: first", first, 0, last)'
        yield f'        _within("{member.name}: last", last, first, min(first + RUN_MAX_PACKETS - 1, PACKET_MAX))'
    if member.number is None or member.type == "part" or member.name in ("bytes", "bytes_in_flight"):
        return
    value = f"event.{member.name}"
    high = "event.t_ns" if member.type == "past" else member.number.high or "NUMBER_MAX"
    guard = f"{value} is not None and " if member.may_be_none else ""
    yield f"    if {guard}not {member.number.low} <= {value} <= {high}:"
    yield f'        raise _outside("{member.name}", {value}, {member.number.low}, {high})'
