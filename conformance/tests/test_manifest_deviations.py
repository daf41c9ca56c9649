"""What a manifest says of the deviations of a stack: each has a kind, and a defect its place, its sentence and what a user notices."""

from pathlib import Path

import pytest

from firstflight_conformance.run.manifest import KINDS, OTHER_VERSION, ManifestError, load_manifest, load_manifests

HEAD = 'name = "x"\ntitle = "x"\nlanguage = "x"\nrole = "third-party"\ncommand = ["x"]\n[[deviation]]\n'
DEFECT = {
    "kind": "defect",
    "level": "MUST",
    "where": "x.c, f",
    "section": "RFC 9002, section 7",
    "notice": "It is slow.",
}
CASES = '[deviation.cases]\n"slow-start.grow" = ["a.*", "b.*"]\n'
PROFILES = 'profiles = ["bbr/draft-06"]\n'


def load(tmp_path: Path, members: dict[str, str], cases: str = CASES) -> str:
    """Return the message with which a manifest with one deviation is refused, none if it is not."""
    lines = [f'{name} = "{value}"' for name, value in ({"explanation": "does so"} | members).items()]
    path = tmp_path / "manifest.toml"
    path.write_text(HEAD + "\n".join(lines) + "\n" + cases, encoding="utf-8")
    try:
        load_manifest(path)
    except ManifestError as error:
        return str(error).removeprefix(f"{path}: ")
    return ""


def test_one_entry_is_one_cause(tmp_path: Path) -> None:
    """It has as many deviations as cases, with the clause of each and all that is told of the cause."""
    assert load(tmp_path, DEFECT, CASES + '"slow-start.begin" = ["c"]\n') == ""
    deviations = load_manifest(tmp_path / "manifest.toml").deviations
    assert [(one.case, one.clause) for one in deviations] == [
        ("a.*", "slow-start.grow"), ("b.*", "slow-start.grow"), ("c", "slow-start.begin"),
    ]  # fmt: skip
    assert {(one.kind, one.level, one.notice) for one in deviations} == {("defect", "MUST", "It is slow.")}


@pytest.mark.parametrize("kind", KINDS[1:])
def test_other_kinds_need_no_more(tmp_path: Path, kind: str) -> None:
    """What is no defect has no place to mend."""
    assert load(tmp_path, {"kind": kind}, PROFILES if kind == OTHER_VERSION else CASES) == ""


def test_another_version_explains_a_profile_at_any_rule(tmp_path: Path) -> None:
    """An entry has profiles in place of cases, matches their vectors and paths, and needs no clause."""
    assert load(tmp_path, {"kind": OTHER_VERSION}, PROFILES) == ""
    deviations = load_manifest(tmp_path / "manifest.toml").deviations
    for case, explained in (
        ("bbr.drain.losses@draft-06", True),
        ("stimulus:deep-queue@bbr/draft-06", True),
        ("bbr.drain.losses@draft-06-prose", False),
        ("stimulus:deep-queue@bbr/draft-06-prose", False),
        ("slow-start.grow.one@draft-06", False),
    ):
        assert any(one.explains(case, ("bbr.drain",)) for one in deviations) == explained, case


@pytest.mark.parametrize(
    ("members", "cases", "message"),
    [
        (
            {},
            CASES,
            "deviation[0].kind: is missing; it is one of defect, literal, by design, other-version, open, precision",
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
            "deviation[0].profiles: 'draft-06' is not of the form ALGORITHM/PROFILE",
        ),
        ({"kind": "open"}, PROFILES + CASES, "deviation[0].profiles: unknown key"),
        ({"kind": "open"}, "cases = []", "deviation[0].cases: needs a table of lists of cases by clause"),
        ({"kind": "open"}, "[deviation.cases]\n", "deviation[0].cases: needs a table of lists of cases by clause"),
        (
            {"kind": "open"},
            '[deviation.cases]\n"slow-start.grows" = ["a"]\n',
            "deviation[0].cases.slow-start.grows: there is no clause 'slow-start.grows'; did you mean 'slow-start.grow'?",
        ),
        (
            {"kind": "open"},
            '[deviation.cases]\n"slow-start.grow" = "a"\n',
            "deviation[0].cases.slow-start.grow: must be a list of strings",
        ),
    ],
)
def test_refusals_say_place_and_remedy(tmp_path: Path, members: dict[str, str], cases: str, message: str) -> None:
    """A refusal names the key, what is wrong and what may stand there."""
    assert load(tmp_path, members, cases) == message


@pytest.mark.parametrize("left_out", ["level", "where", "section", "notice"])
def test_a_defect_needs_all(tmp_path: Path, left_out: str) -> None:
    """Whoever calls something a defect says where it lies, from which sentence it departs and what it does to a user."""
    members = {name: value for name, value in DEFECT.items() if name != left_out}
    assert load(tmp_path, members) == f"deviation[0].{left_out}: must be a non-empty string"


def test_levels() -> None:
    """Only a defect accuses; what a text leaves open has the level of an open point."""
    for manifest in load_manifests().values():
        for one in manifest.deviations:
            level = one.level_of("MUST")
            assert (level in ("MUST", "SHOULD", "definition")) == (one.kind == "defect"), one
            assert (level == "open point") == (one.kind == "open"), one


def test_a_cause_is_told_once() -> None:
    """Of a stack no explanation has two kinds: a page groups by it."""
    for manifest in load_manifests().values():
        kinds = {(one.explanation, one.kind) for one in manifest.deviations}
        assert len(kinds) == len({explanation for explanation, _ in kinds}), manifest.name
