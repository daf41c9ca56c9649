"""A defect in words: its report, and a text for an issue."""

from collections.abc import Iterator
from typing import Any

from firstflight_conformance.report.play import play_address
from studies.defects.defects import Defect

#: Words of such a text at most, without the events; effects that do not fit are left to the report.
_WORDS = 200
_LEVELS = {"definition": "stated without a keyword"}
_NAMES = {"cwnd_bytes": "the congestion window", "ssthresh_bytes": "ssthresh"}


def report(defect: Defect) -> str:
    """Return the report of a defect as Markdown: the facts, and the text for an issue with the events."""
    lines = "\n".join(f"- {name}: {text}" for name, text in facts(defect))
    return f"# {defect.id}: {defect.deviation.summary}\n\n{lines}\n\n## Text for an issue\n\n{issue(defect)}"


def facts(defect: Defect) -> list[tuple[str, str]]:
    """Return the facts of a defect, each with its name."""
    told = defect.deviation
    return [
        ("Version", defect.measured["version"]),
        ("Place", told.where or ""),
        ("Rule", f"{told.section} ({level(defect)}): {told.rule}"),
        *([("Observed", values(defect))] if defect.measured["events"] else []),
        ("Effect", told.notice or ""),
        *([("On a path", effect)] if (effect := on_path(defect)) else []),
        ("Upstream", f"{told.upstream} (searched {told.searched})"),
        ("Cases", f"{len(defect.cases)} of {', '.join(defect.adapters)}"),
        ("Reproduce", reproduce(defect)),
        *([("Watch it start", watch)] if (watch := watch_address(defect)) else []),
        *([("Repair", told.repair)] if told.repair else []),
    ]


def issue(defect: Defect) -> str:
    """Return the text to paste into an issue, as Markdown. Its events are code; the rest has at most 200 words."""
    told = defect.deviation
    blocks = [
        f"**{told.summary}**",
        f"Seen in {defect.measured['version']}, {told.where}.",
        f"{told.section} ({level(defect)}): {told.rule}",
        told.explanation,
        *_reproduction(defect),
        *([f"Repair that was tried: {told.repair}."] if told.repair else []),
        f"Found with Firstflight, defect {defect.id}.",
    ]
    for effect in (told.notice, on_path(defect)):
        if effect and _words([*blocks, effect]) <= _WORDS:
            blocks.insert(-1, effect)
    return "\n\n".join(blocks) + "\n"


def _words(blocks: list[str]) -> int:
    return sum(len(block.split()) for block in blocks if not block.startswith("```"))


def level(defect: Defect) -> str:
    """Return how binding the rule is."""
    given = defect.deviation.level or ""
    return _LEVELS.get(given, given)


def _reproduction(defect: Defect) -> Iterator[str]:
    """Yield the events with the configuration, and the values after the last one."""
    measured = defect.measured
    events = measured["events"]
    if not events:
        yield f"To reproduce it: `{reproduce(defect)}`."
        return
    window = measured["initial_window_bytes"]
    begins = f"an initial window of {window} bytes" if window else "the initial window of the stack"
    yield f"Events, with datagrams of {measured['datagram_bytes']} bytes and {begins}:"
    yield "```text\n" + "\n".join(events) + "\n```"
    yield f"After the last event {values(defect)}."


def values(defect: Defect) -> str:
    """Return the expected and the observed values in words."""
    return "; ".join(
        f"{_NAMES.get(name, name)} is {_value(observed)}, expected {_value(expected)}"
        for name, (expected, observed) in defect.differences.items()
    )


def _value(value: Any) -> str:
    return "infinite" if value is None else f"{value} bytes" if isinstance(value, int) else str(value)


def on_path(defect: Defect) -> str:
    """Return the effect on the path in bytes, milliseconds and losses, compared with the model of the text; empty without a path."""
    path = defect.measured.get("path")
    if path is None:
        return ""
    stack, model = path["stack"], path["model"]
    counts = []
    if stack["acked"] != model["acked"]:
        counts.append(
            f"after {path['until_ms']} ms {stack['acked']} bytes are acknowledged in place of {model['acked']}"
        )
    if stack["complete_ms"] != model["complete_ms"] and None not in (stack["complete_ms"], model["complete_ms"]):
        counts.append(f"the transfer takes {stack['complete_ms']} ms in place of {model['complete_ms']}")
    if stack["lost"] != model["lost"]:
        counts.append(f"{stack['lost']} packets are lost in place of {model['lost']}")
    if stack["largest"] != model["largest"]:
        counts.append(f"the largest window is {stack['largest']} bytes in place of {model['largest']}")
    title = path["title"].rstrip(".")
    return f"Simulated path ({title[0].lower()}{title[1:]}): the runs differ from {path['first_ms']} ms on; {'; '.join(counts)}."


def reproduce(defect: Defect) -> str:
    """Return the command that judges the stack on the case."""
    loop = " --closed-loop" if defect.measured["case"].startswith("stimulus:") else ""
    return f"firstflight run --adapter {defect.adapters[0]}{loop} --id '{defect.measured['case']}'"


def watch_address(defect: Defect) -> str:
    """Return where the site plays the case up to the difference, empty for a case of the closed loop."""
    vector_id, _, profile = defect.measured["case"].partition("@")
    return "" if vector_id.startswith("stimulus:") else play_address(vector_id, profile)
