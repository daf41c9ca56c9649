"""Sphinx extension of the documentation site: clauses, generated pages, source pages, and checks of the links and of the size."""

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

from firstflight.controller import ALGORITHMS
from pages import (
    algorithms,
    asked,
    clause,
    data_files,
    first,
    found,
    generate,
    head,
    home,
    ids,
    judge,
    links,
    members,
    navigation,
    parts,
    play,
    profile_tables,
    python_api,
    search,
    side_by_side,
    smaller,
    source,
    sources,
    specification,
    titles,
    vector_files,
    vector_index,
    weight,
    who_runs_it,
)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register directives, the role, and the steps before and after a build."""
    app.add_directive("clause", clause.ClauseDirective)
    app.add_directive("algorithms", algorithms.AlgorithmsDirective)
    app.add_directive("first-vectors", first.FirstVectorsDirective)
    app.add_config_value("algorithms", [*ALGORITHMS], "env")  # another one is in the contents of every page
    app.add_search_language(search.English)
    app.add_role("clause", clause.ClauseRole())
    app.add_directive("source-file", source.SourceDirective)
    app.add_directive("side-by-side", side_by_side.SideBySideDirective)
    app.add_directive("plain-programs", side_by_side.PlainProgramsDirective)
    app.add_directive("profile-answers", profile_tables.AnswersDirective)
    app.add_directive("profile-table", profile_tables.ProfilesDirective)
    app.add_directive("profile-paths", profile_tables.PathsDirective)
    app.add_directive("home-actions", home.HomeActionsDirective)
    app.add_directive("who-runs-it", who_runs_it.WhoRunsItDirective)
    app.connect("missing-reference", links.resolve_short_name)
    app.connect("doctree-read", members.explain_members)
    app.connect("autodoc-skip-member", python_api.skip_fields)
    app.connect("builder-inited", generate.write_pages)
    app.connect("builder-inited", head.register_frame)
    app.connect("include-read", specification.lead_to_pages)
    app.connect("env-updated", titles.write_what_names_them)
    app.connect("doctree-resolved", ids.link_ids)
    app.connect("doctree-resolved", sources.link_sources)
    app.connect("html-page-context", head.describe_page)
    app.connect("html-page-context", navigation.add_crumbs)
    app.connect("html-page-context", smaller.shorten_page, priority=400)  # before the theme takes it
    app.connect("html-collect-pages", search.keep_entries)
    app.connect("build-finished", play.write_module)
    app.connect("build-finished", parts.list_missing)
    app.connect("build-finished", judge.write_page)
    app.connect("build-finished", vector_files.write_files)
    app.connect("build-finished", data_files.write_files)
    app.connect("build-finished", vector_index.write_index)
    app.connect("build-finished", asked.write_asked)
    app.connect("build-finished", links.check_links)
    app.connect("build-finished", found.check_search)
    app.connect("build-finished", weight.remove_unused)
    app.connect("build-finished", weight.check_weight)
    return {"version": "1", "env_version": 2, "parallel_read_safe": True, "parallel_write_safe": True}
