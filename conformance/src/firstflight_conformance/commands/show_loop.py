"""Shows a closed-loop case as a timeline of the model's run. Reports of failures refer to its events."""

from collections.abc import Callable, Sequence

from rich.console import Console
from rich.text import Text

from firstflight.events import Event
from firstflight_conformance.commands.options import InputError, usage_errors
from firstflight_conformance.format.timeline import event_lines
from firstflight_conformance.format.wire import observables
from firstflight_conformance.run.selection import near_hint
from firstflight_conformance.simulate.cases import StimulusCase, stimulus_cases
from firstflight_conformance.simulate.in_loop import ModelInLoop, SenderLimits
from firstflight_conformance.simulate.loop import Simulation
from firstflight_conformance.simulate.loop_run import run

#: Prints the rows of a timeline.
Rows = Callable[[Console, Sequence[tuple[str, str, str, str]]], None]


class _Noted(ModelInLoop):
    """The model in the loop; records its events."""

    def __init__(self, case: StimulusCase) -> None:
        """Create the controller of the case, before its first event, with an empty list of events."""
        super().__init__(case.controller())
        self.events: list[Event] = []

    def on_event(self, event: Event) -> SenderLimits:
        """Record and process an event."""
        self.events.append(event)
        return super().on_event(event)


def loop_cases(case_id: str) -> list[StimulusCase]:
    """Return the closed-loop cases with this case or vector id. Raise :class:`InputError` for an unknown id."""
    with usage_errors():
        every = stimulus_cases()
    cases = [case for case in every if case_id in (case.id, case.vector.id)]
    if not cases:
        hint = near_hint(case_id, [case.id for case in every])
        raise InputError(f"{case_id}: unknown; {hint}`firstflight list --closed-loop` lists all closed-loop cases")
    return cases


def show_loop(out: Console, case: StimulusCase, rows: Rows) -> None:
    """Print the events and answers of the model in a closed-loop case, and how the run ended.

    In a closed loop answers affect later events. An implementation whose answer differs from the model's thus gets
    other events than the printed ones from there on.
    """
    model = _Noted(case)
    ended = run(Simulation(case.scenario, model))
    out.print(Text(case.id, "bold"))
    out.print(Text(case.scenario.title))
    out.print(Text("The run of the model. After its first difference, an adapter gets other events."))
    rows(out, event_lines(model.events, map(observables, model.observations)))
    out.print(f"the run ends: {ended}")
    out.print()
