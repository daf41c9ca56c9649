"""What a manifest says of the deviations of a stack: each has a kind, and a defect its place, its sentence and what a user notices."""

from pathlib import Path

import pytest

from firstflight_conformance.run.manifest import KINDS, ManifestError, load_manifest, load_manifests

HEAD = 'name = "x"\ntitle = "x"\nlanguage = "x"\nrole = "third-party"\ncommand = ["x"]\n[[deviation]]\n'
DEFECT = {
    "kind": "defect",
    "level": "MUST",
    "where": "x.c, f",
    "section": "RFC 9002, section 7",
    "notice": "It is slow.",
}
CASES = '[deviation.cases]\n"slow-start.grow" = ["a.*", "b.*"]\n'


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
    assert load(tmp_path, {"kind": kind}) == ""


@pytest.mark.parametrize(
    ("members", "cases", "message"),
    [
        ({}, CASES, "deviation[0].kind: is missing; it is one of defect, literal, by design, open, precision"),
        (
            {"kind": "by-design"},
            CASES,
            "deviation[0].kind: 'by-design' is not one of defect, literal, by design, open, precision; did you mean 'by design'?",
        ),
        (
            {"kind": "allowed"},
            CASES,
            "deviation[0].kind: 'allowed' is not one of defect, literal, by design, open, precision",
        ),
        ({"kind": "open", "level": "MAY"}, CASES, "deviation[0].level: 'MAY' is not one of MUST, SHOULD, definition"),
        ({"kind": "open", "remedy": "x"}, CASES, "deviation[0].remedy: unknown key"),
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
