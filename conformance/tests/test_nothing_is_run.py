"""A vector is data: whatever its texts contain, it starts no process, writes no file and opens no connection."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from runner_support import command, events, vector, write_vectors

#: The program under an audit hook that ends it at any forbidden operation. ALLOWED is the only command it may start.
_AUDITED = """
import os, sys
from firstflight_conformance.cli import main
ALLOWED = {allowed!r}
REFUSED = ("os.system", "os.exec", "os.posix_spawn", "socket.connect", "socket.getaddrinfo", "ctypes.dlopen", "pickle.find_class")
def hook(event, words):
    if event in REFUSED or event == "subprocess.Popen" and words[1] != ALLOWED:
        print(f"a vector led to {{event}} {{words}}", file=sys.stderr, flush=True)
        os._exit(99)
sys.addaudithook(hook)
main()
"""

_HOSTILE = ("$(touch owned)", "`touch owned`", "; touch owned", "__import__('os').system('touch owned')", "{0.__class__}",
            "%(owned)s", "!!python/object/apply:os.system ['touch owned']", "=cmd|' /C calc'!A0", "../../owned")  # fmt: skip


def audited(root: Path, *words: str, allowed: list[str] | None = None) -> subprocess.CompletedProcess[str]:
    """Run the program under the hook, in the folder of the vectors; assert that no file appears there."""
    before = sorted(root.rglob("*"))
    line = [sys.executable, "-c", _AUDITED.format(allowed=allowed), *words, "--vectors", str(root)]
    done = subprocess.run(line, cwd=root, capture_output=True, text=True, check=False, timeout=240)
    assert sorted(root.rglob("*")) == before
    return done


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Write vectors whose texts are commands for shells, interpreters and templates."""
    root = write_vectors(tmp_path / "vectors")
    for number, command_text in enumerate(_HOSTILE):
        raw = vector(f"slow-start.hostile.number-{number}", events())
        text = f"{command_text} # a text of a vector"
        raw |= {"title": text, "why": text, "source": {"kind": "hand", "sources": [text]}}
        (root / "slow-start" / f"{number};touch owned.json").write_text(json.dumps(raw), encoding="utf-8")
    return root


@pytest.mark.parametrize("words", [("list",), ("show", "slow-start.hostile.number-0@rfc-9002")])
def test_reading_starts_no_process(root: Path, words: tuple[str, ...]) -> None:
    """Reading starts no process."""
    done = audited(root, *words)
    assert (done.returncode, done.stderr) == (0, "")
    assert "$(touch owned)" in done.stdout or words == ("list",)


def test_run_starts_only_the_adapter(root: Path) -> None:
    """The only process is the command of ``--adapter``, word for word and without a shell."""
    adapter = command("declares", "{}")
    done = audited(root, "run", "--adapter", shlex.join(adapter), allowed=list(adapter))
    assert done.returncode == 0, done


def test_hook_ends_run_with_another_command(root: Path) -> None:
    """The hook ends a run that starts another command."""
    done = audited(root, "run", "--adapter", shlex.join(command("declares", "{}")), allowed=["other"])
    assert done.returncode == 99
    assert "a vector led to subprocess.Popen" in done.stderr


def test_id_with_slash_is_refused(root: Path) -> None:
    """Ids cannot contain a slash, so files named after ids stay in the folder."""
    raw = vector("slow-start.x.../../owned", events())
    (root / "slow-start" / "bad.json").write_text(json.dumps(raw), encoding="utf-8")
    done = audited(root, "list")
    assert done.returncode == 2
    assert "id: " in done.stderr
