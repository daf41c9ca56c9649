"""`results.json` and the badges agree with the manifests, and a change is found."""

import json

from jsonschema import Draft202012Validator

from studies.defects import results
from studies.defects.defects import defects


def test_results_are_those_of_the_manifests() -> None:
    """`results.json` matches its schema and has every defect; each badge is generated from it."""
    kept = json.loads(results.FILE.read_text("utf-8"))
    Draft202012Validator(json.loads((results.RESULTS / "results.schema.json").read_text("utf-8"))).validate(kept)
    assert [one["id"] for one in kept["defects"]] == list(defects())
    assert results.text(kept) == results.FILE.read_text("utf-8")
    shown = results.badges(kept)
    assert {path.name: path.read_text("utf-8") for path in results.BADGES.iterdir()} == shown
    assert {profile for stack in kept["stacks"] for one in stack["profiles"] for profile in one["defects"]} <= {
        *defects()
    }


def test_a_change_of_results_is_found() -> None:
    """Other counts and versions are differences; other dates and stacks that were not judged are not."""
    kept = json.loads(results.FILE.read_text("utf-8"))
    assert results.differences(kept | {"date": "2000-01-01", "stacks": kept["stacks"][1:]}, kept) == []
    changed = kept["stacks"][0] | {"version": "0"}
    assert results.differences(kept | {"stacks": [changed]}, kept) == [f"stack {changed['name']}"]
    assert results.differences(kept | {"defects": []}, kept) == ["defects"]
