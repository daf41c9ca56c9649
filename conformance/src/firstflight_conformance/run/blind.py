"""Cases that no file has: paths drawn for one run from a seed, in closed loop, under ids that say nothing.

An adapter that knows the vectors, or the closed loop of the checkout, by heart has nothing to answer with; one that computes is not disturbed.
"""

import secrets
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from firstflight import Config
from firstflight_conformance.prng import SplitMix64
from firstflight_conformance.run.stimulus import StimulusCase, scenarios_of_the_checkout, stimulus_cases
from firstflight_conformance.simulator.scenario import Scenario

#: Of the paths that all algorithms have in common so many are drawn; of those for some algorithms only one for each set of these.
COMMON = 3
_DATAGRAMS_BYTES = (1200, 1252, 1350, 1452)


def new_seed() -> int:
    """Return a seed that nobody has seen."""
    return secrets.randbelow(2**32)


def blind_cases(seed: int) -> list[StimulusCase]:
    """Return the cases of a seed, the same on every machine: for every profile, on paths like those of the checkout with other numbers."""
    draw = SplitMix64(seed)
    return stimulus_cases(scenarios=[_drawn(like, number, draw) for number, like in enumerate(_chosen(draw), 1)])


def _chosen(draw: SplitMix64) -> list[Scenario]:
    """Return scenarios of the checkout, each kind of them."""
    kinds: dict[tuple[bool, Sequence[str]], list[Scenario]] = defaultdict(list)
    for scenario in scenarios_of_the_checkout():
        kinds[scenario.saved_cwnd_bytes is not None, scenario.algorithms].append(scenario)
    common = kinds.pop((False, ()))
    chosen = [common.pop(draw.below(len(common))) for _ in range(COMMON)]
    return chosen + [some[draw.below(len(some))] for some in kinds.values()]


def _drawn(like: Scenario, number: int, draw: SplitMix64) -> Scenario:
    """Return a scenario with the members of another one and numbers of its own."""

    def about(value: int) -> int:
        """Return a number from a half of it to one and a half."""
        return value * (500 + draw.below(1001)) // 1000

    size_bytes = _DATAGRAMS_BYTES[draw.below(len(_DATAGRAMS_BYTES))]
    link = replace(
        like.link,
        rate_bps=about(like.link.rate_bps),
        forward_delay_ns=about(like.link.forward_delay_ns),
        return_delay_ns=about(like.link.return_delay_ns),
        queue_bytes=max(about(like.link.queue_bytes), 2 * size_bytes),
        loss_ppm=draw.below(5000) if draw.below(3) == 0 else like.link.loss_ppm,
        steps=tuple((about(at_ns), about(longer_ns)) for at_ns, longer_ns in like.link.steps),
    )
    return replace(
        like,
        name=f"blind-{number:02}.json",
        title=f"drawn path {number}",
        seed=draw.next() % 2**53,
        config=Config(size_bytes, size_bytes * (2 + draw.below(31))),
        transfer_bytes=about(like.transfer_bytes or 1_000_000),
        saved_cwnd_bytes=None if like.saved_cwnd_bytes is None else max(about(like.saved_cwnd_bytes), 4 * size_bytes),
        receiver=replace(like.receiver, ack_every_packets=1 + draw.below(4)),
        link=link,
        vectors=(),
    )
