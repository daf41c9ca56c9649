"""Sphinx extension of the documentation site: clauses, generated pages, source pages, and a check of the links."""

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

from firstflight_conformance.docs_ext import clause, generate, links, source


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register directives, the role, and the steps before and after a build."""
    app.add_directive("clause", clause.ClauseDirective)
    app.add_role("clause", clause.ClauseRole())
    app.add_directive("source-file", source.SourceDirective)
    app.connect("missing-reference", links.resolve_short_name)
    app.connect("builder-inited", generate.write_pages)
    app.connect("build-finished", links.check_links)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
