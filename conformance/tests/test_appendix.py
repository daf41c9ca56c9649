"""Appendices for Internet-Drafts: both formats of every profile, the values of the tables, and reports of xml2rfc."""

import ast
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from decimal import Decimal
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from firstflight_conformance.cli import main
from firstflight_conformance.format.readings import Profile
from firstflight_conformance.paths import ROOT
from pages.appendix import content, downloads, markdown, program, shown, table, write, xml
from pages.appendix import pages as appendix_pages
from pages.appendix.blocks import Definitions, Listing, Outline, Paragraph, Section
from pages.profiles.page import profiles
from pages.profiles.resolved import resolved

BY_ALGORITHM = {name: list(group) for name, group in groupby(profiles(), key=lambda pair: pair[0])}
#: Columns of RFC text without its indentation.
WIDTH = 69
ROW = re.compile(r" *(?P<at>\d+) +(?P<ms>[\d.]+) (?P<event>.*?) +(?P<cwnd>\d+) +(?P<ssthresh>inf|\d+) (?P<phase>\w+)")
DRAFT = """<?xml version="1.0" encoding="utf-8"?>
<rfc category="info" docName="draft-example-appendix-00" ipr="trust200902" submissionType="IETF" version="3">
<front><title>Appendix</title><seriesInfo name="Internet-Draft" value="draft-example-appendix-00"/>
<author fullname="A. Author" initials="A." surname="Author"><address><email>a@example.com</email></address></author>
<date year="2026" month="11" day="29"/><abstract><t>A draft with an appendix.</t></abstract></front>
<middle><section><name>Introduction</name><t>The appendix is at the end.</t></section></middle>
<back>{back}</back></rfc>
"""


def listings(section: ET.Element) -> list[str]:
    """Return source code and artwork of the XML form in its order."""
    return [str(element.text).strip("\n") for element in section.iter() if element.tag in ("artwork", "sourcecode")]


def without_docstrings(source: str) -> str:
    """Return a program without docstrings, whose lines the appendix wraps."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if (
            isinstance(body, list)
            and body
            and isinstance(body[0], ast.Expr)
            and isinstance(body[0].value, ast.Constant)
        ):
            node.body = body[1:] or [ast.Pass()]  # type: ignore[attr-defined]
    return ast.unparse(tree)


@pytest.mark.parametrize("algorithm", BY_ALGORITHM)
def test_every_profile_has_xml_and_markdown(algorithm: str) -> None:
    for _, profile in BY_ALGORITHM[algorithm]:
        section = content.appendix(algorithm, profile)
        root = ET.fromstring(xml.text(section))
        assert [subsection.findtext("name") for subsection in root.findall("section")] == ["Pseudocode", "Test vectors"]
        source, *tables = listings(root)
        assert max(len(line) for listing in (source, *tables) for line in listing.splitlines()) <= WIDTH
        assert without_docstrings(source) == without_docstrings(resolved(algorithm, profile.name).source)
        fenced = re.findall(r"^~~~~(?: python)?\n(.*?)\n~~~~$", markdown.text(section), re.M | re.S)
        assert fenced == [source, *tables]
        cases = content.first_cases(algorithm, profile.name)
        assert len(cases) == len(tables) > 0
        for case, text in zip(cases, tables, strict=True):
            assert rows(text, table_phases(root)) == expected(case.vector.path, profile.name)


def table_phases(root: ET.Element) -> dict[str, str]:
    """Return the legend of the phases, from the text of the XML form."""
    text = next(" ".join(element.itertext()) for element in root.iter("t") if "Phases:" in "".join(element.itertext()))
    return dict(re.findall(r"(\w+)\s+(\w+)[,.]", text.partition("Phases:")[2]))


def rows(text: str, names: dict[str, str]) -> list[tuple[Any, ...]]:
    """Return number, time in ns, kind of event, window, threshold and phase of each row."""
    return [
        (
            int(row["at"]),
            int(Decimal(row["ms"]) * 10**6),
            row["event"].split()[0],
            int(row["cwnd"]),
            None if row["ssthresh"] == "inf" else int(row["ssthresh"]),
            names[row["phase"]],
        )
        for line in text.splitlines()
        if (row := ROW.fullmatch(line))
    ]


def expected(path: Path, profile: str) -> list[tuple[Any, ...]]:
    """Return the expected rows from the file of a vector."""
    raw = json.loads(path.read_text("utf-8"))
    answers, now, expected_rows = raw["profiles"][profile], {}, []
    changes = {entry["at"]: entry for entry in answers["expect"]}
    for at, event in enumerate(raw["events"][: answers["judged_events"]]):
        now = now | changes.get(at, {})
        threshold = now["ssthresh_bytes"]
        values = (int(now["cwnd_bytes"]), None if threshold is None else int(threshold), now["phase"])
        expected_rows.append((at, int(event["t_ns"]), event["ev"], *values))
    return expected_rows


def test_a_wrong_value_is_found() -> None:
    case = content.first_cases("search", "draft-09")[-1]
    names = {"SS": "slow_start", "CA": "congestion_avoidance", "R": "recovery"}
    text = table.table(case, {name: short for short, name in names.items()})
    right = expected(case.vector.path, "draft-09")
    assert rows(text, names) == right
    cwnd_bytes = right[-1][3]
    assert rows(text.replace(str(cwnd_bytes), str(cwnd_bytes + 1)), names) != right


def test_first_vectors_have_the_listed_order() -> None:
    order = [name for name, _, _ in json.loads((ROOT / "spec" / "first-vectors.json").read_text())["search"]["vectors"]]
    vector_ids = [case.vector.id for case in content.first_cases("search", "draft-09")]
    assert len(vector_ids) == 5
    assert vector_ids == [name for name in order if name in vector_ids]


def test_phases_with_the_same_initials_keep_their_names() -> None:
    assert table.abbreviations(["slow_start", "recovery"]) == {"slow_start": "SS", "recovery": "R"}
    initials = table.abbreviations(["slow_start", "recovery", "reconnaissance"])
    assert initials == {"slow_start": "SS", "recovery": "recovery", "reconnaissance": "reconnaissance"}


def test_long_comments_and_docstrings_are_wrapped() -> None:
    source = f'def f():\n    """{"word " * 30}."""\n    # {"note " * 30}\n    return 1\n'
    lines = program.text(source).splitlines()
    assert max(map(len, lines)) <= WIDTH
    assert [line for line in lines if "note" in line and not line.startswith("    # ")] == []
    assert without_docstrings("\n".join(lines)) == without_docstrings(source)


def test_special_characters_are_escaped() -> None:
    blocks = (
        Paragraph("a_b < c & *d* `e_f<g` it's"),
        Definitions((("`T` (x)", "[id]"),)),
        Outline(((0, "a"), (1, "b"), (2, "c"), (0, "d"))),
        Listing("x < y & z"),
    )
    section = Section("A", "anchor", blocks)
    assert markdown.text(section) == (
        "# A {#anchor}\n\na\\_b \\< c & \\*d\\* `e_f<g` it\\'s\n\n`T` (x)\n: \\[id\\]\n\n* a\n  * b\n    * c\n* d\n\n~~~~\nx < y & z\n~~~~\n"
    )
    root = ET.fromstring(xml.text(section))
    assert root.findtext("t") == "a_b < c & *d* "
    assert root.findtext("t/tt") == "e_f<g"
    assert [element.findtext("t") for element in root.iter("li")] == ["a", "b", "c", "d"]
    assert root.findtext("ul/li/ul/li/ul/li/t") == "c"
    assert listings(root) == ["x < y & z"]


def test_output_does_not_depend_on_the_hash_seed(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "firstflight_conformance", "appendix", "slow-start/rfc-9002"]
    printed = subprocess.run(words, capture_output=True, check=True, env={"PYTHONHASHSEED": "1"}).stdout
    assert printed == write.text("slow-start/rfc-9002", "markdown").encode()
    file = tmp_path / "appendix.xml"
    subprocess.run([*words, "--format", "xml", "--output", file], check=True, env={"PYTHONHASHSEED": "2"})
    assert file.read_bytes() == write.text("slow-start/rfc-9002", "xml").encode()


@pytest.mark.parametrize("name", ["search/draft-9", "transfer-time/scharf-2009", "search"])
def test_an_unknown_profile_is_an_error_with_a_remedy(name: str) -> None:
    result = CliRunner().invoke(main, ["appendix", name])
    assert result.exit_code == 2
    assert result.output.startswith(f"Error: {name}: no such profile; ")
    assert ("did you mean search/draft-09?" in result.output) == (name == "search/draft-9")
    assert "see the page Profiles of the site" in result.output


def test_site_page_has_two_downloads_and_the_markdown() -> None:
    files, pages = downloads.files(), appendix_pages.pages()
    assert set(pages) == {"appendix/search-draft-09", "appendix/careful-resume-rfc-9959"}
    for name in shown.PROFILES:
        text = pages[shown.document(name)]
        assert set(re.findall(r'href="../../data/(\S+)" download', text)) <= set(files)
        assert text.count("download>") == 2
        assert files[f"{shown.document(name)}.md"].decode().rstrip() in text


def reported(folder: Path, *sections: str) -> tuple[str, int]:
    """Return the output of xml2rfc for a draft with appendices, and the length of the longest line of text."""
    pytest.importorskip("xml2rfc", reason="needs xml2rfc (make draft-extras)")
    (folder / "draft.xml").write_text(DRAFT.format(back="".join(sections)), "utf-8")
    command = [sys.executable, "-m", "xml2rfc.run", "--text", "--no-network", "--cache", "cache", "draft.xml"]
    done = subprocess.run(command, check=False, cwd=folder, capture_output=True, text=True, timeout=300)
    printed = (done.stdout + done.stderr).replace("Created file draft.txt", "").strip()
    text = folder / "draft.txt"
    return printed, max(len(line) for line in text.read_text("utf-8").splitlines()) if text.exists() else 0


def test_xml2rfc_accepts_the_xml(tmp_path: Path) -> None:
    sections = [write.text(name, "xml") for name in (*shown.PROFILES, "cubic/rfc-9438")]
    assert reported(tmp_path, *sections) == ("", 72)


@pytest.mark.long
@pytest.mark.parametrize(
    ("algorithm", "profile"), profiles(), ids=lambda parameter: getattr(parameter, "name", parameter)
)
def test_xml2rfc_accepts_every_profile(algorithm: str, profile: Profile, tmp_path: Path) -> None:
    printed, width = reported(tmp_path, xml.text(content.appendix(algorithm, profile)))
    assert (printed, width <= 72) == ("", True)


@pytest.mark.parametrize(
    ("wrong", "severity"),
    [
        (xml.text(Section("A", "a", (Listing("x" * 80),))), "Warning"),
        ('<section anchor="a"><name>A</name><t unknown="a">text</t></section>', "Error"),
        ('<section anchor="a"><t>text</t></section>' * 2, "Error"),
    ],
)
def test_xml2rfc_reports_invalid_sections(wrong: str, severity: str, tmp_path: Path) -> None:
    assert severity in reported(tmp_path, wrong)[0]
