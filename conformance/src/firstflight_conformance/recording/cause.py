"""Why a connection departs from a profile: its windows beside what wrong implementations would have answered, as for adapters."""

from firstflight_conformance.cases.vectors import Case, ProfileCase, Vector
from firstflight_conformance.cases.wire import encode_int, event_to_json
from firstflight_conformance.diagnose.diagnosis import Cause, diagnose
from firstflight_conformance.diagnose.subject import Subject
from firstflight_conformance.paths import ROOT
from firstflight_conformance.recording.judge import Judgement, Standing
from firstflight_conformance.run.messages import Declaration


def causes_of(judgement: Judgement, standing: Standing) -> tuple[Cause, ...]:
    """Return what reproduces every window of the subject up to its exit, best first; nothing if the windows are the profile's.

    The model is left alone here: a subject with a byte of its own in the handshake is explained by nothing.
    """
    subject = _subject(judgement, standing)
    if subject is None:
        return ()
    return tuple(cause for cause in diagnose([subject], [], choices=False).causes if cause.kind != "rule")


def _subject(judgement: Judgement, standing: Standing) -> Subject | None:
    exit_ = judgement.subject_exit
    end = len(judgement.events) if exit_ is None else exit_.by + 1
    answers = [answer.cwnd_bytes for answer in judgement.answers[:end]]
    alone = [answer.cwnd_bytes for answer in standing.alone.answers[:end]]
    first = next((index for index, pair in enumerate(zip(answers, alone, strict=False)) if pair[0] != pair[1]), None)
    if first is None or not standing.growth_to_exit.equal:
        return None
    algorithm, _, profile = standing.profile.partition("/")
    observed = tuple({"cwnd_bytes": window} for window in answers)
    declaration = Declaration("recording", "", {algorithm: (profile,)}, ("cwnd_bytes",))
    return Subject(_case(judgement, algorithm, profile, end), declaration, judgement.events[:end], observed, first)


def _case(judgement: Judgement, algorithm: str, profile: str, end: int) -> Case:
    """Return the recording as a case without expectations, which a diagnosis does not look at."""
    config = judgement.recording.header.config
    window = config.initial_window_bytes
    raw = {
        "max_datagram_size_bytes": config.max_datagram_size_bytes,
        "initial_window_bytes": None if window is None else encode_int(window),
    }
    events = [event_to_json(event) for event in judgement.events[:end]]
    title = f"Recorded: {judgement.recording.header.source['name']}"
    vector = Vector(
        f"{algorithm}.recorded", title, "", algorithm, "core", (), "ns", {}, raw, events,
        {profile: ProfileCase(end, (), ())}, ROOT,
    )  # fmt: skip
    return Case(vector, profile)
