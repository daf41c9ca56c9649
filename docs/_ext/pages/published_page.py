"""The page of published results: for each scenario its setting, plots, and every published sentence with our result."""

from collections import Counter

from pages import markdown as md
from studies.published import registry
from studies.published.claims import Claim, Verdict
from studies.published.store import load
from studies.published.texts import TEXTS

_INTRODUCTION = """Publications give numbers: completion times, times of exits, gains. On this page the references and the
path simulator compute these numbers again. Every published number has our number, the difference, and a verdict.

- **reproduced**: our number equals the published number, within the stated tolerance.
- **shape only**: the behaviour is as published, with another number; if there are several numbers or conditions, more than half are met.
- **not reproduced**: the behaviour differs; the remark contains the known reasons.
- **not reproducible**: out of reach; the remark lists the missing parts of the source or the simulator.

Five papers were read whole: the paper of Scharf (2009), the SEARCH paper and its longer report (2024), the Careful Resume paper (2024) and Grigore's thesis (2025). Each claim of their abstracts, conclusions,
tables and figures, in words or numbers, has a row with its places in the source.
Verdicts follow from the numbers by the rule in each row. They are computed, and no rule was changed for its result. One sentence of a source makes one row, and no row compares the project
with itself, or a paper with its own arithmetic; unpublished numbers are in tables without verdicts. A number that its source calls approximate is reproduced
within 10 %, and its shape within 30 %. Parameters come from the sources. If a source leaves a parameter open, the setting contains the value and the reason.
No value was chosen for its result.

`make results` executes every run and writes the numbers to `conformance/studies/published/results`, the source of this page and its plots; `firstflight dev results --check`
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
        rows.append((md.ref(module.TITLE, f"results-{name}"), *(str(counts[verdict] or "") for verdict in Verdict)))
    return md.list_table(("Scenario", *(verdict.value for verdict in Verdict)), rows, (40, 15, 15, 15, 15), "compact")


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
