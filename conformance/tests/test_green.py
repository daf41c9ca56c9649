"""A green badge needs a judged algorithm: plain NewReno is green only as a base, and refusals need a reason."""

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from every import every_case_of
from firstflight import profiles
from firstflight_conformance.adapters.messages import Declaration
from firstflight_conformance.cli import main
from firstflight_conformance.compare.base import acts, base_of
from firstflight_conformance.format.schemas import schema_error
from firstflight_conformance.format.vectors import Case
from firstflight_conformance.run.blind import blind_cases
from firstflight_conformance.run.session import RunOptions
from firstflight_conformance.simulate.cases import StimulusCase, stimulus_cases
from plain_newreno import GREEN, command, one_fails, outcome, refused_by, report_of, words
from runner_support import BAD

QUICK = RunOptions()
#: Profiles without failures of NewReno, with conformance by choices, or with few failures.
SAMPLE = [
    ("search", "draft-00-literal", "closed-loop"),
    ("careful-resume", "rfc-9959", "vectors"),
    ("quick-start", "rfc-4782-refused", "both"),
    ("tcb-sharing", "linux", "both"),
    ("hystart", "linux-5-16", "blind"),
    ("rapid-start", "draft-02-initial", "vectors"),
    *(("slow-start", "rfc-9002", kind) for kind in ("vectors", "closed-loop", "blind", "both")),
]
EVERY = [(algorithm, profile) for algorithm, known in profiles(composed=True).items() for profile in known]
#: Number of blind seeds that are judged completely; for profiles that NewReno implements all seeds are. For other seeds
#: one case that fails when compared alone is enough; without such a case the seed is judged completely. The search in a
#: case has a limit. A case that fails alone counts as failing here, even if choices of the run may explain it.
WHOLE = 2
#: Profiles of the base that NewReno implements.
OWN = {("slow-start", "rfc-9002")}


def chosen_cases(algorithm: str, profile: str, kind: str, seed: int = 1) -> list[Case | StimulusCase]:
    """Return the cases of a profile: `vectors`, `closed-loop`, `both`, or `blind`."""
    if kind == "blind":
        return [*blind_cases(seed, algorithm, profile).cases]
    cases: list[Case | StimulusCase] = []
    if kind in ("vectors", "both"):
        cases += [case for case in every_case_of(algorithm) if case.profile == profile]
    if kind in ("closed-loop", "both"):
        cases += [case for case in stimulus_cases() if (case.vector.algorithm, case.profile) == (algorithm, profile)]
    return cases


def check(algorithm: str, profile: str, kind: str, tmp_path: Path, options: RunOptions = QUICK, seed: int = 1) -> None:
    """Judge with and without refusals, strict and not: green only if NewReno is the whole profile."""
    cases = chosen_cases(algorithm, profile, kind, seed)
    if not cases:
        assert kind == "vectors"
        return
    whole = report_of(words(algorithm, profile), cases, options)
    refusing = report_of(words(algorithm, profile, refused_by(whole, tmp_path / "refused")), cases, options)
    for report in (whole, refusing):
        for strict in (False, True):
            code_and_color = outcome(report, strict=strict)
            assert (code_and_color == GREEN) == ((algorithm, profile) in OWN), (
                algorithm,
                profile,
                kind,
                seed,
                code_and_color,
            )
            assert (code_and_color[0] == 0) == (code_and_color[1] == "brightgreen"), code_and_color


@pytest.mark.parametrize(("algorithm", "profile", "kind"), SAMPLE)
def test_plain_newreno_is_green_only_for_its_own_profile(
    algorithm: str, profile: str, kind: str, tmp_path: Path
) -> None:
    check(algorithm, profile, kind, tmp_path)


def test_plain_newreno_with_validation(tmp_path: Path) -> None:
    check("tcb-sharing", "linux", "vectors", tmp_path, RunOptions(validate=True))


@pytest.mark.long
@pytest.mark.parametrize(("algorithm", "profile"), EVERY)
def test_plain_newreno_declared_as_every_profile(algorithm: str, profile: str, tmp_path: Path) -> None:
    """Plain NewReno is green only for its own profile, and fails other bases such as CUBIC and Hybla."""
    for kind in ("vectors", "closed-loop", "both"):
        check(algorithm, profile, kind, tmp_path)
    check(algorithm, profile, "vectors", tmp_path, RunOptions(validate=True))


@pytest.mark.long
@pytest.mark.parametrize(("algorithm", "profile"), [name for name in EVERY if "+" not in name[1]])
def test_plain_newreno_on_blind_cases(algorithm: str, profile: str, tmp_path: Path) -> None:
    for seed in range(1, 61):
        whole = seed <= WHOLE or (algorithm, profile) in OWN
        if whole or not one_fails(words(algorithm, profile), chosen_cases(algorithm, profile, "blind", seed), QUICK):
            check(algorithm, profile, "blind", tmp_path, seed=seed)


def run(command: str, *words: str) -> Result:
    return CliRunner().invoke(main, ["run", "--adapter", command, "--jobs", "1", *words])


def test_reports_contain_counts_and_reasons(tmp_path: Path) -> None:
    """Headline, badge and report contain the numbers of passed, refused and all cases, and the reasons."""
    report, badge, page = tmp_path / "r.json", tmp_path / "b.json", tmp_path / "r.html"
    refused = tmp_path / "refused"
    refused.write_text("slow-start.ce.reduction@rfc-9002\nslow-start.growth.doubling@rfc-9002", encoding="utf-8")
    options = ("--algorithm", "slow-start", "--report-json", str(report), "--badge", str(badge), "--html", str(page))
    done = run(command("slow-start", "rfc-9002", refused), *options)
    assert done.exit_code == 4, done.output
    document: dict[str, Any] = json.loads(report.read_text("utf-8"))
    assert schema_error("urn:firstflight:report:1", document) is None
    (judged,) = document["adapters"]
    count = judged["seen"]["refused"]
    total = judged["seen"]["total"]
    assert 1 <= count <= 2
    assert judged["seen"]["passed"] == total - count
    assert judged["seen"]["not_green"] == [f"{count} refused without a declared reason"]
    text = f"{total - count} of {total} cases"
    assert f"{text} passed, {count} refused; not green: {count} refused without a declared reason" in " ".join(
        done.output.split()
    )
    assert json.loads(badge.read_text("utf-8")) | {"schemaVersion": 1} == {
        "schemaVersion": 1, "label": "Firstflight", "message": f"{text}, {count} refused", "color": "yellow",
    }  # fmt: skip
    assert f"{count} refused without a declared reason" in page.read_text("utf-8")


def test_no_refusals_option_reports_divergences(tmp_path: Path) -> None:
    """With --no-refusals a refused case is a divergence, also in badge and JUnit, but an undeclared profile is not."""
    badge, junit = tmp_path / "b.json", tmp_path / "j.xml"
    refused = tmp_path / "refused"
    refused.write_text("slow-start.growth.doubling@rfc-9002", encoding="utf-8")
    words = ("--algorithm", "slow-start", "--no-refusals", "--badge", str(badge), "--junit", str(junit))
    done = run(command("slow-start", "rfc-9002", refused), *words)
    assert done.exit_code == 1, done.output
    assert json.loads(badge.read_text("utf-8"))["color"] == "red"
    assert 'type="refused"' in junit.read_text("utf-8")
    assert run(command("slow-start", "rfc-9002"), *words).exit_code == 0


def test_unsupported_events_are_refused_for_a_declared_reason(tmp_path: Path) -> None:
    """Cases with other events than `supports` are refused for a declared reason, which the badge shows."""
    badge = tmp_path / "b.json"
    hello = json.dumps(
        {
            "algorithms": {"slow-start": ["rfc-9002"]},
            "supports": ["sent", "ack", "lost", "pto", "persistent_congestion"],
        }
    )
    command = shlex.join([sys.executable, str(BAD / "plain.py"), hello])
    options = ("--algorithm", "slow-start", "--badge", str(badge), "--validate")
    done = run(command, *options)
    assert done.exit_code == 0, done.output
    badge_data = json.loads(badge.read_text("utf-8"))
    assert badge_data["color"] == "brightgreen"
    assert "refused, without ce" in badge_data["message"]
    assert run(command, *options, "--no-refusals").exit_code == 1


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (["sent", "ack"], "must include lost"),
        (["sent", "ack", "lost", "ecn"], "is not one of"),
        ("all", "must be a list"),
    ],
)
def test_invalid_supports_is_rejected(value: object, message: str, tmp_path: Path) -> None:
    report = report_of(
        words("slow-start", "rfc-9002", supports=value), chosen_cases("slow-start", "rfc-9002", "vectors")[:1], QUICK
    )
    assert message in report.results[0].reason


def test_only_startup_algorithms_have_a_base() -> None:
    """Only startup algorithms have a base."""
    assert base_of("search", "draft-09") == ("slow-start", "rfc-9002")
    assert base_of("search", "draft-09+cubic") == ("cubic", "rfc-9438")
    assert base_of("cubic", "rfc-9438") is None
    assert base_of("transfer-time", "any") is None


@pytest.mark.parametrize(
    ("observables", "acting"), [(("cwnd_bytes", "ssthresh_bytes"), False), (("cwnd_bytes", "state"), True)]
)
def test_literal_search_draft_acts_only_in_state(observables: tuple[str, ...], acting: bool) -> None:
    """The literal draft -00 acts only in its state, because it does not leave slow start in any vector."""
    declaration = Declaration("x", "1", {}, observables)
    cases = [case for case in every_case_of("search") if case.profile == "draft-00-literal"]
    assert any(acts(case, declaration) for case in cases) is acting
