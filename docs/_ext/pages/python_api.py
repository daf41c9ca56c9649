"""The pages of the Python interface: a start page, and one page for each module or package of an algorithm."""

from functools import cached_property
from typing import Any, TypeAlias

from sphinx.application import Sphinx

from firstflight.algorithm import Algorithm, Computation
from firstflight.controller import ALGORITHMS
from firstflight_conformance.paths import REFERENCE_PY
from pages import first_functions
from pages import markdown as md

_MODEL = (
    ("controller", "Create a controller and drive it"),
    ("events", "Events"),
    ("observables", "Observables"),
    ("delivery_rate", "Delivery-rate samples of a sender"),
    ("errors", "Errors"),
    ("limits", "Limits of the domain"),
    ("algorithm", "Descriptors of algorithms"),
    ("window_rules", "The rules by which a base grows and reduces its window"),
)
_CONFORMANCE = (
    ("format.parse", "Vector files as JSON, and why one is refused"),
    ("format.vectors", "Load vectors and take them apart into cases"),
    ("format.wire", "Events and observables as JSON"),
    ("simulate.scenario", "Scenarios of the path simulator"),
    ("simulate.in_loop", "Controllers in the loop"),
    ("simulate.loop", "Run a scenario"),
    ("prng", "Pseudo-random numbers"),
    ("simulate.transfer", "What a flow has to do"),
    ("simulate.network", "Networks: several flows over one bottleneck"),
    ("simulate.dumbbell", "Run a network"),
    ("simulate.presets", "Published experiments"),
    ("simulate.completion", "Run a published experiment"),
    ("plots.vectors", "Plots"),
)
_EXAMPLE = """\
```python
from firstflight import Ack, Config, Run, Sent, create, step

controller = create("search", "lanman-2024", Config(max_datagram_size_bytes=1200))
packets = (Run(first=0, last=9, size_bytes=1200, sent_t_ns=1_000_000_000),)
sent = Sent(
    t_ns=1_000_000_000, packets=packets, bytes=12_000, bytes_in_flight=12_000, app_limited=False
)
ack = Ack(
    t_ns=1_100_000_000, packets=packets, bytes=12_000, bytes_in_flight=0, next_packet=10,
    app_limited=False, latest_rtt_ns=100_000_000, min_rtt_ns=100_000_000,
    smoothed_rtt_ns=100_000_000, ack_delay_ns=0,
)
controller, seen = step(controller, sent)
controller, seen = step(controller, ack)
print(seen.cwnd_bytes, seen.outcome)  # 24000 Outcome.STARTED
```"""


def pages() -> dict[str, str]:
    """Return the pages by name: the start page, and the pages of the modules and packages."""
    model = [
        (name, title, [(name, "")]) for name, title in (("firstflight." + module, title) for module, title in _MODEL)
    ]
    packages = [_package(algorithm) for algorithm in ALGORITHMS.values()]
    tools = [
        (f"firstflight_conformance.{name}", title, [(f"firstflight_conformance.{name}", "")])
        for name, title in _CONFORMANCE
    ]
    every = [*model, *packages, *tools]
    first = md.page(
        "# Python",
        "Every public function and class of the model `firstflight`, and of the parts of `firstflight_conformance` that read "
        "vectors and run the path simulator. Each module, and the package of each algorithm, has a page.",
        "The model needs only the standard library. A controller is a value: `step` returns a new controller and leaves the "
        "old one unchanged. The names in `firstflight.__all__` can be imported from `firstflight` itself.",
        "Events and observations are values too. A type checker refuses a program that changes one; at run time changes are "
        "not refused, since that check would take longer than the rest of the construction.",
        _EXAMPLE,
        first_functions.of_python(),
        *_listed("The model", model),
        *_listed("Algorithms", packages),
        *_listed("Vectors, simulator, plots", tools),
        "```{toctree}\n:hidden:\n\n" + "\n".join(_document(name) for name, _, _ in every) + "\n```",
    )
    return {"python": first} | {_document(name): _page(name, title, modules) for name, title, modules in every}


#: A page: its module or package, its title, and its modules with their titles.
_Page: TypeAlias = tuple[str, str, list[tuple[str, str]]]


def _document(module: str) -> str:
    """Return the name of the page of a module, below the folder of the interfaces."""
    return f"python-{module.replace('.', '-').replace('_', '-')}"


def _listed(title: str, pages: list[_Page]) -> list[str]:
    return [f"## {title}", "\n".join(f"- [`{name}`]({_document(name)}.md): {about}" for name, about, _ in pages)]


def _page(name: str, title: str, modules: list[tuple[str, str]]) -> str:
    blocks = [f"# {title} (`{name}`)", "All modules: [Python](python.md)."]
    for module, about in modules:
        blocks += [f"## {about}"] if about else []
        blocks.append(
            f"```{{eval-rst}}\n.. automodule:: {module}\n   :members:\n   :undoc-members:\n   :member-order: bysource\n```"
        )
    return md.page(*blocks)


def _package(algorithm: Algorithm | Computation) -> _Page:
    """Return the page of an algorithm, with every module of its package but the self-contained programs."""
    name = f"firstflight.{algorithm.package}"
    stems = sorted(path.stem for path in (REFERENCE_PY / algorithm.package).glob("[!_]*.py"))
    modules = [(f"{name}.{stem}", stem.replace("_", " ")) for stem in stems if not stem.startswith("plain_")]
    return name, algorithm.title, modules


def skip_fields(app: Sphinx, kind: str, name: str, obj: Any, skip: bool, options: Any) -> bool | None:
    """Omit the fields of a dataclass, as its signature has the name, type and default of each.

    Fields are the members of a class other than methods, properties and enumeration members (in upper case).
    """
    is_field = kind == "class" and not name.isupper() and not callable(obj)
    return True if is_field and not isinstance(obj, property | cached_property) else None
