"""Validity of a mutant's answers: exceptions and values of another type count as a crash."""

from typing import Any

#: Exceptions of a wrong model that count as a crash.
CRASHES = (ArithmeticError, ValueError, LookupError, TypeError, AttributeError, AssertionError)


def check_types(observation: Any) -> None:
    """Raise :class:`TypeError` if an observable of a mutant's observation has a wrong type.

    A mutant is the model with an edit in its source text. The edited code may run but return a wrong type, for example
    a float as ``cwnd_bytes``. Such an answer counts as a crash.
    """
    window_bytes, numbers = observation.cwnd_bytes, (observation.ssthresh_bytes, observation.next_release_ns)
    if type(window_bytes) is not int or not all(number is None or type(number) is int for number in numbers):
        raise TypeError(f"cwnd_bytes, ssthresh_bytes, next_release_ns: {window_bytes}, {numbers} are not integers")
    for name in ("phase", "outcome"):
        member = getattr(observation, name)
        if not isinstance(getattr(member, "value", None), str):
            raise TypeError(f"{name}: {member!r} is not a valid member")
