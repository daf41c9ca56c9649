"""Computations: vectors with inputs and outputs in place of events (``spec/vector-format.md``)."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import gcd
from pathlib import Path
from typing import Any

from firstflight.errors import DomainError
from firstflight.transfer_time import transfer_time
from firstflight.transfer_time.transfer_time import Inputs, TransferTime
from firstflight_conformance.format.files import json_files
from firstflight_conformance.format.parse import VectorError, parse_file
from firstflight_conformance.format.schemas import schema_error
from firstflight_conformance.format.vectors import COMPUTED_ALGORITHMS
from firstflight_conformance.format.wire import decode_int, encode_int
from firstflight_conformance.paths import VECTORS

#: The profile that computes the granted rate of a Quick-Start request in place of a time.
RATE_PROFILE = "quick-start-rate"
#: Inputs of each profile.
INPUTS: dict[str, tuple[str, ...]] = {**transfer_time.INPUTS, RATE_PROFILE: ("requested_rate_bps",)}
#: Expected outputs, and in effect the answer of an adapter, for inputs outside the domain.
REFUSED = {"error": "domain"}


@dataclass(frozen=True, slots=True)
class ProfileAnswer:
    """The outputs of one profile, in their JSON form."""

    clauses: tuple[str, ...]
    expect: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Computation:
    """One set of inputs with its expectations. ``inputs`` are in their JSON form."""

    id: str
    title: str
    why: str
    algorithm: str
    tier: str
    source: dict[str, Any]
    inputs: dict[str, Any]
    profiles: dict[str, ProfileAnswer]
    path: Path
    flags: tuple[str, ...] = ()
    granularity: str = "-"


@dataclass(frozen=True, slots=True)
class ComputationCase:
    """A case of a computation, a vector without events: judges the outputs for its inputs in one profile."""

    vector: Computation
    profile: str

    @property
    def id(self) -> str:
        """Id of the case in selections and reports."""
        return f"{self.vector.id}@{self.profile}"

    @property
    def expectation(self) -> ProfileAnswer:
        """The expected outputs of the profile."""
        return self.vector.profiles[self.profile]

    @property
    def inputs(self) -> dict[str, Any]:
        """The inputs of the profile, in their JSON form."""
        return {name: self.vector.inputs[name] for name in INPUTS[self.profile]}

    def expected(self) -> dict[str, Any]:
        """Return the expected outputs, with integers decoded."""
        return decode_outputs(self.expectation.expect)


def decode_inputs(inputs: Mapping[str, Any]) -> dict[str, int]:
    """Return inputs of the JSON form as integers."""
    return {name: decode_int(value, name) for name, value in inputs.items()}


def decode_outputs(outputs: Mapping[str, Any]) -> dict[str, Any]:
    """Return outputs of the JSON form with integers decoded. A fraction becomes a pair of integers."""
    decoded: dict[str, Any] = {}
    for name, value in outputs.items():
        if name == "error":
            decoded[name] = value
        elif name == "gamma":
            decoded[name] = [int(digits) for digits in value]
        else:
            decoded[name] = decode_int(value, name)
    return decoded


def encode_time(result: TransferTime) -> dict[str, Any]:
    """Return the JSON form of a transfer time."""
    return {
        "psi": result.psi,
        "gamma": [str(result.gamma.numerator), str(result.gamma.denominator)],
        "gamma_ns": encode_int(result.gamma_ns),
        "response_time_ns": encode_int(result.response_time_ns),
    }


def compute(profile: str, inputs: Mapping[str, int], model: Any = transfer_time) -> dict[str, Any]:
    """Return the outputs in the JSON form. Raise :class:`DomainError` outside the domain. ``model`` may be a mutant."""
    if set(inputs) != set(INPUTS[profile]):
        raise DomainError(f"{profile} takes {', '.join(INPUTS[profile])}")
    if profile == RATE_PROFILE:
        code, rate_bps = model.quick_start_code(inputs["requested_rate_bps"])
        return {"code": code, "approved_rate_bps": rate_bps}
    make: Callable[..., Inputs] = model.Inputs
    return encode_time(model.compute(profile, make(**inputs)))


def answer(profile: str, inputs: Mapping[str, int], model: Any = transfer_time) -> dict[str, Any]:
    """Return the outputs in the JSON form, or :data:`REFUSED` outside the domain."""
    try:
        return compute(profile, inputs, model)
    except DomainError:
        return dict(REFUSED)


def load(path: Path) -> Computation:
    """Return the computation in a file. Raise :class:`VectorError` if it is malformed."""
    raw = parse_file(path)
    error = schema_error("urn:firstflight:computation:1", raw)
    if error is not None:
        raise VectorError(path, error.json_path.removeprefix("$").removeprefix(".") or "file", error.message)
    _check_meaning(path, raw)
    profiles = {
        name: ProfileAnswer(tuple(entry["clauses"]), entry["expect"]) for name, entry in raw["profiles"].items()
    }
    return Computation(
        raw["id"], raw["title"], raw["why"], raw["algorithm"], raw["tier"], raw["source"], raw["inputs"], profiles, path
    )


def load_all(root: Path = VECTORS, algorithms: Collection[str] = ()) -> list[Computation]:
    """Return the computations below ``root``, sorted by id, all or of some algorithms.

    Raise :class:`VectorError` if a file is malformed, or if two files have the same id.
    """
    selected = COMPUTED_ALGORITHMS.intersection(algorithms) if algorithms else COMPUTED_ALGORITHMS
    folders = [root / name for name in sorted(selected) if (root / name).exists()]
    paths = sorted(path for folder in folders for path in json_files(folder))
    first: dict[str, Computation] = {}
    for path in paths:
        computation = load(path)
        if computation.id in first:
            raise VectorError(path, "id", f"{computation.id} is already the id of {first[computation.id].path}")
        first[computation.id] = computation
    return [first[name] for name in sorted(first)]


def cases(computations: Iterable[Computation]) -> Iterator[ComputationCase]:
    """Yield the cases of computations, in order."""
    for computation in computations:
        for profile in computation.profiles:
            yield ComputationCase(computation, profile)


def _check_meaning(path: Path, raw: dict[str, Any]) -> None:
    """Check conditions beyond the schema: inputs and profiles fit, and outputs do not contradict each other."""
    expected_inputs = {name for profile in raw["profiles"] for name in INPUTS[profile]}
    if set(raw["inputs"]) != expected_inputs:
        raise VectorError(path, "inputs", f"the profiles take {', '.join(sorted(expected_inputs))}")
    try:
        inputs = decode_inputs(raw["inputs"])
        for profile, entry in raw["profiles"].items():
            _check_outputs(path, f"profiles.{profile}.expect", decode_outputs(entry["expect"]), inputs)
    except ValueError as error:
        if isinstance(error, VectorError):
            raise
        raise VectorError(path, "numbers", str(error)) from error


def _check_outputs(path: Path, place: str, outputs: dict[str, Any], inputs: dict[str, int]) -> None:
    if "gamma" not in outputs:
        return
    numerator, denominator = outputs["gamma"]
    if denominator == 0 or gcd(numerator, denominator) != 1:
        raise VectorError(path, f"{place}.gamma", "is not a fraction in lowest terms")
    if outputs["gamma_ns"] != numerator // denominator:
        raise VectorError(path, f"{place}.gamma_ns", "is not gamma rounded down")
    if outputs["response_time_ns"] != outputs["gamma_ns"] + inputs["rtt_ns"]:
        raise VectorError(path, f"{place}.response_time_ns", "is not gamma_ns + rtt_ns")
