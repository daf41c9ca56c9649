"""The Python model against the C port: every observable, the whole state and every refusal, after every event."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from enum import Enum
from typing import Any

import firstflight
import pytest
from c_port import Port, lib
from firstflight.controller import Config, Controller, create_with
from firstflight.errors import DomainError
from firstflight.events import Ack, Ce, Event, Lost, PersistentCongestion, Pto, Run, Sent
from firstflight.limits import BIN_MAX_BYTES, DATAGRAM_MAX_BYTES, RUN_MAX_PACKETS, TIME_MAX_NS, WINDOW_MAX_BYTES
from firstflight.observables import Outcome, Phase
from firstflight.search import RING_BINS, TICKS_PER_NS
from firstflight.search_profiles import PROFILES, Readings
from firstflight_conformance.prng import SplitMix64
from hypothesis import given, settings
from hypothesis import strategies as st

BASE_OUTCOMES = set(list(Outcome)[: list(Outcome).index(Outcome.NO_RTT_SAMPLE)])
#: Events of the bulk tests; together at least 200,000.
BULK = {"slow-start": 40_000, "literal": 50_000, "recommended": 50_000, "readings": 60_000, "full-bins": 20_000}


@dataclass
class Pair:
    """The model and the port side by side."""

    model: Controller
    port: Port
    outcomes: Counter[Outcome | None] = field(default_factory=Counter)

    @staticmethod
    def of(readings: Readings | None, config: Config) -> "Pair":
        """Begin both in the given readings."""
        return Pair(create_with(readings, config), Port(readings, config))

    def step(self, event: Event) -> None:
        """Let both process the event, and compare. A refusal is counted as outcome ``None``."""
        try:
            model, expected = firstflight.step(self.model, event)
        except DomainError:
            with pytest.raises(DomainError):
                self.port.step(event)
            self.outcomes[None] += 1
        else:
            assert self.port.step(event) == expected, event
            self.model = model
            self.outcomes[expected.outcome] += 1
        assert self.port.state() == self.model, event


# --- Bulk streams ---------------------------------------------------------------------------------------------------


class Stream:
    """Draws events that lead into the corners: it looks at the model to hit bin ends and thresholds."""

    def __init__(self, rng: SplitMix64) -> None:
        """Draw the nature of one connection."""
        self.rng = rng
        self.rtt_ns = self.pick([1, 2, 3, 20, 40, 280, 40_000_000, 100_000_000, 600_000_001, 2**40, 2**52, 2**58])
        self.bytes_mode = self.pick(["flat", "doubling", "tiny", "random"])
        self.lossy = rng.chance_ppm(300_000)
        self.sparse = rng.chance_ppm(300_000)
        self.huge = rng.chance_ppm(50_000)
        self.config = Config(
            self.pick([1, 2, 1200, 1200, 1472, 9000, DATAGRAM_MAX_BYTES]),
            self.pick([None, None, None, 1, 12_000, 10_000_000, 2**40, WINDOW_MAX_BYTES - 5000, WINDOW_MAX_BYTES]),
        )
        self.t_ns = self.pick([1, 10**9, 10**9, 10**9, 2**50, TIME_MAX_NS - 40 * self.rtt_ns])
        self.t_ns = max(self.t_ns, 1)
        self.packet = 0

    def pick[T](self, choices: list[T]) -> T:
        """Return one of the choices."""
        return choices[self.rng.below(len(choices))]
