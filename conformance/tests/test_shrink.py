"""The smallest stream with a difference between two implementations: small, valid, replayable and deterministic."""

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from diagnosis_support import WINDOW_ONLY, candidate, mutants
from every import every_case
from firstflight import Config
from firstflight.events import Ack, Event, Lost, Run, Sent
from firstflight_conformance.cli import main
from firstflight_conformance.format.canonical import vector_text
from firstflight_conformance.format.vectors import Case, cases, load
from firstflight_conformance.replay.implementation import Model
from firstflight_conformance.replay.measure import config_from_json
from firstflight_conformance.replay.variant import Variant
from firstflight_conformance.shrink.edit import Sending, events_of, merged, steps_of
from firstflight_conformance.shrink.shrink import Contest, Parting, is_vector, shrink, tells_of_data
from firstflight_conformance.shrink.vector import snippet, vector_of
from runner_support import BAD, write_vectors

#: Mutants of SEARCH that differ without a window of ten full bins.
SMALL = (
    "guard-at-least", "fraction-dead", "report-2024-lowers-both", "draft-09-delivered", "bin-follows-rtt",
    "picoquic-fork-ack-delay-kept", "quicly-pr583-lowers", "freebsd-4-missed-3", "window-of-eleven",
    "no-sample-grows-while-draining", "exit-growth-slow-start", "neqo-2026-bin-of-one-nanosecond",
    "freebsd-4-whole-packets", "gap-moves-one-bin", "overshoot-with-exit-ack", "neqo-2026-app-limited-counted",
    "picoquic-fork-backward", "drain-grows", "draft-09-no-drain", "products-in-32-bits",
)  # fmt: skip

#: Differs in the threshold alone: the literal text exits with a window that the overshoot does not lower.
WITHOUT_WINDOW = "report-2024-literal-six-bins"


class Stub:
    """A variant of the model that reports the window alone."""

    def __init__(self, model: Model) -> None:
        self._model = model

    def begin(self, config: Config) -> "Stub":
        self._run = self._model.begin(config)
        return self

    def on(self, event: Event) -> dict[str, Any]:
        return {"cwnd_bytes": self._run.on(event).cwnd_bytes}


def shortest(name: str) -> tuple[Contest, Parting, Case]:
    """Return the shortest case with a difference between a mutant and the model."""
    mutant = mutants()[name]
    own = [c for c in every_case() if (c.vector.algorithm, c.profile) == (mutant.algorithm, mutant.profile)]
    for case in sorted(own, key=lambda case: (len(case.events), case.id)):
        names, config = (mutant.algorithm, mutant.profile), config_from_json(case.vector.config)
        subject = Stub(Model(*names, Variant(candidate(name))))
        contest = Contest(subject, Model(*names), WINDOW_ONLY, *names, config)
        parting = contest.parting(case.events)
        if parting is not None and is_vector(contest, parting.events):
            return contest, parting, case
    raise AssertionError(f"{name} and the model part nowhere")


@pytest.mark.parametrize("name", SMALL)
def test_shrunk_stream_has_at_most_twelve_events(name: str) -> None:
    """At most twelve events remain, still with a difference; a second run gives the same stream."""
    contest, parting, _ = shortest(name)
    smallest = shrink(contest, parting)
    assert len(smallest.events) <= 12
    assert contest.parting(smallest.events) == smallest
    assert shrink(contest, parting) == smallest


@pytest.mark.long
def test_twenty_search_mutants_differ_within_twelve_events() -> None:
    """At least twenty mutants of SEARCH differ within twelve events."""
    lengths = []
    for name, mutant in mutants().items():
        if mutant.algorithm == "search" and not mutant.equivalent and name != WITHOUT_WINDOW:
            contest, parting, _ = shortest(name)
            lengths.append(len(shrink(contest, parting).events))
    assert sum(length <= 12 for length in lengths) >= 20


@pytest.mark.parametrize("name", ["guard-at-least", "cubic-beta-half", "resume-loss-filter", "jumpstart-seven-tenths"])
def test_shrunk_stream_is_a_valid_vector(tmp_path: Path, name: str) -> None:
    """The stream is a valid vector for the loader, and its snippet builds the same events."""
    contest, parting, case = shortest(name)
    smallest = shrink(contest, parting)
    raw = vector_of(contest, smallest, case.id, ("mine", "the model"))
    folder = tmp_path / contest.algorithm
    folder.mkdir()
    path = folder / f"{raw['id'].partition('.')[2]}.json"
    path.write_text(vector_text(raw), encoding="utf-8")
    vector = load(path)
    assert vector.events == smallest.events
    (again,) = cases([vector])
    assert contest.parting(again.events) == smallest
    expected = {d.observable: d.expected for d in smallest.differences}
    names: dict[str, Any] = {}
    exec(snippet(contest, smallest, expected), names)  # noqa: S102 what is tested is that it runs
    assert tuple(names["b"].events) == smallest.events


def joined(event: Event) -> Event:
    """Return an event with consecutive runs joined."""
    if not isinstance(event, Sent | Ack | Lost):
        return event
    runs: list[Run] = []
    for run in event.packets:
        follows = bool(runs) and replace(runs[-1], last=run.last) == replace(run, first=runs[-1].first)
        if follows and runs[-1].last + 1 == run.first:
            runs[-1] = replace(runs[-1], last=run.last)
        else:
            runs.append(run)
    return replace(event, packets=tuple(runs))


@pytest.mark.parametrize("step", range(0, 2600, 150))
def test_split_and_rebuilt_stream_is_unchanged(step: int) -> None:
    """Splitting and rebuilding a stream gives the same stream, without more runs per event.

    Packets of two events at one time stay two runs, since they were sent separately.
    """
    case = every_case()[step]
    config = config_from_json(case.vector.config)
    data = tells_of_data(case.events)
    sizes = (config.max_datagram_size_bytes, config.initial_window_bytes)
    again = events_of(steps_of(case.events), *sizes, data=data, algorithm=case.vector.algorithm)
    assert again is not None
    assert tuple(map(joined, again)) == tuple(map(joined, case.events))
    runs = [[len(getattr(event, "packets", ())) for event in events] for events in (again, case.events)]
    assert all(made <= original for made, original in zip(*runs, strict=True))


def run(*words: object) -> Any:
    """Call the command."""
    return CliRunner().invoke(main, ["shrink", *map(str, words)])


def bad(*words: str) -> str:
    """Return the command line of a bad adapter."""
    return " ".join([sys.executable, str(BAD / words[0]) + ".py", *words[1:]])


WRONG = bad("declares", "{}", "off-by=1")


def test_packets_in_flight_do_not_merge_with_others() -> None:
    data = Sending(0, ((0, 1200, 1),), app_limited=False, repeats=())
    assert merged(data, replace(data, runs=((1, 1200, 2),))) == replace(data, runs=((0, 1200, 1), (1, 1200, 2)))
    assert merged(data, replace(data, runs=((1, 40, 2),), not_in_flight=True)) is None


def test_command_writes_a_vector(tmp_path: Path) -> None:
    """The command writes a vector and prints events, reason and snippet."""
    root = write_vectors(tmp_path / "vectors")
    result = run("--adapter", WRONG, "--vectors", root, "--output", tmp_path / "out")
    assert result.exit_code == 0, result.output
    (path,) = (tmp_path / "out").rglob("*.json")
    raw = json.loads(path.read_text(encoding="utf-8"))
    assert raw["id"].startswith("slow-start.shrunk.")
    assert "b = StreamBuilder(" in result.output
    assert "b.expect(cwnd_bytes=" in result.output
    assert len(raw["events"]) <= 3


def test_adapters_without_a_difference(tmp_path: Path) -> None:
    """A right adapter leaves nothing to shrink, and neither do two adapters that agree."""
    root = write_vectors(tmp_path / "vectors")
    right = bad("declares", "{}")
    for words in ([], ["--against", right]):
        result = run("--adapter", right, *words, "--vectors", root, "--output", tmp_path / "out")
        assert result.exit_code == 4
        assert "no difference in 3 cases" in result.output


def test_second_adapter_replaces_the_model(tmp_path: Path) -> None:
    """The second adapter replaces the model."""
    root = write_vectors(tmp_path / "vectors")
    words = ("--adapter", WRONG, "--against", bad("declares", "{}"))
    result = run(*words, "--vectors", root, "--output", tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert "where declares.py" not in result.output.splitlines()[0]


def test_unknown_case(tmp_path: Path) -> None:
    """An unknown case is refused with the nearest case."""
    root = write_vectors(tmp_path / "vectors")
    result = run("slow-start.first.smal", "--adapter", bad("declares", "{}"), "--vectors", root)
    assert result.exit_code == 2
    assert "did you mean slow-start.first.small@rfc-9002" in result.stderr
