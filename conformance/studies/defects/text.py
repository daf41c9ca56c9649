"""Writes the report of a defect, and a text for an issue."""

import re
from collections.abc import Iterator
from typing import Any

from firstflight_conformance.report.play import play_address
from studies.defects.defects import Defect
from studies.defects.streams import STREAMS

#: Most words of an issue, without the events. Effects beyond the limit are only in the report.
_WORDS = 200
_LEVELS = {"definition": "no RFC 2119 keyword"}
_INTRODUCTION = "Events passed directly to the congestion controller, without a connection or loss detection."
#: The adapters of gVisor drive a real endpoint.
_ENDPOINT = "A TCP endpoint of netstack after the handshake; the test writes the data and sends the ACKs."
_REDUCED = (
    "The events are reduced for the controller; loss detection on a connection would not produce this exact sequence."
)
#: Algorithms in the declared names of adapters, and their names in titles.
_ALGORITHMS = {"reno": "Reno", "newreno": "NewReno", "cubic": "CUBIC", "hystart++": "HyStart++", "bbr": "BBR"}
#: The version that Go gives a commit without a tag, with its date.
_PSEUDO = re.compile(r"v0\.0\.0-(\d{4})(\d\d)(\d\d)\d{6}")
#: An issue or a change upstream. Without a project it belongs to the project of the previous one.
_NUMBER = re.compile(r"(?:[\w.-]+/[\w.-]+)?#\d+")
_NAMES = {"cwnd_bytes": "the congestion window", "ssthresh_bytes": "ssthresh"}


def report(defect: Defect) -> str:
    """Return the report of a defect as Markdown: the facts, and the text for an issue with the events."""
    lines = "\n".join(f"- {name}: {text}" for name, text in facts(defect))
    return f"# {defect.id}: {defect.deviation.summary}\n\n{lines}\n\n## {heading(defect)}\n\n{issue(defect)}"


def heading(defect: Defect) -> str:
    """Return the title of the text: a comment on the issue of a known or repaired defect, or a new issue."""
    known = _known(defect)
    return f"Text for a comment on {known}" if known else "Text for an issue"


def _known(defect: Defect) -> str:
    """Return the first issue or change upstream that describes or repairs the defect; empty for unknown defects."""
    upstream = defect.deviation.upstream or ""
    number = _NUMBER.search(upstream) if upstream.startswith(("known", "fixed in")) else None
    return number[0] if number else ""


def version(defect: Defect) -> str:
    """Return product and version, with the algorithms of the case."""
    *words, number = defect.measured["version"].replace(",", "").split()
    algorithms = {word: _ALGORITHMS[word.lower()] for word in words if word.lower() in _ALGORITHMS}
    product = " ".join(word for word in words if word not in algorithms)
    if pseudo := _PSEUDO.fullmatch(number):
        number = f"at the commit of {'-'.join(pseudo.groups())}, Go pseudo-version {number}"
    algorithm, profile = _profile(defect)
    suffixes = (name.rpartition("-")[2] for name in defect.adapters[1:])
    names = list(
        dict.fromkeys([*algorithms.values(), *(_ALGORITHMS[suffix] for suffix in suffixes if suffix in _ALGORITHMS)])
    )
    if "HyStart++" in names and algorithm != "hystartpp":
        names.remove("HyStart++")
    if "cubic" in (algorithm, profile.rpartition("+")[2]) and not names:
        names = ["CUBIC"]
    return f"{product} {number} ({' and '.join(names)})" if names else f"{product} {number}"


def _profile(defect: Defect) -> tuple[str, str]:
    """Return the algorithm and the profile of the case."""
    name, _, profile = defect.measured["case"].partition("@")
    if name.startswith("stimulus:"):
        algorithm, _, profile = profile.partition("/")
        return algorithm, profile
    return name.partition(".")[0], profile


def facts(defect: Defect) -> list[tuple[str, str]]:
    """Return the facts of a defect, each with its name."""
    deviation = defect.deviation
    return [
        ("Version", version(defect)),
        ("Place", deviation.where or ""),
        ("Rule", f"{deviation.section} ({level(defect)}): {deviation.rule}"),
        *([("Observed", values(defect))] if defect.measured["events"] else []),
        *([("Arithmetic", arithmetic)] if (arithmetic := deviation.arithmetic) else []),
        ("Effect", deviation.notice or ""),
        *([("On a path", effect)] if (effect := on_path(defect)) else []),
        ("Upstream", f"{deviation.upstream} (searched {deviation.searched})"),
        ("Cases", f"{len(defect.cases)} of {', '.join(defect.adapters)}"),
        (_command(defect), reproduce(defect)),
        *([("Watch it start", watch)] if (watch := watch_address(defect)) else []),
        *([("Repair", deviation.repair)] if deviation.repair else []),
    ]


def issue(defect: Defect) -> str:
    """Return the text to paste into an issue, as Markdown. Its events are code; the rest has at most 200 words."""
    deviation, known = defect.deviation, _known(defect)
    before = [
        _confirmation(defect, known) if known else f"**{deviation.summary}**",
        f"Seen in {version(defect)}, {deviation.where}.",
        f"{deviation.section} ({level(defect)}): {deviation.rule}",
        deviation.explanation,
        *_reproduction(defect),
    ]
    after = _after(defect, _search(defect))
    expected, notice = f"Expected: {deviation.arithmetic}", deviation.notice or ""
    if deviation.arithmetic and _words([*before, expected, notice, *after]) <= _WORDS:
        before.append(expected)
    for effect in (notice, on_path(defect)):
        if effect and _words([*before, effect, *after]) <= _WORDS:
            before.append(effect)
    longer = _after(defect, _search_in_words(defect))
    return "\n\n".join([*before, *(longer if _words([*before, *longer]) <= _WORDS else after)]) + "\n"


def _after(defect: Defect, search: str) -> list[str]:
    """Return the paragraphs after the effects. The search result is only for defects that are unknown upstream."""
    repair = defect.deviation.repair
    return [
        *([f"We tried this change: {repair} Our unit test then passes."] if repair else []),
        *([search] if not _known(defect) else []),
        f"Found with Firstflight, defect {defect.id}. {_command(defect)}: `{reproduce(defect)}`",
    ]


def _command(defect: Defect) -> str:
    """Return the label of the command. Hand-made events are shorter than the case that the command runs."""
    return "Similar" if defect.id in STREAMS else "Reproduce"


def _confirmation(defect: Defect, known: str) -> str:
    """Return the first sentence of a comment. Only cases with an initial window have events in their text."""
    measured = defect.measured
    has_events = measured["events"] and measured["initial_window_bytes"] is not None
    number = known.partition("#")[2]
    if (defect.deviation.upstream or "").startswith("fixed in"):
        return f"#{number} repairs this on main; {version(defect)} still has it. This example may help with a backport."
    smallest = ", with the smallest events that we found" if has_events else ""
    return f"Confirms #{number} in {version(defect)}{smallest}."


def _search(defect: Defect) -> str:
    """Return the result of the search upstream, only with issue numbers."""
    related = _NUMBER.findall(defect.deviation.upstream or "")
    if related:
        return f"Related: {' and '.join(related)}."
    return f"We found no earlier report (searched {defect.deviation.searched})."


def _search_in_words(defect: Defect) -> str:
    """Return the result of the search upstream, with the relation of the found issues."""
    related = (defect.deviation.upstream or "").partition("; ")[2]
    return f"Related: {related}." if related else _search(defect)


def _words(blocks: list[str]) -> int:
    return sum(len(block.split()) for block in blocks if not block.startswith("```"))


def level(defect: Defect) -> str:
    """Return the level of the rule: the keyword of the text."""
    keyword = defect.deviation.keyword or defect.deviation.level or ""
    return _LEVELS.get(keyword, keyword)


def _reproduction(defect: Defect) -> Iterator[str]:
    """Yield the events with the configuration, and the values after the last one."""
    measured = defect.measured
    events = measured["events"]
    if not events:
        yield "The command below shows it in the closed loop of a path simulator."
        return
    datagram, window = measured["datagram_bytes"], measured["initial_window_bytes"]
    if window is None:
        yield f"At the start, with {_unit(defect)} of at most {datagram} bytes, {values(defect)}."
        return
    reduced = f" {_REDUCED}" if measured["broken"] else ""
    numbers = f"{_unit(defect).capitalize()} have at most {datagram} bytes, the initial window is {window} bytes:"
    introduction = _ENDPOINT if _is_tcp(defect) else _INTRODUCTION
    yield f"{introduction}{reduced} {numbers}"
    yield "```text\n" + "\n".join(events) + "\n```"
    yield f"After the last event {values(defect)}."


def _is_tcp(defect: Defect) -> bool:
    return defect.id.startswith("gvisor-")


def _unit(defect: Defect) -> str:
    return "segments" if _is_tcp(defect) else "datagrams"


def values(defect: Defect) -> str:
    """Return the expected and the observed values in words."""
    return "; ".join(
        f"{_NAMES.get(name, name)} is {_value(observed)}, expected {_value(expected)}"
        for name, (expected, observed) in defect.differences.items()
    )


def _value(value: Any) -> str:
    return "infinite" if value is None else f"{value} bytes" if isinstance(value, int) else str(value)


def on_path(defect: Defect) -> str:
    """Return the effect on the path, compared with the model of the text; empty without a path, or if only windows differ."""
    path = defect.measured.get("path")
    if path is None:
        return ""
    stack, model = path["stack"], path["model"]
    counts = []
    if stack["acked"] != model["acked"]:
        counts.append(f"after {path['until_ms']} ms {stack['acked']} bytes are acknowledged, expected {model['acked']}")
    if stack["complete_ms"] != model["complete_ms"] and None not in (stack["complete_ms"], model["complete_ms"]):
        counts.append(f"the transfer takes {stack['complete_ms']} ms, expected {model['complete_ms']}")
    if stack["lost"] != model["lost"]:
        counts.append(f"{stack['lost']} packets are lost, expected {model['lost']}")
    if not counts:
        return ""
    if stack["largest"] != model["largest"]:
        counts.append(f"the largest window is {stack['largest']} bytes, expected {model['largest']}")
    if not stack["lost"] and not model["lost"]:
        counts.append("no packet is lost in either run")
    title = path["title"].rstrip(".")
    return f"Simulated path ({title[0].lower()}{title[1:]}): the runs differ from {path['first_ms']} ms on; {'; '.join(counts)}."


def reproduce(defect: Defect) -> str:
    """Return the command that judges the stack on the case."""
    loop = " --closed-loop" if defect.measured["case"].startswith("stimulus:") else ""
    return f"firstflight run --adapter {defect.adapters[0]}{loop} --id '{defect.measured['case']}'"


def watch_address(defect: Defect) -> str:
    """Return the address of the site that plays the case up to the difference; empty for closed-loop cases."""
    vector_id, _, profile = defect.measured["case"].partition("@")
    return "" if vector_id.startswith("stimulus:") else play_address(vector_id, profile)
