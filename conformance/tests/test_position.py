"""States that a walk hands from one model to another."""

from dataclasses import fields

from firstflight import Config
from firstflight.controller import Controller
from firstflight_conformance.compare.options import options_of
from firstflight_conformance.compare.position import Position, Walker, is_same_state
from firstflight_conformance.replay.variant import Variant, build

CONFIG = Config(1200, 12_000)
#: What a model brings itself: its readings, and its classes of base and startup state.
OF_THE_MODEL = {"base", "readings", "startup"}


def test_a_model_takes_every_number_of_the_state_of_another() -> None:
    """The numbers of a controller do not depend on choices at open points."""
    other = build(options_of("cubic", "rfc-9438")[0].candidate)
    assert other is not None
    right, wrong = (Walker("cubic", "rfc-9438", CONFIG, one) for one in (Variant(), other))
    controller = right.begin().controller.copy()
    names = [one.name for one in fields(Controller) if one.name not in OF_THE_MODEL]
    for number, name in enumerate(names, 1):
        setattr(controller, name, number)
    taken = wrong.before(Position(right, controller, []))
    assert [getattr(taken, name) for name in names] == list(range(1, len(names) + 1))


def test_states_differ_by_what_events_change() -> None:
    """A path and a datagram size are part of a state."""
    one = Walker("slow-start", "rfc-9002", CONFIG, Variant()).begin().controller
    size, path = one.copy(), one.copy()
    size.base.max_datagram_size_bytes = 1400
    path.path_start_ns = 1
    assert is_same_state(one, one.copy())
    assert not is_same_state(one, size)
    assert not is_same_state(one, path)
