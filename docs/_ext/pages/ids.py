"""Links from ids in code font: of vectors, cases (to their vector) and clauses."""

from docutils import nodes
from sphinx.application import Sphinx

from pages import site


def link_ids(app: Sphinx, doctree: nodes.document, document: str) -> None:
    """Link each id in code font on a hand-written page. An id of both a vector and a clause links to the vector."""
    if document.startswith(site.GENERATED):
        return
    for literal in list(doctree.findall(nodes.literal)):
        if isinstance(literal.parent, nodes.reference | nodes.title):
            continue
        target = _target(literal.astext())
        if target is not None:
            page, anchor = target
            uri = app.builder.get_relative_uri(document, page)
            link = nodes.reference("", "", refuri=f"{uri}#{anchor}", internal=True)
            literal.replace_self(link)
            link += literal


def _target(text: str) -> tuple[str, str] | None:
    vector_id = text.split("@")[0]
    if vector_id in site.vectors_by_id():
        group = site.group_of(vector_id).replace(".", "-")
        return f"{site.GENERATED}/vectors/{group}", site.anchor("vector", vector_id)
    if text in site.clauses():
        return site.clause_page(text), site.anchor("clause", text)
    return None
