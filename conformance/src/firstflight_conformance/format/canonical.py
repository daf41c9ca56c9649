"""The canonical text of a vector, so that regeneration gives the same bytes."""

import json
from typing import Any


def vector_text(vector: dict[str, Any]) -> str:
    """Return the canonical text of a vector: one event or expectation per line."""
    lines = ["{"]
    lines += [f"  {_text(key)}: {_text(value)}," for key, value in vector.items() if key not in ("events", "profiles")]
    lines += ['  "events": [', *_items(vector["events"], 4), "  ],", '  "profiles": {']
    for number, (name, profile) in enumerate(vector["profiles"].items(), 1):
        lines += [
            f"    {_text(name)}: {{",
            f'      "judged_events": {profile["judged_events"]},',
            f'      "clauses": {_text(profile["clauses"])},',
            '      "expect": [',
            *_items(profile["expect"], 8),
            "      ]",
            "    }" if number == len(vector["profiles"]) else "    },",
        ]
    return "\n".join([*lines, "  }", "}", ""])


def _items(items: list[Any], indent: int) -> list[str]:
    return [" " * indent + _text(item) + ("," if number < len(items) else "") for number, item in enumerate(items, 1)]


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
