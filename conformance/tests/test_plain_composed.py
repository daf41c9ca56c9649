"""SEARCH on Hybla composed of two plain programs, each written from its own text: a second check of the composition."""

from dataclasses import dataclass
from types import ModuleType, SimpleNamespace
from typing import cast

from firstflight.events import Ack, Event, PersistentCongestion
from firstflight.hybla import plain_hybla_linux_kernel as hybla
from firstflight.newreno.plain_newreno_rfc_9002 import NewReno
from firstflight.observables import Outcome, Phase
from firstflight.search import plain_search_lanman_2024 as search
from firstflight_conformance.format.vectors import cases, load_all
from plain.judge import cases_of, judge_case
from plain_streams import run_streams


@dataclass(slots=True)
class Both:
    """The states of both programs, which share one base."""

    search: search.Search
    hybla: hybla.Hybla

    @property
    def base(self) -> NewReno:
        """Return the base."""
        return self.hybla.base


def begin(max_datagram_size_bytes: int, initial_window_bytes: int | None) -> Both:
    """Begin both programs, and put SEARCH on the base of Hybla."""
    both = Both(*(part.begin(max_datagram_size_bytes, initial_window_bytes) for part in (search, hybla)))
    both.search.base = both.hybla.base
    return both


def on_event(both: Both, event: Event) -> Outcome:
    """Use Hybla in place of NewReno below SEARCH."""
    if isinstance(event, PersistentCongestion):
        both.search.bin_duration = 0
    if not isinstance(event, Ack):
        return hybla.on_event(both.hybla, event)
    if event.latest_rtt_ns is not None:
        both.search.rtt_ns = max(event.latest_rtt_ns, 1)
    if both.base.phase is not Phase.SLOW_START:
        return hybla.on_event(both.hybla, event)
    outcome = search.search(both.search, event)
    if outcome is not Outcome.EXITED:
        hybla.on_event(both.hybla, event)
    return outcome


PROGRAM = cast(ModuleType, SimpleNamespace(PROFILE="search/lanman-2024+hybla", begin=begin, on_event=on_event))


def test_vectors() -> None:
    """The composition answers every judged event of the profile as the vectors expect."""
    judged = {case.id: judge_case(PROGRAM, case) for case in cases_of(PROGRAM, list(cases(load_all())))}
    assert len(judged) >= 10
    assert {case: difference for case, difference in judged.items() if difference} == {}


def test_random_streams() -> None:
    """The composition agrees with the model on 10000 random events."""
    outcomes = run_streams(PROGRAM, 900, 10_000)
    assert min(outcomes[outcome.value] for outcome in (Outcome.EXITED, Outcome.GROWN_AVOIDANCE, Outcome.REDUCED)) > 0
