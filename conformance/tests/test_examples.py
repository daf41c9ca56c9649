"""Every command on the pages for newcomers runs with the exit code and output shown on the page."""

import gzip
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from dist import contents
from firstflight_conformance.paths import ADAPTERS, BUILD, ROOT
from page_examples import Example, examples, first_difference
from qlog_imitations import WRITERS, written
from test_ack_tables import rows, table

from test_recording_judge import recorded  # isort: skip

#: Commands that no test runs, each with the reason; the sources must contain the lines of their output.
NOT_RUN = {
    "make conformance": "CI runs it before the tests",
    "make test": "runs this test",
    "make tools": "made the environment of this test",
    "make dist": "test_dist.py makes every archive",
}
PAGES = ("README.md", "docs/tutorial.md", "docs/install.md", "docs/recordings.md", "docs/connections.md")
TEXTS = {"/usr/local": "prefix"}
#: Exit codes other than 0.
CODES = {
    ("README.md", '--id "slow-start'): 1,
    ("README.md", "my_adapter.py"): 1,
    ("docs/recordings.md", "--profile search/neqo-2026"): 1,
}


def firstflight(folder: Path, *words: str) -> bytes:
    return subprocess.run([ROOT / ".venv/bin/firstflight", *words], cwd=folder, check=True, capture_output=True).stdout


def nothing(_folder: Path) -> None:
    pass


def an_adapter(folder: Path) -> None:
    """Copy the adapter of the tutorial and a shared object."""
    shutil.copy(ADAPTERS / "tutorial" / "adapter.py", folder / "my_adapter.py")
    shutil.copy(BUILD / "adapters" / "firstflight-c.so", folder / "my_controller.so")


def the_archive_of_the_port(folder: Path) -> None:
    contents.port(folder)
    (folder / "yours.c").write_text("#include <firstflight/controller.h>\nint main(void) { return 0; }\n", "utf-8")


def connections(folder: Path) -> None:
    """Write the files for the page of recordings."""
    log = firstflight(folder, "show", "--qlog", "search.path.deep-queue@linux-4")
    for name in ("connection.sqlog", "a.sqlog", "b.sqlog", "c.sqlog"):
        (folder / name).write_bytes(log)
    firstflight(folder, "judge", "a.sqlog", "--save", "FILE")
    capture = ROOT / "conformance" / "tests" / "kept_captures" / "plain-cubic-tso.pcap.gz"
    (folder / "upload.pcapng").write_bytes(gzip.decompress(capture.read_bytes()))
    (folder / "acks.csv").write_bytes(table(rows("search/path.deep-queue", "linux-4")))
    text, peer = written(recorded("rfc-9406", "hystartpp", "path.deep-queue").cut(events=400), WRITERS["quinn"])
    assert peer is not None
    (folder / "client.qlog").write_text(text, "utf-8")
    (folder / "server.sqlog").write_text(peer, "utf-8")


PREPARE: dict[str, Callable[[Path], None]] = {
    "README.md": an_adapter,
    "docs/tutorial.md": an_adapter,
    "docs/install.md": the_archive_of_the_port,
    "docs/recordings.md": connections,
    "docs/connections.md": nothing,
}


def output_of(example: Example, page: str, folder: Path) -> str:
    """Run a command as a reader would; check the exit code and return the output."""
    command = example.command
    for text, replacement in TEXTS.items():
        command = command.replace(text, replacement)
    places = {
        "PATH": f"{ROOT / '.venv/bin'}:{os.environ['PATH']}",
        "PKG_CONFIG_PATH": str(folder / "prefix/lib/pkgconfig"),
    }
    done = subprocess.run(
        ["bash", "-c", command], check=False, cwd=folder, env=os.environ | places, capture_output=True, text=True
    )
    if "judge-kernel" in command and done.returncode == 4:
        pytest.skip(done.stdout.strip() or done.stderr.strip())
    expected = next((code for (at, part), code in CODES.items() if at == page and part in command), 0)
    if page == "docs/tutorial.md" and example.block == 1 and "run --adapter" in command:
        expected = 1
    assert done.returncode == expected, f"{page}:{example.line}: {done.stdout[-2000:]}{done.stderr[-2000:]}"
    return done.stdout


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with links to parts of the checkout, so that paths on the pages work."""
    (tmp_path / "conformance").mkdir()
    for name in (".venv", "conformance/adapters", "conformance/scenarios"):
        (tmp_path / name).symlink_to(ROOT / name)
    return tmp_path


def play(page: str, folder: Path) -> None:
    """Run the commands of a page in order, and compare their output."""
    PREPARE[page](folder)
    for example in examples(ROOT / page):
        if example.command in NOT_RUN:
            continue
        if page == "docs/tutorial.md" and example.block == 2:
            shutil.copy(ADAPTERS / "tutorial" / "adapter_fixed.py", folder / "my_adapter.py")
        output = output_of(example, page, folder)
        if example.output is not None:
            assert first_difference(example.output, output) is None, f"{page}:{example.line}: the output is\n{output}"


@pytest.mark.parametrize("page", [page for page in PAGES if page != "docs/connections.md"])
def test_examples_of_a_page_give_the_shown_output(page: str, folder: Path) -> None:
    play(page, folder)


@pytest.mark.live
def test_kernel_page_fails_only_after_three_failures(folder: Path) -> None:
    """The page with the kernel fails only after three failures in a row, because the machine may stall."""
    for attempt in (1, 2, 3):
        try:
            play("docs/connections.md", folder)
            return
        except AssertionError:
            if attempt == 3:
                raise
            shutil.rmtree(folder / "kept", ignore_errors=True)


def test_sources_contain_output_of_untested_commands() -> None:
    """Commands that no test runs are on the pages and jobs of make, and the sources contain their output."""
    unrun_examples = [example for page in PAGES for example in examples(ROOT / page) if example.command in NOT_RUN]
    assert {example.command for example in unrun_examples} == set(NOT_RUN)
    jobs = (ROOT / "Makefile").read_text("utf-8")
    assert all(re.search(rf"^{command.removeprefix('make ')}:", jobs, re.M) for command in NOT_RUN)
    folders = (ROOT / "conformance" / name for name in ("src", "adequacy"))
    paths = [
        ROOT / "Makefile",
        ROOT / "conformance/skips.py",
        *(path for folder in folders for path in folder.rglob("*.py")),
    ]
    sources = "\n".join(path.read_text("utf-8") for path in paths)
    sources = sources.replace("$(REPORTS)", "build/report")
    lines = [line for example in unrun_examples if example.output for line in example.output.splitlines()]
    assert [part for line in lines for part in line.split("...") if part.strip() and part not in sources] == []
    assert len(lines) > 4


@pytest.mark.parametrize(
    ("expected", "difference"),
    [
        ("a\nb\nc\n", None),
        ("a\n...\nc\n", None),
        ("...\nb\n...\n", None),
        ("a\nb...\n...\n", None),
        ("b\nc\n", "b"),
        ("a\nb\n", "c"),
        ("a\nc\n", "c"),
        ("...\nc\nb\n", "b"),
        ("a\nx\n...\n", "x"),
    ],
)
def test_shortened_output_is_compared(expected: str, difference: str | None) -> None:
    assert first_difference(expected, "a\n\nb  \nc\n") == difference


def test_a_command_and_its_output_are_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```python\nx\n```\n\n```sh\nmake a   # a reason\n# alone\nmake b\n```\n\n```\nout\n```\n", "utf-8")
    assert examples(page) == [Example(6, "make a", None, 1), Example(8, "make b", "out\n", 1)]
