"""The clause checker passes on the checkout, and reports every kind of gap."""

import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from adequacy import check
from adequacy.coverage import gaps, traces
from firstflight_conformance.cli import main
from firstflight_conformance.commands.options import all_cases
from firstflight_conformance.format import clauses
from firstflight_conformance.format.clauses import Author, all_clauses, citations, parse_page
from firstflight_conformance.format.computations import ComputationCase
from firstflight_conformance.format.vectors import Case, Vector
from firstflight_conformance.paths import REFERENCE_C, REFERENCE_PY, SPEC, VECTORS

GROW = "slow-start.grow"


@pytest.fixture(scope="module")
def every_case() -> list[Case | ComputationCase]:
    """Return the cases of the checkout."""
    return all_cases(VECTORS)


class Checkout:
    """Copies of the pages and of both references, which the checker reads in place of the checkout."""

    def __init__(self, root: Path) -> None:
        self.spec = root / "spec"
        self.python = root / "python"
        self.c = root / "c" / "firstflight"
        shutil.copytree(SPEC, self.spec, ignore=shutil.ignore_patterns("*.toml"))
        shutil.copytree(REFERENCE_PY, self.python, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copytree(REFERENCE_C / "firstflight", self.c)

    def edit(self, path: Path, find: str, text: str, times: int = 1) -> None:
        """Replace a text that occurs ``times`` times."""
        content = path.read_text(encoding="utf-8")
        assert content.count(find) == times
        path.write_text(content.replace(find, text), encoding="utf-8")


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Checkout:
    """Make the checker read copies; return them."""
    copies = Checkout(tmp_path)
    monkeypatch.setattr(clauses, "SPEC", copies.spec)
    monkeypatch.setattr(clauses, "REFERENCE_PY", copies.python)
    monkeypatch.setattr("adequacy.citations.REFERENCE_C", tmp_path / "c")
    monkeypatch.setattr("adequacy.citations.REFERENCE_PY", copies.python)
    return copies


def test_current_checkout_passes(every_case: list[Case | ComputationCase]) -> None:
    """Every clause of the checkout has Python, C and a vector, or a reason for an exemption."""
    assert gaps(every_case) == []
    result = CliRunner().invoke(main, ["dev", "check"])
    assert result.exit_code == 0
    assert f"{len(all_clauses())} clauses" in result.stdout


def test_unchanged_copies_pass(checkout: Checkout, every_case: list[Case | ComputationCase]) -> None:
    """Unchanged copies pass, so the failures of later tests are due to their changes."""
    assert gaps(every_case) == []


def clause_away(checkout: Checkout) -> None:
    page = checkout.spec / "slow-start" / "rules.md"
    text = page.read_text(encoding="utf-8")
    page.write_text(re.sub(rf":::{{clause}} {re.escape(GROW)}\n.*?\n:::\n", "", text, flags=re.S), encoding="utf-8")


def clause_renamed(checkout: Checkout) -> None:
    checkout.edit(checkout.spec / "slow-start" / "rules.md", f"{{clause}} {GROW}\n", f"{{clause}} {GROW}th\n")


def python_away(checkout: Checkout) -> None:
    """Remove the citation from the model. A plain program still cites the clause, which does not count."""
    checkout.edit(checkout.python / "newreno" / "newreno.py", f"  # [{GROW}]", "")


def c_away(checkout: Checkout) -> None:
    path = checkout.c / "newreno" / "newreno.c"
    path.write_text(path.read_text(encoding="utf-8").replace(f"[{GROW}]", ""), encoding="utf-8")


def python_unknown(checkout: Checkout) -> None:
    path = checkout.python / "limits.py"
    path.write_text(path.read_text(encoding="utf-8") + "X = 1  # [slow-start.shrink]\n", encoding="utf-8")


def plain_unknown(checkout: Checkout) -> None:
    path = checkout.python / "newreno" / "plain_newreno_rfc_9002.py"
    path.write_text(path.read_text(encoding="utf-8") + "X = 1  # [slow-start.shrink]\n", encoding="utf-8")


def plain_c_unknown(checkout: Checkout) -> None:
    path = checkout.c / "newreno" / "newreno_rfc_9002.h"
    path.write_text(path.read_text(encoding="utf-8") + "/* [slow-start.shrink] */\n", encoding="utf-8")


def c_unknown(checkout: Checkout) -> None:
    path = checkout.c / "search" / "search.c"
    path.write_text(path.read_text(encoding="utf-8") + "/* [search.shrink] */\n", encoding="utf-8")


def new_clause(checkout: Checkout) -> None:
    page = checkout.spec / "slow-start" / "rules.md"
    text = ':::{clause} slow-start.new\n:level: "-"\n:source: ours\n:author: ours\nA new rule.\n:::\n'
    page.write_text(page.read_text(encoding="utf-8") + text, encoding="utf-8")


def unknown_reading(checkout: Checkout) -> None:
    head = f':::{{clause}} {GROW}\n:level: "-"\n:source: RFC 9002, section 7.3.1; appendix B.5\n'
    growth = f"{head}:readings: growth"
    checkout.edit(checkout.spec / "slow-start" / "rules.md", growth, f"{growth}, speed")


def stale_exemption(checkout: Checkout) -> None:
    head = f":::{{clause}} {GROW}\n"
    checkout.edit(checkout.spec / "slow-start" / "rules.md", head, f"{head}:exempt-c: there is none\n")


def stale_exemption_of_a_vector(checkout: Checkout) -> None:
    head = f":::{{clause}} {GROW}\n"
    checkout.edit(checkout.spec / "slow-start" / "rules.md", head, f"{head}:exempt-vector: there is none\n")


def exemption_away(checkout: Checkout) -> None:
    path = checkout.spec / "search" / "rules.md"
    text = path.read_text(encoding="utf-8")
    path.write_text(re.sub(r":exempt-vector: No vector comes near [^\n]*\n", "", text), encoding="utf-8")


@pytest.mark.parametrize(
    ("spoil", "findings"),
    [
        (clause_away, [r"/newreno\.py:\d+: there is no clause slow-start\.grow",
                       r"newreno/plain_newreno_rfc_9002\.py:\d+: there is no clause slow-start\.grow",
                       r"newreno/newreno_rfc_9002\.h:\d+: there is no clause slow-start\.grow",
                       r"newreno\.c:\d+: there is no clause slow-start\.grow"]),
        (clause_renamed, [r"slow-start\.growth: no python", r"slow-start\.growth: no c,", r"slow-start\.growth: no vector",
                          r"newreno\.py:\d+: there is no clause slow-start\.grow$", r"there is no clause slow-start\.grow$"]),
        (python_away, [r"^slow-start\.grow: no python, and no :exempt-python: with the reason$"]),
        (c_away, [r"^slow-start\.grow: no c, and no :exempt-c: with the reason$"]),
        (python_unknown, [r"limits\.py:\d+: there is no clause slow-start\.shrink$"]),
        (plain_unknown, [r"newreno/plain_newreno_rfc_9002\.py:\d+: there is no clause slow-start\.shrink$"]),
        (plain_c_unknown, [r"newreno/newreno_rfc_9002\.h:\d+: there is no clause slow-start\.shrink$"]),
        (c_unknown, [r"search\.c:\d+: there is no clause search\.shrink$"]),
        (new_clause, [r"slow-start\.new: no python", r"slow-start\.new: no c", r"slow-start\.new: no vector"]),
        (unknown_reading, [r"^slow-start\.grow: :readings: names speed, which spec/slow-start/profiles\.toml does not have$"]),
        (stale_exemption, [r"^slow-start\.grow: has c in spite of its exemption: there is none$"]),
        (stale_exemption_of_a_vector, [r"^slow-start\.grow: has vector in spite of its exemption: there is none$"]),
        (exemption_away, [r"^search\.domain: no vector, and no :exempt-vector:"]),
    ],
    ids=lambda value: value.__name__ if callable(value) else "",
)  # fmt: skip
def test_gaps_are_reported(
    checkout: Checkout,
    every_case: list[Case | ComputationCase],
    monkeypatch: pytest.MonkeyPatch,
    spoil: Callable[[Checkout], None],
    findings: list[str],
) -> None:
    """The checker reports exactly the gaps, and the command ends with 1."""
    monkeypatch.setattr(check, "all_cases", lambda _: every_case)
    spoil(checkout)
    lines = gaps(every_case)
    assert all(any(re.search(finding, line) for line in lines) for finding in findings)
    assert all(any(re.search(finding, line) for finding in findings) for line in lines)
    result = CliRunner().invoke(main, ["dev", "check"])
    assert (result.exit_code, result.stdout.splitlines()) == (1, lines)


def without(case: Case, clause: str) -> Case:
    """Return the case as if it did not carry out a clause."""
    vector: Vector = case.vector
    entry = replace(case.expectation, clauses=tuple(name for name in case.expectation.clauses if name != clause))
    return Case(replace(vector, profiles={**vector.profiles, case.profile: entry}), case.profile)


def test_clause_without_vector_is_reported(every_case: list[Case | ComputationCase]) -> None:
    """A clause that no vector carries out any more is found; without vectors all are but the exempt."""
    assert gaps([without(case, GROW) for case in every_case]) == [
        f"{GROW}: no vector, and no :exempt-vector: with the reason"
    ]
    exempt = {name for name, clause in all_clauses().items() if "vector" in clause.exempt}
    named = {line.split(":")[0] for line in gaps([])}
    assert named == set(all_clauses()) - exempt
    assert exempt


def test_trace_lists_lines_and_cases(every_case: list[Case | ComputationCase]) -> None:
    """A trace leads from the clause to the lines and to the cases."""
    trace = next(trace for trace in traces(every_case) if trace.clause.id == GROW)
    for citation in (*trace.python, *trace.c):
        assert f"[{GROW}]" in citation.path.read_text(encoding="utf-8").splitlines()[citation.line - 1]
    assert "slow-start.growth.doubling@rfc-9002" in trace.cases
    assert [t.clause.id for t in traces([])] == list(all_clauses())


def test_clauses_are_parsed_from_a_page(tmp_path: Path) -> None:
    """A clause has its options without quotes, its text and its page."""
    page = tmp_path / "page.md"
    page.write_text(
        '# Title\n\n:::{clause} a.b-c.d\n:level: "-"\n:source: RFC 1, section 2: text\n:exempt-c: none\n\nOne.\nTwo.\n:::\n'
        ":::{note}\nno clause\n:::\n"
        ":::{clause} a.e\n:level: domain\n:source: ours\n:author: ours\n:readings: one, two_3\n:when: one = a, b; two_3 != 0\n"
        ":unobservable: no event\n:no-alternative: 0 / 0\nThree.\n:::\n",
        encoding="utf-8",
    )
    first, second = parse_page(page)
    assert (first.id, first.level, first.source) == ("a.b-c.d", "-", "RFC 1, section 2: text")
    assert (first.text, first.page, first.exempt) == ("One.\nTwo.", "page", {"c": "none"})
    assert (first.author, first.ours, first.readings) == (Author.TEXT, False, ())
    assert (second.id, second.level, second.text, second.exempt) == ("a.e", "domain", "Three.", {})
    assert (second.author, second.ours, second.readings) == (Author.OURS, True, ("one", "two_3"))
    assert (second.unobservable, second.no_alternative) == ("no event", "0 / 0")
    assert [str(condition) for condition in second.when] == ["one = a, b", "two_3 != 0"]
    assert second.holds({"one": "b", "two_3": 1})
    assert not second.holds({"one": "c", "two_3": 1})
    assert not second.holds({"one": "a", "two_3": 0})


@pytest.mark.parametrize(
    ("fields", "finding"),
    [
        (":level: MUST\n:source: RFC 1\n:writer: text\n", "unknown field :writer:, must be one of level, source, author,"),
        (":level: MUST\n", ":source: must be a non-empty string"),
        (":source: RFC 1\n", ":level: must be a non-empty string"),
        (":level: must\n:source: RFC 1\n", ":level: is must, must be one of MUST, MUST NOT,"),
        (":level: MUST\n:source: RFC 1\n:author: us\n", ":author: is us, must be one of text, ours"),
        (":level: MUST\n:source: ours\n:author: ours\n", ":level: is MUST, must be one of domain, - where :author: is ours"),
        (":level: MAY\n:source: ours\n:author: ours\n", ":level: is MAY, must be one of"),
        (":level: MUST\n:source: RFC 1; the times are ours\n", "split a clause that is both"),
        (':level: "-"\n:source: RFC 1\n:author: ours\n', "the source must begin with `ours` exactly where the author is ours"),
        (':level: "-"\n:source: RFC 1; ours\n:author: ours\n', "the source must begin with `ours` exactly where"),
        (':level: "-"\n:source: RFC 1\n:no-alternative: x\n', ":no-alternative: is not allowed where :author: is text"),
        (':level: "-"\n:source: RFC 1\n:unobservable: x\n', ":unobservable: is not allowed where :author: is text"),
        (':level: "-"\n:source: RFC 1\n:readings: a\n:when: a is b\n', "expected `reading = value, value` or `reading != value`"),
        (':level: "-"\n:source: RFC 1\n:readings: a\n:when: b = c\n', ":when: uses b, which is not in :readings:"),
    ],
)  # fmt: skip
def test_wrong_fields_are_refused(tmp_path: Path, fields: str, finding: str) -> None:
    """A field that is unknown, missing, or contradicts another is refused with file, line and clause."""
    page = tmp_path / "page.md"
    page.write_text(f"# Title\n\n:::{{clause}} a.b\n{fields}Text.\n:::\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"page\.md:3: clause a\.b: ") as caught:
        parse_page(page)
    assert finding in str(caught.value)


def test_duplicate_id_is_refused(checkout: Checkout) -> None:
    """An id can be used once."""
    (checkout.spec / "zz.md").write_text(
        f":::{{clause}} {GROW}\n:level: MUST\n:source: x\nText.\n:::\n", encoding="utf-8"
    )
    with pytest.raises(ValueError, match=rf"zz\.md: clause {re.escape(GROW)} is already on page slow-start"):
        all_clauses()


def test_only_brackets_in_comments_cite(tmp_path: Path) -> None:
    """Only brackets in comments cite, and a line may cite twice."""
    path = tmp_path / "x.c"
    path.write_text(
        "a[i.j] = 1;\n"
        "b(); /* [a.b] */\n"
        "c(); /* first [a.b], then [a.c-d.e] */\n"
        "d(); /* [no] [A.B] [a.] */\n"
        "e()  # [a.b]\n",
        encoding="utf-8",
    )
    cited = [(citation.clause, citation.line) for citation in citations([path])]
    assert cited == [("a.b", 2), ("a.b", 3), ("a.c-d.e", 3), ("a.b", 5)]
