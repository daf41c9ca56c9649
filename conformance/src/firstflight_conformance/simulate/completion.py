"""Runs a transfer of a preset: a dumbbell for one flow, with CoDel in both directions."""

from ctypes import byref
from typing import Any

from firstflight.events import Event
from firstflight_conformance.simulate import native
from firstflight_conformance.simulate import native_layout as layout
from firstflight_conformance.simulate.dumbbell import observations
from firstflight_conformance.simulate.loop import ORIGIN_NS
from firstflight_conformance.simulate.native import Status
from firstflight_conformance.simulate.native_bounds import TIME_END_NS, check_experiment
from firstflight_conformance.simulate.native_events import event_of
from firstflight_conformance.simulate.network import FlowPlan
from firstflight_conformance.simulate.presets import Completion, Experiment
from firstflight_conformance.simulate.scenario import ScenarioError


def complete(experiment: Experiment) -> Completion:
    """Simulate one transfer.

    Raise :class:`ScenarioError`, and :class:`DomainError` if a controller is unknown or refuses an event.
    """
    check_experiment(experiment)
    completion = layout.CompletionLayout()
    status = _complete(experiment, layout.Watch(), completion)
    native.check(status, experiment.preset)
    if status is Status.REFUSED:
        _raise_refusal(experiment)
    if status is Status.STALLED:
        raise ScenarioError(
            f"{experiment.preset}: the transfer does not end within {TIME_END_NS // 10**9} s, the bound of the simulator"
        )
    return experiment.completion(
        completion.finished_ns - ORIGIN_NS,
        completion.dropped_packets,
        completion.sent_packets,
        completion.events,
        completion.probe_timeouts,
        foreign="/" in experiment.algorithm,
    )


def _complete(experiment: Experiment, watch: layout.Watch, completion: layout.CompletionLayout) -> Status:
    laid_out = layout.lay_out_experiment(experiment, TIME_END_NS - 1)
    return Status(native.library().sim_complete(byref(laid_out), byref(watch), byref(completion)))


def _raise_refusal(experiment: Experiment) -> None:
    """Raise :class:`DomainError` with the model's reason: an unknown controller, or an event that the model refuses.

    Raise :class:`RuntimeError` if the model accepts all events of the transfer.
    """
    plan, events = (
        FlowPlan("transfer", experiment.algorithm, 0, experiment.transfer, experiment.receiver),
        list[Event](),
    )
    observations(plan, events)

    def note(_: object, __: int, event: Any, ___: object) -> None:
        events.append(event_of(event.contents))

    _complete(experiment, layout.Watch(event=layout.ON_EVENT(note)), layout.CompletionLayout())
    observations(plan, events)
    raise RuntimeError(
        f"{experiment.preset}: {experiment.algorithm} of the port refuses an event that the model accepts"
    )
