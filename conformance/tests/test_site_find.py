"""The page *Find vectors* gives the selections of Python."""

import json
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from firstflight_conformance.commands.compare import different_readings, first_difference
from firstflight_conformance.format.readings import load_tables
from firstflight_conformance.paths import ROOT
from pages import site, vector_files, vector_index

SCRIPT = ROOT / "docs" / "_static" / "find" / "find.js"
NODE = """
globalThis.window = globalThis;
require(process.argv[1]); require(process.argv[2]);
Find.unfold(window.FIRSTFLIGHT_VECTORS);
const wanted = JSON.parse(process.argv[3]);
const found = Find.select(window.FIRSTFLIGHT_VECTORS, wanted);
if (wanted.differences) console.log(JSON.stringify(Find.differences(window.FIRSTFLIGHT_VECTORS, ...wanted.differences)));
else console.log(JSON.stringify({ ids: found.map((vector) => vector.id), files: found.map(Find.fileOf), command: Find.command(wanted, found) }));
"""
node = pytest.mark.skipif(shutil.which("node") is None, reason="needs node")


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("find")
    vector_index.write_index(SimpleNamespace(builder=SimpleNamespace(name="html"), outdir=folder), None)  # type: ignore[arg-type]
    return folder / "_static" / "find" / "index.js"


def selected(written: Path, **filters: Any) -> Any:
    command = ("node", "-e", NODE, str(written), str(SCRIPT), json.dumps(filters))
    return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)


def test_index_compares_profiles_by_windows(written: Path) -> None:
    """Profiles are compared by windows: a difference in outcome or state alone does not count."""
    index = json.loads(written.read_text("utf-8").partition("= ")[2].rstrip(";\n"))
    several = [vector for vector in site.vectors() if len(vector.profiles) > 1 and vector.algorithm == "careful-resume"]
    listed = {entry["id"]: entry for entry in index["vectors"]}
    assert len(several) > 20
    for vector in several:
        first, second = list(vector.profiles)[:2]
        difference = first_difference(vector, first, second)
        numbers = [case.split(",") for case in listed[vector.id]["cases"].split(" ")]
        answers = {index["profiles"][int(name)]: int(answer) for name, _, answer in numbers}
        pair = {answers[first], answers[second]}
        same = len(pair) == 1 or any(pair == set(alike) for alike in listed[vector.id].get("same", []))
        assert same == (difference is None or not difference.in_windows), vector.id


@node
def test_page_selection_equals_python_selection(written: Path) -> None:
    selection = selected(written, algorithm="search", profile="draft-09", clause="search.threshold.reached")
    expected = [
        vector.id
        for vector in site.vectors()
        if vector.algorithm == "search"
        and "draft-09" in vector.profiles
        and "search.threshold.reached" in vector.profiles["draft-09"].clauses
    ]
    assert selection["ids"] == expected
    assert expected
    assert selection["files"] == [vector_files.file_of(site.vectors_by_id()[name].path) for name in expected]


@node
def test_selection_by_flag_tier_level_and_words(written: Path) -> None:
    selection = selected(written, flag="ce", tier="gold", level="MUST", words="ce once")
    expected = [
        vector.id
        for vector in site.vectors()
        if {"ce"} <= set(vector.flags)
        and vector.tier == "gold"
        and all(word in f"{vector.id} {vector.title}".lower() for word in ("ce", "once"))
        and any(site.clauses()[name].level == "MUST" for case in vector.profiles.values() for name in case.clauses)
    ]
    assert selection["ids"] == expected
    assert expected


@node
@pytest.mark.parametrize(
    ("filters", "command"),
    [
        ({"algorithm": "cubic", "tier": "gold"}, 'firstflight run --adapter "COMMAND" --algorithm cubic --tier gold'),
        ({"words": "search.path.long"}, 'firstflight run --adapter "COMMAND" --id search.path.long'),
        (
            {"words": "search"},
            'firstflight run --adapter "COMMAND" $(jq -r \'.vectors[] | "--id=" + .id\' vectors.json)',
        ),
    ],
)
def test_the_command_of_a_selection(written: Path, filters: dict[str, str], command: str) -> None:
    assert selected(written, **filters)["command"] == command


@node
def test_differing_readings_match_compare(written: Path) -> None:
    pair = ("draft-09", "neqo-2026+cubic")
    expected = different_readings("search", pair)
    differences = selected(written, differences=["search", *pair])
    assert [name for name, *_ in differences] == list(expected)
    assert differences[0] == ["base", "On which base controller does it run?", "newreno", "cubic"]
    meanings = {reading.name: reading.choices for reading in load_tables()["search"].readings}
    name, question, first, second = differences[1]
    assert question.endswith("?")
    assert [first, second] == [meanings[name].get(str(value), str(value)) for value in expected[name]]
