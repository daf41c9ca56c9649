"""Changes of the window in a case, in a few words."""

from collections.abc import Sequence

from firstflight_conformance.format.vectors import Case

#: Texts of turns by outcome.
TURNS = {
    "exited": "exit",
    "restarted": "restart",
    "drained": "drained",
    "reduced": "reduction",
    "collapsed": "collapse",
}
NO_TURN = "no exit"
#: Maximum number of turns in the text of a case.
_TOLD = 2


def turns_text(case: Case, outcomes: Sequence[str], *, windows: bool) -> str:
    """Return the first turns of a case with their events, and with the windows before and after an exit if asked for."""
    turns = []
    before = case.vector.config["initial_window_bytes"]
    for index, observation in enumerate(case.expected()):
        if observation["outcome"] in outcomes:
            text = f"{TURNS[observation['outcome']]} at {index}"
            if observation["outcome"] == "exited" and windows:
                text += (
                    f", cwnd {_window(before, observation['cwnd_bytes'])}, {_threshold(observation['ssthresh_bytes'])}"
                )
            turns.append(text)
        before = observation["cwnd_bytes"]
    return ", ".join(turns[:_TOLD]) + (" ..." if len(turns) > _TOLD else "") or NO_TURN


def _window(before: int, after: int) -> str:
    return f"stays {after}" if before == after else f"{before} to {after}"


def _threshold(ssthresh_bytes: int | None) -> str:
    return "ssthresh infinite" if ssthresh_bytes is None else f"ssthresh {ssthresh_bytes}"
