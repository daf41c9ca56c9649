"""What can go wrong in a conversation with an adapter."""

from enum import Enum

from firstflight_conformance.text import NAME_MAX, shown


class FaultKind(Enum):
    """The kinds of faults. The value is the name in reports."""

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
    """The conversation broke. The text is the reason that is shown; ``log``: the last lines that the adapter wrote to standard error."""

    def __init__(self, kind: FaultKind, reason: str, log: tuple[str, ...] = ()) -> None:
        """Name the kind and the reason."""
        super().__init__(reason)
        self.kind = kind
        self.reason = reason
        self.log = log

    def saying(self, reason: str, kind: FaultKind | None = None) -> "ConversationError":
        """Return the same with another reason."""
        return ConversationError(kind or self.kind, reason, self.log)


def excerpt(text: str | bytes, limit: int = NAME_MAX) -> str:
    """Return the beginning of what an adapter wrote, fit to be printed."""
    if isinstance(text, bytes):
        text = text[: 4 * limit].decode("utf-8", "backslashreplace")
    return shown(text, limit)


def late(deadline_s: float) -> str:
    """Return what is said of an adapter that did not answer in time."""
    return f"no answer within {deadline_s:g} s, the time for the answers of a case (--deadline-s)"
