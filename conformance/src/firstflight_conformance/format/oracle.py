"""Compares the values that the author of a stimulus derived by hand with the answers of the model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from firstflight import Observation
from firstflight_conformance.format.wire import decode_int, observation_to_json


@dataclass(frozen=True, slots=True)
class Expectation:
    """Values by the name of an observable, or of a member of ``state``, after event ``at``.

    ``profiles``: profiles with these values, or ``None`` for all profiles of the stimulus.
    """

    at: int
    values: Mapping[str, Any]
    profiles: tuple[str, ...] | None = None


def wrong(expectations: Sequence[Expectation], profile: str, observations: Sequence[Observation]) -> list[str]:
    """Return a line for each value, expected for the profile, that differs from the model's ``observations``.

    An expectation at an event without an observation gives a single line: this event is not judged.
    """
    lines = []
    for expectation in expectations:
        if expectation.profiles is not None and profile not in expectation.profiles:
            continue
        if not 0 <= expectation.at < len(observations):
            lines.append(f"event {expectation.at}: an expectation, but only {len(observations)} events are judged")
            continue
        observed = _by_name(observations[expectation.at])
        for name, value in expectation.values.items():
            model_value = observed.get(name, "no such observable")
            if model_value != value:
                lines.append(f"event {expectation.at}: {name} is {model_value!r} in the model, expected {value!r}")
    return lines


def _by_name(observation: Observation) -> dict[str, Any]:
    raw = observation_to_json(observation)
    state = raw.pop("state", {})
    return {name: _plain(value) for name, value in {**state, **raw}.items()}


def _plain(value: object) -> object:
    return decode_int(value) if isinstance(value, str) and value.isdigit() else value
