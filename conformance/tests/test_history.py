"""The history of a stack: its releases are built, judged, stored and reported. These tests use no registry."""

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from firstflight_conformance.adapters.manifest import load_manifest
from firstflight_conformance.cli import main
from firstflight_conformance.paths import ADAPTERS
from firstflight_conformance.records import record_file, results
from pages import history_page
from studies.history import build, checkout, deviations, judging, registry, store
from studies.history.registry import NotBuiltError, Release
from studies.history.stacks import STACKS, Stack, load

TUTORIAL = {"1.9.0": "adapter.py", "1.10.0": "adapter_fixed.py"}
PAST = """[[deviation]]
adapter = "fake"
before = "1.10.0"
kind = "defect"
level = "SHOULD"
where = "on_packet_acked"
section = "RFC 9002, section 7.3.3"
notice = "It grows too fast. After a loss."
explanation = "There is no congestion avoidance."
[deviation.cases]
"slow-start.avoidance.grow" = ["slow-start.*"]

[[trace]]
version = "1.10.0"
text = "Congestion avoidance is there."
source = "the notes of the release"
"""


@pytest.fixture
def listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a list of one stack with two releases: the tutorial's controller before and after its repair."""
    monkeypatch.setattr(judging, "ALGORITHMS", ("slow-start",))
    for version, file in TUTORIAL.items():
        release = tmp_path / "of" / version
        release.mkdir(parents=True)
        text = (ADAPTERS / "tutorial" / file).read_text("utf-8").replace('"0.1"', f'"{version}"')
        (release / "adapter.py").write_text(text, "utf-8")
    path = tmp_path / "stacks.toml"
    path.write_text(
        '[fake]\nregistry = "folder"\npackage = "fake"\nadapters = []\nfolder = "of"\ncommand = ["{python}", "{release}/adapter.py"]\n',
        "utf-8",
    )
    return path


def history(*words: str | Path) -> Result:
    """Run the command."""
    return CliRunner().invoke(main, ["dev", "history", *map(str, words)])


def test_checkout_is_judged_without_storing_results(listed: Path) -> None:
    """A checkout is judged without storing results: failures without a deviation are new, with a cause."""
    done = history("fake", "--stacks", listed, "--source", listed.parent / "of" / "1.9.0")
    assert done.exit_code == 0, done.output
    first, *reported = done.output.splitlines()
    assert first.startswith("fake slow-start/rfc-9002: ") and first.endswith(" cases pass")
    assert reported and all(line.startswith("fake: new: cause ") for line in reported), reported
    assert not (listed.parent / "releases").exists()
    missing = history("fake", "--stacks", listed, "--source", listed.parent / "absent")
    assert missing.exit_code == 2


def test_passing_and_changed_cases_differ_from_the_record() -> None:
    """A recorded case that passes is gone, a case with other numbers is changed; an open choice is neither."""
    manifest = load_manifest(ADAPTERS / "picoquic" / "manifest.toml")
    known = next(deviation for deviation in manifest.deviations if deviation.id == "picoquic-2")
    report = results.AdapterReport(
        manifest,
        results=(
            results.Result(known.case, results.Verdict.PASS, change="recorded: x; now: pass"),
            results.Result(known.case, results.Verdict.FAIL, change="recorded: x; now: y", explained_by=known),
            results.Result(known.case, results.Verdict.FAIL, change="recorded: no divergence; now: y", conforms=True),
            results.Result("slow-start.none@rfc-9002", results.Verdict.FAIL, cause="a cause"),
        ),
    )
    difference_lines = [*checkout.differences(report)]
    assert [line.partition(": ")[0] for line in difference_lines] == ["changed", "gone", "new"]
    assert all(
        "picoquic-2, " in line and f"1 case, such as {known.case}: recorded: x" in line for line in difference_lines[:2]
    )
    assert "cause a cause" in difference_lines[2]


def test_two_releases_are_judged_and_stored(listed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both releases are judged, stored and reported, newest first; stored releases are judged again only on request."""
    done = history("fake", "--stacks", listed)
    assert done.exit_code == 0, done.output
    newest, older, *reported = done.output.splitlines()
    assert newest.startswith("1.10.0 (None): fake slow-start/rfc-9002 ")
    assert older.startswith("1.9.0 (None): fake slow-start/rfc-9002 ")
    assert any(line.startswith("1.10.0: gone, from ") for line in reported), reported
    releases = store.load(listed.parent / "releases" / "fake.json")
    assert [*releases] == ["1.10.0", "1.9.0"]
    passed = {version: release.counts["fake"]["slow-start/rfc-9002"]["pass"] for version, release in releases.items()}
    assert passed["1.9.0"] < passed["1.10.0"]

    def judge_again(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr("studies.history.command.judged", judge_again)
    assert history("fake", "--stacks", listed).exit_code == 0
    assert history("fake", "--stacks", listed, "--kept").output == "\n".join([*reported, ""])
    with pytest.raises(AssertionError):
        raise history("fake", "--stacks", listed, "--again").exception or ValueError


def test_fixed_deviation_is_reported(listed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Command and page show a fixed deviation with the text from the file of the past, and the change links to it."""
    history("fake", "--stacks", listed)
    past = listed.parent / "past" / "fake.toml"
    past.parent.mkdir()
    past.write_text(PAST, "utf-8")
    assert "1.10.0: gone, from " in (output := history("fake", "--stacks", listed, "--kept").output)
    assert "fake: defect: It grows too fast. After a loss." in output
    monkeypatch.setattr(history_page, "load", lambda: load(listed))
    pages = history_page.pages()
    page = pages["history/fake"]
    assert "{ref}`fake <history-fake>`" in pages["history"]
    assert "2: 1.9.0 to 1.10.0" in pages["history"]
    assert "2 releases, 1.9.0 of None to 1.10.0 of None." in page
    assert "- **1.10.0** (None). Congestion avoidance is there. *the notes of the release*\n  - *went*, from " in page
    assert "◐ SHOULD</span> It grows too fast.\n" in page
    anchor = page.partition("(deviation-fake-fake-")[2].partition(")")[0]
    assert (
        f"<deviation-fake-fake-{anchor}>`\n  - ·" in page
    )  # the cell of the older release links to the deviation; the cell of the newer one does not
    assert "There is no congestion avoidance." in page
    past.write_text("[[trace]]\nversion = '1'", "utf-8")
    assert history("fake", "--stacks", listed, "--kept").exit_code == 2


def test_case_judged_in_only_one_release_is_not_a_change() -> None:
    """A case counts only between releases that both have a verdict on it."""
    older = store.Judged("1", None, None, "2026-01-01", "-", "0" * 16, {"a": {}}, {"a": ["x"]})
    newer = replace(older, version="2", unjudged={"a": []})
    row = deviations.Row("a", "defect", "", None, None, True, {"2": ("x", "y"), "1": ("y",)})
    assert row.changes([older, newer]) == []
    assert deviations.coverage([older, newer]) == [("2", "a: 1 case judged for the first time, such as x")]
    assert deviations.coverage([newer, older]) == [("1", "a: 1 case not judged any more, such as x")]
    assert replace(row, cases={"2": ("x", "y")}).changes([older, newer]) == [("2", 0, 1)]
    # The older release agrees up to the first event without a matching function.
    assert row.changes([newer, older]) == [("1", 2, 1)]
    failed = replace(newer, divergences=(store.Divergence("a", "x", {"event": 1}, ()),))
    assert deviations.coverage([failed, older]) == []


def test_failing_release_is_listed_as_not_built(listed: Path) -> None:
    """A release that does not start, and one that reports another version, are listed as not built."""
    (listed.parent / "of" / "1.10.0" / "adapter.py").write_text("raise SystemExit('no more')", "utf-8")
    newer = listed.parent / "of" / "1.11.0"
    shutil.copytree(listed.parent / "of" / "1.9.0", newer)
    done = history("fake", "--stacks", listed)
    assert done.exit_code == 0
    assert "1.11.0 (None): does not build: the adapter answers as 1.9.0, not as 1.11.0" in done.output
    assert "1.10.0 (None): does not build: " in done.output
    assert store.load(listed.parent / "releases" / "fake.json")["1.11.0"].counts == {}


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["quinn"], 2, "quinn: no such stack; did you mean quinn-proto? stacks.toml has aioquic, "),
        (["fake", "--release", "3.0"], 2, "fake: no release 3.0; the last are 1.10.0, 1.9.0"),
        (["fake", "--kept"], 4, "nothing was judged: fake: no release was judged"),
    ],
)
def test_unknown_release_and_empty_result_are_refused(listed: Path, words: list[str], code: int, says: str) -> None:
    """An unknown stack or release is refused; so is an empty result."""
    done = history(*words, *(["--stacks", listed] if words[0] == "fake" else []))
    assert (done.exit_code, says in done.output) == (code, True), done.output


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[fake", "Expected ']'"),
        ("[fake]\nregistry = 'npm'\npackage = 'x'\nadapters = []", "fake.registry: 'npm' is not one of cargo, go, "),
        ("[fake]\nregistry = 'cargo'\nadapters = ['x']", "fake.package: is missing"),
        ("[fake]\nregistry = 'folder'\npackage = 'x'\nadapters = []", "need `folder` and `command`"),
        ("[fake]\nname = 'x'", "no other keys than adapters, "),
    ],
)
def test_a_malformed_list_is_refused(tmp_path: Path, text: str, says: str) -> None:
    """The message contains the file and the place of the error."""
    path = tmp_path / "stacks.toml"
    path.write_text(text, "utf-8")
    done = history("fake", "--stacks", path)
    assert done.exit_code == 2
    assert says in done.output
    assert "stacks.toml" in done.output


@pytest.mark.parametrize(
    "text", ["{", '{"format": 1}', '{"format": 1, "stack": "fake", "releases": [], "divergences": [{}]}']
)
def test_malformed_results_are_refused(listed: Path, text: str) -> None:
    """Stored results that violate the schema are refused."""
    path = listed.parent / "releases" / "fake.json"
    path.parent.mkdir()
    path.write_text(text, "utf-8")
    done = history("fake", "--stacks", listed)
    assert done.exit_code == 2
    assert "fake.json" in done.output


@pytest.mark.parametrize(("stack", "program"), [("quiche", "cargo"), ("quic-go", "go")])
def test_missing_registry_client_keeps_stored_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stack: str, program: str
) -> None:
    """Without client or registry nothing is judged, stored results stay, and no address is printed."""
    before = load()[stack].kept.read_bytes()
    monkeypatch.setenv("PATH", str(tmp_path))
    done = history(stack)
    assert done.exit_code == 4
    assert f"nothing was judged: {stack}: needs the program {program}" in done.output
    (tmp_path / program).write_text(
        "#!/bin/sh\necho 'cannot reach https://registry.example/index' >&2; exit 101", "utf-8"
    )
    (tmp_path / program).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.defpath}")
    done = history(stack)
    assert done.exit_code == 4
    assert "cannot reach (address)" in done.output
    assert load()[stack].kept.read_bytes() == before


def test_versions_are_ordered_as_numbers() -> None:
    """Versions are ordered as numbers; pre-releases are omitted."""
    assert registry.newest_first(["0.9.6", "0.10.5", "v0.10.10", "0.10.6"]) == ["v0.10.10", "0.10.6", "0.10.5", "0.9.6"]


def test_first_error_omits_local_folders(tmp_path: Path) -> None:
    """The error contains the file name and the line, without the folders of this machine."""
    script = f"echo 'warning: x' >&2; echo '{tmp_path}/src/main.c:3:9: error: no such field' >&2; echo 'error: two' >&2; exit 1"
    with pytest.raises(NotBuiltError, match=r"^main\.c:3:9: error: no such field$"):
        build._compiled(["sh", "-c", script], tmp_path)


STORED = [stack for stack in load().values() if stack.kept.exists()]


@pytest.mark.parametrize("stack", load().values(), ids=lambda stack: stack.name)
def test_patches_apply_to_current_adapter(stack: Stack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The patches of all earlier releases apply in order to the current adapter."""
    monkeypatch.setattr(Stack, "work", tmp_path)
    folder = build.copied(stack, Release("0.0.0"))
    changed = {path.relative_to(tmp_path / "adapters") for path in folder.rglob("*") if path.is_file()}
    assert changed
    assert not [*tmp_path.rglob("*.rej"), *tmp_path.rglob("*.orig")]


@pytest.mark.parametrize("stack", STORED, ids=lambda stack: stack.name)
def test_stored_releases_match_the_records(stack: Stack) -> None:
    """Each stack has five judged releases and no stored address; the newest release matches its adapters' records."""
    releases = store.load(stack.kept)
    assert sum(release.not_built is None for release in releases.values()) >= 5
    assert "://" not in stack.kept.read_text("utf-8")
    assert all(release.checksum for release in releases.values())
    deviations.traces(stack)
    newest = next(iter(releases.values()))
    if newest.vectors != judging.vectors_digest():
        pytest.skip("the newest release was judged by other vectors than there are now")
    for name in stack.adapters:
        recorded = record_file.load(ADAPTERS / name / "record.json")
        if (recorded.version or "").lstrip("v") == newest.version.lstrip("v"):
            vectors = {case: entry for case, entry in recorded.cases.items() if not case.startswith("stimulus:")}
            assert {
                divergence.case: divergence.entry for divergence in newest.divergences if divergence.adapter == name
            } == vectors


def test_every_stack_has_a_stored_history() -> None:
    """Each of the six stacks has a stored history."""
    assert (
        {stack.name for stack in STORED}
        == {*load()}
        >= {
            "quiche",
            "quinn-proto",
            "quic-go",
            "ngtcp2",
            "s2n-quic-core",
            "aioquic",
        }
    )
    assert json.loads(store.SCHEMA.read_text("utf-8"))["$id"] == "urn:firstflight:history:1"
    assert STACKS.parent == store.SCHEMA.parent
