"""Stand-ins: right implementations of another profile, with the choices of a stack."""

from firstflight_conformance.compare.options import options_of
from firstflight_conformance.explain.operators.bench import Bench
from firstflight_conformance.explain.stand_ins import stand_ins
from firstflight_conformance.replay.candidates import together
from firstflight_conformance.replay.variant import build, buildable

#: The first choice replaces the text that the second searches for.
ORDERED = ("cubic-more-than-a-window", "cubic-first-ack-not-estimated")


def test_choices_are_applied_in_a_buildable_order() -> None:
    """Two choices in one function can be applied in one order only. A diagnosis once failed in the other order."""
    options = {option.id: option.candidate for option in options_of("cubic", "rfc-9438", covered=True)}
    choices = together([options[name] for name in ORDERED])
    assert build(choices) is None
    choices = buildable(choices)
    assert Bench(choices).model.texts
    names = [candidate.id for candidate, _ in stand_ins("cubic", "rfc-9438", choices)]
    assert names == ["cubic/rfc-9438-literal"]
