"""Rewrites the pages that may refer to a page with a changed title, section or place, as in a build from scratch."""

from collections.abc import Iterable
from typing import Any

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment


def write_what_names_them(app: Sphinx, env: BuildEnvironment) -> Iterable[str]:
    """Return all pages if a title, a section or a place in the contents has changed since the last build, else none."""
    named: dict[str, Any] = {
        "titles": {name: title.astext() for name, title in env.titles.items()},
        "contents": {name: list(children) for name, children in env.toctree_includes.items()},
        "sections": dict(env.domaindata["std"]["labels"]),
        "anchors": dict(env.domaindata["std"]["anonlabels"]),
    }
    before, env.firstflight_named = getattr(env, "firstflight_named", None), named  # type: ignore[attr-defined]
    return () if named == before else sorted(env.found_docs)
