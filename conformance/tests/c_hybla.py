"""Compares SEARCH on Hybla in the C port with the model on random events."""

from collections import Counter

from c_compare import any_readings
from c_port import Port, step_both
from c_port_streams import Stream as SearchStream
from c_port_streams import any_readings as any_search
from c_port_streams import full_bins
from firstflight.controller import create_with
from firstflight.hybla import hybla
from firstflight.newreno import newreno
from firstflight.observables import Outcome
from firstflight.search.profiles import PROFILES as SEARCH_PROFILES
from firstflight_conformance.prng import SplitMix64


def run_search_streams(seed: int, events: int) -> Counter[Outcome | None]:
    """Compare SEARCH on Hybla, with random readings, on ``events`` random events; return the number of each outcome."""
    rng = SplitMix64(seed)
    total: Counter[Outcome | None] = Counter()
    while total.total() < events:
        readings, below = any_search(rng, SEARCH_PROFILES), any_readings(rng, hybla)
        stream = SearchStream(rng, readings)
        model, port = create_with(readings, stream.config, below), Port(readings, stream.config, hybla_readings=below)
        length = stream.pick((40, 150, 400))
        if stream.chance(60):  # full bins and windows at the threshold decide within few events
            model = full_bins(stream, readings)
            newreno.use_rules(model.base, hybla.RULES, hybla.begin(below))
            port.load(model)
            length = 20
        for _ in range(length):
            event = stream.event(model)
            answers = step_both(model, port.step, event)
            if answers is not None:
                model, expected, observed = answers
                assert observed == expected, event
            total[None if answers is None else expected.outcome] += 1
            assert not port.differs(model), event
    return total


#: Outcomes of SEARCH on Hybla; an ACK in slow start has an outcome of SEARCH.
ON_SEARCH = {
    Outcome.EXITED,
    Outcome.DRAINED,
    Outcome.GROWN_AVOIDANCE,
    Outcome.REDUCED,
    Outcome.COLLAPSED,
    Outcome.IN_RECOVERY,
}
