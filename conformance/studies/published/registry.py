"""The scenarios of published results, in the order of the page."""

from types import ModuleType

from studies.published import load as busy_link
from studies.published import (
    resume,
    scharf,
    search_factors,
    search_gateway,
    search_geo,
    search_max_data,
    search_numbers,
    sharing,
    thesis,
)
from studies.published.claims import Claim
from studies.published.store import Run, load

SCENARIOS: dict[str, ModuleType] = {
    module.NAME: module
    for module in (
        thesis,
        search_geo,
        search_gateway,
        search_factors,
        search_max_data,
        search_numbers,
        resume,
        scharf,
        sharing,
        busy_link,
    )
}


def all_runs() -> list[Run]:
    """Return the runs of all scenarios."""
    return [run for module in SCENARIOS.values() for run in module.runs()]


def claims_of(scenario: str) -> list[Claim]:
    """Return the verdicts on the published results of a scenario, from its data."""
    claims: list[Claim] = SCENARIOS[scenario].claims(load(scenario))
    return claims
