"""The commands ``run``, ``list`` and ``show``: selection, exit codes, reports."""

import json
import shlex
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result
from junitparser import Error, Failure, JUnitXml, Skipped, TestSuite

from firstflight_conformance.adapters.manifest import Deviation, Manifest
from firstflight_conformance.cli import main
from firstflight_conformance.format.schemas import validator
from firstflight_conformance.paths import BUILD
from runner_support import IDS, NAMES, adapter, command, events, vector, write_vectors

#: The report of the last `make conformance` in this checkout, if any.
WHOLE = BUILD / "report" / "report.json"
HALF = Deviation("slow-start.target.*", "slow-start.grow", "halves the window")
GONE = Deviation("slow-start.first.*", "slow-start.grow", "used to halve the window")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the vectors."""
    return write_vectors(tmp_path_factory.mktemp("vectors"))


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> dict[str, Manifest]:
    """Replace the adapters of the checkout, at first by a good one."""
    manifests = {"good": adapter(*command("declares", "{}"), name="good")}
    monkeypatch.setattr("firstflight_conformance.commands.run_request.load_manifests", lambda: manifests)
    return manifests


def invoke(*words: object) -> Result:
    """Run the command line."""
    return CliRunner().invoke(main, [str(word) for word in words])


def run(root: Path, *words: object) -> Result:
    """Run ``firstflight run``."""
    return invoke("run", "--vectors", root, "--deadline-s", 10, *words)


def line(script: str, *arguments: str) -> str:
    """Return the command line of a bad adapter."""
    return shlex.join(command(script, *arguments))


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize(
    ("words", "code"),
    [
        ((), 0),
        (("--adapter", line("answers", "unsupported")), 4),
        (("--adapter", line("answers", "wrong")), 1),
        (("--adapter", line("answers", "garbage")), 3),
        (("--adapter", line("answers", "garbage"), "--adapter", line("answers", "wrong")), 3),
        (("--adapter", line("declares", '{"algorithms": {}}')), 4),
        (("--id", "nothing.*"), 4),
        (("--adapter", "god"), 2),
        (("--adapter", "absent.so"), 2),
        (("--algorithm", "slow-stat"), 2),
        (("--profile", "rfc-9003"), 2),
        (("--tier", "silver"), 2),
        (("--flag", "lost"), 2),
        (("--without-flag", "lost"), 2),
        (("--deadline-s", "0"), 2),
        (("--jobs", "0"), 2),
        (("--no-such-option",), 2),
        (("--report-json", "/no/such/folder/x.json"), 2),
    ],
)
def test_exit_codes(root: Path, words: tuple[str, ...], code: int) -> None:
    """Each kind of outcome has its code; the most serious outcome decides."""
    assert run(root, *words).exit_code == code


def test_exit_codes_of_manifests(root: Path, known: dict[str, Manifest]) -> None:
    """An explained deviation fails only with --strict; a disappeared one always fails; null adapters never count."""
    half = command("answers", "half")
    known["bad"] = adapter(*half, deviations=(HALF,))
    assert run(root, "--adapter", "bad").exit_code == 0
    assert run(root, "--adapter", "bad", "--strict").exit_code == 1
    known["bad"] = adapter(*half, deviations=(HALF, GONE))
    result = run(root, "--adapter", "bad")
    assert result.exit_code == 1
    assert "disappeared: slow-start.first.*" in result.output
    for words in (half, command("answers", "garbage")):
        known["bad"] = adapter(*words, role="null")
        assert run(root).exit_code == 0
        assert run(root, "--adapter", "bad").exit_code == 4
    del known["bad"], known["good"]
    assert run(root).exit_code == 4


def test_skipped_adapter(root: Path, known: dict[str, Manifest]) -> None:
    """A skipped adapter is shown and does not count."""
    absent = Manifest("absent", "Absent", "C", "third-party", ("x",), root, requires=("no-such-program",))
    known["absent"] = absent
    result = run(root)
    assert result.exit_code == 0
    assert "absent: skipped: needs the program no-such-program" in result.output
    assert run(root, "--adapter", "absent").exit_code == 4


@pytest.mark.usefixtures("known")
def test_malformed_vector(tmp_path: Path) -> None:
    """A malformed vector is a usage error that contains the file."""
    write_vectors(tmp_path, vector("slow-start.target.more", events()) | {"format": 2})
    result = run(tmp_path)
    assert result.exit_code == 2
    assert "slow-start.target.more.json: format" in result.output


def test_unknown_names_come_with_a_hint(root: Path) -> None:
    """The message lists the existing names."""
    assert "did you mean slow-start? available: slow-start" in run(root, "--algorithm", "slow-stat").output
    assert "did you mean python-model?" in run(root, "--adapter", "python-modell").output


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ((), [*NAMES, "slow-start.fine.core"]),
        (("--tier", "core"), ["slow-start.fine.core"]),
        (("--tier", "core", "--tier", "gold"), [*NAMES, "slow-start.fine.core"]),
        (("--tier", "core", "--flag", "loss"), []),
        (("--without-flag", "loss"), ["slow-start.fine.core"]),
        (("--flag", "loss"), list(NAMES)),
        (("--id", "slow-start.f*"), [NAMES[0], "slow-start.fine.core"]),
        (("--id", NAMES[0]), [NAMES[0]]),
        (("--id", IDS[0], "--id", IDS[2]), [NAMES[0], NAMES[2]]),
        (("--algorithm", "slow-start", "--profile", "rfc-9002", "--tier", "core"), ["slow-start.fine.core"]),
    ],
)
def test_selection(tmp_path: Path, words: tuple[str, ...], names: list[str]) -> None:
    """Values of one option add up, different options narrow."""
    root = write_vectors(tmp_path / "vectors", vector("slow-start.fine.core", events()[:2], tier="core"))
    result = invoke("list", "--vectors", root, *words)
    assert result.exit_code == (0 if names else 4)
    assert {text.split()[0] for text in result.stdout.splitlines()} == {f"{name}@rfc-9002" for name in names}


def document(root: Path, folder: Path, *words: object) -> dict[str, object]:
    """Return the JSON report of a run after validating it against its schema."""
    path = folder / "report.json"
    result = run(root, "--report-json", path, *words)
    report: dict[str, object] = json.loads(path.read_text(encoding="utf-8"))
    validator("urn:firstflight:report:1").validate(report)
    assert report["exit_code"] == result.exit_code
    return report


MIXED = ("--adapter", "good", "--adapter", "bad", "--adapter", "absent", "--adapter", line("answers", "garbage"))


def add_others(known: dict[str, Manifest]) -> None:
    """Add an adapter with deviations, a skipped adapter and a null adapter."""
    known["bad"] = adapter(*command("answers", "half"), deviations=(HALF, GONE))
    known["absent"] = Manifest("absent", "Absent", "C", "reference", ("x",), Path(), requires=("no-such-program",))
    known["null"] = adapter(*command("declares", '{"clock": "h"}'), name="null", role="null")


def test_json_report(root: Path, tmp_path: Path, known: dict[str, Manifest]) -> None:
    """The report fits its schema, and the same run gives the same bytes for any number of jobs."""
    add_others(known)
    report = document(root, tmp_path, *MIXED, "--adapter", "null")
    first = (tmp_path / "report.json").read_bytes()
    assert document(root, tmp_path, *MIXED, "--adapter", "null", "--jobs", 1) == report
    assert (tmp_path / "report.json").read_bytes() == first
    assert report["cases"] == list(IDS)


def test_the_report_of_a_conformance_run_is_small(root: Path, tmp_path: Path, known: dict[str, Manifest]) -> None:
    """A passed case takes under 100 bytes of the report, and an adapter of a whole run under 180 kB."""
    known["good"] = adapter(*command("declares", "{}"), name="good", role="reference")
    known["null"] = adapter(*command("answers", "garbage"), name="null", role="null")
    report = document(root, tmp_path, "--both", "--algorithm", "slow-start", "--adapter", "good", "--adapter", "null")
    good, null = report["adapters"]
    assert len(good["results"]) > 5
    assert all(len(json.dumps(result)) < 100 for result in good["results"])
    assert {result["verdict"] for result in null["results"]} == {"pass"}
    assert null["counts"]["errored"] == len(good["results"]) - len(null["results"]) > 0
    adapters = json.loads(WHOLE.read_text(encoding="utf-8"))["adapters"] if WHOLE.exists() else []
    if len(adapters) > 15:
        assert WHOLE.stat().st_size < 180_000 * len(adapters)


def test_json_report_of_large_numbers(tmp_path: Path, known: dict[str, Manifest]) -> None:
    """Integers above 2^53 - 1 are decimal strings in the report as well."""
    raw = vector("slow-start.large.window", events()[:1])
    raw["config"]["initial_window_bytes"] = str(2**60)
    raw["profiles"]["rfc-9002"]["expect"][0]["cwnd_bytes"] = str(2**60)
    known["good"] = adapter(*command("declares", "{}", "off-by=1"))
    (tmp_path / "vectors" / "x").mkdir(parents=True)
    (tmp_path / "vectors" / "x" / "x.json").write_text(json.dumps(raw), encoding="utf-8")
    text = json.dumps(document(tmp_path / "vectors", tmp_path))
    assert f'"expected": "{2**60}", "observed": "{2**60 + 1}"' in text


def test_empty_run_replaces_earlier_reports(root: Path, tmp_path: Path) -> None:
    """The reports of an earlier run are replaced: an old green badge would look like the result of this run."""
    names = ("--badge", "badge.json", "--junit", "junit.xml", "--html", "report.html", "--report-json", "report.json")
    places = [name if name.startswith("--") else str(tmp_path / name) for name in names]
    assert run(root, "--adapter", line("answers", "none"), *places).exit_code == 0
    assert json.loads((tmp_path / "badge.json").read_text("utf-8"))["color"] == "brightgreen"
    assert run(root, "--adapter", line("answers", "none"), *places, "--id", "no.such").exit_code == 4
    assert json.loads((tmp_path / "badge.json").read_text("utf-8"))["message"] == "nothing judged"
    assert "testcase" not in (tmp_path / "junit.xml").read_text("utf-8")
    report = json.loads((tmp_path / "report.json").read_text("utf-8"))
    assert (report["exit_code"], report["adapters"]) == (4, [])


@pytest.mark.parametrize("strict", [False, True])
def test_junit_report(root: Path, tmp_path: Path, known: dict[str, Manifest], strict: bool) -> None:
    """Continuous integration fails exactly when the exit code does."""
    add_others(known)
    path = tmp_path / "report.xml"
    run(root, "--junit", path, *MIXED, "--adapter", "null", *(["--strict"] if strict else []))
    suites: dict[str, TestSuite] = {suite.name: suite for suite in JUnitXml.fromfile(str(path))}
    assert len(suites) == 4  # the null adapter is left out

    def results(suite: str) -> list[object]:
        return [type(case.result[0]) if case.result else None for case in suites[suite]]

    assert results("good") == [None, None, None]
    assert results("bad") == [None, Failure if strict else Skipped, None, Failure]
    assert results("absent") == [Skipped]
    assert results(MIXED[-1]) == [None, Error, None]


def test_terminal_report(root: Path, known: dict[str, Manifest]) -> None:
    """The report shows counts, the first divergence with its clause, faults and explanations."""
    add_others(known)
    output = run(root, *MIXED, "--adapter", "null", "--adapter", line("answers", "wrong")).output
    for text in (
        "Null adapters: scores of doing nothing",
        "absent: skipped: needs the program no-such-program",
        "explained deviation: defect: slow-start.grow, 1 case",
        "halves the window",
        f"fail: {IDS[1]}",
        "event 1 at 1100 ms: ack  0-1",
        "cwnd_bytes: expected 14400, observed 14401",
        "cause: unknown for 1 of 1 failures",
        "level: ",
        "[slow-start.grow] In slow start each acknowledged packet increases the window by its bytes.",
        "the model: cwnd 14400",
        f"errored: {IDS[1]}",
        "not JSON",
    ):
        assert text in output


def test_failures_are_limited(tmp_path: Path, known: dict[str, Manifest]) -> None:
    """One failure of each cause is shown, unless all are requested."""
    root = write_vectors(tmp_path / "vectors", *(vector(f"slow-start.more.n{n}", events()) for n in range(4)))
    known["good"] = adapter(*command("declares", "{}", "off-by=1"))
    output = run(root).output
    assert output.count(": fail: ") == 1
    assert "7 failures; --all-failures shows each" in output
    assert "judging all adapters of the checkout (1); --adapter COMMAND judges yours" in output
    assert "judging all adapters" not in run(root, "--adapter", "good").output
    every = run(root, "--all-failures").output
    assert every.count(": fail: ") == 1 + 7
    assert every.count("the vector: ") == 1 + 7  # one per failure, with the reason of its vector


def test_show(root: Path) -> None:
    """A case is shown as a timeline with the changes at each event."""
    output = invoke("show", IDS[0], "--vectors", root).output
    assert IDS[0] in output
    lines = {text.split()[0]: " ".join(text.split()) for text in output.splitlines() if text[:1].isdigit()}
    assert lines["1"] == "1 1100 ack 0-1 2400 B, 9600 in flight rtt 100 ms cwnd 14400 outcome grown"
    assert lines["3"] == "3 1200 pto outcome unchanged"
    assert invoke("show", NAMES[0], "--vectors", root).output == output
    unknown = invoke("show", NAMES[0][:-1], "--vectors", root)
    assert unknown.exit_code == 2
    assert f"did you mean {IDS[0]}" in unknown.output


def test_list_adapters() -> None:
    """The adapters of the checkout are listed with their state."""
    output = invoke("list", "--adapters").output
    assert "python-model" in output
    assert "ready" in output


@pytest.mark.parametrize(
    ("words", "message", "color"),
    [
        (("declares", "{}"), "3 of 3 cases", "brightgreen"),
        (("answers", "wrong"), "2 of 3 cases", "red"),
    ],
)
def test_badge(root: Path, tmp_path: Path, words: tuple[str, ...], message: str, color: str) -> None:
    """A badge shows how many of the judged cases agree: as data or as an image."""
    for name in ("badge.json", "badge.svg"):
        run(root, "--adapter", line(*words), "--badge", tmp_path / name)
    badge = json.loads((tmp_path / "badge.json").read_text(encoding="utf-8"))
    assert badge == {"schemaVersion": 1, "label": "Firstflight", "message": message, "color": color}
    drawn = ElementTree.fromstring((tmp_path / "badge.svg").read_text(encoding="utf-8"))
    assert drawn.tag.endswith("svg")
    assert message in [element.text for element in drawn.iter()]
