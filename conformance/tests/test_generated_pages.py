"""A build of the site writes pages again after any change, but plots only after a change of their data or code."""

import re
from enum import EnumType
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from sphinx.pycode import ModuleAnalyzer

from firstflight.controller import Config
from firstflight.observables import Outcome
from pages import c_headers, carried_out, first_functions, generate, members, python_api, site, smaller, vector_pages
from pages.smaller import shorten


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Replace the steps of a build by notes; the build depends only on the files ``prose`` and ``data``."""
    notes: list[str] = []
    for name in ("prose", "data"):
        (tmp_path / name).write_text("1", encoding="utf-8")
    monkeypatch.setattr(generate, "_prose", lambda: [tmp_path / "prose"])
    monkeypatch.setattr(generate, "_data", lambda: [tmp_path / "data"])
    monkeypatch.setattr(generate, "_check_specification_pages", lambda _: None)
    monkeypatch.setattr(generate, "_pages", lambda: notes.append("pages") or {"page": "text"})
    monkeypatch.setattr(generate.site, "vectors", list)
    for module, step in (
        (generate.of_pages, "write_plots"),
        (generate.computation_pages, "write_plots"),
        (generate.plot_cache, "write_plots"),
        (generate.profile_paths, "write_paths"),
        (generate, "write_published_plots"),
    ):
        monkeypatch.setattr(module, step, lambda *_: notes.append("plots"))
    return notes


def test_only_outdated_pages_and_plots_are_rewritten(tmp_path: Path, written: list[str]) -> None:
    def build() -> list[str]:
        written.clear()
        generate.write_pages(SimpleNamespace(srcdir=str(tmp_path)))  # type: ignore[arg-type]
        return sorted(set(written))

    assert build() == ["pages", "plots"]
    assert (tmp_path / "_generated" / "page.md").read_text("utf-8") == "text"
    assert build() == []
    (tmp_path / "prose").write_text("2", encoding="utf-8")
    assert build() == ["pages"]
    (tmp_path / "data").write_text("2", encoding="utf-8")
    assert build() == ["pages", "plots"]


#: Output of Sphinx, and its shortened form.
SHORTENED = {
    '<code class="docutils literal notranslate"><span class="pre">a</span> <span class="pre">b-c</span></code>': '<code>a b-c</code>',
    '<a class="reference internal" href="../s.html#clause-a-b"><code class="docutils literal notranslate"><span class="pre">a.b</span></code></a>': (
        '<a href="../s.html#clause-a-b">a.b</a>'
    ),
    '<a id="L-7" name="L-7"></a><a href="#L-7"><span class="linenos">  7</span></a>': '<i id="L-7">  7</i>',
    '<span class="n">x</span><span class="w"> </span><span class="o">=</span>': 'x =',
    '<span class="n"><span class="pre">x</span></span><span class="k">if</span>': 'x<span class="k">if</span>',
    '<tr class="row-odd"><td><p>a <em>b</em></p></td><td><p>c</p><p>d</p></td></tr>': '<tr><td>a <em>b</em></td><td><p>c</p><p>d</p></td></tr>',
}  # fmt: skip


@pytest.mark.parametrize("written", SHORTENED)
def test_shortened_page_has_the_same_text(written: str) -> None:
    assert shorten(written) == SHORTENED[written]
    assert re.sub("<[^>]*>", "", shorten(written)) == re.sub("<[^>]*>", "", written)
    assert shorten(shorten(written)) == shorten(written)


def test_long_values_are_omitted() -> None:
    """Long values, such as tables of the model, are omitted from the API pages."""
    written = f'<span class="property"> <span class="p"><span class="pre">=</span></span> {"x" * 300}</span>'
    assert shorten(written) == '<span class="property"> = ...</span>'


def listing(*answers: tuple[int, ...]) -> list[str]:
    """Return the listings of profiles with these windows, one window per event."""
    vector = SimpleNamespace(id="a.b.c")
    cases = [
        SimpleNamespace(id=f"a.b.c@p{number}", profile=f"p{number}", vector=vector, answers=windows)
        for number, windows in enumerate(answers)
    ]
    return vector_pages._listings(cases)  # type: ignore[arg-type]


def test_equal_profiles_are_listed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first listing is complete; others show a limited number of events from their first difference on."""
    monkeypatch.setattr(
        vector_pages,
        "lines",
        lambda case: [(str(i), "0", "ack", f"cwnd {window}") for i, window in enumerate(case.answers)],
    )
    first, second, third = listing((1, 2, 3), (1, 2, 3), (1, 2, 4), (9, *range(30)))
    assert "<code>p0</code>, <code>p1</code>" in first and first.count("cwnd") == 3
    assert "<code>p2</code>" in second and "as p0" in second and second.count("cwnd") == 1 and "cwnd 4" in second
    assert third.count("cwnd") == 31  # it has nothing in common with the first
    departs = listing(tuple(range(40)), (0, 1, *range(50, 90)))[1]
    assert departs.count("cwnd") == 8 and "firstflight show a.b.c@p1" in departs


@pytest.mark.parametrize("name", ["hystartpp.css", "search.shift", "cubic.rounds"])
def test_each_clause_is_listed_once_per_page(name: str) -> None:
    """A vector's clauses are the common clauses and its own, without overlap; a list has each clause once."""
    group = site.groups()[name]
    every = carried_out.of_every(group)
    assert any(every.values())
    for vector in group:
        besides = carried_out.remaining_clauses(vector, every)
        for profile, mine in carried_out.of_vector(vector).items():
            assert besides[profile] | every[profile] == mine and not besides[profile] & every[profile]
        names = {clause for mine in besides.values() for clause in mine}
        assert sorted(re.findall("{clause}`([^`]+)`", carried_out.listed("Clauses", besides))) == sorted(names)


def test_only_first_mention_of_a_clause_is_linked() -> None:
    text = "{clause}`a.b`, {clause}`a.c`; {clause}`a.b`, {clause}`a.bc`"
    assert carried_out.linked_once(text) == "{clause}`a.b`, {clause}`a.c`; a.b, {clause}`a.bc`"


def test_page_with_one_vector_has_no_common_clauses() -> None:
    assert carried_out.of_every(site.vectors()[:1]) == {}


def test_pages_of_large_groups_have_a_short_navigation() -> None:
    """Pages of large groups have a short navigation; their index and other pages have the whole table of contents."""
    requested: list[dict[str, object]] = []
    pages = (
        "vectors/a",
        "vectors/index",
        "source/x/a",
        "api/python-firstflight-search",
        "api/python",
        "readings",
        "readings/a",
    )

    def toctree(**options: object) -> str:
        requested.append(options)
        return "list"

    navigations = []
    for page in pages:
        context: dict[str, Any] = {"toctree": toctree, "pathto": lambda name: f"{name}.html"}
        smaller.shorten_page(generate, f"{site.GENERATED}/{page}", "", context, None)  # type: ignore[arg-type]
        navigations.append(context["toctree"](maxdepth=-1))
    assert [navigation == "list" for navigation in navigations] == [False, True, False, False, True, True, False]
    assert all("Glossary</a>" in navigation for navigation in navigations if navigation != "list")
    assert all(options["collapse"] for options in requested)


@pytest.mark.parametrize(
    ("name", "value", "omitted"),
    [
        ("initial_window_bytes", object(), True),
        ("EXITED", Outcome.EXITED, None),
        ("step", Config.__init__, None),
        ("readings", property(), None),
    ],
)
def test_fields_are_listed_only_in_the_signature(name: str, value: object, omitted: bool | None) -> None:
    assert python_api.skip_fields(None, "class", name, value, False, None) is omitted  # type: ignore[arg-type]


def test_interface_functions_list_their_errors() -> None:
    """Each of the ten functions has its errors from its docstring; a name that no header declares fails the build."""
    python = first_functions.of_python()
    assert python.count("* - {py:func}") == 10
    assert "Raise `DomainError` for an unknown profile" in python
    with pytest.raises(ValueError, match="no header declares ff_controller_step"):
        first_functions.of_c([name for name, _, _ in first_functions._C if name != "ff_controller_step"])


def test_every_member_of_an_enumeration_is_explained() -> None:
    """Each member has a comment in the model, or a meaning from readings and clauses."""
    silent = []
    for text in python_api.pages().values():
        module = re.search(r"automodule:: ([\w.]+)", text)
        if module is None:
            continue
        commented = ModuleAnalyzer.for_module(module[1]).find_attr_docs()
        for kind in vars(import_module(module[1])).values():
            if isinstance(kind, EnumType) and kind.__module__ == module[1]:
                silent += [
                    member
                    for member in kind
                    if not members.meaning(member) and (kind.__name__, member.name) not in commented
                ]  # type: ignore[attr-defined]
    assert silent == []


def test_outcomes_of_the_c_page_have_meanings() -> None:
    page = c_headers.pages()["c-observables"]
    assert "FF_OUTCOME_SAME_BIN" in page
    assert all(f"`FF_OUTCOME_{outcome.name}`" in page for outcome in Outcome)
