"""The files and regions with lists of the alphabet of events, and their content. ``regions`` fills them."""

from pathlib import Path

from firstflight_conformance.paths import REFERENCE_C, REFERENCE_PY, ROOT, SPEC
from generate import events_c, events_python, events_text
from generate.alphabet import Kind

_PORT = REFERENCE_C / "firstflight"
_CONFORMANCE = ROOT / "conformance"
_LOADERS = _CONFORMANCE / "loaders"
_INTERFACE = _CONFORMANCE / "include" / "firstflight_adapter.h"
_FLAT_SCHEMA = SPEC / "schemas" / "flat.schema.json"


def event_regions(kinds: tuple[Kind, ...]) -> dict[Path, dict[str, list[str]]]:
    """Return the lines of each region, by file and name."""
    header = _INTERFACE.read_text(encoding="utf-8")
    return {
        REFERENCE_PY / "events.py": {
            "kinds": events_python.classes(kinds),
            "number checks": events_python.checks(kinds),
        },
        _PORT / "events.h": {"kinds": events_c.structs(kinds)},
        _PORT / "domain.h": {"number checks": events_c.checks(kinds)},
        REFERENCE_C / "firstflight" / "events.c": {
            "ranges": events_c.ranges_checks(kinds),
            "absent members": events_c.empty(kinds),
        },
        _INTERFACE: {
            "kinds": [f"#define FIRSTFLIGHT_EVENT_{kind.upper} {number}" for number, kind in enumerate(kinds)],
            "members": events_c.interface(kinds, header),
        },
        _CONFORMANCE / "adapters" / "c" / "firstflight_c.c": {
            "lists": events_c.copied_lists(kinds),
            "translation": events_c.translation(kinds),
        },
        _CONFORMANCE / "adapters" / "c" / "stdio_host.c": {
            "kinds": events_c.names(kinds),
            "absent members": events_c.absent(kinds),
            "members": events_c.reading(kinds),
        },
        REFERENCE_C / "wasm" / "event_json.c": {"kinds": events_c.names(kinds), "members": events_c.writing(kinds)},
        REFERENCE_C / "drive" / "drive.h": {"kinds": events_c.driven(kinds)},
        REFERENCE_C / "drive" / "drive.c": {
            "members": events_c.driver_fields(kinds),
            "ranges": events_c.driver_ranges(kinds),
        },
        _CONFORMANCE / "fuzz" / "header.c": {"members": events_c.copied(kinds)},
        _CONFORMANCE / "fuzz" / "events.h": {
            "optional members of sent": events_c.fuzzed(kinds, "sent"),
            "optional members of ack": events_c.fuzzed(kinds, "ack"),
            "optional members of lost": events_c.fuzzed(kinds, "lost"),
        },
        _LOADERS / "c" / "flat.h": {"lists": events_c.loader_lists(kinds)},
        _LOADERS / "c" / "flat.c": {"events": events_text.loader_c(kinds), "ranges": events_c.loader_ranges(kinds)},
        _LOADERS / "cpp" / "flat.hpp": {"events": events_text.loader_cpp(kinds)},
        _LOADERS / "go" / "flat.go": {
            "events": events_text.loader_go(kinds),
            "members": events_text.loader_go_fields(kinds),
        },
        _LOADERS / "java" / "Flat.java": {"events": events_text.loader_java(kinds)},
        _LOADERS / "javascript" / "flat.mjs": {"events": events_text.loader_javascript(kinds)},
        _LOADERS / "python" / "flat.py": {"events": events_text.loader_python(kinds)},
        _LOADERS / "rust" / "src" / "flat.rs": {"events": events_text.loader_rust(kinds)},
        SPEC / "events.md": {"kinds": events_text.page_kinds(kinds), "optional": events_text.page_optional(kinds)},
    }


def event_files(kinds: tuple[Kind, ...]) -> dict[Path, str]:
    """Return the files that are generated as a whole."""
    return {_FLAT_SCHEMA: events_text.flat_schema(kinds, _FLAT_SCHEMA)}
