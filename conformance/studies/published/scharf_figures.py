"""Scharf 2009, section 5.2, figures 12 and 13: verdicts on the sentences about response times over the size."""

from fractions import Fraction

from studies.published.claims import NUMBER, Claim, Quantity, impossible, statement
from studies.published.networks import MS
from studies.published.scharf_runs import MSS_BYTES, RTT_NS, SEGMENTS
from studies.published.store import Data

_PLACE = "Scharf 2009, section 5.2"
_FAST = {"quick-start": "Quick-Start", "jump-start": "Jump-Start", "initial-start": "Initial-Start, 10 segments"}
#: Sizes in segments before and after an additional round of slow start: 3, 9 and 45 fill whole rounds.
_STEPS = ((3, 4), (9, 10), (45, 46))
#: Mid sizes, in bytes.
_MIDDLE_BYTES = range(10_000, 1_000_001)
_MILLISECONDS = Quantity("ms", MS, 1)


def claims(data: Data) -> list[Claim]:
    """Return the verdicts on the published sentences."""
    slow = dict(zip(SEGMENTS, data["slow-start-10"]["response_ns"], strict=True))
    steps = {after: slow[after] - slow[before] for before, after in _STEPS}
    gains = {scheme: _speedups(data, scheme) for scheme in _FAST}
    best = {scheme: max(SEGMENTS, key=lambda n, gain=gain: (gain[n], -n)) for scheme, gain in gains.items()}  # type: ignore[misc]
    return [
        statement(
            f"{_PLACE}, figure 12",
            "Standard TCP over the size of the response",
            "the typical steps of slow start",
            ", ".join(f"{_MILLISECONDS.text(step)} longer with segment {n}" for n, step in steps.items()),
            [
                (f"an RTT longer with segment {n}, to a tenth", 10 * abs(step - RTT_NS) <= RTT_NS)
                for n, step in steps.items()
            ],
            "Equation (1) gives these steps to the nanosecond: the later the round, the less of the RTT the link is idle.",
        ),
        statement(
            f"{_PLACE}, figure 12",
            "Speedup over slow start",
            "largest for mid-sized responses",
            "; ".join(
                f"{name}: {NUMBER.text(gains[scheme][best[scheme]])} at {best[scheme]} segments, {NUMBER.text(gains[scheme][3])} at 3, {NUMBER.text(gains[scheme][SEGMENTS[-1]])} at {SEGMENTS[-1]}"
                for scheme, name in _FAST.items()
            ),
            [
                (f"{name}: largest between 10 kB and 1 MB", best[scheme] * MSS_BYTES in _MIDDLE_BYTES)
                for scheme, name in _FAST.items()
            ],
        ),
        impossible(
            f"{_PLACE}, figures 12 and 13",
            "Points of the curves of response time and speedup",
            "plots",
            "The text prints only the numbers in the rows here. The table below compares our simulated responses with the closed forms.",
        ),
    ]


def _speedups(data: Data, scheme: str) -> dict[int, Fraction]:
    slow, fast = data["slow-start-10"]["response_ns"], data[f"{scheme}-10"]["response_ns"]
    return {n: Fraction(a, b) for n, a, b in zip(SEGMENTS, slow, fast, strict=True)}
