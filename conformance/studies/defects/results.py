"""Results of all stacks as data, ``python conformance/studies defects.results``: ``results.json`` and a badge for each stack and algorithm.

The source is the report of `make conformance`. ``--check`` compares them with the committed files, except the date.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from firstflight_conformance.adapters.manifest import KINDS, OTHER_VERSION, load_manifests
from firstflight_conformance.format.files import write_whole
from firstflight_conformance.paths import BUILD, CONFORMANCE
from firstflight_conformance.report import badge, json_document
from studies.defects.defects import by_id

RESULTS = CONFORMANCE / "results"
FILE, BADGES = RESULTS / "results.json", RESULTS / "badges"
REPORT = BUILD / "report" / "report.json"
#: Counts of a profile: cases that agree, conform by a choice, deviate (by kind), are not explained, and are refused.
_COUNTS = ("pass", "choice", *KINDS, "not explained", "refused")


def document(report: dict[str, Any]) -> dict[str, Any]:
    """Return the results of a report. Their only time is the date of the judged commit."""
    stacks = [
        _stack(adapter) for adapter in report["adapters"] if adapter["role"] == "third-party" and not adapter["skipped"]
    ]
    return {
        "format": 1,
        "date": (report.get("checkout") or {}).get("date"),
        "vectors_sha256": report["vectors_sha256"],
        "stacks": stacks,
        "defects": [_defect(name, adapters) for name, adapters in by_id(load_manifests()).items()],
    }


def _stack(adapter: dict[str, Any]) -> dict[str, Any]:
    declared = adapter["declaration"] or {"version": None, "algorithms": {}}
    profiles = [
        f"{name}/{profile}" for name, profile_names in declared["algorithms"].items() for profile in profile_names
    ]
    return {
        "name": adapter["name"],
        "title": adapter["title"],
        "language": adapter["language"],
        "version": declared["version"],
        "profiles": [_profile(adapter, profile) for profile in profiles],
    }


def _profile(adapter: dict[str, Any], profile: str) -> dict[str, Any]:
    results = [result for result in adapter["results"] if _profile_of(result["case"]) == profile]
    counts = Counter(_status(result) for result in results)
    explained = [
        deviation
        for deviation in adapter["explained"]
        if any(_profile_of(case) == profile for case in deviation["cases"])
    ]
    return {
        "profile": profile,
        "cases": {name: counts[name] for name in _COUNTS if counts[name]},
        "defects": sorted({deviation["id"] for deviation in explained if deviation.get("id")}),
    }


def _profile_of(case_id: str) -> str:
    name, _, profile = case_id.partition("@")
    return profile if name.startswith("stimulus:") else f"{name.partition('.')[0]}/{profile}"


def _status(result: dict[str, Any]) -> str:
    """Return the count that a result belongs to."""
    if result["verdict"] == "unsupported":
        return "refused"
    if result["verdict"] == "pass" or result["status"] == "choice":
        return str(result["status"] or "pass")
    why = result["explained_by"]
    return str(why["kind"]) if why else "not explained"


def _defect(name: str, adapters: dict[str, Any]) -> dict[str, Any]:
    deviation = next(iter(adapters.values()))[0]
    members = ("level", "section", "where", "summary", "upstream", "searched")
    return {"id": name, "adapters": [*adapters], **{member: getattr(deviation, member) for member in members}}


def text(results: dict[str, Any]) -> str:
    """Return the text of a document, with one stack or defect per line."""
    parts = {name: f"{json.dumps(value)}" for name, value in results.items() if not isinstance(value, list)}
    parts |= {
        name: "[\n  " + ",\n  ".join(map(json.dumps, value)) + "\n ]"
        for name, value in results.items()
        if isinstance(value, list)
    }
    return "{\n " + ",\n ".join(f'"{name}": {value}' for name, value in parts.items()) + "\n}\n"


def badges(results: dict[str, Any]) -> dict[str, str]:
    """Return the badges by file name: one for each stack and algorithm, over its profiles."""
    files = {}
    for stack in results["stacks"]:
        for name in dict.fromkeys(_algorithm(profile) for profile in stack["profiles"]):
            own = [profile for profile in stack["profiles"] if _algorithm(profile) == name]
            files[f"{stack['name']}.{name}.svg"] = badge.svg(_badge(name, own))
    return files


def _algorithm(profile: dict[str, Any]) -> str:
    return str(profile["profile"]).partition("/")[0]


def _badge(algorithm: str, profiles: Iterable[dict[str, Any]]) -> dict[str, Any]:
    counts = Counter[str]()
    defects = set[str]()
    for profile in profiles:
        counts.update(profile["cases"])
        defects |= {*profile["defects"]}
    judged = sum(count for name, count in counts.items() if name != "refused")
    agree = counts["pass"] + counts["choice"]
    message = f"{agree} of {judged} cases"
    if counts[OTHER_VERSION]:
        color, message = "lightgrey", f"{message}, another version"
    elif counts["not explained"]:
        color = "red"
    else:
        color = "brightgreen" if agree == judged else "yellow"
        message += f", {len(defects)} defect{'s' * (len(defects) > 1)}" if defects else ""
    return {"label": f"Firstflight {algorithm}", "message": message, "color": color}


def differences(results: dict[str, Any], committed: dict[str, Any]) -> list[str]:
    """Return the differences from committed results, without the date. Stacks that were not judged here do not count."""
    old, new = ({stack["name"]: stack for stack in content["stacks"]} for content in (committed, results))
    lines = [f"stack {name}" for name in new if new[name] != old.get(name)]
    known = {name for name, manifest in load_manifests().items() if manifest.role == "third-party"}
    lines += [f"stack {name} has no manifest" for name in old if name not in known]
    return lines + [name for name in ("format", "vectors_sha256", "defects") if results[name] != committed[name]]


def main() -> None:
    """Write the files, or compare them and exit with 1 if they differ."""
    results = document(json_document.read(REPORT))
    schema = json.loads((RESULTS / "results.schema.json").read_text("utf-8"))
    Draft202012Validator(schema).validate(json.loads(text(results)))
    if "--check" not in sys.argv:
        _write(results)
        return
    wrong = differences(results, json.loads(FILE.read_text("utf-8")))
    images = badges(results)
    files = {name: BADGES / name for name in images}
    wrong += [f"badge {name}" for name, path in files.items() if not path.exists() or path.read_text() != images[name]]
    if wrong:
        print(f"{RESULTS}: differs from this run; run `make reports`:", *wrong, sep="\n  ", file=sys.stderr)
        raise SystemExit(1)


def _write(results: dict[str, Any]) -> None:
    BADGES.mkdir(parents=True, exist_ok=True)
    images = badges(results)
    for path in set(BADGES.iterdir()) - {BADGES / name for name in images}:
        path.unlink()
    for name, image in images.items():
        write_whole(Path(BADGES / name), image)
    write_whole(FILE, text(results))


if __name__ == "__main__":
    main()
