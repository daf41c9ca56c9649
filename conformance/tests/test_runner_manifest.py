"""Manifests, and the values of ``--adapter``."""

import sys
from pathlib import Path

import pytest

from firstflight_conformance.adapters.manifest import (
    ManifestError,
    load_manifest,
    load_manifests,
    resolve,
)
from firstflight_conformance.paths import ROOT

GOOD = """
name = "x"
title = "X"
language = "Python"
role = "third-party"
command = ["{python}", "{here}/adapter.py", "{root}"]
supplied_before_start = "Nothing."
"""
DEVIATION = (
    '[[deviation]]\nkind = "open"\nexplanation = "because"\n[deviation.cases]\n"search.exit.lower" = ["search.*"]\n'
)


def write(folder: Path, text: str) -> Path:
    """Write a manifest."""
    folder.mkdir(exist_ok=True)
    path = folder / "manifest.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_placeholders_in_a_command_are_filled_in(tmp_path: Path) -> None:
    """The places in a command are the interpreter, the folder of the manifest and the checkout."""
    manifest = load_manifest(write(tmp_path, GOOD + 'build = "x"\nrequires = ["sh"]\n' + DEVIATION))
    assert manifest.command == (sys.executable, f"{tmp_path}/adapter.py", str(ROOT))
    assert manifest.missing() == f"{tmp_path}/adapter.py does not exist: run `make x`"
    assert manifest.deviations[0].matches("search.exit.equal@lanman-2024")
    assert not manifest.deviations[0].matches("slow-start.grow.one@rfc-9002")
    (tmp_path / "adapter.py").touch()
    assert manifest.missing() is None


def test_shared_object_is_served_by_the_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A shared object of a manifest runs in the host, which is built with it."""
    host = tmp_path / "shared-object-host"
    monkeypatch.setattr("firstflight_conformance.adapters.manifest.SHARED_OBJECT_HOST", host)
    text = GOOD.replace("command = [", 'shared_object = "{root}/build/x.so"\n#')
    manifest = load_manifest(write(tmp_path, text))
    assert manifest.command == (str(host), f"{ROOT}/build/x.so")
    assert manifest.missing() == "build/x.so does not exist"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("name = ", "manifest.toml"),
        (GOOD + "colour = 1", "colour: unknown key"),
        (GOOD.replace('name = "x"', "name = 1"), "name: must be a non-empty string"),
        (GOOD.replace('title = "X"', ""), "title: must be a non-empty string"),
        (GOOD.replace("third-party", "rival"), "role: 'rival' is not one of"),
        (GOOD.replace("command", "#"), "command: exactly one of"),
        (GOOD + 'shared_object = "x.so"', "command: exactly one of"),
        (GOOD.replace('["{python}", "{here}/adapter.py", "{root}"]', "[]"), "command: is empty"),
        (GOOD.replace('["{python}", "{here}/adapter.py", "{root}"]', '"x"'), "command: must be a list of strings"),
        (GOOD + "requires = [1]", "requires: must be a list of strings"),
        (GOOD + 'deviation = ["x"]', "deviation: needs tables"),
        (GOOD + DEVIATION.replace("because", ""), "deviation[0].explanation: must be a non-empty string"),
        (GOOD + DEVIATION.replace("kind", "until = 1\nkind"), "deviation[0].until: unknown key"),
        (
            GOOD + DEVIATION.replace("exit.lower", "exit.raise"),
            "deviation[0].cases.search.exit.raise: unknown clause",
        ),
    ],
)
def test_malformed_manifest(tmp_path: Path, text: str, reason: str) -> None:
    """The error contains file, key and reason."""
    path = write(tmp_path, text)
    with pytest.raises(ManifestError) as error:
        load_manifest(path)
    assert str(path) in str(error.value)
    assert reason in str(error.value)


def test_names_are_unique(tmp_path: Path) -> None:
    """Two adapters cannot have the same name."""
    write(tmp_path / "a", GOOD)
    write(tmp_path / "b", GOOD)
    with pytest.raises(ManifestError, match="another adapter has the name"):
        load_manifests(tmp_path)


def test_resolve(tmp_path: Path) -> None:
    """A value is a name, a shared object, a command line, or an error with a hint."""
    write(tmp_path / "a", GOOD)
    manifests = load_manifests(tmp_path)
    library = tmp_path / "lib.so"
    library.touch()
    assert resolve("x", manifests) is manifests["x"]
    assert resolve(str(library), manifests).command[-1] == str(library)
    assert resolve("sh --flag 'two words'", manifests).command == ("sh", "--flag", "two words")
    assert resolve("sh", manifests).command == ("sh",)
    for value, reason in (
        ("xx", "did you mean x"),
        ("absent.so", "no such file"),
        ("./absent --x", "./absent: no such file"),
        ("absent-program --x", "absent-program: no such command"),
        (f"{tmp_path} --x", "is a directory"),
        ("a 'b", "quotation"),
        ("", "available:"),
    ):
        with pytest.raises(ManifestError, match=reason):
            resolve(value, manifests)


def test_manifests_of_the_checkout() -> None:
    """All manifests of the checkout can be read."""
    assert "python-model" in load_manifests()
