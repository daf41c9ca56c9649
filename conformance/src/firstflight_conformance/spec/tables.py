"""Writes the tables of readings and profiles that both references carry, from ``spec/profiles``, and their version.

What the rooms say of themselves is read, not imported: a new room cannot be imported before its tables are written.
"""

import ast
from functools import cache
from pathlib import Path
from typing import Any

from firstflight_conformance.paths import CONFORMANCE, REFERENCE_C, REFERENCE_PY, SPEC
from firstflight_conformance.spec.readings import Profile, ProfileTable, Reading, load_tables
from firstflight_conformance.spec.regions import Room, filled_files


def generated_files() -> dict[Path, str]:
    """Return the content of every generated table, and of what names the version, by path."""
    files = version_files((SPEC / "VERSION").read_text("utf-8").strip())
    for algorithm, table in load_tables().items():
        if table.readings:
            room = _described(algorithm)["room"]
            files[REFERENCE_PY / room / "profiles.py"] = _python(table)
            files[REFERENCE_C / "include" / "firstflight" / room / "profiles.h"] = _c_header(table)
            files[REFERENCE_C / "src" / room / "profiles.c"] = _c_source(table)
    return files | filled_files(described_rooms())


def described_rooms() -> list[Room]:
    """Return the rooms: the base of all others first, other bases, startup algorithms, computations."""
    rooms = [Room(**_described(name), table=table) for name, table in load_tables().items()]
    kinds = ("Base", "Startup", "Computation")
    return sorted(rooms, key=lambda room: (room.room != "newreno", kinds.index(room.kind), room.name))


def version_files(version: str) -> dict[Path, str]:
    """Return what names the version in both packages and in the port, by path."""
    heading = "The version of Firstflight. Generated from spec/VERSION by `make generate`; do not edit."
    python = f'"""{heading}"""\n\n__version__ = "{version}"\n'
    numbers = zip(("MAJOR", "MINOR", "PATCH"), version.split("."), strict=True)
    lines = [f"/* {heading} */", "#ifndef FIRSTFLIGHT_VERSION_H", "#define FIRSTFLIGHT_VERSION_H", ""]
    lines += [f"#define FF_VERSION_{name} {number}" for name, number in numbers]
    lines += [
        f'#define FF_VERSION_STRING "{version}"',
        "",
        "/* To compare: FF_VERSION >= FF_VERSION_NUMBER(0, 2, 0). */",
    ]
    lines += ["#define FF_VERSION_NUMBER(major, minor, patch) ((major) * 10000 + (minor) * 100 + (patch))"]
    lines += [
        "#define FF_VERSION FF_VERSION_NUMBER(FF_VERSION_MAJOR, FF_VERSION_MINOR, FF_VERSION_PATCH)",
        "",
        "#endif",
        "",
    ]
    return {
        REFERENCE_PY / "version.py": python,
        CONFORMANCE / "src" / "firstflight_conformance" / "version.py": python,
        REFERENCE_C / "include" / "firstflight" / "version.h": "\n".join(lines),
    }


def write_generated_files() -> None:
    """Write the tables."""
    for path, content in generated_files().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")


@cache
def _described(algorithm: str) -> dict[str, Any]:
    """Return what is written out in the descriptor of an algorithm: its name, title, room and kind, and the bases it may be on.

    Raise ``ValueError`` if no room has it.
    """
    for path in sorted(REFERENCE_PY.glob("*/__init__.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
                continue
            written = {
                k.arg: ast.literal_eval(k.value)
                for k in node.value.keywords
                if k.arg and isinstance(k.value, ast.Constant | ast.Tuple)
            }
            if written.get("name") == algorithm:
                return written | {"kind": node.value.func.id if isinstance(node.value.func, ast.Name) else ""}
    raise ValueError(f"spec/profiles/{algorithm}.toml: no room of {REFERENCE_PY} describes this algorithm")


def _heading(table: ProfileTable) -> str:
    title = _described(table.algorithm)["title"]
    return (
        f"Readings and profiles of {title}. Generated from spec/profiles/{table.algorithm}.toml by `make generate`; "
        "do not edit."
    )


def _c_name(table: ProfileTable) -> str:
    return f"ff_{_described(table.algorithm)['room']}"


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def _python(table: ProfileTable) -> str:
    lines = [
        f'"""{_heading(table)}"""',
        "",
        "from dataclasses import dataclass",
        "",
        "from firstflight.enums import Enum",
        "",
    ]
    for reading in table.readings:
        if reading.bounds is None:
            lines += ["", f"class {_camel(reading.name)}(Enum):", f'    """{reading.question}"""', ""]
            lines += [f'    {choice.upper()} = "{choice}"' for choice in reading.choices]
            lines.append("")
    lines += ["", "@dataclass(frozen=True, slots=True)", "class Readings:", '    """A choice for every reading."""', ""]
    lines += [f"    {r.name}: {_camel(r.name) if r.bounds is None else 'int'}" for r in table.readings]
    lines += ["", "", "PROFILES = {"]
    for profile in table.profiles:
        lines.append(f'    "{profile.name}": Readings(')
        lines += [f"        {r.name}={_python_value(r, profile)}," for r in table.readings]
        lines.append("    ),")
    return "\n".join([*lines, "}", ""])


def _python_value(reading: Reading, profile: Profile) -> str:
    value = profile.readings[reading.name]
    return f"{_camel(reading.name)}.{str(value).upper()}" if reading.bounds is None else str(value)


def _c_constant(table: ProfileTable, reading: Reading, choice: str) -> str:
    return f"{_c_name(table)}_{reading.name}_{choice}".upper()


def _c_header(table: ProfileTable) -> str:
    name = _c_name(table)
    guard = f"{name.replace('ff_', 'firstflight_')}_profiles_h".upper()
    lines = [
        f"/* {_heading(table)} */",
        f"#ifndef {guard}",
        f"#define {guard}",
        "",
        "#include <stddef.h>",
        "#include <stdint.h>",
        "",
        "#ifdef __cplusplus",
        'extern "C" {',
        "#endif",
        "",
    ]
    for reading in table.readings:
        if reading.bounds is None:
            lines += [f"/* {reading.question} ({reading.ambiguity}) */", "enum {"]
            lines += [
                f"    {_c_constant(table, reading, choice)} = {number}, /* {meaning} */"
                for number, (choice, meaning) in enumerate(reading.choices.items())
            ]
            lines += ["};", ""]
    lines += ["/* A choice for every reading. */", f"struct {name}_readings {{"]
    lines += [f"    uint8_t {reading.name};" for reading in table.readings]
    lines += [
        "};",
        "",
        f"struct {name}_profile {{",
        "    const char *name;",
        f"    struct {name}_readings readings;",
        "};",
        "",
        "/* Where each profile stands in the table. */",
        "enum {",
        *(f"    {name}_profile_{p.name}".upper().replace("-", "_") + f" = {i}," for i, p in enumerate(table.profiles)),
        "};",
        "",
        f"#define {name.upper()}_PROFILE_COUNT {len(table.profiles)}",
        f"extern const struct {name}_profile {name}_profiles[{name.upper()}_PROFILE_COUNT];",
        "",
        "#ifdef __cplusplus",
        "}",
        "#endif",
        "",
        "#endif",
        "",
    ]
    return "\n".join(lines)


def _c_source(table: ProfileTable) -> str:
    name = _c_name(table)
    lines = [
        f"/* {_heading(table)} */",
        f'#include "firstflight/{_described(table.algorithm)["room"]}/profiles.h"',
        "",
        f"const struct {name}_profile {name}_profiles[{name.upper()}_PROFILE_COUNT] = {{",
    ]
    for profile in table.profiles:
        lines += ["    {", f'        "{profile.name}",', "        {"]
        for reading in table.readings:
            value = profile.readings[reading.name]
            text = _c_constant(table, reading, str(value)) if reading.bounds is None else str(value)
            lines.append(f"            .{reading.name} = {text},")
        lines += ["        },", "    },"]
    return "\n".join([*lines, "};", ""])


if __name__ == "__main__":
    write_generated_files()
