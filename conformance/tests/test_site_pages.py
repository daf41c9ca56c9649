"""Metadata of each page of the site, and pages generated from code and data."""

import gzip
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qs

import click
from docutils import nodes

from firstflight_conformance.cli import main
from firstflight_conformance.paths import ROOT
from pages import commands_page, head, site, vector_files
from pages.smaller import shorten

VECTOR = "search.path.deep-queue"


def document(*texts: str) -> nodes.document:
    made = nodes.document("", "")  # type: ignore[arg-type]
    made += [nodes.paragraph("", text) for text in texts]
    return made


def test_description_is_the_first_long_paragraph() -> None:
    long = " ".join(["startup"] * 40)
    assert head.description(document("Short.", f"A\n{long}")) == "A " + " ".join(["startup"] * 19) + "..."
    assert len(head.description(document(long))) <= 160
    assert head.description(document("Short.")) == ""


def test_page_has_a_description_and_one_viewport() -> None:
    context: dict[str, Any] = {
        "metatags": '<meta content="width=device-width, initial-scale=1" name="viewport" /><meta name="x">'
    }
    text = "A window & its <growth>, which is described at sufficient length."
    head.describe_page(SimpleNamespace(), "page", "page.html", context, document(text))  # type: ignore[arg-type]
    assert context["metatags"] == (
        '<meta name="x"><meta name="description" content="A window &amp; its &lt;growth&gt;, which is described at sufficient length.">'
    )


def test_plot_is_linked_to_its_image_once() -> None:
    plot = '<img alt="A path" class="plot" src="../_images/a.svg" />'
    linked = f'<a class="enlarge" href="../_images/a.svg">{plot}</a>'
    assert shorten(f"<p>{plot}</p>") == f"<p>{linked}</p>"
    assert shorten(linked) == linked


def test_commands_page_contains_every_command() -> None:
    page = commands_page.page()
    for name in main.list_commands(click.Context(main)):
        assert f"\n## firstflight {name}\n" in page
        assert f"Usage: firstflight {name} " in page
    assert str(ROOT) not in page


def test_vectors_are_written_and_linked(tmp_path: Path, monkeypatch: Any) -> None:
    vector = site.vectors_by_id()[VECTOR]
    monkeypatch.setattr(vector_files.site, "vectors", lambda: [vector])
    monkeypatch.setattr(vector_files.site, "computations", list)
    vector_files.write_files(SimpleNamespace(builder=SimpleNamespace(name="html"), outdir=tmp_path), None)  # type: ignore[arg-type]
    (written,) = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert written == tmp_path / "vectors" / "search" / "path.deep-queue.json.gz"
    assert json.loads(gzip.decompress(written.read_bytes()))["id"] == VECTOR
    assert f'href="../{written.relative_to(tmp_path)}"' in vector_files.links(vector, "../")


def test_the_address_of_a_vector() -> None:
    page, _, values = vector_files.play(site.vectors_by_id()[VECTOR], "draft-00", step=7).partition("#")
    assert page == "play.html"
    assert parse_qs(values) == {"vector": [VECTOR], "a": ["search/draft-00"], "step": ["7"]}


def test_the_frame_is_written_without_its_indentation() -> None:
    page = '<aside class="sidebar-drawer">\n   <p>a\n\n  </p>\n<article>\n  <pre>x\n\n    y</pre>\n</article>\n  <aside class="toc-drawer no-toc">\n'
    assert head.frame(page) == (
        '<aside class="sidebar-drawer" aria-label="Site">\n<p>a\n</p>\n'
        "<article>\n  <pre>x\n\n    y</pre>\n</article>\n"
        '<aside aria-label="This page" class="toc-drawer no-toc">\n'
    )
