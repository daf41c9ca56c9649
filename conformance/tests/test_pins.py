"""Downloads for the third-party stacks are pinned by version and checksum; nothing else is run."""

import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from firstflight_conformance.paths import ROOT

ADAPTERS = ROOT / "conformance" / "adapters"
CRATES = ADAPTERS / "crates.txt"
CARGO = sorted(
    path.parent
    for folder in ("conformance/adapters", "conformance/studies/live/peers", "reference-c/examples")
    for path in (ROOT / folder).glob("*/Cargo.toml")
)
GO = sorted(
    path.parent
    for folder in ("adapters/go", "studies/live/peers")
    for path in (ROOT / "conformance" / folder).glob("*/go.sum")
)
JAVA = ROOT / "conformance" / "loaders" / "java"
_IGNORE = shutil.ignore_patterns("target", "Cargo.lock")


def crates() -> dict[str, set[str]]:
    """Return the pinned versions of each crate."""
    pins: dict[str, set[str]] = {}
    for line in CRATES.read_text("ascii").splitlines():
        name, version, checksum = line.split(" ")
        assert re.fullmatch("[0-9a-f]{64}", checksum), line
        pins.setdefault(name, set()).add(version)
    return pins


@pytest.mark.parametrize("folder", CARGO, ids=["-".join(folder.parts[-2:]) for folder in CARGO])
def test_required_crates_are_pinned(folder: Path) -> None:
    """A Cargo.toml requires exact versions, which the list contains. Cargo's requirements omit build metadata."""
    manifest = tomllib.loads((folder / "Cargo.toml").read_text("utf-8"))
    tables = [manifest, *manifest.get("target", {}).values()]
    requirements = {
        crate: needed
        for table in tables
        for kind in ("dependencies", "build-dependencies")
        for crate, needed in table.get(kind, {}).items()
    }
    for crate, needed in requirements.items():
        version = needed if isinstance(needed, str) else needed.get("version")
        if version is not None:  # else the crate is a folder of the checkout
            assert version.startswith("=")
            assert version[1:] in {pinned.partition("+")[0] for pinned in crates()[crate]}


@pytest.mark.parametrize("folder", GO, ids=["-".join(folder.parts[-2:]) for folder in GO])
def test_required_go_modules_are_pinned(folder: Path) -> None:
    """Each module in go.mod has the checksum of its content in go.sum."""
    named = re.findall(r"^(?:require )?\s*(\S+\.\S+/\S+) (v\S+)", (folder / "go.mod").read_text("utf-8"), re.MULTILINE)
    sums = (folder / "go.sum").read_text("utf-8")
    assert named
    for module, version in named:
        assert f"\n{module} {version} h1:" in f"\n{sums}"


def entries(name: str) -> list[str]:
    """Return the entries of a list of Python packages, without environment markers and origins."""
    text = re.sub(r"\n +#.*| ;.*(?= \\\n)", "", (ROOT / "requirements" / name).read_text("utf-8"))
    return re.split(r"\n(?=\S)", text.strip())


def test_every_python_package_is_pinned() -> None:
    """Each entry has one version and its checksums."""
    assert len(entries("dev.txt")) > 30
    for entry in [*entries("dev.txt"), *entries("site.txt"), *entries("draft.txt")]:
        assert re.match(r"[\w.-]+==[\w.]+ .*--hash=sha256:[0-9a-f]{64}", entry, re.DOTALL), entry[:80]


def test_setup_packages_match_conformance_packages() -> None:
    """`make setup` keeps the packages of `make conformance`: the same versions with the same checksums."""
    assert len(entries("run.txt")) > 20
    assert set(entries("run.txt")) <= set(entries("dev.txt"))


BROWSER = {"site"} if shutil.which("chromium") else set()


@pytest.mark.parametrize(("job", "lists"), [("conformance", {"run"}), ("setup", {"run", "dev", *BROWSER})])
def test_jobs_install_only_needed_packages(job: str, lists: set[str]) -> None:
    """In a fresh clone, judging does not wait for packages that only tests and documentation need."""
    done = subprocess.run(("make", "-n", "-B", job), cwd=ROOT, capture_output=True, text=True, check=True, timeout=60)
    assert set(re.findall(r"-r requirements/(\w+)\.txt", done.stdout)) == lists


def test_package_lists_contain_no_url() -> None:
    """Lists contain no URL: the package sources are a setting of the machine."""
    lists = [
        CRATES,
        ADAPTERS / "kwik" / "jars.txt",
        JAVA / "jars.txt",
        *(ROOT / "requirements").glob("*.txt"),
        *(folder / "Cargo.toml" for folder in CARGO),
    ]
    for path in [*lists, ADAPTERS / "crates.sh", ADAPTERS / "cargo-build.sh", *ADAPTERS.rglob("Makefile")]:
        assert "://" not in path.read_text("utf-8"), path


def spoilt(pins: Path, line: str, change: Callable[[str], str]) -> None:
    """Change the line of a list that begins with a prefix."""
    lines = pins.read_text("utf-8").splitlines(keepends=True)
    (index,) = [index for index, text in enumerate(lines) if text.startswith(line)]
    lines[index] = change(lines[index])
    pins.write_text("".join(lines), encoding="utf-8")


def other_checksum(line: str) -> str:
    """Return the line with another first digit of its checksum."""
    head, space, checksum = line.rpartition(" ")
    prefix, checksum = (checksum[:3], checksum[3:]) if checksum.startswith("h1:") else ("", checksum)
    return f"{head}{space}{prefix}{'0' if checksum[0] != '0' else '1'}{checksum[1:]}"


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """Return a copy of the adapters, at its place in a checkout whose path contains a space."""
    folder = tmp_path / "a checkout" / "conformance" / "adapters"
    shutil.copytree(ADAPTERS, folder, ignore=_IGNORE)
    shutil.copytree(JAVA / "fetch", folder.parent / "loaders" / "java" / "fetch")
    return folder


def run(*words: object) -> tuple[int, str]:
    """Run a command; return its exit code and output."""
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False, timeout=300)
    return done.returncode, done.stdout + done.stderr


def cargo_version() -> tuple[int, ...]:
    """Return the major and minor version of cargo."""
    return tuple(map(int, run("cargo", "--version")[1].split()[1].split(".")[:2]))


def obtain(copied: Path) -> tuple[int, str]:
    """Make cargo resolve and fetch the packages of the smallest adapter; skip if that is impossible."""
    if shutil.which("cargo") is None or cargo_version() < (1, 85):
        pytest.skip("needs cargo 1.85 or later")
    code, text = run(copied / "crates.sh", "obtain", copied / "s2n-quic-core")
    if code == 3:
        pytest.skip(f"packages not available: {text}")
    return code, text


def test_lock_is_complete_and_contains_listed_crates(copied: Path) -> None:
    """Cargo accepts the lock as complete, and each crate in it is in the list."""
    assert obtain(copied) == (0, "")
    folder = copied / "s2n-quic-core"
    assert run("cargo", "metadata", "--locked", "--offline", "--manifest-path", folder / "Cargo.toml")[0] == 0
    lock = tomllib.loads((folder / "Cargo.lock").read_text("utf-8"))
    fetched = {(package["name"], package["version"]) for package in lock["package"] if "source" in package}
    assert ("s2n-quic-core", "0.91.0") in fetched
    assert all(version in crates()[name] for name, version in fetched)
    assert all("checksum" in package for package in lock["package"] if "source" in package)


def test_crate_with_wrong_checksum_is_refused(copied: Path) -> None:
    """The build ends before any code of a crate is run and leaves no adapter."""
    obtain(copied)
    spoilt(copied / "crates.txt", "num-rational ", other_checksum)
    code, text = run(copied / "cargo-build.sh", copied / "s2n-quic-core", copied / "build")
    assert code == 1
    assert "checksum" in text
    assert not (copied / "build").exists()


def test_unlisted_crate_is_refused(copied: Path) -> None:
    """A crate missing from the list is refused, even if only another crate requires it."""
    obtain(copied)
    spoilt(copied / "crates.txt", "num-integer ", lambda _: "")
    code, text = run(copied / "cargo-build.sh", copied / "s2n-quic-core", copied / "build")
    assert code == 1
    assert "num-integer" in text
    assert "is not in crates.txt" in text


def test_module_with_wrong_checksum_is_refused(copied: Path) -> None:
    """Go also verifies the modules in its cache."""
    if shutil.which("go") is None:
        pytest.skip("there is no go here")
    out = copied.parents[1] / "build" / "adapters" / "gvisor"
    make = ("make", "-C", copied / "go", "../../../build/adapters/gvisor")
    code, text = run(*make, "build=true")
    if code != 0 or "skipped" in text:
        pytest.skip(f"modules not available: {text}")
    spoilt(copied / "go" / "gvisor" / "go.sum", "github.com/google/btree v1.1.2 ", other_checksum)
    code, text = run(*make)
    assert code == 2
    assert "checksum mismatch" in text
    assert not out.exists()


def test_jar_with_wrong_checksum_is_refused(copied: Path) -> None:
    """A jar with another checksum is not copied next to the adapter."""
    if shutil.which("mvn") is None or shutil.which("javac") is None:
        pytest.skip("there is no mvn or no javac here")
    spoilt(copied / "kwik" / "jars.txt", "com.google.code.gson:gson ", other_checksum)
    code, text = run("make", "-C", copied / "kwik")
    if "skipped" in text:
        pytest.skip(f"jars not available: {text}")
    assert code == 2
    assert "gson:jar:2.11.0 is not the pinned jar" in text
    assert not list((copied.parents[1] / "build").rglob("*.jar"))


def test_junit_with_wrong_checksum_is_refused(copied: Path, tmp_path: Path) -> None:
    """A JUnit jar with another checksum is not used to compile and is deleted."""
    if shutil.which("mvn") is None or shutil.which("javac") is None:
        pytest.skip("there is no mvn or no javac here")
    pins = tmp_path / "jars.txt"
    shutil.copy(JAVA / "jars.txt", pins)
    spoilt(pins, "org.junit.platform:", other_checksum)
    code, text = run(copied.parent / "loaders" / "java" / "fetch" / "fetch.sh", pins, tmp_path / "out")
    if code == 3:
        pytest.skip(f"JUnit not available: {text}")
    assert (code, "is not the pinned jar" in text) == (1, True), text
    assert not list((tmp_path / "out").glob("*.jar"))


def test_maven_only_validates() -> None:
    """Plugins bring dependencies pinned by version only, and run them: Maven only validates, which needs no plugin."""
    calls = [
        (path, line)
        for folder in ("adapters", "loaders", "peers")
        for path in (ROOT / "conformance" / folder).rglob("*")
        if path.is_file() and (path.suffix == ".sh" or path.name == "Makefile")
        for line in path.read_text("utf-8").splitlines()
        if re.search(r"\bmvn\b(?! -v)", line) and "command -v" not in line and not line.lstrip().startswith("#")
    ]
    assert [path.name for path, line in calls if " validate " in line] == ["fetch.sh"]
    assert all(" validate " in line or "try java" in line or "for tool" in line for _, line in calls), calls


def test_only_wheels_are_installed() -> None:
    """A source distribution would fetch its build tools by name only, and run them."""
    done = subprocess.run(
        ("make", "-n", "-B", "setup"), cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    installs = [line for line in done.stdout.splitlines() if " -r requirements/" in line]
    assert len(installs) == 2 + len(BROWSER)
    makefile = (ROOT / "Makefile").read_text("utf-8")
    installs += [line for line in makefile.splitlines() if "-r requirements/" in line and "INSTALL" in line]
    assert all("--require-hashes --only-binary :all:" in line for line in installs), installs
    assert all("--no-build-isolation" in line for line in done.stdout.splitlines() if " -e " in line)


def test_modified_packed_crate_is_refused(copied: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cargo would unpack and build the crate: packed crates in its cache are hashed first."""
    assert obtain(copied) == (0, "")
    home = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
    shutil.copytree(home / "registry" / "index", tmp_path / "registry" / "index")
    shutil.copytree(home / "registry" / "cache", tmp_path / "registry" / "cache")
    monkeypatch.setenv("RUSTUP_HOME", os.environ.get("RUSTUP_HOME", str(Path.home() / ".rustup")))
    for config in home.glob("config*"):
        shutil.copy(config, tmp_path)
    monkeypatch.setenv("CARGO_HOME", str(tmp_path))
    assert obtain(copied) == (0, "")
    (crate,) = tmp_path.glob("registry/cache/*/num-rational-*.crate")
    crate.write_bytes(crate.read_bytes() + b"more")
    code, text = run(copied / "cargo-build.sh", copied / "s2n-quic-core", copied / "build")
    assert code == 1
    assert f"{crate} is not the pinned crate" in text
    assert not (copied / "build").exists()


def test_modified_cached_module_is_refused(copied: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Go would build the module: unpacked modules in its cache are hashed first."""
    if shutil.which("go") is None:
        pytest.skip("there is no go here")
    make = ("make", "-C", copied / "go", "../../../build/adapters/gvisor")
    code, text = run(*make, "build=true")
    if code != 0 or "skipped" in text:
        pytest.skip(f"modules not available: {text}")
    cache = Path(run("go", "env", "GOMODCACHE")[1].strip())
    for part in ("cache/download/github.com/google/btree", "github.com/google"):
        shutil.copytree(cache / part, tmp_path / part)
    proxy = f"file://{tmp_path}/cache/download,file://{cache}/cache/download"
    for name, value in {
        "GOMODCACHE": tmp_path / "own",
        "GOPROXY": proxy,
        "GONOSUMDB": "*",
        "GONOSUMCHECK": "1",
        "GOFLAGS": "-modcacherw",
    }.items():
        monkeypatch.setenv(name, str(value))
    assert run(*make, "build=true")[0] == 0
    changed = next((tmp_path / "own" / "github.com" / "google").glob("btree@*/btree.go"))
    changed.write_text(changed.read_text("utf-8") + "\n// changed\n", encoding="utf-8")
    code, text = run(*make)
    assert code == 2, text
    assert "dir has been modified" in text
