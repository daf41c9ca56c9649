"""The plain-English checker finds planted grammar in each kind of file, and its baseline only allows less."""

import json
import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from firstflight_conformance.paths import ROOT
from language import __main__ as language
from language.rules import CATEGORIES, LONG, read

SENTENCES = {
    "what": "The runner returns what was judged.",
    "preposition + which": "The rate at which it grows is 1.",
    "that of, those of": "The window is that of the base controller.",
    "beside": "The header is beside the source.",
    "who without a noun": "Nothing helps whoever rounds up.",
    "first word Of, What, Which ...": "Of two profiles the first is used.",
    "is no, has no": "The sender has no RTT sample.",
    LONG: " ".join(["word"] * 31) + ".",
}


def categories(path: Path) -> set[str]:
    return {finding.category for finding in read(path.parent, Path(path.name))[1]}


@pytest.mark.parametrize("category", CATEGORIES)
def test_each_category_is_found(category: str, tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text(SENTENCES[category] + "\n", "utf-8")
    assert category in categories(path)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("page.md", "# Title\n\n- One item\n  beside another.\n"),
        ("page.md", "| a | b |\n|---|---|\n| x | beside it |\n"),
        ("page.md", ":::{clause} a.b\n:level: MUST\nIt is beside it.\n:::\n"),
        ("code.py", 'def f():\n    """Return it beside another."""\n'),
        ("code.py", "x = 1  # beside it\n"),
        ("code.c", "int x; // beside it\n"),
        ("code.h", "/* It is\n * beside it. */\n"),
        ("code.rs", "//! Beside it.\n"),
        ("data.toml", 'why = "beside it"\n'),
        ("data.toml", 'x = 1\nreason = """\nIt is\nbeside it."""\n'),
        ("data.toml", "# beside it\n"),
        ("data.json", '{\n "title": "beside it"\n}\n'),
        ("build.sh", "x=1 # beside it\n"),
        ("Makefile", "# beside it\n"),
    ],
)
def test_each_kind_of_text_is_read(name: str, content: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content, "utf-8")
    assert categories(tmp_path / name) == {"beside"}


@pytest.mark.parametrize(
    "content",
    [
        "[Which SEARCH is yours?](search.md) lists what was judged.",
        "[What was judged](search.md) is a list.",
        "What was judged is in [Which SEARCH is yours?](search.md), a list.",
    ],
)
def test_question_in_link_text_exempts_only_the_link(content: str, tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text(content + "\n", "utf-8")
    assert "what" in categories(tmp_path / "page.md")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("page.md", "What is SEARCH? Check what the peer sent.\n"),
        ("page.md", "- [Which SEARCH is yours?](search.md)\n"),
        ("page.md", "[Which SEARCH is yours?](search.md) lists it. See [What is in flight?](flight.md) for terms.\n"),
        ("page.md", 'The text: "a rate at which it is no longer". Code: `beside`.\n'),
        ("page.md", "> beside\n\n```\nbeside\n```\n"),
        ("page.md", ":::{clause} a.b\n:source: beside\nText.\n:::\n"),
        ("code.py", 'x = "beside"\n'),
        ("code.c", "/* Copyright beside */\n//# beside\n"),
        ("code.c", "/*\n * beside();\n */\n"),
        ("data.toml", 'find = "beside"\n'),
        ("page.md", " ".join(["word"] * 25) + ".\n"),
    ],
)
def test_quotations_code_and_questions_are_exempt(name: str, content: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content, "utf-8")
    assert categories(tmp_path / name) == set()


def test_a_finding_has_the_line_of_its_match(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text("First line.\nA second\nline is beside it.\n", "utf-8")
    assert [finding.line for finding in read(tmp_path, Path("page.md"))[1]] == [3]


def test_thresholds_are_computed_from_the_six_codebases() -> None:
    """1.5 times the largest rate of the six codebases, at least 1 per 1,000 words; the page contains the same numbers."""
    page = (ROOT / "docs" / "language.md").read_text("utf-8")
    rows = json.loads(language.CALIBRATION.read_text("utf-8"))["codebases"]
    assert len(rows) == 6
    for row in rows:
        rates = " | ".join(f"{1000 * row['findings'][category] / row['words']:.2f}" for category in CATEGORIES)
        assert f"| {row['name']} | `{row['commit']}` | {row['words']:,} | {rates} |" in page
    assert "| threshold | | | " + " | ".join(f"{rate:.2f}" for rate in language.thresholds().values()) + " |" in page


def test_findings_above_the_baseline_are_reported() -> None:
    recorded = {"docs": Counter(words=1000, beside=3)}
    assert language.worse({"docs": Counter(words=900, beside=3)}, recorded) == []
    assert language.worse({"docs": Counter(words=2000, beside=4)}, recorded) == []
    for now in (Counter(words=1000, beside=4), Counter(words=1999, beside=4)):
        assert language.worse({"docs": now}, recorded) == [
            "docs: beside: 4 findings, at most 3 allowed by the baseline"
        ]
    assert len(language.worse({"new": Counter(words=999, beside=1)}, recorded)) == 1
    assert language.worse({"new": Counter(words=1000, beside=1)}, recorded) == []


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a repository with one page of two findings and a baseline."""
    monkeypatch.setattr(language, "ROOT", tmp_path)
    monkeypatch.setattr(language, "BASELINE", tmp_path / "baseline.json")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", "/dev/null")
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / "page.md").write_text("It is beside it.\n\nIt is beside another.\n", "utf-8")
    commit(tmp_path, "first commit")
    assert language.record(force=True) == []
    commit(tmp_path, "docs: add the baseline")
    return tmp_path


def commit(root: Path, subject: str) -> None:
    language.git("add", "-A", root=root)
    author = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    language.git(*author, "commit", "-q", "-m", subject, root=root)


def test_finding_in_added_line_is_reported(checkout: Path) -> None:
    """An added line is reported with its place, committed or not, even if another finding was removed."""
    assert language.check() == []
    (checkout / "page.md").write_text("It is beside it.\n\nA clean line.\n\nBeside a third.\n", "utf-8")
    assert [line.partition(": ")[0] for line in language.check()] == ["page.md:5"]
    (checkout / "page.md").write_text("It is beside it.\n", "utf-8")
    (checkout / "new.md").write_text("Beside a third.\n", "utf-8")
    assert [line.partition(": ")[0] for line in language.check()] == ["new.md:1"]
    commit(checkout, "docs: add a page")
    assert [line.partition(": ")[0] for line in language.check()] == ["new.md:1"]


def test_baseline_does_not_rise_without_force(checkout: Path) -> None:
    """Without force a worse checkout does not change the baseline."""
    before = language.BASELINE.read_text("utf-8")
    (checkout / "page.md").write_text("Beside.\n\nBeside.\n\nBeside.\n", "utf-8")
    assert language.record(force=False) != []
    assert language.BASELINE.read_text("utf-8") == before
    (checkout / "page.md").write_text("It is beside it.\n", "utf-8")
    assert language.record(force=False) == []
    assert language.load_baseline()[1]["."] == Counter(beside=1, words=4)
    (checkout / "page.md").write_text("Beside.\n\nBeside.\n", "utf-8")
    assert language.record(force=True) == []
    assert language.load_baseline()[1]["."]["beside"] == 2


@pytest.mark.parametrize("subject", ["bbr: stop judging cwnd once ProbeRTT is due", "Merge branch 'a'", 'Revert "x"'])
def test_valid_commit_subjects_are_accepted(subject: str) -> None:
    assert language.subject_complaints(subject) == []


@pytest.mark.parametrize(
    "subject",
    ["Say what was measured", "docs: time", "docs: Time three choices", "docs: time three choices.", "docs: add " + "x" * 70,
     "docs: report what was measured", "docs: put one beside another"],
)  # fmt: skip
def test_invalid_commit_subjects_are_reported(subject: str) -> None:
    assert language.subject_complaints(subject) != []


def test_only_subjects_since_baseline_and_release_are_checked(checkout: Path) -> None:
    """Subjects of commits before the baseline, and before a release, are not checked."""
    assert language.commits() == []
    (checkout / "a.md").write_text("A.\n", "utf-8")
    commit(checkout, "A bad subject")
    assert len(language.commits()) == 1
    language.git("tag", "v1.0.0", root=checkout)
    assert language.commits() == []
    (checkout / "a.md").write_text("B.\n", "utf-8")
    commit(checkout, "Another bad subject")
    assert [complaint.partition(":")[0] for complaint in language.commits()] == ["Another bad subject"]


def entries(text: str) -> list[str]:
    """Return the entries of a changelog, one line each, without code."""
    lines = re.sub(r"\n +(?![ -])", " ", re.sub(r"`[^`]*`", "", text)).splitlines()
    return [line.lstrip(" -") for line in lines if line.lstrip().startswith("- ")]


def test_changelog_sections_and_entry_length() -> None:
    """Each release has these sections in their order, and each entry at most 25 words."""
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    order = ["Highlights", "Added", "Changed", "Fixed", "Removed"]
    for release in text.split("\n## ")[1:]:
        sections = re.findall(r"^### (.*)$", release, re.M)
        assert sections and sections == [name for name in order if name in sections]
    assert len(entries(text)) > 100
    assert [entry for entry in entries(text) if len(entry.split()) > 25] == []


def test_entry_of_several_lines_is_joined() -> None:
    assert entries("- One `code` two\n  three.\n  - four:\n    five\n\nText.\n") == ["One  two three.", "four: five"]
