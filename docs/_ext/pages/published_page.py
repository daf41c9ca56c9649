"""The page of published results: for each scenario its setting, plots, and every published sentence with what we get."""

from collections import Counter

from pages import markdown as md
from studies.published import registry
from studies.published.claims import Claim, Verdict
from studies.published.store import load
from studies.published.texts import TEXTS

_INTRODUCTION = """Publications give numbers: completion times, when a window was left, what was gained. Here the references and the
path simulator compute them again. For every published number there is ours, the difference, and a verdict.

- **reproduced**: our number is the published one, to the tolerance that stands with it.
- **shape only**: it behaves as published, with another number; of several numbers or conditions more than half are met.
- **not reproduced**: it does not, and the remark says what is known of why.
- **not reproducible**: out of reach; the remark says what is missing, in the source or in the simulator.

Five papers were read whole: of Scharf (2009), the SEARCH paper and its longer report (2024), the Careful Resume paper (2024) and Grigore's thesis (2025). What their abstracts, conclusions,
tables and figures claim in words or numbers has a row, with its places in the source.
Verdicts follow from the numbers by the rule in each row; nobody writes them, and no rule was changed for its result. One sentence of a source makes one row, and no row compares the project
with itself, or a paper with its own arithmetic; what nobody published is in tables without verdicts. A number that its source calls approximate is reproduced
within 10 %, and its shape within 30 %. Parameters come from the sources. Where a source leaves one open, the setting says which value is used and why.
No value was chosen for its result.

`make results` carries out every run and writes the numbers to `conformance/studies/published/results`, from which this page and its plots are made; `firstflight dev results --check`
computes them again and compares. Times are simulated, seeds are fixed: the numbers are the same on every machine. The simulator is specified in
[](../specification/simulator.md)."""


def page() -> str:
    """Return the page."""
    blocks = ["# Published results, reproduced", _INTRODUCTION, _overview()]
    for name, module in registry.SCENARIOS.items():
        text = TEXTS[name]
        blocks += [md.label(f"results-{name}"), f"## {module.TITLE}", text.setting]
        blocks += [_plot(name, plot, caption) for plot, caption in text.plots]
        blocks.append(_table(registry.claims_of(name)))
        if hasattr(module, "more"):
            blocks += _more(*module.more(load(name)))
        blocks.append(text.conclusion)
    return md.page(*blocks)


def _more(text: str, header: tuple[str, ...], rows: list[tuple[str, ...]]) -> list[str]:
    widths = (28, *[72 // (len(header) - 1)] * (len(header) - 1))
    return [text, md.list_table(header, [tuple(map(md.plain, row)) for row in rows], widths, "compact")]


def _overview() -> str:
    rows = []
    for name, module in registry.SCENARIOS.items():
        counts = Counter(claim.verdict for claim in registry.claims_of(name))
        rows.append((md.ref(module.TITLE, f"results-{name}"), *(str(counts[one] or "") for one in Verdict)))
    return md.list_table(("Scenario", *(one.value for one in Verdict)), rows, (40, 15, 15, 15, 15), "compact")


def _plot(name: str, plot: str, caption: str) -> str:
    return f"```{{figure}} results/{name}-{plot}.svg\n:class: plot\n:alt: {caption.split('. ')[0].rstrip('.')}\n\n{caption}\n```"


def _table(claims: list[Claim]) -> str:
    rows = [
        (
            f"{md.plain(claim.what)}<br>{md.plain(claim.source)}",
            md.plain(claim.published),
            md.plain(claim.ours) + (f"<br>difference: {md.plain(claim.difference)}" if _differs(claim) else ""),
            " ".join(part for part in (f"**{claim.verdict.value}**.", _rule(claim), md.plain(claim.remark)) if part),
        )
        for claim in claims
    ]
    return md.list_table(("What, and where", "Published", "Ours", "Verdict"), rows, (28, 17, 23, 32), "compact")


def _differs(claim: Claim) -> bool:
    return claim.difference not in ("", "none")


def _rule(claim: Claim) -> str:
    return f"Rule: {md.plain(claim.rule)}." if claim.rule else ""
