"""Downloads of the site: valid documents, complete archives, errata with the events of their text, links on pages."""

import io
import re
import tarfile

import pytest

import firstflight
from firstflight_conformance.paths import ROOT, SPEC, VECTORS
from pages import data_files, data_page, errata, site
from plain.folders import plain_headers


def test_every_numbered_heading_is_an_erratum() -> None:
    numbers = {
        f"{path.parent.name}-{number}"
        for path in SPEC.glob("*/errata.md")
        for number in re.findall(r"^#+ ([SCB]-?\d+)\. ", path.read_text("utf-8"), re.M)
    }
    assert {erratum.id for erratum in errata.errata()} == numbers
    assert len(numbers) >= 53


def test_errata_have_case_event_and_correction() -> None:
    by_id = {erratum.id: erratum for erratum in errata.errata()}
    ring = by_id["search-S3"]
    assert ring.shown_by == [
        ("search.shift.fifteen-aliases", "lanman-2024-literal", 53),
        ("search.shift.fifteen-fraction", "draft-00", 56),
    ]
    assert ring.rules[:2] == ["search.windows.aliased", "search.guard.rtt-inflated"]
    assert (
        ring.correction
        == '"A shift of more than 14 bins is not evaluated", or a ring with as many bins as the largest shift, the window and the fraction read.'
    )
    assert by_id["bbr-B-5"].correction == "`C.inflight + C.SMSS`."


@pytest.mark.parametrize("erratum", errata.errata(), ids=lambda erratum: erratum.id)
def test_the_events_of_an_erratum_exist(erratum: errata.Erratum) -> None:
    for vector, profile, event in erratum.shown_by:
        assert profile in site.vectors_by_id()[vector].profiles
        assert event is None or event < len(site.vectors_by_id()[vector].events)


def test_errata_have_anchors_and_play_links() -> None:
    page = errata.with_links((SPEC / "bbr" / "errata.md").read_text("utf-8"), "bbr")
    assert "(erratum-bbr-b-1)=\n### B-1. " in page
    assert "play.html#vector=bbr.drain.fourth-round&amp;a=bbr/draft-06&amp;step=32" in page
    assert "| B-1 | {ref}`Drain ends after three rounds, or in the fourth <erratum-bbr-b-1>` |" in page
    assert "| no. | erratum |" not in errata.with_links((SPEC / "search" / "errata.md").read_text("utf-8"), "search")


def test_archives_have_the_vectors_of_the_checkout() -> None:
    files = data_files.contents()
    archived = {}
    for name in files:
        if name.startswith("vectors-"):
            with tarfile.open(fileobj=io.BytesIO(files[name])) as archive:
                assert {member.mtime for member in archive} == {data_files.EPOCH_S}
                archived |= {member.name: archive.extractfile(member).read() for member in archive}  # type: ignore[union-attr]
    committed = {path.relative_to(VECTORS).as_posix(): path.read_bytes() for path in VECTORS.glob("*/*.json")}
    assert {name: archived[name] for name in committed} == committed


def test_each_file_is_linked() -> None:
    """Each archive, document, header and script has a link; each profile and clause is in its document."""
    text = "\n".join(data_page.pages().values())
    assert [name for name in data_files.contents() if f'href="../data/{name}"' not in text] == []
    documents = data_files.documents()
    assert {clause["id"] for clause in documents["clauses"]["clauses"]} == {*site.clauses()}
    assert "search/draft-09" in {profile["id"] for profile in documents["profiles"]["profiles"]}
    assert {f"headers/{path.name}" for path in plain_headers()} <= {*data_files.contents()}


def test_the_citation_has_the_version() -> None:
    assert f"\nversion: {firstflight.__version__}\n" in (ROOT / "CITATION.cff").read_text("utf-8")
    assert f"version = {{{firstflight.__version__}}}" in (ROOT / "docs" / "licence.md").read_text("utf-8")
