"""States that a walk passes from one model to another."""

from dataclasses import fields

from firstflight import Config
from firstflight.controller import Controller
from firstflight.events import Ack, Event, PathChange, Pto, Run
from firstflight_conformance.compare.bounds.rate_limited import RateLimited
from firstflight_conformance.compare.options import options_of
from firstflight_conformance.compare.position import PendingStep, Position, Walker, is_same_state
from firstflight_conformance.replay.variant import Variant, build

CONFIG = Config(1200, 12_000)
#: Attributes that each model sets itself: its readings, and its classes of base and startup state.
OF_THE_MODEL = {"base", "readings", "startup"}


def test_controller_numbers_do_not_depend_on_choices() -> None:
    """The numbers of a controller do not depend on choices at open points."""
    alternative = build(options_of("cubic", "rfc-9438")[0].candidate)
    assert alternative is not None
    right, wrong = (Walker("cubic", "rfc-9438", CONFIG, variant) for variant in (Variant(), alternative))
    controller = right.begin().controller.copy()
    names = [member.name for member in fields(Controller) if member.name not in OF_THE_MODEL]
    for number, name in enumerate(names, 1):
        setattr(controller, name, number)
    restored = wrong.before(Position(right, controller, []))
    assert [getattr(restored, name) for name in names] == list(range(1, len(names) + 1))


def test_state_includes_path_and_datagram_size() -> None:
    """A path and a datagram size are part of a state."""
    controller = Walker("slow-start", "rfc-9002", CONFIG, Variant()).begin().controller
    size, path = controller.copy(), controller.copy()
    size.base.max_datagram_size_bytes = 1400
    path.path_start_ns = 1
    assert is_same_state(controller, controller.copy())
    assert not is_same_state(controller, size)
    assert not is_same_state(controller, path)


def _stepped(walker: Walker, position: Position, event: Event) -> PendingStep:
    after = position.controller.copy()
    observation = Variant().advance(after, event)
    return PendingStep(walker, position, position.controller, event, after, observation)


def test_new_path_resets_bounds() -> None:
    """The largest flight and the growth of one path allow no growth on the next path."""
    walker = Walker("slow-start", "rfc-9002", CONFIG, Variant())
    position = walker.begin()
    for bound in position.bounds:
        vars(bound).update(
            dict.fromkeys({"most_flight_bytes", "credit_bytes", "grown_bytes"} & set(dir(bound)), 99_000)
        )
    memories = []
    for event in (Pto(2), PathChange(2)):
        step = _stepped(walker, position, event)
        bounds = step.bounds()
        step.remember(bounds)
        memories.append(Position(walker, position.controller, bounds).key)
    assert memories[0].count("99000") == position.key.count("99000") > 0
    assert memories[1] == walker.begin().key


def test_end_of_recovery_resets_largest_flight() -> None:
    """A window that falls at the end of recovery was reduced by congestion: the earlier largest flight is forgotten."""
    walker = Walker("slow-start", "rfc-9002", CONFIG, Variant())
    (bound,) = (bound for bound in walker.begin().bounds if isinstance(bound, RateLimited))
    run = Run(0, 0, 1200, 1)
    ack = Ack(2, (run,), 1200, 2400, 1, False, 1, 1, 1, 0)
    for in_recovery, most_bytes in ((True, 2400), (False, 12_000)):
        before, after = walker.begin().controller.copy(), walker.begin().controller.copy()
        before.base.in_recovery, after.base.cwnd_bytes = in_recovery, 6000
        bound.most_flight_bytes = 12_000
        bound.settle(before, after, ack)
        assert bound.most_flight_bytes == most_bytes
