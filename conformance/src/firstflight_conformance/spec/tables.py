"""Writes the tables of readings and profiles that both references carry, from ``spec/profiles/search.toml``."""

from pathlib import Path

from firstflight_conformance.paths import PROFILES, REFERENCE_C, REFERENCE_PY
from firstflight_conformance.spec.readings import Profile, ProfileTable, Reading, load_table

_NOTE = "Generated from spec/profiles/search.toml by `make generate`; do not edit."


def generated_files() -> dict[Path, str]:
    """Return the content of every generated table by path."""
    table = load_table(PROFILES / "search.toml")
    return {
        REFERENCE_PY / "search_profiles.py": _python(table),
        REFERENCE_C / "include" / "firstflight" / "search_profiles.h": _c_header(table),
        REFERENCE_C / "src" / "search_profiles.c": _c_source(table),
    }


def write_generated_files() -> None:
    """Write the tables."""
    for path, content in generated_files().items():
        path.write_text(content, encoding="utf-8")


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def _python(table: ProfileTable) -> str:
    lines = [
        f'"""Readings and profiles of SEARCH. {_NOTE}"""',
        "",
        "from dataclasses import dataclass",
        "from enum import Enum",
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


def _c_constant(reading: Reading, choice: str) -> str:
    return f"FF_SEARCH_{reading.name}_{choice}".upper()


def _c_header(table: ProfileTable) -> str:
    lines = [
        f"/* Readings and profiles of SEARCH. {_NOTE} */",
        "#ifndef FIRSTFLIGHT_SEARCH_PROFILES_H",
        "#define FIRSTFLIGHT_SEARCH_PROFILES_H",
        "",
        "#include <stddef.h>",
        "#include <stdint.h>",
        "",
    ]
    for reading in table.readings:
        if reading.bounds is None:
            lines += [f"/* {reading.question} ({reading.ambiguity}) */", "enum {"]
            lines += [
                f"    {_c_constant(reading, choice)} = {number}, /* {meaning} */"
                for number, (choice, meaning) in enumerate(reading.choices.items())
            ]
            lines += ["};", ""]
    lines += ["/* A choice for every reading. */", "struct ff_search_readings {"]
    lines += [f"    uint8_t {reading.name};" for reading in table.readings]
    lines += [
        "};",
        "",
        "struct ff_search_profile {",
        "    const char *name;",
        "    struct ff_search_readings readings;",
        "};",
        "",
        f"#define FF_SEARCH_PROFILE_COUNT {len(table.profiles)}",
        "extern const struct ff_search_profile ff_search_profiles[FF_SEARCH_PROFILE_COUNT];",
        "",
        "#endif",
        "",
    ]
    return "\n".join(lines)


def _c_source(table: ProfileTable) -> str:
    lines = [
        f"/* Readings and profiles of SEARCH. {_NOTE} */",
        '#include "firstflight/search_profiles.h"',
        "",
        "const struct ff_search_profile ff_search_profiles[FF_SEARCH_PROFILE_COUNT] = {",
    ]
    for profile in table.profiles:
        lines += ["    {", f'        "{profile.name}",', "        {"]
        for reading in table.readings:
            value = profile.readings[reading.name]
            text = _c_constant(reading, str(value)) if reading.bounds is None else str(value)
            lines.append(f"            .{reading.name} = {text},")
        lines += ["        },", "    },"]
    return "\n".join([*lines, "};", ""])
