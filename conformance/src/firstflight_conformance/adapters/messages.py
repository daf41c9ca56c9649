"""Messages of the adapter protocol: writes the runner's messages; reads and checks the adapter's messages."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NoReturn

from firstflight.algorithm import Base
from firstflight.controller import ALGORITHMS
from firstflight.events import KINDS
from firstflight_conformance.adapters.faults import ConversationError, FaultKind, excerpt
from firstflight_conformance.format.given import FLAGS
from firstflight_conformance.format.schemas import schema_error
from firstflight_conformance.format.stream import confirms_address
from firstflight_conformance.format.vectors import Case
from firstflight_conformance.format.wire import NUMBER_MAX, decode_int
from firstflight_conformance.text import texts

#: The number in the runner's ``hello``, and the numbers that an adapter may declare.
PROTOCOL = 1
PROTOCOLS = (1, 2)
#: Kinds of events, and members of events, that only adapters of protocol 2 receive in every algorithm.
PROTOCOL_2 = ("pmtu_probe", "datagram_size", "not_in_flight")
OBSERVABLES = ("cwnd_bytes", "ssthresh_bytes", "phase", "outcome", "next_release_ns", "trigger", "state")
#: Observables of some algorithms only: compared in cases that expect them, optional elsewhere.
OF_SOME_ALGORITHMS = ("next_release_ns", "trigger")
CLOCKS = ("ns", "us", "ms")
WINDOWS = ("bytes", "packets")
ARITHMETICS = ("integer", "float32", "float64")
#: How exactly the windows of CUBIC follow its function in congestion avoidance.
AVOIDANCES = ("exact", "datagram")
#: Possible congestion controllers after slow start.
CONTROLLERS = ("newreno", "cubic")
#: Inputs that a stack may compute itself instead of reading them from the events.
WORKS_OUT = tuple(FLAGS)
#: Kinds of events.
EVENTS = tuple(KINDS)
#: Event members that an adapter may omit from `supports`.
OPTIONAL_MEMBERS = ("pmtu_probe", "not_in_flight")
#: Possible entries of `supports`: kinds of events and the optional members.
SUPPORTS = (*EVENTS, *OPTIONAL_MEMBERS)
#: Kinds of events that every sender needs; required in `supports`.
NEEDED_EVENTS = ("sent", "ack", "lost")

PROBE_ALGORITHM = "no-such-algorithm"
HELLO = {"op": "hello", "protocol": PROTOCOL}
END = {"op": "end"}
PROBE = {
    "op": "start",
    "case": "probe",
    "algorithm": PROBE_ALGORITHM,
    "profile": "no-such-profile",
    "config": {"max_datagram_size_bytes": 1200, "initial_window_bytes": None},
}

_OPS = {
    "runner": ("hello", "start", "event", "end", "compute"),
    "adapter": ("hello", "started", "unsupported", "observed", "ended", "computed", "refused"),
}

Message = dict[str, Any]
_TO_JSON = json.JSONEncoder(separators=(",", ":")).encode  # shared: a run encodes many messages
#: Advice in reasons for output that is not an answer.
_STDOUT = "standard output is for answers, write a log to standard error"
#: Form of numbers (``spec/events.md``).
NO_INTEGER = "an integer of 0 or more (from 2^53 on as a string)"


#: Units of the clocks that an adapter may declare, in ns.
_CLOCKS_NS = {"ns": 1, "us": 1_000, "ms": 1_000_000}


@dataclass(frozen=True, slots=True)
class Declaration:
    """Declaration of an adapter about its implementation, from its ``hello``."""

    name: str
    version: str
    algorithms: dict[str, tuple[str, ...]]
    observables: tuple[str, ...]
    clock: str = "ns"
    window: str = "bytes"
    arithmetic: str = "integer"
    avoidance: str = "exact"
    works_out: tuple[str, ...] = ()
    controller: str = "newreno"
    supports: tuple[str, ...] = ()
    protocol: int = PROTOCOL

    @property
    def clock_ns(self) -> int:
        """The unit of the clock in ns."""
        return _CLOCKS_NS[self.clock]

    @property
    def without(self) -> tuple[str, ...]:
        """Event kinds and optional event members that the implementation does not support."""
        return tuple(name for name in SUPPORTS if name not in self.supports) if self.supports else ()


def names_of_protocol_2(algorithm: str) -> tuple[str, ...]:
    """Return the kinds of events, and members of events, that only adapters of protocol 2 receive in an algorithm.

    In protocol 1, Careful Resume already has ``path_change``, and startup algorithms ``idle_restart``.
    """
    path = ("path_change",) if confirms_address(algorithm) else ()
    idle = ("idle_restart",) if isinstance(ALGORITHMS.get(algorithm), Base) else ()
    return *PROTOCOL_2, *path, *idle


def start_message(case: Case) -> Message:
    """Return the message that starts a case."""
    vector = case.vector
    return {
        "op": "start",
        "case": case.id,
        "algorithm": vector.algorithm,
        "profile": case.profile,
        "config": vector.config,
    }


def event_message(index: int, event: dict[str, Any]) -> Message:
    """Return the message that carries one event."""
    return {"op": "event", "i": index, "event": event}


def encode(message: Message) -> bytes:
    """Return a message as one line."""
    return _TO_JSON(message).encode() + b"\n"


def decode(line: bytes) -> Message:
    """Read an answer. Raise :class:`ConversationError` if it is not a JSON object with the member ``op``."""
    try:
        message = _parsed(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise ConversationError(FaultKind.NOT_JSON, f"not UTF-8: {excerpt(line.rstrip())}; {_STDOUT}") from error
    except RecursionError as error:
        raise ConversationError(FaultKind.NOT_JSON, f"nested too deeply: {excerpt(line.rstrip())}") from error
    except json.JSONDecodeError as error:
        raise ConversationError(FaultKind.NOT_JSON, f"not JSON: {excerpt(line.rstrip())}; {_STDOUT}") from error
    except ValueError as error:  # valid JSON with a refused constant or a duplicate member
        text = f"not JSON ({excerpt(str(error))}): {excerpt(line.rstrip())}"
        raise ConversationError(FaultKind.NOT_JSON, text) from error
    if not isinstance(message, dict):
        raise ConversationError(FaultKind.NOT_JSON, f"not a JSON object: {excerpt(line.rstrip())}; {_STDOUT}")
    if not isinstance(message.get("op"), str):
        raise ConversationError(FaultKind.WRONG_ANSWER, f"an answer without `op`: {excerpt(line.rstrip())}")
    if b"\\u" in line and any("\ud800" <= c <= "\udfff" for text in texts(message) for c in text):
        raise ConversationError(FaultKind.NOT_JSON, f"lone surrogate in a string: {excerpt(line)}")
    return message


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("duplicate member")
    return members


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)
_STRICT = json.JSONDecoder(parse_constant=_refuse_constant, object_pairs_hook=_without_duplicates)


def _parsed(text: str) -> Any:
    """Return the JSON value of a line. Raise :class:`ValueError` for invalid JSON or a duplicate member.

    Fast path: each member has a colon, so equal numbers of colons and members exclude duplicates.
    """
    if text.startswith("{"):
        value, end = _DECODER.raw_decode(text)
        state = value.get("state")
        members = len(value) + (len(state) if type(state) is dict else 0)
        if end == len(text) and text.count(":") == members:
            return value
    return _STRICT.decode(text)


def check_schema(message: Message, side: str) -> None:
    """Check a message of a side, ``runner`` or ``adapter``, against the protocol schema.

    Raise :class:`ConversationError` for the adapter, :class:`RuntimeError` for the runner.
    """
    kind = message["op"] if message["op"] in _OPS[side] else ""
    kind = f"{side}_hello" if kind == "hello" else kind or side
    error = schema_error(f"urn:firstflight:protocol:1#/$defs/{kind}", message)
    if error is None:
        return
    reason = (
        f"`{message['op']}` does not fit the schema: {error.json_path.removeprefix('$')} {excerpt(error.message, 200)}"
    )
    if side == "runner":
        raise RuntimeError(reason)
    raise ConversationError(FaultKind.SCHEMA, reason)


def read_hello(message: Message) -> Declaration:
    """Return the declaration in the answer to ``hello``. Raise :class:`ConversationError` if it is invalid."""
    if message["op"] != "hello":
        _refuse_hello(f"answered `{excerpt(message['op'])}`")
    protocol = message.get("protocol")
    if type(protocol) is not int or protocol not in PROTOCOLS:
        _refuse_hello(f"unknown protocol {excerpt(repr(protocol))}; expected {' or '.join(map(str, PROTOCOLS))}")
    algorithms = _algorithms(message.get("algorithms"))
    return Declaration(
        _text(message, "name"),
        _text(message, "version"),
        algorithms,
        _observables(message.get("observables")),
        _choice(message, "clock", CLOCKS),
        _choice(message, "window", WINDOWS),
        _choice(message, "arithmetic", ARITHMETICS),
        _choice(message, "avoidance", AVOIDANCES),
        _works_out(message.get("works_out", [])),
        _controller(message, algorithms),
        _supports(message),
        protocol,
    )


def _refuse_hello(reason: str) -> NoReturn:
    raise ConversationError(FaultKind.HELLO, f"hello: {reason}")


def _text(message: Message, member: str) -> str:
    value = message.get(member)
    if not isinstance(value, str) or not value:
        _refuse_hello(f"{member}: must be a non-empty string")
    return excerpt(value)


def _choice(message: Message, member: str, choices: tuple[str, ...]) -> str:
    value = message.get(member, choices[0])
    if value not in choices:
        _refuse_hello(f"{member}: {excerpt(repr(value))} is not one of {', '.join(choices)}")
    return str(value)


def _controller(message: Message, algorithms: dict[str, tuple[str, ...]]) -> str:
    controller = _choice(message, "controller", CONTROLLERS)
    if controller != CONTROLLERS[0] and algorithms.get("slow-start") and not algorithms.get(controller):
        _refuse_hello(
            f"controller: {controller}: also declare a profile of {controller}/*; slow-start/* judges only slow start"
        )
    return controller


def _algorithms(value: object) -> dict[str, tuple[str, ...]]:
    if not isinstance(value, dict) or not all(_is_text_list(profiles) for profiles in value.values()):
        _refuse_hello("algorithms: must map each algorithm to a list of profiles")
    return {excerpt(name): tuple(excerpt(profile) for profile in profiles) for name, profiles in value.items()}


def _observables(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not _is_text_list(value):
        _refuse_hello("observables: must be a list of names")
    unknown = [name for name in value if name not in OBSERVABLES]
    if unknown:
        _refuse_hello(f"observables: {excerpt(repr(unknown[0]))} is not one of {', '.join(OBSERVABLES)}")
    if "cwnd_bytes" not in value:
        _refuse_hello("observables: must include cwnd_bytes")
    return tuple(name for name in OBSERVABLES if name in value)


def _works_out(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not _is_text_list(value):
        _refuse_hello("works_out: must be a list of names")
    unknown = [name for name in value if name not in WORKS_OUT]
    if unknown:
        _refuse_hello(f"works_out: {excerpt(repr(unknown[0]))} is not one of {', '.join(WORKS_OUT)}")
    return tuple(name for name in WORKS_OUT if name in value)


def _supports(message: Message) -> tuple[str, ...]:
    if "supports" not in message:
        return ()
    value = message["supports"]
    if not isinstance(value, list) or not _is_text_list(value):
        _refuse_hello("supports: must be a list of kinds of events")
    for name in value:
        if name not in SUPPORTS:
            _refuse_hello(f"supports: {excerpt(repr(name))} is not one of {', '.join(SUPPORTS)}")
    for name in NEEDED_EVENTS:
        if name not in value:
            _refuse_hello(f"supports: must include {name}")
    return tuple(name for name in SUPPORTS if name in value)


def _is_text_list(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def read_answer(
    line: bytes, index: int, observables: tuple[str, ...], *, validate: bool = False
) -> dict[str, Any] | str:
    """Return the declared observables in the answer to event ``index``, or the reason of an ``unsupported``.

    Raise :class:`ConversationError` for an invalid answer; ``validate``: check the schema as well.
    """
    answer = decode(line)
    if validate:
        check_schema(answer, "adapter")
    if answer["op"] == "unsupported":
        return reason_of(answer)
    if answer["op"] != "observed":
        raise ConversationError(FaultKind.WRONG_ANSWER, f"event {index}: answered `{excerpt(answer['op'])}`")
    return _read_observed(answer, index, observables)


@lru_cache(1)  # adapters judged together mostly give equal answers to a case
def read_answers(
    lines: tuple[bytes, ...], observables: tuple[str, ...], *, validate: bool = False
) -> tuple[list[dict[str, Any]], str | None, ConversationError | None]:
    """Read the answers to the events of a case with :func:`read_answer`, up to the first fault.

    Return the observables after each supported event, the first ``unsupported`` reason or None, and the fault or None.
    """
    observed: list[dict[str, Any]] = []
    unsupported: str | None = None
    for index, line in enumerate(lines):
        try:
            answer = read_answer(line, index, observables, validate=validate)
        except ConversationError as fault:
            return observed, unsupported, fault
        if unsupported is not None:
            continue  # the event was sent before the adapter refused one
        if isinstance(answer, str):
            unsupported = f"event {index}: {answer}"
        else:
            observed.append(answer)
    return observed, unsupported, None


def reason_of(answer: Message) -> str:
    """Return the reason in an ``unsupported`` message, at most 300 characters, or "no reason given"."""
    reason = answer.get("reason")
    return excerpt(reason, 300) if isinstance(reason, str) and reason.strip() else "no reason given"


def _read_observed(message: Message, index: int, observables: tuple[str, ...]) -> dict[str, Any]:
    if type(message.get("i")) is not int or message["i"] != index:
        raise ConversationError(
            FaultKind.WRONG_INDEX, f"event {index}: answered with the index {excerpt(repr(message.get('i')))}"
        )
    observed: dict[str, Any] = {}
    for name in observables:
        if name in message:
            observed[name] = _READ[name](message[name], index, name)
        elif name not in OF_SOME_ALGORITHMS:
            raise ConversationError(FaultKind.MISSING_OBSERVABLE, f"event {index}: {name} is declared but missing")
    return observed


def _name(value: object, index: int, name: str) -> str:
    if type(value) is not str:
        raise _wrong_type(index, name, value, "a string")
    return excerpt(value)


def _name_or_null(value: object, index: int, name: str) -> str | None:
    if value is None:
        return None
    if type(value) is not str:
        raise _wrong_type(index, name, value, "a string or null")
    return excerpt(value)


def _number(value: object, index: int, name: str) -> int:
    if type(value) is int and 0 <= value <= NUMBER_MAX:
        return value
    try:
        return decode_int(value)
    except (TypeError, ValueError) as error:
        raise _wrong_type(index, name, value, NO_INTEGER) from error


def _number_or_null(value: object, index: int, name: str) -> int | None:
    return None if value is None else _number(value, index, name)


def _state(value: object, index: int, name: str) -> dict[str, int | None]:
    if type(value) is not dict:
        raise _wrong_type(index, name, value, "an object")
    numbers = (
        number
        if number is None or (type(number) is int and 0 <= number <= NUMBER_MAX)
        else _number(number, index, f"{name}.{key}")
        for key, number in value.items()
    )
    return dict(zip(_names(tuple(value)), numbers, strict=True))


@lru_cache(16)  # an algorithm has the same numbers after every event
def _names(keys: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(excerpt, keys))


_READ: dict[str, Callable[[Any, int, str], Any]] = {
    "cwnd_bytes": _number,
    "ssthresh_bytes": _number_or_null,
    "phase": _name,
    "outcome": _name,
    "next_release_ns": _number_or_null,
    "trigger": _name_or_null,
    "state": _state,
}


def _wrong_type(index: int, name: str, value: object, expected_type: str) -> ConversationError:
    reason = f"event {index}: {excerpt(name)}: {excerpt(repr(value))} is not {expected_type}"
    return ConversationError(FaultKind.WRONG_TYPE, reason)
