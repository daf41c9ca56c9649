"""The deviations in the manifest of a stack: each has a kind; a defect has a place, a section and an effect."""

import json
from pathlib import Path

import pytest

from firstflight_conformance.adapters.manifest import (
    KINDS,
    OTHER_VERSION,
    ManifestError,
    load_manifest,
    load_manifests,
)
from firstflight_conformance.paths import ADAPTERS

HEAD = (
    'name = "x"\ntitle = "x"\nlanguage = "x"\nrole = "third-party"\ncommand = ["x"]\n'
    'supplied_before_start = "Nothing."\n[[deviation]]\n'
)
DEFECT = {
    "kind": "defect",
    "id": "x-grow",
    "level": "MUST",
    "where": "x.c, f",
    "section": "RFC 9002, section 7",
    "notice": "It is slow.",
}
CASES = '[deviation.cases]\n"slow-start.grow" = ["a.*", "b.*"]\n'
PROFILES = 'profiles = ["bbr/draft-06"]\n'


def load(tmp_path: Path, members: dict[str, str], cases: str = CASES) -> str:
    """Load a manifest with one deviation; return the error message, or an empty string."""
    lines = [f'{name} = "{value}"' for name, value in ({"explanation": "does so"} | members).items()]
    path = tmp_path / "manifest.toml"
    path.write_text(HEAD + "\n".join(lines) + "\n" + cases, encoding="utf-8")
    try:
        load_manifest(path)
    except ManifestError as error:
        return str(error).removeprefix(f"{path}: ")
    return ""


def test_entry_gives_one_deviation_per_case(tmp_path: Path) -> None:
    """An entry gives one deviation per case, each with its clause and all members of the entry."""
    assert load(tmp_path, DEFECT, CASES + '"slow-start.begin" = ["c"]\n') == ""
    deviations = load_manifest(tmp_path / "manifest.toml").deviations
    assert [(deviation.case, deviation.clause) for deviation in deviations] == [
        ("a.*", "slow-start.grow"), ("b.*", "slow-start.grow"), ("c", "slow-start.begin"),
    ]  # fmt: skip
    assert {(deviation.kind, deviation.level, deviation.notice) for deviation in deviations} == {
        ("defect", "MUST", "It is slow.")
    }


@pytest.mark.parametrize("kind", KINDS[1:])
def test_place_and_section_are_required_only_for_defects(tmp_path: Path, kind: str) -> None:
    """Deviations other than defects need neither a place nor a section."""
    assert load(tmp_path, {"kind": kind}, PROFILES if kind == OTHER_VERSION else CASES) == ""


def test_other_version_entry_matches_cases_of_its_profiles(tmp_path: Path) -> None:
    """An entry has profiles in place of cases, matches their vectors and paths, and needs no clause."""
    assert load(tmp_path, {"kind": OTHER_VERSION}, PROFILES) == ""
    deviations = load_manifest(tmp_path / "manifest.toml").deviations
    for case, explained in (
        ("bbr.drain.losses@draft-06", True),
        ("stimulus:deep-queue@bbr/draft-06", True),
        ("bbr.linux-v3.startup@linux-v3", False),
        ("stimulus:deep-queue@bbr/linux-v3", False),
        ("slow-start.grow.one@draft-06", False),
    ):
        assert any(deviation.explains(case, ("bbr.drain",)) for deviation in deviations) == explained, case


@pytest.mark.parametrize(
    ("members", "cases", "message"),
    [
        (
            {},
            CASES,
            "deviation[0].kind: is missing; choose one of defect, literal, by design, other-version, open, precision",
        ),
        (
            {"kind": "by-design"},
            CASES,
            "deviation[0].kind: 'by-design' is not one of defect, literal, by design, other-version, open, precision; did you mean 'by design'?",
        ),
        (
            {"kind": "allowed"},
            CASES,
            "deviation[0].kind: 'allowed' is not one of defect, literal, by design, other-version, open, precision",
        ),
        ({"kind": "open", "level": "MAY"}, CASES, "deviation[0].level: 'MAY' is not one of MUST, SHOULD, definition"),
        ({"kind": "open", "remedy": "x"}, CASES, "deviation[0].remedy: unknown key"),
        ({"kind": OTHER_VERSION}, "", "deviation[0].profiles: must be a list of strings"),
        ({"kind": OTHER_VERSION}, PROFILES + CASES, "deviation[0].cases: unknown key"),
        ({"kind": OTHER_VERSION, "level": "MUST"}, PROFILES, "deviation[0].level: unknown key"),
        ({"kind": OTHER_VERSION}, "profiles = []", "deviation[0].profiles: is empty"),
        (
            {"kind": OTHER_VERSION},
            'profiles = ["draft-06"]',
            "deviation[0].profiles: expected ALGORITHM/PROFILE, got 'draft-06'",
        ),
        ({"kind": "open"}, PROFILES + CASES, "deviation[0].profiles: unknown key"),
        ({"kind": "open"}, "cases = []", "deviation[0].cases: needs a table of lists of cases by clause"),
        ({"kind": "open"}, "[deviation.cases]\n", "deviation[0].cases: needs a table of lists of cases by clause"),
        (
            {"kind": "open"},
            '[deviation.cases]\n"slow-start.grows" = ["a"]\n',
            "deviation[0].cases.slow-start.grows: unknown clause 'slow-start.grows'; did you mean 'slow-start.grow'?",
        ),
        (
            {"kind": "open"},
            '[deviation.cases]\n"slow-start.grow" = "a"\n',
            "deviation[0].cases.slow-start.grow: must be a list of strings",
        ),
    ],
)
def test_error_messages_contain_key_and_allowed_values(
    tmp_path: Path, members: dict[str, str], cases: str, message: str
) -> None:
    """The error message contains the key, the error and the allowed values."""
    assert load(tmp_path, members, cases) == message


@pytest.mark.parametrize("omitted", ["id", "level", "where", "section", "notice"])
def test_defect_with_missing_member_is_refused(tmp_path: Path, omitted: str) -> None:
    """A defect needs an id, level, place, section and effect for a user."""
    members = {name: value for name, value in DEFECT.items() if name != omitted}
    assert load(tmp_path, members) == f"deviation[0].{omitted}: must be a non-empty string"


def test_level_must_match_the_kind_of_deviation() -> None:
    """Only a defect has the level of a rule; an open choice has the level of an open point."""
    for manifest in load_manifests().values():
        for deviation in manifest.deviations:
            level = deviation.level_of("MUST")
            assert (level in ("MUST", "SHOULD", "definition")) == (deviation.kind == "defect"), deviation
            assert (level == "open point") == (deviation.kind == "open"), deviation


def test_each_explanation_has_one_kind() -> None:
    """No explanation of a stack has two kinds, because a page groups deviations by explanation."""
    for manifest in load_manifests().values():
        kinds = {(deviation.explanation, deviation.kind) for deviation in manifest.deviations}
        assert len(kinds) == len({explanation for explanation, _ in kinds}), manifest.name


def test_shared_defect_id_means_equal_entries() -> None:
    """Adapters share an id only for the same code: place, section, level, effect and explanation are equal."""
    descriptions_by_id: dict[str, set[tuple[str | None, ...]]] = {}
    for manifest in load_manifests().values():
        for deviation in manifest.deviations:
            if deviation.id is not None:
                description = (
                    deviation.kind,
                    deviation.level,
                    deviation.where,
                    deviation.section,
                    deviation.notice,
                    deviation.explanation,
                )
                descriptions_by_id.setdefault(deviation.id, set()).add(description)
    assert {name: descriptions for name, descriptions in descriptions_by_id.items() if len(descriptions) > 1} == {}
    explained = {description for group in descriptions_by_id.values() for description in group}
    assert len(explained) == len(descriptions_by_id)


def test_defects_of_a_stack_have_different_effects() -> None:
    """Two defects of a stack have different effects; otherwise one line of code would be counted twice."""
    noticed: dict[tuple[str, str | None], set[str | None]] = {}
    for manifest in load_manifests().values():
        for deviation in manifest.deviations:
            if deviation.kind == "defect":
                stack = str(deviation.id).partition("-")[0]
                noticed.setdefault((stack, deviation.notice), set()).add(deviation.id)
    assert {key: ids for key, ids in noticed.items() if len(ids) > 1} == {}


def test_defects_cite_texts_of_their_transport() -> None:
    """Defects of TCP stacks cite texts on TCP, and no QUIC stack has a defect against a text on TCP alone."""
    for manifest in load_manifests().values():
        is_tcp = "TCP" in manifest.title
        foreign = ("RFC 9000", "RFC 9002") if is_tcp else ("RFC 5681", "RFC 6928", "RFC 7661")
        for deviation in manifest.deviations:
            if deviation.kind == "defect":
                assert not any(name in (deviation.section or "") for name in foreign), deviation


def test_each_defect_is_complete() -> None:
    """Each defect has id, place, section, effect and recorded case; its record has a version; an id has one place."""
    places: dict[str, str] = {}
    for name, manifest in load_manifests().items():
        defects = [deviation for deviation in manifest.deviations if deviation.kind == "defect"]
        if not defects:
            continue
        record = json.loads((ADAPTERS / name / "record.json").read_text("utf-8"))
        assert record["version"] and manifest.supplied_before_start, name
        for defect_id in {deviation.id for deviation in defects}:
            entries = [deviation for deviation in defects if deviation.id == defect_id]
            assert defect_id is not None, name
            assert all(
                deviation.where and deviation.section and deviation.notice and deviation.level for deviation in entries
            ), defect_id
            assert len({deviation.where for deviation in entries}) == 1, defect_id
            assert places.setdefault(defect_id, entries[0].where or "") == entries[0].where, defect_id
            assert any(deviation.matches(case) for deviation in entries for case in record["cases"]), defect_id
    assert len(places) > 30


def test_adapter_manifests_list_supplied_state(tmp_path: Path) -> None:
    """The manifest of a third-party adapter lists the state that the adapter supplies in place of the handshake."""
    stacks = [manifest for manifest in load_manifests().values() if manifest.role == "third-party"]
    assert all(manifest.supplied_before_start for manifest in stacks)
    path = tmp_path / "manifest.toml"
    path.write_text(HEAD.replace('supplied_before_start = "Nothing."\n[[deviation]]\n', ""), encoding="utf-8")
    with pytest.raises(ManifestError, match="supplied_before_start"):
        load_manifest(path)


def test_initial_rtt_of_adapter_is_not_a_defect() -> None:
    """A connection has the RTT of its handshake before it processes the first ACK of application data."""
    for manifest in load_manifests().values():
        for deviation in manifest.deviations:
            assert "349 ms" not in (deviation.notice or ""), manifest.name


def test_entries_on_the_cap_cite_the_ratelimited_draft() -> None:
    """Entries on the cap in msquic and s2n-quic cite draft-ietf-ccwg-ratelimited-increase, which requires it."""
    for name in ("msquic", "s2n-quic-core", "s2n-quic-core-hystartpp"):
        explanations = {
            deviation.explanation
            for deviation in load_manifests()[name].deviations
            if "highest flight" in deviation.explanation
        }
        assert explanations, name
        assert all("draft-ietf-ccwg-ratelimited-increase" in text for text in explanations), name
        assert not any("half of the window may stay unused (SHOULD NOT)" in text for text in explanations), name
