"""The tables "Who runs it": pinned stacks agree with manifests and profiles, other rows cite their source."""

import json
import re

from firstflight.controller import ALGORITHMS
from firstflight_conformance.adapters.manifest import load_manifests
from firstflight_conformance.format.readings import load_tables
from pages import who_runs_it
from pages.who_runs_it import WAYS, Row


def pinned() -> list[Row]:
    """Return the rows with an adapter."""
    return [row for row in who_runs_it.rows() if row.adapter is not None]


def test_rows_are_well_formed() -> None:
    """The algorithm and the kind of use exist, and a stack has an algorithm once."""
    rows = who_runs_it.rows()
    assert {row.algorithm for row in rows} <= {*ALGORITHMS}
    assert {row.how for row in rows} <= {*WAYS}
    assert len({(row.algorithm, row.stack) for row in rows}) == len(rows)


def test_pinned_rows_match_the_manifests() -> None:
    """The version is in the title of the manifest, and the adapter was judged by the profile."""
    manifests, tables = load_manifests(), load_tables()
    for row in pinned():
        manifest = manifests[str(row.adapter)]
        assert row.version in manifest.title, row
        assert str(row.profile).partition("+")[0] in {profile.name for profile in tables[row.algorithm].profiles}, row
        assert manifest.record is not None
        record = json.loads(manifest.record.read_text("utf-8"))
        assert row.version in (record["version"].removeprefix("v"), "September 2026"), row
        starts = (f"{row.algorithm}.", f"stimulus:{row.algorithm}")
        ends = (f"@{row.profile}", f"@{row.algorithm}/{row.profile}")
        assert any(
            case.endswith(ends) and (case.startswith(starts) or case.endswith(ends[1])) for case in record["cases"]
        )


def test_rows_without_an_adapter_cite_a_commit_or_section() -> None:
    """A row without an adapter can be checked: it has the commit of the code, or the section of a text."""
    for row in who_runs_it.rows():
        if row.adapter is None:
            assert re.search(r"\b[0-9a-f]{7,8}\b|RFC \d+, section", row.version), row


def test_a_stack_has_one_default_controller() -> None:
    """Reno, CUBIC and BBR exclude each other: tquic runs BBR, so CUBIC and HyStart++ are options there."""
    defaults: dict[str, set[str]] = {}
    for row in pinned():
        if row.algorithm in ("slow-start", "cubic", "bbr"):
            defaults.setdefault(row.stack.partition(",")[0], set())
            if row.how == "default":
                defaults[row.stack.partition(",")[0]].add(row.algorithm)
    assert all(len(algorithms) <= 1 for algorithms in defaults.values()), defaults
    assert defaults["tquic"] == {"bbr"}
    uses = {(row.algorithm, row.stack.partition(",")[0]): row.how for row in who_runs_it.rows()}
    assert uses["hystartpp", "tquic"] == "option"


def test_corrected_rows_have_the_right_kind_of_use() -> None:
    """quic-go exits by HyStart; in msquic, s2n-quic and neqo HyStart++ is optional; quicly jumps only if configured."""
    how = {(row.algorithm, row.stack): row.how for row in who_runs_it.rows()}
    assert how["hystart", "quic-go"] == "default"
    assert {how["hystartpp", stack] for stack in ("msquic", "s2n-quic", "neqo")} == {"option"}
    assert how["hystartpp", "quiche"] == "default"
    assert how["jumpstart", "quicly"] == "option"
    assert ("careful-resume", "mvfst") in how


def test_every_algorithm_page_shows_its_rows() -> None:
    """The page of an algorithm has the table, and does not list its users elsewhere."""
    for path in sorted((who_runs_it.DATA.parent / "algorithms").glob("*.md")):
        text = path.read_text("utf-8")
        if path.stem != "index":
            assert f"```{{who-runs-it}} {path.stem}\n```" in text, path.name
            assert "Who runs it\n:" not in text, path.name
