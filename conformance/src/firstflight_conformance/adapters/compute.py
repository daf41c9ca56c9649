"""Cases without events: one message with the inputs, one answer with the outputs."""

from functools import cached_property
from typing import Any

from firstflight_conformance.adapters.faults import ConversationError, FaultKind, excerpt
from firstflight_conformance.adapters.messages import NO_INTEGER, Message
from firstflight_conformance.format.computations import RATE_PROFILE, REFUSED, ComputationCase
from firstflight_conformance.format.wire import decode_int

#: Required outputs. `gamma`, the exact fraction, is optional and compared if present.
_NUMBERS = ("psi", "gamma_ns", "response_time_ns")
_RATE_NUMBERS = ("code", "approved_rate_bps")
_DIGITS_MAX = 400


class ComputationScript:
    """A computation as the runner plays it. Message and expected outputs are computed once for all adapters."""

    def __init__(self, case: ComputationCase) -> None:
        """Store the case."""
        self.case = case

    @cached_property
    def message(self) -> Message:
        """The ``compute`` message with the inputs."""
        return {
            "op": "compute",
            "case": self.case.id,
            "algorithm": self.case.vector.algorithm,
            "profile": self.case.profile,
            "inputs": self.case.inputs,
        }

    @cached_property
    def expected(self) -> dict[str, Any]:
        """The expected outputs, decoded."""
        return self.case.expected()


def read_outputs(answer: Message, profile: str) -> dict[str, Any]:
    """Return the decoded outputs of an answer to ``compute``. Raise :class:`ConversationError` if it is invalid."""
    op = answer["op"]
    if op == "refused":
        return dict(REFUSED)
    if op != "computed":
        raise ConversationError(FaultKind.WRONG_ANSWER, f"answered `{excerpt(op)}` to `compute`")
    outputs: dict[str, Any] = {}
    for name in _RATE_NUMBERS if profile == RATE_PROFILE else _NUMBERS:
        if name not in answer:
            raise ConversationError(FaultKind.MISSING_OBSERVABLE, f"computed: {name} is missing")
        try:
            outputs[name] = decode_int(answer[name])
        except ValueError as error:
            raise _wrong_type(name, answer[name], NO_INTEGER) from error
    if "gamma" in answer and profile != RATE_PROFILE:
        outputs["gamma"] = _fraction(answer["gamma"])
    return outputs


def _fraction(value: object) -> list[int]:
    if not isinstance(value, list) or len(value) != 2 or not all(_is_digits(item) for item in value):
        raise _wrong_type("gamma", value, "a pair of decimal strings")
    return [int(digits) for digits in value]


def _is_digits(value: object) -> bool:
    return isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= _DIGITS_MAX


def _wrong_type(name: str, value: object, expected_type: str) -> ConversationError:
    return ConversationError(FaultKind.WRONG_TYPE, f"computed: {name}: {excerpt(repr(value))} is not {expected_type}")
