"""`results.json` and the badges agree with the manifests, and a change is found."""

import json

from jsonschema import Draft202012Validator

from studies.defects import results
from studies.defects.defects import defects


def test_results_contain_every_defect() -> None:
    """`results.json` matches its schema and has every defect; each badge is generated from it."""
    committed = json.loads(results.FILE.read_text("utf-8"))
    Draft202012Validator(json.loads((results.RESULTS / "results.schema.json").read_text("utf-8"))).validate(committed)
    assert [defect["id"] for defect in committed["defects"]] == list(defects())
    assert results.text(committed) == results.FILE.read_text("utf-8")
    badges = results.badges(committed)
    assert {path.name: path.read_text("utf-8") for path in results.BADGES.iterdir()} == badges
    assert {
        profile
        for stack in committed["stacks"]
        for profile_row in stack["profiles"]
        for profile in profile_row["defects"]
    } <= {*defects()}


def test_only_counts_and_versions_are_differences() -> None:
    """Other counts and versions are differences; other dates and stacks that were not judged are not."""
    committed = json.loads(results.FILE.read_text("utf-8"))
    assert results.differences(committed | {"date": "2000-01-01", "stacks": committed["stacks"][1:]}, committed) == []
    changed = committed["stacks"][0] | {"version": "0"}
    assert results.differences(committed | {"stacks": [changed]}, committed) == [f"stack {changed['name']}"]
    assert results.differences(committed | {"defects": []}, committed) == ["defects"]
