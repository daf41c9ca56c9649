"""C code from the alphabet of events: structures of port and adapter interface, checks, translation, parsing."""

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from textwrap import wrap

from generate.alphabet import BOOLEAN, RANGES, RUNS, Kind, Member, every_member

_WIDTH = 120


def structs(kinds: tuple[Kind, ...]) -> list[str]:
    """Return the structures of the port, the enumeration of kinds, and the event."""
    lines: list[str] = []
    for kind in kinds:
        if kind.members:
            lines += [*_comment(kind), f"struct ff_{kind.name} {{"]
            lines += _aligned([line for member in kind.members for line in _port_member(member)])
            lines += ["};", ""]
    lines += ["enum ff_event_kind {"]
    lines += [f"    FF_EVENT_{kind.upper}{' = 0' if kind is kinds[0] else ''}," for kind in kinds]
    lines += ["};", ""]
    lines += ["/* One event; its kind selects the member of the union. Kinds without a member have only a time. */"]
    lines += ["struct ff_event {", "    enum ff_event_kind kind;", "    uint64_t t_ns;", "    union {"]
    lines += [f"        struct ff_{kind.name} {kind.name};" for kind in kinds if kind.members]
    return [*lines, "    };", "};"]


def empty(kinds: tuple[Kind, ...]) -> list[str]:
    """Return the cases of a function that creates an event without optional members."""
    lines: list[str] = []
    for kind in kinds:
        absent = [member.name for member in kind.members if member.may_be_none]
        if absent:
            lines += [f"case FF_EVENT_{kind.upper}:"]
            lines += [f"    event.{kind.name}.{name} = UINT64_MAX;" for name in absent]
            lines += ["    break;"]
    return lines


def checks(kinds: tuple[Kind, ...]) -> list[str]:
    """Return a function for each kind with bounded numbers."""
    lines: list[str] = []
    for kind in kinds:
        single = [member for member in kind.members if not member.grouped]
        conditions = [line for member in single for line in _conditions(kind, member)] + _together(kind)
        if conditions:
            time = ", uint64_t t_ns" if any(member.type == "past" for member in kind.members) else ""
            lines += [
                "",
                f"/* Return whether the numbers of this event are in the domain{_apart(kind)}.{_sampled(kind)} */",
                f"static inline bool ff_{kind.name}_numbers_valid(const struct ff_{kind.name} *{kind.name}{time})",
                "{",
                "    return " + " &&\n           ".join(conditions) + ";",
                "}",
            ]
    return "\n".join(lines[1:]).split("\n")


def interface(kinds: tuple[Kind, ...], header: str) -> list[str]:
    """Return the members of the event of the adapter interface.

    Members keep the order of the header and new ones are appended: separately compiled programs depend on the layout.
    """
    declarations = {"t_ns": ("uint64_t t_ns;", "")}
    declarations |= {
        name: line
        for member, member_kinds in every_member(kinds).values()
        for name, line in _flat_member(member, member_kinds)
    }
    return _aligned([declarations[name] for name in _order(declarations, header)], "")


def _order(declared: Iterable[str], header: str) -> list[str]:
    """Return the names in the order of the header, new ones last."""
    names = set(declared)
    region = re.search(r"--- members: .*?--- end ---", header, re.S)
    order = [name for name in re.findall(r"^ +[\w *]+?(\w+);", region[0] if region else "", re.M) if name in names]
    return list(dict.fromkeys([*order, *declared]))


def translation(kinds: tuple[Kind, ...]) -> list[str]:
    """Return the cases that translate an event of the adapter interface into one of the port."""
    lines: list[str] = []
    for kind in kinds:
        lines += [f"case FIRSTFLIGHT_EVENT_{kind.upper}:", f"    out->kind = FF_EVENT_{kind.upper};"]
        if kind.members:
            lines += [f"    out->{kind.name} = (struct ff_{kind.name}){{"]
            lines += [f"        {line}," for member in kind.members for line in _translated(member)]
            lines += ["    };"]
        lines += ["    return 1;"]
    return lines


def names(kinds: tuple[Kind, ...]) -> list[str]:
    """Return the names of the kinds as strings, wrapped."""
    return wrap(", ".join(f'"{kind.name}"' for kind in kinds), 110)


def absent(kinds: tuple[Kind, ...]) -> list[str]:
    """Return the initializers of the numbers of an event that may be absent."""
    return [f".{name} = FIRSTFLIGHT_NONE," for name, (member, _) in every_member(kinds).items() if member.may_be_none]


def reading(kinds: tuple[Kind, ...]) -> list[str]:
    """Return the cases that read the members of an event from a message."""
    lines: list[str] = []
    for kind in kinds:
        if kind.members:
            lines += [f"case FIRSTFLIGHT_EVENT_{kind.upper}:"]
            lines += [f"    {_read(member)}" for member in kind.members]
            lines += ["    break;"]
    return lines


def writing(kinds: tuple[Kind, ...]) -> list[str]:
    """Return the cases that write the members of an event of the port into a line of JSON."""
    lines: list[str] = []
    for kind in kinds:
        if kind.members:
            lines += [f"case FF_EVENT_{kind.upper}:"]
            lines += [f"    {_written(kind, member)}" for member in kind.members]
            lines += ["    break;"]
    return lines


def driven(kinds: tuple[Kind, ...]) -> list[str]:
    """Return the kinds and numbers of an event of a driver of plain headers."""
    lines = [f"enum drive_kind {{ {', '.join(kind.upper for kind in kinds)} }};"]
    numbers = wrap(", ".join(["t_ns", *flat_numbers(kinds), *_counts(kinds)]), 112)
    return [*lines, "", "struct drive_event {", "    enum drive_kind kind;", *_declared(numbers), *_lists(kinds), "};"]


def driver_fields(kinds: tuple[Kind, ...]) -> list[str]:
    """Return the addresses of the numbers of a driver's event."""
    fields = (f"&event.{name}" for name in ("t_ns", *flat_numbers(kinds), *_counts(kinds)))
    return wrap(", ".join(fields) + ",", 120)


def copied(kinds: tuple[Kind, ...]) -> list[str]:
    """Return the cases that copy an event of the port into one of a driver."""
    lines: list[str] = []
    for kind in kinds:
        if kind.members:
            lines += [f"case FF_EVENT_{kind.upper}:"]
            lines += [f"    {_copied(kind, member)}" for member in kind.members]
            lines += ["    break;"]
    return lines


def fuzzed(kinds: tuple[Kind, ...], name: str) -> list[str]:
    """Return the fuzzer's code that reads the optional members of a kind from bytes, if a flag of the event is set."""
    members = next(kind.members for kind in kinds if kind.name == name)
    ranges = [member for member in members if member.optional and member.type == RANGES]
    lists = [f"{name}->{m.name} = fuzz_read_ranges(s, says, &{name}->{m.count});" for m in ranges]
    single = [
        member for member in members if (member.optional and member.type not in (RANGES, BOOLEAN)) or member.grouped
    ]
    return lists + [_fuzzed(name, member) for member in single]


def flat_numbers(kinds: tuple[Kind, ...]) -> list[str]:
    """Return the names of all members except lists, each once."""
    return [name for name, (member, _) in every_member(kinds).items() if not _is_list(member)]


def copied_lists(kinds: tuple[Kind, ...]) -> list[str]:
    """Return the code that copies every list of an event of the adapter interface."""
    lists = [member for member, _ in every_member(kinds).values() if _is_list(member)]
    calls = (f"copy_{_entry(m)}s(self, event->{m.name}, (size_t)event->{m.count})" for m in lists)
    return [f"return {' && '.join(calls)};"]


def ranges_checks(kinds: tuple[Kind, ...]) -> list[str]:
    """Return a function for each kind with ranges."""
    lines: list[str] = []
    for kind in kinds:
        ranges = [member for member in kind.members if member.type == RANGES]
        if ranges:
            values = (f"ranges_valid({kind.name}->{m.name}, {kind.name}->{m.count})" for m in ranges)
            lines += [
                f"static bool {kind.name}_ranges_valid(const struct ff_{kind.name} *{kind.name})",
                "{",
                f"    return {' && '.join(values)};",
                "}",
            ]
    return lines


def loader_lists(kinds: tuple[Kind, ...]) -> list[str]:
    """Return the lists of an event of the loader."""
    lists = [member for member, _ in every_member(kinds).values() if _is_list(member)]
    counts = [f"size_t {member.count};" for member in lists if member.type == RANGES]
    return [*counts, f"struct flat_run {', '.join(f'{member.name}[FLAT_RUNS]' for member in lists)};"]


def loader_ranges(kinds: tuple[Kind, ...]) -> list[str]:
    """Return how the loader reads the ranges of an event, between other forms of members."""
    members = [member for member, _ in every_member(kinds).values() if member.type == RANGES]
    return [
        f'else if (strcmp(*member, "%{m.name}") == 0) event->{m.count} = rows(event->{m.name}, "[#,#]");'
        for m in members
    ]


def driver_ranges(kinds: tuple[Kind, ...]) -> list[str]:
    """Return the code that reads the ranges of an event of a driver."""
    members = [member for member, _ in every_member(kinds).values() if member.type == RANGES]
    return [f"if (!ranges(event.{m.name}, event.{m.count})) return 0;" for m in members]


def _comment(kind: Kind) -> list[str]:
    about = [f"`{member.name}`: {member.about}." for member in kind.members if member.about]
    lines = wrap(" ".join([kind.about, *about]).replace("`null`", "UINT64_MAX"), _WIDTH - 3)
    return [f"/* {lines[0]} */"] if len(lines) == 1 else ["/*", *(f" * {line}" for line in lines), " */"]


def _aligned(members: list[tuple[str, str]], indent: str = "    ") -> list[str]:
    """Return declarations with their comments; comments of consecutive lines are aligned."""
    lines: list[str] = []
    for commented, group in groupby(members, lambda member: bool(member[1])):
        entries = list(group)
        width = max(len(declaration) for declaration, _ in entries)
        lines += [indent + (f"{text.ljust(width)} /* {comment} */" if commented else text) for text, comment in entries]
    return lines


def _fuzzed(name: str, member: Member) -> str:
    says, value = "samples" if member.grouped else "says", f"{name}->{member.name}"
    if member.type == BOOLEAN:
        return f"{value} = {says} && fuzz_byte(s) & 1;"
    return f"{value} = {says} ? fuzz_number(s, {'s->front' if member.type == 'packet_end' else '0'}) : UINT64_MAX;"


def _together(kind: Kind) -> list[str]:
    """Return the condition of a group: its first number is absent, or all numbers are within their bounds."""
    if not kind.group:
        return []
    within_bounds = [f"{_value(kind, member)} <= FF_{member.number.high}" for member in kind.group if member.number]
    either = "\n".join(
        [f"({_value(kind, kind.group[0])} == UINT64_MAX ||", *wrap(f"({' && '.join(within_bounds)}))", _WIDTH - 13)]
    )
    return [either.replace("\n", "\n" + 12 * " ")]


def _sampled(kind: Kind) -> str:
    return (
        f" Without {kind.group[0].name} the sample is absent, and its other members are not read." if kind.group else ""
    )


def _value(kind: Kind, member: Member) -> str:
    return f"{kind.name}->{member.name}"


def _bounds(member: Member) -> str:
    number = member.number
    if number is None or number.high is None:
        return "false if the stream omits it" if member.type == BOOLEAN and member.optional else ""
    high = "time of the event" if member.type == "past" else f"FF_{number.high}"
    none = "; UINT64_MAX if the stream omits it" if member.optional else ", or UINT64_MAX"
    return f"{number.low}..{high}" + (none if member.may_be_none else "")


def _port_member(member: Member) -> Iterator[tuple[str, str]]:
    if _is_list(member):
        yield f"const struct ff_{_entry(member)} *{member.name};", ""
        yield f"size_t {member.count};", ""
    else:
        yield f"{'bool' if member.type == BOOLEAN else 'uint64_t'} {member.name};", _bounds(member)


def _conditions(kind: Kind, member: Member) -> Iterator[str]:
    number, value = member.number, f"{kind.name}->{member.name}"
    if number is None or number.high is None:
        return
    high = "t_ns" if member.type == "past" else f"FF_{number.high}"
    if not member.may_be_none:
        yield f"ff_positive_within({value}, {high})" if number.low else f"{value} <= {high}"
        return
    yield from [f"{value} > 0"] if number.low else []
    yield f"ff_within_or_none({value}, {high})"


def _apart(kind: Kind) -> str:
    return ", except its runs" if any(member.type in RUNS for member in kind.members) else ""


def _flat_member(member: Member, member_kinds: Iterable[Kind]) -> Iterator[tuple[str, tuple[str, str]]]:
    kinds = ", ".join(kind.name for kind in member_kinds)
    if _is_list(member):
        yield member.name, (f"const struct firstflight_{_entry(member)} *{member.name};", kinds)
        yield member.count, (f"uint64_t {member.count};", kinds)
    else:
        none = "; FIRSTFLIGHT_NONE: none" if member.may_be_none else ""
        yield member.name, (f"{'uint32_t' if member.type == BOOLEAN else 'uint64_t'} {member.name};", kinds + none)


def _translated(member: Member) -> Iterator[str]:
    if member.type in RUNS:
        yield f".{member.name} = self->runs"
        yield f".{member.count} = (size_t)event->{member.count}"
    elif member.type == RANGES:
        yield f".{member.name} = self->ranges"
        yield f".{member.count} = (size_t)event->{member.count}"
    else:
        yield f".{member.name} = event->{member.name}" + (" != 0" if member.type == BOOLEAN else "")


def _read(member: Member) -> str:
    name, to = member.name, f"event->{member.name} ="
    if member.type in RUNS:
        return "read_runs(host, object, event);"
    if member.type == RANGES:
        return f'{to} read_ranges(host, object, "{name}", &event->{member.count});'
    if member.type == BOOLEAN:
        return f'{to} {"bool_if_there" if member.optional else "bool_member"}(host, object, "{name}");'
    if member.optional:
        return f'{to} number_if_there(host, object, "{name}", FIRSTFLIGHT_NONE);'
    if member.may_be_none:
        return f'{to} number_or_null(host, object, "{name}", FIRSTFLIGHT_NONE);'
    return f'{to} number_member(host, object, "{name}");'


def _written(kind: Kind, member: Member) -> str:
    value, before = f"event->{kind.name}.{member.name}", f'",\\"{member.name}\\":"'
    if member.type in RUNS:
        return f"write_runs(out, {value}, event->{kind.name}.{member.count}, {'true' if member.type == 'runs' else 'false'});"
    if member.type == RANGES:
        return f"write_ranges(out, {before}, {value}, event->{kind.name}.{member.count});"
    if member.type == BOOLEAN and member.optional and not member.grouped:
        return f"write_flag_if_set(out, {before}, {value});"
    if member.type == BOOLEAN and member.optional:
        number_name = next(grouped.name for grouped in kind.group if grouped.number is not None)
        return f"write_flag_beside(out, {before}, {value}, event->{kind.name}.{number_name});"
    if member.type == BOOLEAN:
        return f"write_flag(out, {before}, {value});"
    return f"{'write_if_there' if member.optional else 'ff_member_write'}(out, {before}, {value});"


def _copied(kind: Kind, member: Member) -> str:
    value = f"event->{kind.name}.{member.name}"
    if _is_list(member):
        return f"out->{member.count} = copy_{_entry(member)}s(out->{_list(member)}, {value}, event->{kind.name}.{member.count});"
    return f"out->{member.name} = {value};"


def _counts(kinds: tuple[Kind, ...]) -> list[str]:
    return [member.count for member, _ in every_member(kinds).values() if _is_list(member)]


def _lists(kinds: tuple[Kind, ...]) -> list[str]:
    lists = [member for member, _ in every_member(kinds).values() if _is_list(member)]
    return [
        f"    struct drive_run {_list(m)}[DRIVE_RUNS];" + (" /* first and last */" if m.type == RANGES else "")
        for m in lists
    ]


def _declared(numbers: list[str]) -> list[str]:
    return [f"    uint64_t {line.removesuffix(',')};" for line in numbers]


def _is_list(member: Member) -> bool:
    return member.type in (*RUNS, RANGES)


def _entry(member: Member) -> str:
    return "range" if member.type == RANGES else "run"


def _list(member: Member) -> str:
    """Return the name of a list in a driver."""
    return "runs" if member.type in RUNS else member.name
