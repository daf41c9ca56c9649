"""Senders with known behaviour: the verdict describes it and does not name a wrong profile."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest

from firstflight.events import Ack, Lost
from firstflight_conformance.format.vectors import Case, load
from firstflight_conformance.judge.verdict import ConnectionVerdict, judge, together
from firstflight_conformance.logs.recording.from_case import recording_of
from firstflight_conformance.paths import VECTORS

from known_senders import Sender, Swaying, recorded_in_datagrams, recorded_sender  # isort: skip

_WINDOWS = (5, 10, 20, 32)
_GROWTHS = (Fraction(1, 2), Fraction(1), Fraction(2))
_FACTORS = (Fraction(1, 2), Fraction(7, 10), Fraction(17, 20))
#: Vectors with a path; senders with each profile of the algorithm use this path.
_PATHS = ("search/path.deep-queue", "search/path.jitter", "hystart/path.deep-queue", "hystartpp/path.deep-queue")
_CARRIED = [(name, profile) for name in _PATHS for profile in load(VECTORS / f"{name}.json").profiles]


@pytest.mark.parametrize(("datagrams", "growth", "factor"), list(product(_WINDOWS, _GROWTHS, _FACTORS)))
def test_loss_is_reported_with_evidence_and_factor(datagrams: int, growth: Fraction, factor: Fraction) -> None:
    """Window, growth, evidence and factor are reported; the profile is undecided, or none of ours if growth differs."""
    verdict = judge(recorded_sender(Sender(datagrams, growth, factor=factor)))
    did = verdict.did
    assert did.initial_window_bytes == datagrams * 1200
    assert did.growth is not None and abs(did.growth - growth) < Fraction(1, 50)
    assert did.evidence == "loss"
    assert did.reduction is not None and did.reduction.of == "window"
    assert abs(did.reduction.factor - factor) < Fraction(1, 100)
    assert _nothing_is_named(verdict)
    assert ("slow-start/rfc-9002" in verdict.may_be) == (growth == 1)
    # A sender that counts ACKs grows by half of the bytes of an ACK of two datagrams.
    assert ("slow-start/ack-counting" in verdict.may_be) == (growth == Fraction(1, 2))


@pytest.mark.parametrize(("datagrams", "tells"), list(product(_WINDOWS, (True, False))))
def test_exit_at_fixed_window_identifies_no_profile(datagrams: int, tells: bool) -> None:
    """A sender that leaves slow start at a fixed window is none of ours, whether or not it logs its threshold.

    In a single run a profile may leave at the same event by its own rule, but not in two runs.
    """
    verdicts = []
    for window_bytes in (64_000, 90_000):
        sender = Sender(datagrams, exit_bytes=window_bytes, tells=tells, queue_packets=200)
        verdict = judge(recorded_sender(sender))
        assert verdict.did.window_bytes is not None
        assert abs(verdict.did.window_bytes - window_bytes) <= 4 * 1200
        assert verdict.did.evidence == ("threshold" if tells else "growth")
        verdicts.append(verdict)
    assert together(verdicts) == ([], None)


@pytest.mark.parametrize(("datagrams", "growth"), list(product(_WINDOWS, _GROWTHS)))
def test_application_pauses_are_not_an_exit(datagrams: int, growth: Fraction) -> None:
    """Pauses of the application are not reported as an exit from slow start and identify no profile."""
    verdict = judge(recorded_sender(Sender(datagrams, growth, rests=True)))
    assert verdict.did.evidence in ("loss", "none")
    assert _nothing_is_named(verdict), verdict.may_be


@pytest.mark.parametrize("factor", _FACTORS)
def test_factor_without_a_logged_window_before_the_loss(factor: Fraction) -> None:
    """If a stack logs one window for an ACK and a loss, the factor is relative to the window after the ACK."""
    recording = recorded_sender(Sender(10, factor=factor))
    steps = list(recording.steps)
    lost = next(at for at, step in enumerate(steps) if isinstance(step.event, Lost))
    assert isinstance(steps[lost - 1].event, Ack)
    steps[lost - 1] = replace(steps[lost - 1], subject={})
    reduction = judge(replace(recording, steps=tuple(steps))).did.reduction
    assert reduction is not None
    assert abs(reduction.factor - factor) < Fraction(1, 1000)


@pytest.mark.parametrize("seed", range(40))
def test_resumed_slow_start_is_not_refuted(seed: int) -> None:
    """A HyStart++ sender that counts in datagrams is not refuted if CSS begins and ends after single ACKs."""
    recording, _ = recorded_in_datagrams(Swaying(seed, 6_000_000))
    verdict = judge(recording)
    assert "hystartpp/rfc-9406" not in [refutation.profile for refutation in verdict.refuted]


def test_slow_start_is_resumed_in_half_of_the_runs() -> None:
    """At least half of these senders resume slow start."""
    assert sum(recorded_in_datagrams(Swaying(seed, 6_000_000))[1] for seed in range(40)) >= 20


def _nothing_is_named(verdict: ConnectionVerdict) -> bool:
    return verdict.none_of_ours or verdict.undecided is not None


@pytest.mark.parametrize(("name", "profile"), _CARRIED)
def test_true_profile_is_among_possible_profiles(name: str, profile: str) -> None:
    """The profile of a sender, or its base profile, is among the possible profiles."""
    vector = load(VECTORS / f"{name}.json")
    true = f"{vector.algorithm}/{profile}"
    verdict = judge(recording_of(Case(vector, profile)))
    assert {true, true.partition("+")[0]} & set(verdict.may_be), [e for e in verdict.refuted if e.profile == true]
