"""Lists of the alphabet for the loaders in seven languages, the schema of the flat form and the page of events."""

import json
from pathlib import Path
from textwrap import wrap
from typing import Any

from generate.alphabet import BOOLEAN, RANGES, RUNS, Kind, Member, every_member

#: Marks of the types of values in the loaders of the flat form.
_MARKS = {BOOLEAN: "?", RANGES: "%"} | dict.fromkeys(RUNS, "@")
_WIDTH = 118


def loader_c(kinds: tuple[Kind, ...]) -> list[str]:
    """Return the rows of a table of strings, with the mark before each name."""
    rows = [[kind.name, *(_mark(member) + member.name for member in kind.members)] for kind in kinds if kind.members]
    lines = [line for row in rows for line in _row(row)]
    return [*lines, *_empty(kinds, '{{"{name}"}},')]


def loader_cpp(kinds: tuple[Kind, ...]) -> list[str]:
    """Return the entries of a ``std::map``."""
    return [*_entries(kinds, '{{"{name}", {words}}},', "", ' "\n        "'), *_empty(kinds, '{{"{name}", ""}},')]


def loader_go(kinds: tuple[Kind, ...]) -> list[str]:
    """Return the entries of a map, aligned as gofmt does."""
    width = max(len(kind.name) for kind in kinds) + 3
    words = {kind.name: " ".join(member.name + _mark(member) for member in kind.members) for kind in kinds}
    return [f"{json.dumps(name) + ':':{width}} {json.dumps(member_words)}," for name, member_words in words.items()]


def loader_go_fields(kinds: tuple[Kind, ...]) -> list[str]:
    """Return the fields of a struct, aligned as gofmt does."""
    rows = [
        ("".join(part.capitalize() for part in name.split("_")), _go_type(member), f'`json:"{name}"`')
        for name, (member, _) in every_member(kinds).items()
    ]
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    return [f"{name.ljust(widths[0])} {kind.ljust(widths[1])} {tag}" for name, kind, tag in rows]


def loader_java(kinds: tuple[Kind, ...]) -> list[str]:
    """Return the entries of a map, without a comma after the last."""
    lines = _entries(kinds, 'Map.entry("{name}", {words}),', " ", '"\n        + " ') + _empty(
        kinds, 'Map.entry("{name}", ""),'
    )
    return [*lines[:-1], lines[-1].removesuffix(",")]


def loader_javascript(kinds: tuple[Kind, ...]) -> list[str]:
    """Return the members of an object."""
    return [*_entries(kinds, "{name}: {words},", " ", '" +\n    " '), *_empty(kinds, '{name}: "",')]


def loader_python(kinds: tuple[Kind, ...]) -> list[str]:
    """Return the items of a dictionary."""
    lines = _entries(kinds, '"{name}": {words},', "", ' "\n"')
    return [*lines, *(f'"{kind.name}": "",' for kind in kinds if not kind.members)]


def loader_rust(kinds: tuple[Kind, ...]) -> list[str]:
    """Return the entries of a slice of pairs."""
    return [*_entries(kinds, '("{name}", {words}),', "", " \\\n    "), *_empty(kinds, '("{name}", ""),')]


def flat_schema(kinds: tuple[Kind, ...], path: Path) -> str:
    """Return the schema of the flat form with a line for each kind of event. Its other parts are written by hand."""
    schema = json.loads(path.read_text(encoding="utf-8"))
    by_hand = {name: value for name, value in schema["$defs"].items() if "ev" not in value.get("properties", {})}
    lines = [name for name, value in by_hand.items() if "line" in value.get("properties", {})]
    schema["oneOf"] = [{"$ref": f"#/$defs/{name}"} for name in (*lines, *(kind.name for kind in kinds))]
    schema["$defs"] = by_hand | {kind.name: _flat_event(kind) for kind in kinds}
    return _pretty(schema, "") + "\n"


def page_kinds(kinds: tuple[Kind, ...]) -> list[str]:
    """Return the table of the kinds."""
    rows = ["", "", "| `ev` | further members | meaning |", "|---|---|---|"]
    for kind in kinds:
        names = ", ".join(f"`{member.name}`" for member in kind.members if not member.optional) or "-"
        about = [f"`{member.name}`: {member.about}" for member in kind.members if member.about and not member.optional]
        meaning = " ".join([kind.about, *(f"{text}." for text in about)])
        rows.append(f"| `{kind.name}` | {names} | {meaning} |")
    return ["\n".join([*rows, ""])]


def page_optional(kinds: tuple[Kind, ...]) -> list[str]:
    """Return the list of members that may be absent."""
    rows = [
        f"- `{member.name}` of `{kind.name}`: {member.about}."
        for kind in kinds
        for member in kind.members
        if member.optional
    ]
    return ["\n".join(["", "", *rows, ""])]


def _mark(member: Member) -> str:
    return _MARKS.get(member.type) or ("~" if member.may_be_none else "#")


def _row(names: list[str]) -> list[str]:
    lines = wrap(", ".join(f'"{name}"' for name in names), _WIDTH)
    return [("{" if line is lines[0] else " ") + line for line in lines[:-1]] + [
        ("{" if len(lines) == 1 else " ") + lines[-1] + "},"
    ]


def _entries(kinds: tuple[Kind, ...], form: str, lead: str, between: str) -> list[str]:
    """Return the entries of the kinds with members. ``between``: the text at a line break of a string."""
    lines: list[str] = []
    for kind in kinds:
        parts = wrap(" ".join(member.name + _mark(member) for member in kind.members), _WIDTH)
        if parts:
            words = '"' + lead + between.join(parts) + '"'
            lines += form.format(name=kind.name, words=words).split("\n")
    return lines


def _empty(kinds: tuple[Kind, ...], form: str) -> list[str]:
    """Return the entries of the kinds without members, wrapped."""
    without = [form.format(name=kind.name).replace(" ", "\0") for kind in kinds if not kind.members]
    return [line.replace("\0", " ") for line in wrap(" ".join(without), _WIDTH)]


def _go_type(member: Member) -> str:
    if member.type == BOOLEAN:
        return "bool"
    if member.type in RUNS:
        return "[]Run"
    if member.type == RANGES:
        return "[][2]uint64"
    return "*uint64" if member.may_be_none else "uint64"


def _flat_event(kind: Kind) -> dict[str, Any]:
    properties: dict[str, Any] = {"line": {"const": "event"}, "i": _ref("natural"), "ev": {"const": kind.name}}
    properties |= {"t_ns": _ref("natural")} | {member.name: _flat_type(member) for member in kind.members}
    properties |= {name: _ref(name) for name in ("expect", "allowed", "ways")}
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _flat_type(member: Member) -> dict[str, Any]:
    if member.type == BOOLEAN:
        return {"type": "boolean"}
    if member.number is None:
        return _ref("runs" if member.type in RUNS else "ranges")
    return _ref("nullable" if member.may_be_none else "natural")


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/$defs/{name}"}


def _pretty(value: Any, indent: str) -> str:
    """Return JSON, with each value on one line if it fits."""
    short = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(short) <= 120 or not isinstance(value, dict | list):
        return short
    inner = indent + "  "
    if isinstance(value, list):
        return "[\n" + ",\n".join(inner + _pretty(entry, inner) for entry in value) + f"\n{indent}]"
    entries = (f"{inner}{json.dumps(key)}: {_pretty(entry, inner)}" for key, entry in value.items())
    return "{\n" + ",\n".join(entries) + f"\n{indent}}}"
