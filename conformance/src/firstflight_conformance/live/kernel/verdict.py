"""What a run of the kernel says of profiles: the exit, and the windows before it.

After its exit the kernel's CUBIC grows by rules of its own (with no earlier maximum by at least 5 % a round), so nothing is judged there.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from firstflight.events import Lost
from firstflight_conformance.live.agreement import margin_ns
from firstflight_conformance.recording.judge import Judgement, Share, Standing, judge
from firstflight_conformance.recording.recording import Recording

#: What a congestion control of the kernel is judged by where nothing else is asked for, without and with pacing. SEARCH is fitted.
PROFILES = {
    "cubic": ("hystart/linux", "hystart/linux-paced"),
    "reno": ("slow-start/rfc-9002", "slow-start/rfc-9002"),
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a profile stands to one run. ``windows``: up to the exit, the model left alone.

    ``by_loss``: a loss ended slow start, of which the kernel itself told the model. ``margin_ns``: see :func:`margin_ns`.
    """

    standing: Standing
    windows: Share
    by_loss: bool
    margin_ns: int | None

    @property
    def judged(self) -> bool:
        """Whether slow start was left at all, by either."""
        return self.standing.exit != "none"

    @property
    def agrees(self) -> bool:
        """Whether the exit is the same and all windows before it are."""
        return self.standing.exit == "same" and self.windows.all


def verdicts(recording: Recording, names: Sequence[str] | None) -> tuple[Judgement, list[Verdict]]:
    """Judge one run by profiles, or by all of them; the best first."""
    whole = judge(recording, names)
    left = whole.subject_exit
    before = judge(recording if left is None else recording.cut(events=left.by), [s.profile for s in whole.standings])
    windows = {standing.profile: standing.windows for standing in before.standings}
    by_loss = left is not None and isinstance(recording.events[left.by], Lost)
    found = []
    for standing in whole.standings:
        margin = margin_ns(whole, standing) if standing.rank == 1 else None
        found.append(Verdict(standing, windows[standing.profile], by_loss, margin))
    return whole, found


def as_json(recording: Recording, judgement: Judgement, verdict: Verdict) -> dict[str, Any]:
    """Return one run for a report that programs read."""
    left, standing = judgement.subject_exit, verdict.standing
    return {
        "profile": standing.profile,
        "exit": standing.exit,
        "agrees": verdict.agrees if verdict.judged else None,
        "events": len(recording.events),
        "exit_event": None if left is None else left.by,
        "model_exit_event": standing.model_exit,
        "by_loss": verdict.by_loss,
        "windows": [verdict.windows.equal, verdict.windows.of],
        "margin_ns": verdict.margin_ns,
        "ended": recording.header.source["ended"],
        "clock": recording.header.source["clock"],
    }
