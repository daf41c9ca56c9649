"""Puts a shared object behind the JSON-lines protocol.

``python -m firstflight_conformance.run.shared_object_host lib.so`` is then an adapter like any other.
The shared object exports the functions of ``conformance/include/firstflight_adapter.h``. They run in this process, so
that a crash ends this process and not the runner.
"""

import ctypes
import json
import os
import sys
from ctypes import POINTER, Structure, byref, c_char_p, c_int, c_uint8, c_uint32, c_uint64, c_void_p
from typing import Any, ClassVar

from firstflight_conformance.cases.wire import decode_int, encode_int

_NONE = 2**64 - 1
_OBSERVED, _UNSUPPORTED = 0, 1
_COMPUTED, _REFUSED = 0, 3
_KINDS = (
    "sent",
    "ack",
    "lost",
    "ce",
    "persistent_congestion",
    "pto",
    "backlog",
    "idle_restart",
    "saved_path",
    "path_change",
    "spurious_loss",
)
_NUMBERS = (
    *("bytes", "bytes_in_flight", "next_packet", "ack_delay_ns", "packet", "sent_t_ns", "ce_count"),
    *("queued_bytes", "receive_window_bytes"),
    *("saved_cwnd_bytes", "saved_rtt_ns", "beta_numerator", "beta_denominator"),
)
#: Numbers that may be absent or null.
_OPTIONAL = (
    *("latest_rtt_ns", "min_rtt_ns", "smoothed_rtt_ns", "oldest_unacked_packet"),
    *("expires_t_ns", "max_jump_bytes"),
)
_TRUTHS = ("endpoint_matches", "in_use")


class _Case(Structure):
    _fields_: ClassVar = [
        ("id", c_char_p),
        ("algorithm", c_char_p),
        ("profile", c_char_p),
        ("max_datagram_size_bytes", c_uint64),
        ("initial_window_bytes", c_uint64),
    ]


class _Run(Structure):
    _fields_: ClassVar = [("first", c_uint64), ("last", c_uint64), ("size_bytes", c_uint64), ("sent_t_ns", c_uint64)]


class _Range(Structure):
    _fields_: ClassVar = [("first", c_uint64), ("last", c_uint64)]


class _Event(Structure):
    _fields_: ClassVar = [
        ("kind", c_uint32),
        ("app_limited", c_uint32),
        ("t_ns", c_uint64),
        ("packets", POINTER(_Run)),
        ("run_count", c_uint64),
        ("bytes", c_uint64),
        ("bytes_in_flight", c_uint64),
        ("next_packet", c_uint64),
        ("latest_rtt_ns", c_uint64),
        ("min_rtt_ns", c_uint64),
        ("smoothed_rtt_ns", c_uint64),
        ("ack_delay_ns", c_uint64),
        ("packet", c_uint64),
        ("sent_t_ns", c_uint64),
        ("ce_count", c_uint64),
        ("retransmits", POINTER(_Range)),
        ("retransmit_count", c_uint64),
        ("oldest_unacked_packet", c_uint64),
        ("queued_bytes", c_uint64),
        ("receive_window_bytes", c_uint64),
        ("saved_cwnd_bytes", c_uint64),
        ("saved_rtt_ns", c_uint64),
        ("expires_t_ns", c_uint64),
        ("max_jump_bytes", c_uint64),
        ("beta_numerator", c_uint64),
        ("beta_denominator", c_uint64),
        ("endpoint_matches", c_uint32),
        ("in_use", c_uint32),
    ]


class _StateNumber(Structure):
    _fields_: ClassVar = [("name", c_char_p), ("value", c_uint64), ("is_null", c_uint8)]


class _Observed(Structure):
    _fields_: ClassVar = [
        ("cwnd_bytes", c_uint64),
        ("ssthresh_bytes", c_uint64),
        ("has_ssthresh", c_uint32),
        ("state_count", c_uint32),
        ("phase", c_char_p),
        ("outcome", c_char_p),
        ("state", _StateNumber * 16),
        ("next_release_ns", c_uint64),
        ("has_next_release", c_uint32),
        ("has_trigger", c_uint32),
        ("trigger", c_char_p),
    ]


class _Input(Structure):
    _fields_: ClassVar = [("name", c_char_p), ("value", c_uint64)]


class _Computation(Structure):
    _fields_: ClassVar = [
        ("id", c_char_p),
        ("algorithm", c_char_p),
        ("profile", c_char_p),
        ("inputs", POINTER(_Input)),
        ("input_count", c_uint64),
    ]


class _Output(Structure):
    _fields_: ClassVar = [
        ("name", c_char_p),
        ("value", c_uint64),
        ("numerator", c_char_p),
        ("denominator", c_char_p),
    ]


class _Computed(Structure):
    _fields_: ClassVar = [("output_count", c_uint32), ("reason", c_char_p), ("outputs", _Output * 8)]


class HostError(Exception):
    """The shared object cannot be used, or gave up."""


class Host:
    """A loaded shared object and the case that it is in."""

    def __init__(self, path: str) -> None:
        """Load it. Raise :class:`HostError` if that fails or a function is missing."""
        try:
            library = ctypes.CDLL(path)
            self._hello = library.firstflight_adapter_hello
            self._start = library.firstflight_adapter_start
            self._event = library.firstflight_adapter_event
            self._end = library.firstflight_adapter_end
        except (OSError, AttributeError) as error:
            raise HostError(f"{path} cannot be used: {error}") from error
        self._hello.argtypes, self._hello.restype = [], c_char_p
        self._start.argtypes, self._start.restype = [POINTER(_Case), POINTER(c_char_p)], c_void_p
        self._event.argtypes, self._event.restype = [c_void_p, POINTER(_Event), POINTER(_Observed)], c_int
        self._end.argtypes, self._end.restype = [c_void_p], None
        # Optional: an adapter that computes nothing leaves it out.
        self._compute = getattr(library, "firstflight_adapter_compute", None)
        if self._compute is not None:
            self._compute.argtypes = [POINTER(_Computation), POINTER(_Computed)]
            self._compute.restype = c_int
        self._state: int | None = None

    def answer(self, message: dict[str, Any]) -> str:
        """Return the answer to one message of the runner, as JSON text."""
        match message["op"]:
            case "hello":
                return (self._hello() or b"null").decode("utf-8", "replace").replace("\n", " ")
            case "start":
                return json.dumps(self._on_start(message))
            case "event":
                return json.dumps(self._on_event(message["i"], message["event"]))
            case "compute":
                return json.dumps(self._on_compute(message))
            case "end":
                self._discard()
                return '{"op":"ended"}'
        raise HostError(f"unknown message {message['op']}")

    def _discard(self) -> None:
        if self._state is not None:
            self._end(self._state)
        self._state = None

    def _on_start(self, message: dict[str, Any]) -> dict[str, Any]:
        self._discard()
        config = message["config"]
        window = config["initial_window_bytes"]
        case = _Case(
            message["case"].encode(),
            message["algorithm"].encode(),
            message["profile"].encode(),
            config["max_datagram_size_bytes"],
            0 if window is None else decode_int(window),
        )
        reason = c_char_p()
        self._state = self._start(byref(case), byref(reason))
        if self._state is None:
            return {"op": "unsupported", "reason": _text(reason.value) or "no reason given"}
        return {"op": "started"}

    def _on_event(self, index: int, raw: dict[str, Any]) -> dict[str, Any]:
        if self._state is None:
            raise HostError(f"event {index} outside of a case")
        if raw["ev"] not in _KINDS:
            return {"op": "unsupported", "reason": f"unknown event {raw['ev']}"}
        observed = _Observed()
        result = self._event(self._state, byref(_event(raw)), byref(observed))
        if result == _UNSUPPORTED:
            return {"op": "unsupported", "reason": f"the event {raw['ev']} is not supported"}
        if result != _OBSERVED:
            raise HostError(f"firstflight_adapter_event returned {result} for event {index}")
        return {"op": "observed", "i": index, **_observables(observed)}

    def _on_compute(self, message: dict[str, Any]) -> dict[str, Any]:
        if self._compute is None:
            return {"op": "unsupported", "reason": "this adapter computes nothing"}
        pairs = [_Input(name.encode(), decode_int(value)) for name, value in message["inputs"].items()]
        computation = _Computation(message["case"].encode(), message["algorithm"].encode(), message["profile"].encode())
        computation.inputs, computation.input_count = (_Input * len(pairs))(*pairs), len(pairs)
        computed = _Computed()
        result = self._compute(byref(computation), byref(computed))
        if result in (_UNSUPPORTED, _REFUSED):
            op = "refused" if result == _REFUSED else "unsupported"
            return {"op": op, "reason": _text(computed.reason) or "no reason given"}
        if result != _COMPUTED:
            raise HostError(f"firstflight_adapter_compute returned {result}")
        return {"op": "computed", **_outputs(computed)}


def _outputs(computed: _Computed) -> dict[str, Any]:
    if computed.output_count > len(computed.outputs):
        raise HostError(f"output_count is {computed.output_count}, at most {len(computed.outputs)} fit")
    values: dict[str, Any] = {}
    for output in computed.outputs[: computed.output_count]:
        fraction = [_text(output.numerator), _text(output.denominator)]
        values[_text(output.name)] = encode_int(output.value) if output.numerator is None else fraction
    return values


def _event(raw: dict[str, Any]) -> _Event:
    t_ns = decode_int(raw["t_ns"])
    runs = [_Run(*(decode_int(number) for number in run)) for run in raw.get("packets", [])]
    if raw["ev"] == "sent":
        for run in runs:
            run.sent_t_ns = t_ns
    event = _Event(kind=_KINDS.index(raw["ev"]), app_limited=raw.get("app_limited", False), t_ns=t_ns)
    event.packets, event.run_count = (_Run * len(runs))(*runs), len(runs)
    ranges = [_Range(*(decode_int(number) for number in entry)) for entry in raw.get("retransmits", [])]
    event.retransmits, event.retransmit_count = (_Range * len(ranges))(*ranges), len(ranges)
    for name in _NUMBERS:
        setattr(event, name, decode_int(raw.get(name, 0)))
    for name in _OPTIONAL:
        value = raw.get(name)
        setattr(event, name, _NONE if value is None else decode_int(value))
    for name in _TRUTHS:
        setattr(event, name, raw.get(name, False))
    return event


def _observables(observed: _Observed) -> dict[str, Any]:
    values: dict[str, Any] = {"cwnd_bytes": encode_int(observed.cwnd_bytes)}
    if observed.has_ssthresh:
        infinite = observed.ssthresh_bytes == _NONE
        values["ssthresh_bytes"] = None if infinite else encode_int(observed.ssthresh_bytes)
    for name in ("phase", "outcome"):
        if getattr(observed, name) is not None:
            values[name] = _text(getattr(observed, name))
    if observed.has_next_release:
        paced = observed.next_release_ns != _NONE
        values["next_release_ns"] = encode_int(observed.next_release_ns) if paced else None
    if observed.has_trigger:
        values["trigger"] = None if observed.trigger is None else _text(observed.trigger)
    if observed.state_count > len(observed.state):
        raise HostError(f"state_count is {observed.state_count}, at most {len(observed.state)} fit")
    if observed.state_count:
        numbers = observed.state[: observed.state_count]
        values["state"] = {_text(n.name): None if n.is_null else encode_int(n.value) for n in numbers}
    return values


def _text(raw: bytes | None) -> str:
    return "" if raw is None else raw.decode("utf-8", "replace")


def main() -> int:
    """Serve the shared object that the command line names."""
    # What the library prints must not mix with the answers: its standard output becomes the log.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    try:
        host = Host(sys.argv[1])
    except HostError as error:
        print(error, file=sys.stderr)
        return 2
    try:
        for line in sys.stdin:
            print(host.answer(json.loads(line)), file=answers, flush=True)
    except HostError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
