"""Loads vectors from ``vectors/``, checks them and splits them into cases (``spec/vector-format.md``)."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firstflight.algorithm import Computation
from firstflight.controller import ALGORITHMS, Config, create_with, profiles
from firstflight.events import Event
from firstflight_conformance.format.files import json_files
from firstflight_conformance.format.given import given_flags, windows_bytes
from firstflight_conformance.format.parse import VectorError, parse_file
from firstflight_conformance.format.schemas import schema_error
from firstflight_conformance.format.stream import (
    StreamError,
    check_rtts,
    check_stream,
    flags_of,
    granularity_of,
    read_stream,
)
from firstflight_conformance.format.wire import decode_int
from firstflight_conformance.paths import VECTORS

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

#: Flags that do not follow from the events.
DECLARED_FLAGS = frozenset({"paced", "same-time-order"})
#: Algorithms without events; ``computations`` loads their vectors.
COMPUTED_ALGORITHMS = frozenset(name for name, definition in ALGORITHMS.items() if isinstance(definition, Computation))


@dataclass(frozen=True, slots=True)
class ProfileCase:
    """Expected answers of one profile.

    ``expect``: the changed observables, each entry with the index ``at`` of the event after which they have new values.
    """

    judged_events: int
    clauses: tuple[str, ...]
    expect: Sequence[dict[str, Any]]


@dataclass(frozen=True)
class Vector:
    """One stimulus with its expectations. ``config`` and ``raw_events`` are in their JSON form."""

    id: str
    title: str
    why: str
    algorithm: str
    tier: str
    flags: tuple[str, ...]
    granularity: str
    source: dict[str, Any]
    config: dict[str, Any]
    raw_events: Sequence[dict[str, Any]]
    profiles: dict[str, ProfileCase]
    path: Path

    @cached_property
    def events(self) -> tuple[Event, ...]:
        """The events, decoded lazily: the runner sends raw JSON."""
        return read_stream(self.raw_events)


@dataclass(frozen=True, slots=True)
class Case:
    """A stimulus judged for one profile."""

    vector: Vector
    profile: str

    @property
    def id(self) -> str:
        """Id of the case in selections and reports."""
        return f"{self.vector.id}@{self.profile}"

    @property
    def expectation(self) -> ProfileCase:
        """The expected answers of the profile."""
        return self.vector.profiles[self.profile]

    @property
    def events(self) -> tuple[Event, ...]:
        """The judged events."""
        return self.vector.events[: self.expectation.judged_events]

    def windows(self) -> list[int]:
        """Return the expected window after each judged event."""
        return windows_bytes(self.expectation.expect, self.expectation.judged_events)

    def expected(self) -> list[dict[str, Any]]:
        """Return all observables after each judged event, with integers decoded."""
        changes = {entry["at"]: entry for entry in self.expectation.expect}
        now: dict[str, Any] = {}
        steps = []
        for index in range(self.expectation.judged_events):
            change = _decode(changes.get(index, {}))
            now = now | change | {"state": now.get("state", {}) | change.get("state", {})}
            steps.append(now)
        return steps

    def allowed(self) -> list[dict[str, list[Any]]]:
        """Return, for each judged event, the values that are right in addition to the expected value, by observable."""
        entries: dict[int, dict[str, list[Any]]] = {e["at"]: e.get("allowed", {}) for e in self.expectation.expect}
        return [
            {
                name: [_decode({name: value})[name] for value in values]
                for name, values in entries.get(index, {}).items()
            }
            for index in range(self.expectation.judged_events)
        ]


def _decode(entry: dict[str, Any]) -> dict[str, Any]:
    decoded: dict[str, Any] = {}
    for name, value in entry.items():
        if name == "state":
            decoded[name] = {key: _decode_or_none(number, key) for key, number in value.items()}
        elif name in ("cwnd_bytes", "ssthresh_bytes", "next_release_ns"):
            decoded[name] = _decode_or_none(value, name)
        elif name not in ("at", "allowed"):
            decoded[name] = value
    return decoded


def decode_config(config: dict[str, Any]) -> dict[str, int | None]:
    """Return a configuration with its numbers decoded."""
    return {name: _decode_or_none(value, name) for name, value in config.items()}


def _decode_or_none(value: int | str | None, key: str) -> int | None:
    return None if value is None else decode_int(value, key)


def load(path: Path) -> Vector:
    """Return the vector in a file. Raise :class:`~firstflight_conformance.format.parse.VectorError` if malformed."""
    raw = parse_file(path)
    _check_schema(path, raw)
    vector = _vector(path, raw)
    _check_events(vector)
    _check_meaning(vector, raw)
    return vector


def _vector(path: Path, raw: dict[str, Any]) -> Vector:
    profiles = {
        name: ProfileCase(entry["judged_events"], tuple(entry["clauses"]), entry["expect"])
        for name, entry in raw["profiles"].items()
    }
    return Vector(
        raw["id"], raw["title"], raw["why"], raw["algorithm"], raw["tier"], tuple(raw["flags"]), raw["granularity"],
        raw["source"], raw["config"], raw["events"], profiles, path,
    )  # fmt: skip


def load_all(root: Path = VECTORS, algorithms: Collection[str] = ()) -> list[Vector]:
    """Return the vectors with events below ``root`` by id, all or in the folders of some algorithms.

    Raise :class:`~firstflight_conformance.format.parse.VectorError`.
    """
    folders = {path: path.relative_to(root).parts[0] for path in json_files(root) if path.parent != root}
    paths = sorted(
        path
        for path, folder in folders.items()
        if folder not in COMPUTED_ALGORITHMS and (not algorithms or folder in algorithms)
    )
    vectors = [load(path) for path in paths]
    first: dict[str, Path] = {}
    for vector in vectors:
        if vector.id in first:
            raise VectorError(vector.path, "id", f"{vector.id} is already the id of {first[vector.id]}")
        first[vector.id] = vector.path
    return sorted(vectors, key=lambda vector: vector.id)


def cases(vectors: Iterable[Vector]) -> Iterator[Case]:
    """Yield the cases of vectors, in order."""
    for vector in vectors:
        for profile in vector.profiles:
            yield Case(vector, profile)


def _check_schema(path: Path, raw: dict[str, Any]) -> None:
    """Check all members except events against the schema. `check_stream` checks events, faster than the schema."""
    header = {**raw, "events": [{"ev": "pto", "t_ns": 1}]} if _is_list_of_objects(raw.get("events")) else raw
    error = schema_error("urn:firstflight:vector:1", header)
    if error is not None:
        raise VectorError(path, _place(error) or "file", error.message)


def _is_list_of_objects(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)


def _place(error: "ValidationError") -> str:
    return error.json_path.removeprefix("$").removeprefix(".")


def _check_events(vector: Vector) -> None:
    path, config = vector.path, vector.config
    if not vector.id.startswith(f"{vector.algorithm}."):
        raise VectorError(path, "id", f"does not begin with {vector.algorithm}.")
    try:
        window_bytes = _decode_or_none(config["initial_window_bytes"], "initial_window_bytes")
        create_with(None, Config(config["max_datagram_size_bytes"], window_bytes))
    except ValueError as error:
        raise VectorError(path, "config", str(error)) from error
    try:
        check_stream(vector.events, config, vector.algorithm)
        check_rtts(vector.events, vector.algorithm)
    except StreamError as error:
        raise VectorError(path, f"events[{error.index}]{error.member}", error.reason) from error


@cache
def _profiles_of(algorithm: str) -> tuple[str, ...]:
    return profiles(composed=True).get(algorithm, ())


def _check_meaning(vector: Vector, raw: dict[str, Any]) -> None:
    path, events = vector.path, vector.events
    if vector.granularity != granularity_of(events):
        raise VectorError(path, "granularity", f"should be {granularity_of(events)}")
    known = _profiles_of(vector.algorithm)
    for name, entry in raw["profiles"].items():
        if name not in known:
            reason = f"no such profile; there are {', '.join(profiles().get(vector.algorithm, ())) or 'none'}"
            raise VectorError(path, f"profiles.{name}", reason)
        _check_expectation(path, f"profiles.{name}", entry, len(events))
    computed = {
        *flags_of(events, vector.algorithm),
        *given_flags(events, vector.config, raw["profiles"], vector.algorithm),
    }
    computed |= set(vector.flags) & DECLARED_FLAGS
    if set(vector.flags) != computed:
        raise VectorError(path, "flags", f"should be {sorted(computed)}")


def _check_expectation(path: Path, place: str, entry: dict[str, Any], events: int) -> None:
    if entry["judged_events"] > events:
        raise VectorError(path, f"{place}.judged_events", f"there are only {events} events")
    indices = [change["at"] for change in entry["expect"]]
    if indices != sorted(set(indices)) or indices[0] != 0 or indices[-1] >= entry["judged_events"]:
        raise VectorError(path, f"{place}.expect", "`at` must begin with 0, rise, and stay below judged_events")
    for index, change in enumerate(entry["expect"]):
        try:
            _decode(change)
        except ValueError as error:
            raise VectorError(path, f"{place}.expect[{index}]", str(error)) from error
    missing = {"cwnd_bytes", "ssthresh_bytes", "phase", "outcome", "state"} - set(entry["expect"][0])
    if missing:
        raise VectorError(path, f"{place}.expect[0]", f"the first entry needs {', '.join(sorted(missing))}")
