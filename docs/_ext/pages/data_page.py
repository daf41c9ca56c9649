"""The pages *Data* and *packetdrill*: each file to download with its contents and size."""

from collections.abc import Iterator

from firstflight.controller import ALGORITHMS
from firstflight_conformance.paths import CONFORMANCE
from pages import data_files, site
from pages import markdown as md
from pages.appendix import pages as appendices
from pages.appendix import shown
from plain.folders import plain_headers

_ROOT = "../"
_INTRODUCTION = """Vectors, headers, rules and results as files, without a checkout. Names are stable; each JSON document has a schema and the
number `format`, which changes with an incompatible change. Sizes are in kB; <a href="../data/SHA256SUMS">SHA256SUMS</a> has the checksums.

The same with loaders in seven languages, the flat form and the Python packages: `make dist` ([Install](../install.md)). Licences: the vectors are in the
public domain (CC0), everything else is under the Apache License ([Licence and citing](../licence.md))."""
_DOCUMENTS = {
    "errata": "errata of the texts: text, correction, rules, cases and events that show each",
    "clauses": "rules with id, level, source, conditions and number of vectors",
    "profiles": "profiles with their sources and the value of each reading",
}
_PACKETDRILL = """Scripts that make a TCP sender of the Linux kernel the same writes and ACKs as a vector. They assert its window and ssthresh after each ACK.
Download <a href="../data/packetdrill.tar.xz">all scripts</a>, or one from the list at the end. They need [packetdrill](https://github.com/google/packetdrill) and Linux.
To run an algorithm of this site in the kernel: [In your kernel](../kernel-bpf.md).

A script that passes prints nothing and exits with 0. A failed assertion prints the line of the script and both values, and exits with 1."""


def pages() -> dict[str, str]:
    """Return both pages, by the names of their documents."""
    return {"data": _data(), "packetdrill": _packetdrill()}


def _data() -> str:
    sizes = {name: len(content) for name, content in data_files.contents().items()}
    return md.page(
        "# Data",
        _INTRODUCTION,
        "## Vectors",
        md.list_table(("Archive", "Algorithm", "Vectors", "kB"), _archives(sizes), (36, 34, 15, 15), "compact"),
        "Each archive has the JSON files in the [vector format](../specification/vector-format.md). Unpack it with `tar -xf`.",
        "## Headers",
        f"Self-contained headers in C ([Plain programs](plain/index.md)): {_link('headers.tar.xz')}, or one by one:",
        ", ".join(_link(f"headers/{name}", name) for name in sorted(path.name for path in plain_headers())),
        "## Documents",
        md.list_table(("File", "Contents", "Schema", "kB"), _documents(sizes), (22, 46, 22, 10), "compact"),
        "## Appendices for drafts",
        "Pseudocode and first vectors of a profile as sections of an Internet-Draft:",
        "\n".join(f"- [{name}]({shown.document(name)}.md): {appendices.links(name, _ROOT)}" for name in shown.PROFILES),
        "```{toctree}\n:hidden:\n\n" + "\n".join(map(shown.document, shown.PROFILES)) + "\n```",
        "## packetdrill",
        f"{_link('packetdrill.tar.xz')}: scripts for the Linux kernel, with a page of their own: [packetdrill](packetdrill.md).",
        "## Badges",
        "An SVG badge for each stack and algorithm is in `badges/`; [What the stacks show](../stacks.md#results-as-data) describes them.",
    )


def _archives(sizes: dict[str, int]) -> Iterator[tuple[str, ...]]:
    for name in sizes:
        if name.startswith("vectors-"):
            algorithm = name.removeprefix("vectors-").removesuffix(".tar.xz")
            names = [vector.algorithm for vector in site.vectors()] + [
                computation.algorithm for computation in site.computations()
            ]
            count = names.count(algorithm)
            yield _link(name), ALGORITHMS[algorithm].title, str(count), _kilobytes(sizes[name])


def _documents(sizes: dict[str, int]) -> Iterator[tuple[str, ...]]:
    results = '<a href="../results.json">results.json</a>', '<a href="../results.schema.json">results.schema.json</a>'
    yield results[0], "cases of each stack and profile by outcome, versions, and defects with ids", results[1], ""
    for name, text in _DOCUMENTS.items():
        yield _link(f"{name}.json"), text, _link(f"{name}.schema.json"), _kilobytes(sizes[f"{name}.json"])


def _packetdrill() -> str:
    readme = (CONFORMANCE / "packetdrill" / "README.md").read_text("utf-8")
    _, _, body = readme.partition("```sh")
    names = [name for name in data_files.contents() if name.startswith("packetdrill/")]
    rows = []
    for name in names:
        vector = name.removeprefix("packetdrill/").removesuffix(".pkt")
        rows.append((_link(name, f"{vector}.pkt"), md.ref(vector, site.anchor("vector", vector))))
    return md.page(
        "# packetdrill: vectors for the Linux kernel",
        _PACKETDRILL,
        f"## Run a script\n\n```sh{body}",
        f"## The {len(names)} scripts",
        md.list_table(("Script", "Vector"), rows, (50, 50), "compact"),
    )


def _link(name: str, text: str = "") -> str:
    return f'<a href="{_ROOT}{data_files.FOLDER}/{name}" download>{text or name}</a>'


def _kilobytes(size: int) -> str:
    return str(-(-size // 1000))
