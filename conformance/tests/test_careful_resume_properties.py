"""Properties of Careful Resume in the profiles of RFC 9959, on random events and on the vectors."""

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from c_careful_resume import Stream
from every import every_case, every_vector
from firstflight import Phase, Trigger, create, step
from firstflight.careful_resume.profiles import PROFILES
from firstflight.careful_resume.state import CarefulResume
from firstflight.controller import Controller, create_with
from firstflight.errors import DomainError
from firstflight.events import Ack, Event, Lost, PathChange, Pto, SavedPath, Sent
from firstflight.observables import Observation, Outcome
from firstflight_conformance.prng import SplitMix64
from firstflight_conformance.replay.measure import config_from_json

OF_THE_RFC = ("rfc-9959", "rfc-9959-unvalidated", "rfc-9959-search")
N, R, U, V, S = Phase.NORMAL, Phase.RECONNAISSANCE, Phase.UNVALIDATED, Phase.VALIDATING, Phase.SAFE_RETREAT
#: The table of edges in spec/careful-resume/rules.md.
EDGES = {
    (N, None, R),
    (R, Trigger.CONGESTION_WINDOW_LIMITED, U),
    *((R, trigger, N) for trigger in (Trigger.PACKET_LOSS, Trigger.ECN_CE, Trigger.RTT_NOT_VALIDATED, None)),
    (U, Trigger.LAST_UNVALIDATED_PACKET_SENT, V),
    (U, Trigger.FIRST_UNVALIDATED_PACKET_ACKNOWLEDGED, V),
    (U, Trigger.RTT_EXCEEDED, V),
    (U, Trigger.RATE_LIMITED, N),
    (U, None, N),
    *((U, trigger, S) for trigger in (Trigger.PACKET_LOSS, Trigger.ECN_CE, Trigger.PATH_CHANGED)),
    (V, Trigger.LAST_UNVALIDATED_PACKET_ACKNOWLEDGED, N),
    (V, None, N),
    *((V, trigger, S) for trigger in (Trigger.PACKET_LOSS, Trigger.ECN_CE)),
    (S, Trigger.EXIT_RECOVERY, N),
    (S, None, N),
}

Step = tuple[Controller, Event, Controller, Observation]


def connection(profile: str, seed: int) -> list[Step]:
    """Return the steps of a random connection."""
    stream = Stream(SplitMix64(seed))
    controller = create_with(PROFILES[profile], stream.config)
    steps = []
    for _ in range(150):
        event = stream.event(controller)
        try:
            after, observation = step(controller, event)
        except DomainError:
            continue
        steps.append((controller, event, after, observation))
        controller = after
    return steps


def resume(controller: Controller) -> CarefulResume:
    """Return the state of Careful Resume."""
    state = controller.startup.resume
    assert isinstance(state, CarefulResume)
    return state


def edges(steps: list[Step]) -> Iterator[tuple[Phase, Trigger | None, Phase]]:
    """Yield the phase changes, each with its triggers."""
    for before, _, after, observation in steps:
        if resume(before).phase is not resume(after).phase:
            for trigger in observation.triggers or (None,):
                yield resume(before).phase, trigger, resume(after).phase
        else:
            assert not observation.triggers


connections = given(st.sampled_from(OF_THE_RFC), st.integers(0, 2**64 - 1))


@connections
@settings(max_examples=60)
def test_phases_change_only_along_the_table(profile: str, seed: int) -> None:
    """Phases change only along the table, at most once per event, with triggers of the table."""
    assert set(edges(connection(profile, seed))) <= EDGES


@connections
def test_unvalidated_window_equals_the_jump(profile: str, seed: int) -> None:
    """In the Unvalidated phase cwnd equals the jump, which is at most half of the saved window."""
    for _, _, after, observation in connection(profile, seed):
        if observation.phase is U:
            assert observation.cwnd_bytes == resume(after).jump_bytes <= resume(after).used.saved_cwnd_bytes // 2


@connections
def test_cwnd_is_constant_in_safe_retreat(profile: str, seed: int) -> None:
    """cwnd does not change in Safe Retreat, and ssthresh is at most PipeSize times Beta at its end."""
    for before, _, after, observation in connection(profile, seed):
        if resume(before).phase is S is observation.phase:
            assert observation.cwnd_bytes == before.base.cwnd_bytes
        if resume(before).phase is S is not observation.phase:
            state = resume(after)
            beta = state.used.beta_numerator, state.used.beta_denominator
            assert observation.ssthresh_bytes is not None
            assert observation.ssthresh_bytes * beta[1] <= state.pipesize_bytes * beta[0]
        if resume(before).phase is not S is observation.phase:
            assert resume(after).saved is None
            assert observation.cwnd_bytes == max(
                resume(after).pipesize_bytes // 2, 2 * after.base.max_datagram_size_bytes
            )


@connections
def test_connection_uses_at_most_one_saved_set(profile: str, seed: int) -> None:
    """A connection uses at most one saved set, which is not in use, not expired and of the same endpoint."""
    steps = connection(profile, seed)
    used = [event for _, event, _, observation in steps if observation.outcome is Outcome.RESUMING]
    assert len(used) <= 1
    for event in used:
        assert isinstance(event, SavedPath)
        assert event.endpoint_matches and not event.in_use
        assert event.expires_t_ns is None or event.t_ns <= event.expires_t_ns


@connections
def test_reconnaissance_does_not_change_windows(profile: str, seed: int) -> None:
    """In Reconnaissance, and after its end without a jump, windows equal those without Careful Resume."""
    if profile == "rfc-9959-search":
        return  # this test compares with the plain base controller
    plain: Controller | None = None
    for before, event, _, observation in connection(profile, seed):
        plain = plain if plain is not None else Controller(before.base)
        if observation.phase in (U, V, S) or resume(before).phase in (U, V, S):
            return
        if plain.base.cwnd_bytes == plain.base.ssthresh_bytes:
            return  # slow start differs between RFC 9959 and RFC 9002 here.
        # A base controller restarts on a new path; Careful Resume has other rules for a new path.
        plain, alone = step(plain, Pto(event.t_ns) if isinstance(event, PathChange) else event)
        assert (observation.cwnd_bytes, observation.ssthresh_bytes) == (alone.cwnd_bytes, alone.ssthresh_bytes)


@pytest.mark.parametrize("profile", ["rfc-9959", "rfc-9959-unvalidated"])
def test_the_vectors_cover_every_edge(profile: str) -> None:
    """The vectors cover every edge of the table."""
    covered_edges: set[tuple[Phase, Trigger | None, Phase]] = set()
    for case in every_case():
        if (case.vector.algorithm, case.profile) == ("careful-resume", profile):
            controller = create("careful-resume", profile, config_from_json(case.vector.config))
            steps = []
            for event in case.events:
                after, observation = step(controller, event)
                steps.append((controller, event, after, observation))
                controller = after
            covered_edges |= set(edges(steps))
    assert covered_edges == EDGES


def test_pipesize_readings_agree_without_bytes_in_flight() -> None:
    """Both readings of PipeSize agree if no bytes are in flight at the jump and only packets of the phase count."""
    compared = 0
    for vector in every_vector():
        both = [vector.profiles.get(name) for name in ("rfc-9959", "rfc-9959-unvalidated")]
        if vector.algorithm != "careful-resume" or None in both:
            continue
        literal, counted = both
        assert literal is not None and counted is not None
        if "careful-resume.pipesize.all" not in literal.clauses or "-empty" in vector.id:
            continue
        entry = next(e for e in literal.expect if e.get("phase") == "unvalidated")
        jumped = next((i for i, _ in enumerate(vector.events) if i == entry["at"]), 0)
        sent = [e.bytes_in_flight for e in vector.events[: jumped + 1] if isinstance(e, Sent | Ack | Lost)]
        after = [e for e in vector.events[jumped + 1 :] if isinstance(e, Sent)]
        first = after[0].packets[0].first if after else 0
        last_mark = [
            e["state"]["last_unvalidated_packet"]
            for e in literal.expect
            if e.get("state", {}).get("last_unvalidated_packet")
        ]
        newer = any(
            run.last > max(last_mark, default=0) for e in vector.events if isinstance(e, Ack) for run in e.packets
        )
        if sent[-1] == 0 and first and not newer:
            compared += 1
            assert literal.expect == counted.expect, vector.id
    assert compared > 20
