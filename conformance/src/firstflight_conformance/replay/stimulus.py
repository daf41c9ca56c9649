"""Turns a stimulus (a stream with its description) into a vector with the answers of the model."""

from dataclasses import dataclass, replace
from typing import Any

from firstflight import Config, Controller, Observation, create
from firstflight.events import Event, Sent
from firstflight_conformance.format.given import given_flags
from firstflight_conformance.format.oracle import Expectation, wrong
from firstflight_conformance.format.readings import load_tables
from firstflight_conformance.format.stream import flags_of, granularity_of
from firstflight_conformance.format.wire import event_to_json, observation_to_json
from firstflight_conformance.replay.measure import clauses_of, config_to_json, replay, traced


@dataclass(frozen=True, slots=True)
class Stimulus:
    """Source of a vector: events with a description. The vector adds the model's answers for each profile.

    In at least one of ``profiles``, all packets sent in ``events`` fit the windows that the model answers. In other
    profiles the model's answers end at the first packets beyond the window.
    ``expectations``: answers derived by hand; the generator fails if the model disagrees.
    ``alternatives``: each contains values of readings (interpretations of a text), by name, that are as valid as the
    profile's values. The model's answers with these values are allowed as well.
    """

    id: str
    title: str
    why: str
    tier: str
    profiles: tuple[str, ...]
    source: dict[str, Any]
    config: Config
    events: tuple[Event, ...]
    flags: tuple[str, ...] = ()
    alternatives: tuple[dict[str, str], ...] = ()
    expectations: tuple[Expectation, ...] = ()

    @property
    def algorithm(self) -> str:
        """Algorithm under test: the first part of the id."""
        return self.id.split(".", 1)[0]


def judged_events(events: tuple[Event, ...], observations: list[Observation]) -> int:
    """Return the number of events before the first ``Sent`` that exceeds the model's window, or of all events.

    ``observations``: the model's observation at each event, with its window.
    """
    for index, event in enumerate(events):
        window_bytes = observations[index].cwnd_bytes
        if isinstance(event, Sent) and event.bytes_in_flight > window_bytes:
            return index
    return len(events)


def to_json(stimulus: Stimulus) -> dict[str, Any]:
    """Return the vector: the stimulus with the answers of the model in each profile.

    The answers of a profile end before the first packets beyond the model's window. Raise ``ValueError`` if they end
    there without an earlier outcome such as the exit from slow start. Raise it also if the answers of every profile end
    before the last event, or if an answer differs from ``expectations``.
    """
    profiles = {profile: _profile_json(stimulus, profile) for profile in stimulus.profiles}
    if max(entry["judged_events"] for entry in profiles.values()) < len(stimulus.events):
        raise ValueError(f"{stimulus.id}: the whole stream fits the window of none of its profiles")
    events, algorithm = stimulus.events, stimulus.algorithm
    config = config_to_json(stimulus.config)
    flags = {*flags_of(events, algorithm), *given_flags(events, config, profiles, algorithm), *stimulus.flags}
    return {
        "format": 1,
        "id": stimulus.id,
        "title": stimulus.title,
        "why": stimulus.why,
        "algorithm": algorithm,
        "tier": stimulus.tier,
        "flags": sorted(flags),
        "granularity": granularity_of(events),
        "source": stimulus.source,
        "config": config,
        "events": [event_to_json(event) for event in events],
        "profiles": profiles,
    }


def controller_of(stimulus: Stimulus, profile: str) -> Controller:
    """Return a new controller of the model for the stimulus."""
    return create(stimulus.algorithm, profile, stimulus.config)


def _profile_json(stimulus: Stimulus, profile: str) -> dict[str, Any]:
    events = list(stimulus.events)
    observations, clauses = traced(stimulus.algorithm, profile, stimulus.config, events)
    judged = judged_events(stimulus.events, observations)
    if lines := wrong(stimulus.expectations, profile, observations[:judged]):
        raise ValueError("\n".join(f"{stimulus.id}@{profile}: {line}" for line in lines))
    if judged < len(events) and not _ended(stimulus.algorithm, observations[:judged]):
        raise ValueError(f"{stimulus.id}@{profile}: event {judged} does not fit the window, but no exit precedes it")
    if judged < len(events):  # without clauses of later events
        clauses = clauses_of(stimulus.algorithm, profile, stimulus.config, events[:judged])
    return {
        "judged_events": judged,
        "clauses": list(clauses),
        "expect": _changes(observations[:judged], _alternatives(stimulus, profile)),
    }


def _ended(algorithm: str, observations: list[Observation]) -> bool:
    """Return whether one of the outcomes ``endings`` of the algorithm's ``profiles.toml`` occurred.

    These outcomes, such as the exit from slow start, end the part of a run where all profiles permit the same sending.
    """
    return any(observation.outcome.value in load_tables()[algorithm].endings for observation in observations)


def _changed(before: dict[str, Any], now: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in now.items() if name not in before or before[name] != value}


def _alternatives(stimulus: Stimulus, profile: str) -> list[list[Observation]]:
    """Return the answers of the model with each item of ``stimulus.alternatives``, one list of answers per item.

    An item contains values of readings (interpretations of the text), by name, that are as valid as the profile's. They
    replace the profile's values of these readings; other readings stay as in the profile.
    """
    answers = []
    for alternative in stimulus.alternatives:
        controller = controller_of(stimulus, profile)
        choices = {name: type(getattr(controller.readings, name))(value) for name, value in alternative.items()}
        controller = replace(controller, readings=replace(controller.readings, **choices))
        answers.append(replay(controller, list(stimulus.events)))
    return answers


def _allowed(observation: Observation, alternatives: list[Observation]) -> dict[str, list[Any]]:
    """Return all correct values of observables with more than one; the expected value comes first."""
    if not alternatives and not observation.triggers:
        return {}
    now = observation_to_json(observation)
    allowed = {}
    for name in ("cwnd_bytes", "ssthresh_bytes", "phase", "outcome", "next_release_ns", "trigger"):
        values = [now.get(name), *(observation_to_json(alternative).get(name) for alternative in alternatives)]
        if name == "trigger" and observation.triggers:
            values += [trigger.value for trigger in observation.triggers]
        if len(values := list(dict.fromkeys(values))) > 1:
            allowed[name] = values
    return allowed


def _changes(observations: list[Observation], alternatives: list[list[Observation]]) -> list[dict[str, Any]]:
    changes = []
    before: dict[str, Any] = {}
    for index, observation in enumerate(observations):
        now = observation_to_json(observation)
        changed = _changed(before, now)
        if "state" in changed:
            changed["state"] = _changed(before.get("state", {}), now["state"])
        allowed = _allowed(observation, [alternative[index] for alternative in alternatives])
        if allowed:
            changed["allowed"] = allowed
        if changed:
            changes.append({"at": index, **changed})
        before = now
    return changes
