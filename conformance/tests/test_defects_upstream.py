"""Tests for upstream: each has the id of a defect, and its outcome is read from the output of its language."""

import re

import pytest

from studies.defects import upstream
from studies.defects.defects import defects

#: Names of tests for upstream, by the suffix of their files.
SUFFIXES = {
    ".py": re.compile(r"def test_(\w+)\("),
    ".go": re.compile(r"func Test_(\w+)\("),
    ".rs": re.compile(r"#\[test\]\n    fn (\w+)\("),
}


def test_upstream_tests_belong_to_defects_with_a_repair() -> None:
    """Each test for upstream has the id of a defect with a repair; there are at least eight in three languages."""
    named: dict[str, set[str]] = {}
    for path in (path for folder in upstream.folders() for path in folder.rglob("*.*") if path.suffix in SUFFIXES):
        named.setdefault(path.suffix, set()).update(SUFFIXES[path.suffix].findall(path.read_text("utf-8")))
    names = {name.replace("_", "-") for language_names in named.values() for name in language_names}
    assert len(names) >= 8 and len(named) == 3
    assert names == {name for name, defect in defects().items() if defect.deviation.repair}


@pytest.mark.parametrize(
    ("output", "outcomes"),
    [
        ("test tests::quinn_2 ... FAILED\ntest tests::quinn_3 ... ok\n", {"quinn-2": False, "quinn-3": True}),
        (
            "--- FAIL: Test_quic_go_1 (0.00s)\n--- PASS: Test_quic_go_2 (0.00s)\n",
            {"quic-go-1": False, "quic-go-2": True},
        ),
        ("test_aioquic_1 (t.T.test_aioquic_1)\nRFC 9002. ... FAIL\n", {"aioquic-1": False}),
        ("test_aioquic_1 (t.T.test_aioquic_1)\nRFC 9002. ... ok\n", {"aioquic-1": True}),
        ("error: could not compile\n", {}),
    ],
)
def test_outcomes_are_read_from_test_output(output: str, outcomes: dict[str, bool]) -> None:
    """The outcome of each test is read from the output of cargo, go and unittest."""
    assert dict(upstream.outcomes(output)) == outcomes
