"""Faults in a conversation with an adapter."""

from enum import Enum

from firstflight_conformance.text import NAME_MAX, shown


class FaultKind(Enum):
    """Kinds of faults. The values are the names in reports."""

    START = "start"
    EXITED = "exited"
    TIMEOUT = "timeout"
    TOO_MUCH_OUTPUT = "too_much_output"
    NOT_JSON = "not_json"
    WRONG_ANSWER = "wrong_answer"
    WRONG_INDEX = "wrong_index"
    EXTRA_ANSWER = "extra_answer"
    MISSING_OBSERVABLE = "missing_observable"
    WRONG_TYPE = "wrong_type"
    HELLO = "hello"
    PROBE = "probe"
    SCHEMA = "schema"
    JUDGE_KILLED = "judge_killed"


class ConversationError(Exception):
    """A fault of the adapter. The text is the displayed reason; ``log``: the last lines of its standard error."""

    def __init__(self, kind: FaultKind, reason: str, log: tuple[str, ...] = ()) -> None:
        """Store kind, reason and log."""
        super().__init__(reason)
        self.kind = kind
        self.reason = reason
        self.log = log

    def saying(self, reason: str, kind: FaultKind | None = None) -> "ConversationError":
        """Return a copy with another reason, and another kind if given."""
        return ConversationError(kind or self.kind, reason, self.log)


def excerpt(text: str | bytes, limit: int = NAME_MAX) -> str:
    """Return the beginning of a text from an adapter, with unprintable characters escaped."""
    if isinstance(text, bytes):
        text = text[: 4 * limit].decode("utf-8", "backslashreplace")
    return shown(text, limit)


def late(deadline_s: float) -> str:
    """Return the reason of a timeout."""
    return f"no answer within {deadline_s:g} s, the deadline for the answers of a case (--deadline-s)"
