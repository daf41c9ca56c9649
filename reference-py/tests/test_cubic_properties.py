"""Properties of CUBIC on every connection (``spec/cubic/rules.md``)."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from firstflight.controller import Config, Controller, create, step
from firstflight.cubic.cubic import Cubic
from firstflight.cubic.window import cube_root, cube_time_ns, window_bytes
from firstflight.events import Ack, Ce, Event, Lost, PersistentCongestion, Run, Sent, SpuriousLoss
from firstflight.limits import WINDOW_MAX_BYTES
from firstflight.observables import Outcome

S = 10**9
SIZE = 1200

windows = st.integers(1, WINDOW_MAX_BYTES)
gaps_ns = st.one_of(st.integers(0, S), st.integers(0, 10**14))
kinds = st.sampled_from(("ack", "ack", "ack", "ack", "limited", "lost", "ce", "persistent", "spurious", "sent"))
steps = st.lists(st.tuples(kinds, gaps_ns, st.integers(1, 60_000), st.integers(0, S)), max_size=40)


def event_of(kind: str, t_ns: int, packets: int, age_ns: int, first: int = 0) -> Event:
    """Return an event of packets from ``first`` on that were sent ``age_ns`` before it."""
    run = Run(first, first + packets - 1, SIZE, max(t_ns - age_ns, 1))
    total = packets * SIZE
    match kind:
        case "sent":
            return Sent(t_ns, (replace(run, sent_t_ns=t_ns),), total, total, False)
        case "lost":
            return Lost(t_ns, (run,), total, 0, first + packets)
        case "ce":
            return Ce(t_ns, 0, run.sent_t_ns, 1)
        case "persistent":
            return PersistentCongestion(t_ns)
        case "spurious":
            return SpuriousLoss(t_ns)
        case _:
            return Ack(t_ns, (run,), total, 0, first + packets, kind == "limited", age_ns, age_ns, age_ns, 0)


@settings(max_examples=200, deadline=None)
@given(windows, steps)
def test_window_changes_and_ranges_of_every_step(window: int, drawn: list[tuple[str, int, int, int]]) -> None:
    """Reductions and collapses set the window, nothing else lowers it, and windows and stage stay in their range."""
    controller, t_ns = create("cubic", "rfc-9438", Config(SIZE, window)), S
    for number, (kind, gap_ns, packets, age_ns) in enumerate(drawn):
        t_ns += gap_ns
        before = controller.base.cwnd_bytes
        controller, observation = step(controller, event_of(kind, t_ns, packets, age_ns, number * 60_000))
        assert 1 <= observation.cwnd_bytes <= WINDOW_MAX_BYTES
        match observation.outcome:
            case Outcome.REDUCED:
                assert observation.cwnd_bytes == max(before * 7 // 10, SIZE if kind == "ce" else 2 * SIZE)
                assert observation.ssthresh_bytes == max(before * 7 // 10, 2 * SIZE)
            case Outcome.COLLAPSED:
                assert observation.cwnd_bytes == 2 * SIZE
            case _:
                assert observation.cwnd_bytes >= before
        state = controller.base.rules_state
        epoch = state.epoch if isinstance(state, Cubic) else None
        if epoch is not None:
            assert epoch.start_ns <= t_ns
            assert 0 <= epoch.cwnd_fraction < 2**32 and 0 <= epoch.w_est_fraction < 2**32


def in_a_stage(window: int) -> Controller:
    """Return a controller that lost a packet at 2 s and began a stage at 3.001 s."""
    controller = create("cubic", "rfc-9438", Config(SIZE, window))
    for kind, t_ns, packets, age_ns in (("lost", 2 * S, 1, S), ("ack", 3 * S + 10**6, 1, S)):
        event = event_of(kind, t_ns, packets, age_ns)
        controller, _ = step(controller, replace(event, bytes_in_flight=SIZE) if isinstance(event, Ack) else event)
    return controller


@given(st.integers(10 * SIZE, 2**40), st.integers(0, 100 * S), st.integers(1, 100 * S))
def test_time_without_flight_does_not_count(window: int, silence_ns: int, later_ns: int) -> None:
    """A silence without bytes in flight changes no later window."""
    grown = []
    for pause_ns in (0, silence_ns):
        controller, t_ns = in_a_stage(window), 4 * S
        controller, _ = step(controller, event_of("ack", t_ns, 2, S // 2))
        t_ns += pause_ns
        controller, _ = step(controller, event_of("sent", t_ns, 1, 0))
        controller, observation = step(controller, event_of("ack", t_ns + later_ns, 1, 1))
        grown.append(observation.cwnd_bytes)
    assert grown[0] == grown[1]


@given(st.integers(10 * SIZE, 2**40), st.integers(1, 10 * S))
def test_spurious_loss_does_not_change_later_window(window: int, later_ns: int) -> None:
    """A loss that turns out to be spurious does not change the window after the next ACK."""
    right = in_a_stage(window)
    wrong, _ = step(right, event_of("lost", 4 * S, 1, 1))
    wrong, observation = step(wrong, SpuriousLoss(4 * S))
    assert observation.outcome is Outcome.RESTORED
    ack = event_of("ack", 4 * S + later_ns, 1, S // 2)
    assert step(right, ack)[1] == step(wrong, ack)[1]


@given(st.integers(0, WINDOW_MAX_BYTES), st.integers(1, 65_535))
def test_curve_at_its_ends(distance: int, size: int) -> None:
    """At t = 0 the curve is at the window of the stage or a byte above, at K at the maximum; it never decreases."""
    k_ns = cube_time_ns(distance, size)
    low = window_bytes(WINDOW_MAX_BYTES, k_ns, size, 0)
    slope = 6 * size * (k_ns + 1) ** 2 // (5 * 10**27) + 1
    assert WINDOW_MAX_BYTES - distance <= low <= WINDOW_MAX_BYTES - distance + slope
    assert window_bytes(WINDOW_MAX_BYTES, k_ns, size, k_ns) == WINDOW_MAX_BYTES
    middle = window_bytes(WINDOW_MAX_BYTES, k_ns, size, k_ns // 2)
    assert low <= middle <= WINDOW_MAX_BYTES


@given(st.integers(0, 2**156 - 1))
def test_cube_root_is_the_largest_fitting_integer(number: int) -> None:
    """The root is the largest integer that fits."""
    root = cube_root(number)
    assert root**3 <= number < (root + 1) ** 3 or root == 2**52 - 1
