"""The verdict on a connection: behaviour of the sender, refuted and possible profiles, or why it is undecided."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from random import Random
from typing import Any

from firstflight import profiles
from firstflight.events import Ack, Event
from firstflight_conformance.judge import did as doing
from firstflight_conformance.judge.at_least import (
    APPLICATION_LIMITED,
    AtLeastExplainer,
    falls_unmarked,
    follows,
    grows_too_little,
    paces_by_rate,
    partly_limited,
    queued,
    stalls_ns,
    too_little,
)
from firstflight_conformance.judge.choices import choice_json, holds, with_choices
from firstflight_conformance.judge.did import Did, Shown
from firstflight_conformance.judge.explain import ComparedProfile, Explainer, Refutation, candidates
from firstflight_conformance.judge.leaving import DRAIN
from firstflight_conformance.judge.subject import JudgedSender, subject_of
from firstflight_conformance.judge.why import Path, Why, path_of, reasons, why_json
from firstflight_conformance.logs.recording.changed import with_samples
from firstflight_conformance.logs.recording.recording import Recording

#: Least number of window-limited ACKs for a decision.
_LEAST_ACKS = 8
#: An exit that is known only to within more RTTs is not evidence for a profile.
_CLOSE_RTTS = 3
_NOT_LEFT = "slow start is not left in this recording"
_NO_SAMPLES = "the recording has no RTT samples: an exit by delay or rate cannot be judged"
#: Algorithms whose exit does not depend on RTT samples.
_WITHOUT_RTTS = ("slow-start", "cubic", "limited-slow-start")
_WINDOW_OPEN = (
    "the capture allows several initial windows, and each leads to other profiles: state it by --initial-window"
)
_ORDER_INFERRED = "the log records ACKs at their arrival, so the order of events is inferred: no profile is named"
AT_THE_RECEIVER = "captured at the receiver: no profile is named"
TOO_MANY = "the open points of these profiles allow more combinations than were tried"
_BY_LOSS = "slow start ends by loss after full growth, as in every profile that does not leave it earlier"
#: Profiles with a wrong exit are retried with RTT samples changed within the precision of the recording. Number of
#: profiles, and number of tries with random changes.
_UNCLEAR, _SEEDS = 4, 6


#: Changes of the RTT samples, in ns, that test the dependence of an exit on them.
MOVES_NS = (1_000, 10_000, 100_000, 1_000_000)


@dataclass(frozen=True, slots=True)
class Margin:
    """Result of runs with changed RTT samples: the profile's exit from slow start moves in ``moved`` of ``of`` runs.

    Each run adds ``by_ns`` to a sample or subtracts it, at random for each sample.
    """

    by_ns: int
    moved: int
    of: int


@dataclass(frozen=True, slots=True)
class ConnectionVerdict:
    """The verdict on one connection.

    ``undecided``: why no profile is reported, or None. ``may_be``: names of the profiles that may be the sender's.
    ``explained``: comparisons of all tried profiles with the sender, including refuted profiles. ``explained`` and
    ``may_be`` are empty if the recording does not permit a comparison. ``may_be`` is also empty if no profile explains
    the sender. ``left_out``: algorithms that were not tried, as the recording lacks the event that starts them.
    ``asked``: the profiles were requested by name.
    """

    subject: JudgedSender
    did: Did
    explained: tuple[ComparedProfile, ...]
    may_be: tuple[str, ...]
    undecided: str | None
    left_out: tuple[str, ...]
    asked: bool = False

    @property
    def path(self) -> Path | None:
        """Least RTT and highest acknowledged rate of the network path, or None if they cannot be measured.

        They need RTT samples, a round of ACKs, at least eight window-limited ACKs, and a recording that shows all of
        slow start.
        """
        is_measurable = self.did.shown is Shown.ALL and len(self.subject.limited) >= _LEAST_ACKS
        return path_of(self.subject) if is_measurable else None

    @property
    def why(self) -> list[Why]:
        """Reasons of the possible profiles for leaving slow start."""
        return reasons(self.subject, self.explained, self.may_be) if self.undecided is None else []

    @property
    def explained_with(self) -> list[ComparedProfile]:
        """The profiles that explain the sender with alternatives, but are refuted without them.

        Alternatives are permitted choices at open points other than the model's. An open point is a choice that a text
        leaves to the implementer.
        """
        return [compared for compared in self.explained if compared.choices and compared.profile in self.may_be]

    @property
    def none_of_ours(self) -> bool:
        """Whether the verdict is decided and no profile explains the recording."""
        return self.undecided is None and not self.may_be

    @property
    def refuted(self) -> list[Refutation]:
        """The refutations, sorted by event index, the latest first, then by profile."""
        refutations = [compared.refuted for compared in self.explained if compared.refuted is not None]
        return sorted(refutations, key=lambda refutation: (-refutation.event, refutation.profile))


def judge(
    recording: Recording,
    names: Iterable[str] | None = None,
    *,
    start: str = "first-ack",
    app_limited: str | None = None,
) -> ConnectionVerdict:
    """Judge a recording by the profiles in ``names``, each ``algorithm/profile``, or by all that its events start.

    Most algorithms act from the first event. Others need an event that starts them, such as ``backlog`` for
    Quick-Start. The behaviour at a loss is judged only for profiles requested by name: too many profiles behave alike
    there. ``start``, ``app_limited``: as in :func:`subject_of`.
    """
    subject = subject_of(recording, start=start, app_limited=app_limited)
    chosen, unstarted = candidates(subject.events) if names is None else (list(names), [])
    requested = names is not None
    explained, later = _explain(subject, chosen, requested=requested), _later(subject)
    if later is not None:
        again = _explain(later, chosen, requested=requested)
        ways = [_goes_on(subject, *pair) for pair in zip(explained, again, strict=True)]
        if any(ways) and (later.left.by is not None or None not in ways):
            subject, explained = later, again
    sampled = any(isinstance(event, Ack) and event.latest_rtt_ns for event in subject.events)
    if not sampled:
        explained = tuple(replace(compared, refuted=None) if _by_rtt(compared) else compared for compared in explained)
    unrefuted = [compared for compared in explained if compared.refuted is None]
    may_be = tuple(named_once([compared.profile for compared in unrefuted]))
    subject = _left_by_drain(subject, unrefuted)
    undecided, visible_part = _undecided(subject, may_be, requested=requested), Shown.ALL
    if subject.at_least:
        undecided, visible_part = _undecided_flight(subject, unrefuted, undecided)
        if visible_part is not Shown.ALL or undecided == AT_THE_RECEIVER:
            explained, may_be = (), ()
    if subject.recording.header.quality.get("order_inferred"):
        undecided, explained, may_be = undecided or _ORDER_INFERRED, (), ()
    if subject.at_least and "initial_window_range" in subject.recording.header.quality:
        undecided, explained, may_be = undecided or _WINDOW_OPEN, (), ()
    if not sampled and undecided is None:
        undecided = _NO_SAMPLES
    if not may_be and undecided is None:
        may_be = tuple(named_once(_unclear(subject, explained)))
        undecided = "the exits differ by less than the resolution of the recording" if may_be else None
    if not may_be and not subject.at_least and (undecided is None or requested):
        explainer = Explainer(subject, reduction=requested)
        explained, complete = with_choices(explainer, explained, subject.left, requested=requested)
        may_be = tuple(named_once([compared.profile for compared in explained if compared.refuted is None]))
        undecided = undecided or _undecided(subject, may_be, requested=requested)
        if not may_be and undecided is None and not complete:
            undecided = TOO_MANY
    did = doing.did(subject, visible_part, explained=undecided is None and bool(may_be))
    return ConnectionVerdict(subject, did, explained, may_be, undecided, tuple(unstarted), requested)


def to_json(verdict: ConnectionVerdict, agreement: float | None, notes: Sequence[str]) -> dict[str, Any]:
    """Return the verdict as JSON.

    ``agreement``: share of the logged bytes in flight that agree with the events, or None. ``notes``: notes on the
    file.
    """
    return {
        "did": doing.to_json(verdict.did),
        "refuted": [asdict(refutation) for refutation in verdict.refuted],
        "may_be": list(verdict.may_be),
        "none_of_ours": verdict.none_of_ours,
        "explained_with": [
            {"profile": compared.profile, "choices": [choice_json(choice) for choice in compared.choices]}
            for compared in verdict.explained_with
        ],
        "undecided": verdict.undecided,
        "agreement": agreement,
        "notes": list(notes),
    } | why_json(verdict.path, verdict.did.window_bytes, verdict.why)


def together(verdicts: Sequence[ConnectionVerdict]) -> tuple[list[str], str | None]:
    """Return the profiles that explain all recorded connections together, and why they are undecided, or None.

    ``verdicts``: one for each connection. The profiles were compared with at least one connection, and no connection
    refutes them. Alternatives are permitted choices other than the model's. A profile that needs them must explain all
    connections with the same alternatives. The reason is None if a verdict is decided, or if several connections leave
    no profile.
    """
    refuted = {
        compared.profile for verdict in verdicts for compared in verdict.explained if compared.refuted is not None
    }
    clear = [verdict for verdict in verdicts if verdict.undecided is None]
    tried = {compared.profile for verdict in verdicts for compared in verdict.explained}
    unrefuted = [name for name in sorted(tried - refuted) if len(verdicts) == 1 or _is_consistent(name, verdicts)]
    may_be = named_once(unrefuted)
    if clear or (not may_be and len(verdicts) > 1):  # another run decides
        return may_be, None
    return may_be, verdicts[0].undecided


def _is_consistent(name: str, verdicts: Sequence[ConnectionVerdict]) -> bool:
    """Return whether a profile explains all recorded connections with the same alternatives.

    Alternatives are permitted choices other than the model's. The test uses all alternatives that the profile needs for
    any of the connections. ``verdicts``: one for each connection.
    """
    comparisons = [
        (verdict, compared) for verdict in verdicts for compared in verdict.explained if compared.profile == name
    ]
    needed = frozenset().union(*(compared.settled for _, compared in comparisons))
    runs = [verdict for verdict, compared in comparisons if compared.settled != needed and not verdict.subject.at_least]
    return all(holds(Explainer(verdict.subject, reduction=verdict.asked), name, needed) for verdict in runs)


def _by_rtt(compared: ComparedProfile) -> bool:
    """Return whether a profile's exit may refute it (``by_exit``), and the exit depends on RTT samples."""
    return compared.by_exit and compared.profile.partition("/")[0] not in _WITHOUT_RTTS


def _explain(subject: JudgedSender, names: Iterable[str], *, requested: bool) -> tuple[ComparedProfile, ...]:
    explainer = _explainer(subject, reduction=requested)
    return tuple(
        _on_either_base(explainer, compared) if requested else compared for compared in explainer.explain(names)
    )


def _later(subject: JudgedSender) -> JudgedSender | None:
    """Return the sender with another exit from slow start, after its slower growth, or None.

    Slower growth is window growth per acknowledged byte below 3/4 of the growth in the first round. It ends at event
    ``subject.left.until``, the first event with other evidence that slow start is over. If this event is an ACK with a
    known ssthresh, it becomes the exit. Otherwise the exit is removed if the sender only pauses. Between the exit and
    this event, each window-limited ACK then grows the window by 0 or by all acknowledged bytes. Return None in other
    cases, in a capture, or if slower growth is not the evidence of the exit.
    """
    sender_exit, at = subject.left, subject.left.until
    if sender_exit.evidence != "growth" or subject.at_least:
        return None
    if isinstance(next(iter(subject.events[at:]), None), Ack) and subject.answers[at].ssthresh_bytes is not None:
        return replace(subject, left=replace(sender_exit, after=at - 1, by=at, evidence="threshold"))
    later = (point for point in subject.limited if (sender_exit.by or 0) < point.index < at)
    slows = any(point.grown_bytes not in (0, point.acked_bytes) for point in later)
    return None if slows else replace(subject, left=replace(sender_exit, by=None, evidence="none"))


def _goes_on(subject: JudgedSender, compared: ComparedProfile, later: ComparedProfile) -> bool | None:
    """Return whether a profile may remain in slow start where the sender's growth slows, as BBR does for some rounds.

    ``compared``: comparison with the sender's exit where its growth slows. ``later``: comparison with a later exit of
    the sender, or with a sender that remains in slow start. If the profile leaves slow start where the growth slows,
    return None, or False if ``compared`` refutes it. For every other profile, return True in two cases, otherwise
    False. First case: ``later`` does not refute the profile. Second case: ``compared`` does not refute the profile, and
    ``later`` refutes only its exit.
    """
    if any(subject.left.after < index <= (subject.left.by or 0) for index in compared.exits):
        return None if compared.refuted is None else False
    return later.refuted is None or (compared.refuted is None and later.by_exit)


def _explainer(
    subject: JudgedSender, *, reduction: bool = False, events: Sequence[Event] | None = None
) -> Explainer | AtLeastExplainer:
    if subject.at_least:
        return AtLeastExplainer(subject, events=events)
    return Explainer(subject, reduction=reduction, events=events)


def _on_either_base(explainer: Explainer | AtLeastExplainer, compared: ComparedProfile) -> ComparedProfile:
    """Return the comparison of a profile with its base controller or, if this is refuted, with CUBIC as its base.

    Only the startup algorithm is judged, so the result has the name of the original profile. If the profile is refuted
    on both bases, or lacks a variant on CUBIC, return ``compared``, the comparison with its own base.
    """
    algorithm, _, profile = compared.profile.partition("/")
    cubic_profile = f"{profile}+cubic"
    if compared.refuted is None or cubic_profile not in profiles(composed=True)[algorithm]:
        return compared
    (again,) = explainer.explain([f"{algorithm}/{cubic_profile}"])
    return compared if again.refuted is not None else replace(again, profile=compared.profile)


def named_once(known: Sequence[str]) -> list[str]:
    """Return the profile names without each ``profile+base`` whose ``profile`` is in the list too.

    A name ``profile`` means the profile with the default base controller, which acts after slow start. A name
    ``profile+base`` means the same profile with another base controller.
    """
    return [name for name in known if "+" not in name or name.partition("+")[0] not in known]


def _undecided(subject: JudgedSender, may_be: Sequence[str], *, requested: bool) -> str | None:
    """Return why the recording does not decide between profiles, or None if it identifies profiles or refutes all.

    ``may_be``: the profiles that are not refuted. ``requested``: the user requested the profiles by name; an exit from
    slow start by loss then decides as well. Without ``requested`` such an exit is a reason.
    """
    sender_exit, events = subject.left, subject.events
    if (limited := _limited_acks(subject)) < _LEAST_ACKS:
        return f"the window limited the sender at {limited} ACKs of slow start, where {_LEAST_ACKS} are needed"
    if not may_be:
        return None
    if sender_exit.by is None:
        return _NOT_LEFT
    if sender_exit.evidence == "loss" and not requested:
        return _BY_LOSS
    since = events[max(sender_exit.after, 0)].t_ns
    rtts = [
        event.smoothed_rtt_ns
        for event in events[: sender_exit.by + 1]
        if isinstance(event, Ack) and event.smoothed_rtt_ns
    ]
    if rtts and events[sender_exit.by].t_ns - since > _CLOSE_RTTS * rtts[-1]:
        ms = (events[sender_exit.by].t_ns - since) // 1_000_000
        return f"the end of slow start is known only to within {ms} ms"
    return None


def _limited_acks(subject: JudgedSender) -> int:
    """Return the number of window-limited ACKs in slow start."""
    by = subject.left.by
    return sum(by is None or point.index < by for point in subject.limited)


def _undecided_flight(
    subject: JudgedSender, unrefuted: Sequence[ComparedProfile], undecided: str | None
) -> tuple[str | None, Shown]:
    """Return why a recording cannot identify profiles, or None if it can, and the part of slow start that it shows.

    The recording contains the bytes in flight (the flight), but not the window, as in a capture. ``unrefuted``:
    comparisons of the profiles that are not refuted. ``undecided``: the reason found by the tests for all recordings,
    or None. It is returned unless a reason that applies only to recordings without the window replaces it.
    """
    if not (unrefuted and all(map(follows, unrefuted))) and grows_too_little(subject):
        return APPLICATION_LIMITED, Shown.NOTHING
    if subject.recording.header.quality.get("taken") is not None:
        return AT_THE_RECEIVER, _shown_at_the_receiver(subject)
    paced = [compared for compared in unrefuted if paces_by_rate(compared.profile)]
    if subject.left.evidence == DRAIN:
        return undecided, Shown.ALL
    if (reason := too_little(subject, paced=len(paced) == len(unrefuted) > 0)) is not None:
        return reason, Shown.NOTHING
    if (reason := partly_limited(subject)) is not None:
        return reason, Shown.WINDOW
    by_growth = Shown.WINDOW if subject.left.evidence == "growth" else Shown.ALL
    if _limited_acks(subject) < _LEAST_ACKS:
        return undecided, by_growth
    if paced and len(paced) == len(unrefuted):
        return "the flight does not fall as in Drain, the only evidence for BBR", by_growth
    if not all(follows(compared) for compared in unrefuted):
        return "the flight fills the window of no profile: the sender paces, or its application limits it", by_growth
    if undecided is None and unrefuted and not any(compared.exits for compared in unrefuted):
        return _NOT_LEFT, Shown.ALL
    if undecided is None and subject.recording.header.quality.get("missing_acks"):
        return "ACKs that the sender received are missing in the capture, and its RTT samples with them", Shown.ALL
    stall_ns = stalls_ns(subject)
    if undecided is None and stall_ns is not None:
        return f"nothing was captured for {stall_ns // 1_000_000} ms of slow start, while data was in flight", Shown.ALL
    if undecided is None and not unrefuted:
        undecided = _unexplained(subject)
    return undecided, Shown.ALL


def _left_by_drain(subject: JudgedSender, unrefuted: Sequence[ComparedProfile]) -> JudgedSender:
    """Return the sender with BBR's exit from slow start if a capture shows it, otherwise the sender unchanged.

    The capture must be made at the sender, and BBR must be the only unrefuted algorithm. After the exit the bytes in
    flight must fall as in Drain, BBR's phase that empties the queue. ``unrefuted``: the unrefuted profiles.
    """
    if not subject.at_least or subject.recording.header.quality.get("taken") is not None:
        return subject
    drained = AtLeastExplainer(subject).drained
    if not unrefuted or not all(follows(compared) and drained(compared) for compared in unrefuted):
        return subject
    exits = [min(compared.exits) for compared in unrefuted]
    by = max(exits)
    slower = None if subject.left.by is None else min(subject.left.by, by)
    sender_exit = replace(subject.left, after=min(exits) - 1, by=by, evidence=DRAIN, slower=slower)
    return replace(subject, left=sender_exit)


def _shown_at_the_receiver(subject: JudgedSender) -> Shown:
    """Return the part of slow start that a capture at the receiver shows.

    The capture shows nothing if the window did not limit the sender. It shows all of slow start if a loss or the end of
    the capture ends slow start. Another exit is visible only with TCP time stamps, enough window-limited ACKs and a
    queue on the path. Otherwise the capture shows only the initial window.
    """
    if too_little(subject) is not None or partly_limited(subject) is not None or grows_too_little(subject):
        return Shown.NOTHING
    sender_exit = subject.left
    if sender_exit.by is None or sender_exit.evidence == "loss":
        return Shown.ALL
    stamped = subject.recording.header.quality.get("taken") == "receiver"
    is_visible = stamped and _limited_acks(subject) >= _LEAST_ACKS and queued(subject, sender_exit.by)
    return Shown.ALL if is_visible else Shown.WINDOW


def _unexplained(subject: JudgedSender) -> str | None:
    """Return why a capture that no profile explains does not refute all profiles, or None if it does."""
    if subject.recording.header.quality.get("missing"):
        return "frames are missing in the capture, and no profile explains the others"
    apart_ns = subject.recording.header.quality.get("times_apart_ns")
    if apart_ns is not None:
        return (
            f"the sender's time stamps and the times of the capture differ by up to {apart_ns / 1e6:.1f} ms, "
            "and no profile explains these times"
        )
    if falls_unmarked(subject):
        return "the flight falls without a loss: a congestion mark that the capture does not show explains it too"
    return None


def _unclear(subject: JudgedSender, explained: Sequence[ComparedProfile]) -> list[str]:
    """Return the profiles that their exit may refute (``by_exit``), and that changed RTT samples do not refute.

    Samples change by at most the resolution of the recording: all by one amount, as with rounding, or each by a random
    amount. One change suffices. Up to four profiles of ``explained`` are tried, those with the exits nearest to the
    sender's.
    """
    by_ns, sender_exit = subject.recording.header.rtt_resolution_ns, subject.left
    if by_ns <= 1 or sender_exit.by is None:
        return []
    at = sender_exit.by
    near = sorted(
        (compared for compared in explained if compared.by_exit),
        key=lambda compared: min((abs(index - at) for index in compared.exits), default=len(subject.events)),
    )[:_UNCLEAR]
    names, unclear = [compared.profile for compared in near], set()
    for move in _moves(by_ns):
        moved = _explainer(subject, events=with_samples(subject.events, move))
        unclear |= {compared.profile for compared in moved.explain(names) if compared.refuted is None}
    return sorted(unclear)


def _moves(by_ns: int) -> list[Callable[[int], int]]:
    alike = [partial(int.__add__, way * by_ns // 4) for way in (-4, -2, -1, 1, 2, 4)]
    return [*alike, *(_by_one_of(seed, range(-by_ns, by_ns + 1)) for seed in range(_SEEDS))]


def margin(verdict: ConnectionVerdict, profile: str) -> list[Margin]:
    """Return the dependence of a profile's exit from slow start on the RTT samples, one result per size of change.

    Sizes are :data:`MOVES_NS`. For each size, six runs change every sample by the size, up or down at random for each
    sample. A result counts the runs with another exit. The list is empty if the profile does not leave slow start.
    """
    subject = verdict.subject
    (at,) = {compared.exits[:1] for compared in verdict.explained if compared.profile == profile}
    margins = []
    for by_ns in MOVES_NS if at else ():
        ways = []
        for seed in range(_SEEDS):
            events = with_samples(subject.events, _by_one_of(seed, (-by_ns, by_ns)))
            (moved,) = _explainer(subject, events=events).explain([profile])
            ways.append(moved.exits[:1])
        margins.append(Margin(by_ns, sum(way != at for way in ways), len(ways)))
    return margins


def _by_one_of(seed: int, moves: Sequence[int]) -> Callable[[int], int]:
    random = Random(seed)
    return lambda rtt_ns: rtt_ns + random.choice(moves)
