"""Writes the tables of readings and profiles of both references, from ``spec/NAME/profiles.toml``, and their version.

Descriptors of packages are parsed, not imported: a new package cannot be imported before its tables are written.
"""

import ast
import textwrap
from functools import cache
from pathlib import Path
from typing import Any

from firstflight_conformance.format.readings import Profile, ProfileTable, Reading, load_tables
from firstflight_conformance.paths import CONFORMANCE, REFERENCE_C, REFERENCE_PY, SPEC
from generate.regions import Package, filled_files

#: The description of the class of readings in Python and of its struct in C.
READINGS = "The value that one profile (one version of the algorithm) has for each open question of the text."


def generated_files() -> dict[Path, str]:
    """Return the content of every generated table, region and version file, by path."""
    files = version_files((SPEC / "VERSION").read_text("utf-8").strip())
    for algorithm, table in load_tables().items():
        if table.readings:
            package = _described(algorithm)["package"]
            files[REFERENCE_PY / package / "profiles.py"] = _python(table)
            files[REFERENCE_C / "firstflight" / package / "profiles.h"] = _c_header(table)
            files[REFERENCE_C / "firstflight" / package / "profiles.c"] = _c_source(table)
    return files | filled_files(described_packages())


def described_packages() -> list[Package]:
    """Return the packages: first NewReno, then other bases, startup algorithms and computations."""
    packages = [Package(**_described(name), table=table) for name, table in load_tables().items()]
    kinds = ("Base", "Startup", "Computation")
    return sorted(packages, key=lambda package: (package.package != "newreno", kinds.index(package.kind), package.name))


def version_files(version: str) -> dict[Path, str]:
    """Return the version files of both packages and of the port, by path."""
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
        REFERENCE_C / "firstflight" / "version.h": "\n".join(lines),
    }


def write_generated_files() -> None:
    """Write the tables."""
    for path, content in generated_files().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")


@cache
def _described(algorithm: str) -> dict[str, Any]:
    """Return the literal arguments of an algorithm's descriptor: name, title, package, kind, and allowed bases.

    Raise ``ValueError`` if no package describes it.
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
    raise ValueError(f"spec/{algorithm}/profiles.toml: no package of {REFERENCE_PY} describes this algorithm")


def _heading(table: ProfileTable) -> str:
    title = _described(table.algorithm)["title"]
    return (
        f"Readings and profiles of {title}. Generated from spec/{table.algorithm}/profiles.toml by `make generate`; "
        "do not edit."
    )


def _c_name(table: ProfileTable) -> str:
    return f"ff_{_described(table.algorithm)['package']}"


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def _python(table: ProfileTable) -> str:
    lines = [
        f'"""{_heading(table)}"""',
        "",
        f"from dataclasses import dataclass{', replace' if any(p.like for p in table.profiles) else ''}",
        "",
        "from firstflight.enums import Enum",
        "",
    ]
    for reading in table.readings:
        if reading.bounds is None:
            lines += ["", f"class {_camel(reading.name)}(Enum):", f'    """{reading.question}"""', ""]
            lines += [f'    {choice.upper()} = "{choice}"' for choice in reading.choices]
            lines.append("")
    lines += ["", "@dataclass(frozen=True, slots=True)", "class Readings:", f'    """{READINGS}"""', ""]
    lines += [f"    {r.name}: {_camel(r.name) if r.bounds is None else 'int'}" for r in table.readings]
    lines.append("")
    for profile in table.profiles:
        lines += ["", f"{_upper(profile.name)} = " + ("Readings(" if profile.like is None else "replace(")]
        lines += [f"    {_upper(profile.like)},"] if profile.like is not None else []
        lines += [f"    {r.name}={_python_value(r, profile)}," for r in table.readings if r.name in profile.changed]
        lines.append(")")
    lines += ["", "PROFILES = {", *(f'    "{p.name}": {_upper(p.name)},' for p in table.profiles)]
    return "\n".join([*lines, "}", ""])


def _upper(profile: str) -> str:
    return profile.replace("-", "_").upper()


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
    lines += [f"/* {READINGS} */", f"struct {name}_readings {{"]
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
        *(f"    {name.upper()}_PROFILE_{_upper(p.name)} = {i}," for i, p in enumerate(table.profiles)),
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
        f'#include "firstflight/{_described(table.algorithm)["package"]}/profiles.h"',
        "",
        f"const struct {name}_profile {name}_profiles[{name.upper()}_PROFILE_COUNT] = {{",
    ]
    for profile in table.profiles:
        values = (
            f".{r.name}\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}{_c_value(table, r, profile)}" for r in table.readings
        )
        filled = textwrap.fill(", ".join(values), 116, initial_indent=" " * 5 + "{", subsequent_indent=" " * 6)
        lines += [f'    {{"{profile.name}",', filled.replace("\N{NO-BREAK SPACE}", " ") + "}},"]
    return "\n".join([*lines, "};", ""])


def _c_value(table: ProfileTable, reading: Reading, profile: Profile) -> str:
    value = str(profile.readings[reading.name])
    return _c_constant(table, reading, value) if reading.bounds is None else value


if __name__ == "__main__":
    write_generated_files()
