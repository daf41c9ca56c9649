"""Builds the adapters of a stack against one of its releases, in a copy of their folder with a changed pin."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from firstflight_conformance.adapters.manifest import Manifest, load_manifest
from firstflight_conformance.paths import ADAPTERS, BUILD, CONFORMANCE
from studies.history import archives
from studies.history.registry import NotBuiltError, Release, about, called, fresh, order, without_host
from studies.history.stacks import Stack

#: Stands for a checkout of the user in place of a release.
CHECKOUT = Release("checkout")
_ERRORS = re.compile(r"^(error.*|.*: error: .*|.*\.go:\d+:\d+: .*|go: .*|.*\.rs:.*error.*)$", re.M)
#: Additional folders of adapters needed for a build, by registry.
_BESIDE = {"cargo": ["rust"], "archives": ["c"]}


@dataclass(frozen=True, slots=True)
class Built:
    """A release with its built adapters: a folder of ``programs``, or a folder of Python ``modules``."""

    release: Release
    programs: Path | None = None
    modules: Path | None = None

    def manifests(self, stack: Stack) -> list[Manifest]:
        """Return the adapters of the stack, with commands that start the builds of this release."""
        if stack.registry == "folder":
            return [self._own(stack)]
        return [self._fitted(load_manifest(ADAPTERS / name / "manifest.toml")) for name in stack.adapters]

    def _fitted(self, manifest: Manifest) -> Manifest:
        command = manifest.command
        if self.programs is not None:
            command = tuple(word.replace(str(BUILD / "adapters"), str(self.programs)) for word in command)
        if self.modules is not None:
            command = tuple(word.replace(str(ADAPTERS), str(self.modules.parent / "adapters")) for word in command)
            command = ("env", f"PYTHONPATH={self.modules}", *command)
        return replace(manifest, command=command, build=None, files=(), record=None)

    def _own(self, stack: Stack) -> Manifest:
        places = {"{python}": sys.executable, "{release}": str(self.programs)}
        command = tuple(_filled(word, places) for word in stack.command)
        assert self.programs is not None
        return Manifest(stack.name, stack.package, "", "third-party", command, self.programs)


def _filled(word: str, places: dict[str, str]) -> str:
    for place, value in places.items():
        word = word.replace(place, value)
    return word


def build(stack: Stack, release: Release) -> Built:
    """Build the adapters against a release. Raise :class:`NotBuiltError` with the first error, or :class:`UnreachableError`."""
    builds: dict[str, Callable[[Stack, Release], Built]] = {
        "cargo": _with_cargo,
        "go": _with_go,
        "python": _with_pip,
        "archives": _with_cc,
        "folder": lambda stack, release: Built(release, programs=stack.folder / release.version),
    }
    return builds[stack.registry](stack, release)


def from_checkout(stack: Stack, source: Path) -> Built:
    """Build the adapters against a checkout of the stack. Raise :class:`NotBuiltError` or :class:`UnreachableError`."""
    builds: dict[str, Callable[[Stack, Path], Built]] = {
        "cargo": _crate_from,
        "go": _module_from,
        "python": _distribution_from,
        "archives": lambda stack, source: _compiled_with_cc(stack, CHECKOUT, source),
        "folder": lambda _, source: Built(CHECKOUT, programs=source),
    }
    return builds[stack.registry](stack, source)


def copied(stack: Stack, release: Release) -> Path:
    """Return the adapter's folder in a copy of its sources, with the patches for this release applied.

    ``before-VERSION.patch`` adapts to releases before that version. The patches apply in order, newest version first.
    """
    work = fresh(stack.work / "adapters")
    inside = stack.folder.relative_to(ADAPTERS)
    for name in (inside.parts[0], *_BESIDE.get(stack.registry, ())):
        shutil.copytree(ADAPTERS / name, work / name, ignore=shutil.ignore_patterns("target", "Cargo.lock"))
    bounds = {path.stem.removeprefix("before-"): path for path in stack.patches.glob("before-*.patch")}
    for bound in sorted(bounds, key=order, reverse=True):
        if release != CHECKOUT and order(release.version) < order(bound):
            _compiled(["patch", "-s", "-p1", "-i", str(bounds[bound])], work)
    return work / inside


def _compiled(command: Sequence[str], folder: Path, env: dict[str, str] | None = None) -> None:
    """Run a compiler. Raise :class:`NotBuiltError` with its first error."""
    done = subprocess.run(
        command, cwd=folder, env=env, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    if done.returncode:
        text = done.stderr or done.stdout
        match = _ERRORS.search(text)
        raise NotBuiltError(_short(match[0] if match else text.strip().splitlines()[-1], text))


def _short(error: str, text: str) -> str:
    """Return an error with its location, without the folders of this machine."""
    place = re.search(r"^ *--> (\S+)$", text[text.find(error) :], re.M)
    line = f"{error} ({place[1]})" if place else error
    return without_host(re.sub(r"(?<![\w.])/(?:[^\s/:]+/)+", "", line))[:300]


def _with_cargo(stack: Stack, release: Release) -> Built:
    return _with_crate(stack, release)


def _crate_from(stack: Stack, source: Path) -> Built:
    """Build with the crate of a checkout, possibly a workspace, in place of the pinned crate."""
    described = json.loads(
        called("cargo", "metadata", "--quiet", "--no-deps", "--format-version", "1", cwd=source.resolve())
    )
    crate = next((package for package in described["packages"] if package["name"] == stack.package), None)
    if crate is None:
        raise NotBuiltError(f"the checkout has no crate {stack.package}")
    place = json.dumps(str(Path(crate["manifest_path"]).parent))
    return _with_crate(
        stack, CHECKOUT, crate["version"], f"\n[patch.crates-io]\n{stack.package} = {{ path = {place} }}\n"
    )


def _with_crate(stack: Stack, release: Release, version: str | None = None, patch: str = "") -> Built:
    folder = copied(stack, release)
    manifest = folder / "Cargo.toml"
    pin = re.compile(rf'^({re.escape(stack.package)} = (?:\{{ version = )?"=)[^"]+', re.M)
    text, count = pin.subn(rf"\g<1>{version or release.version}", manifest.read_text("utf-8"))
    if count != 1:
        raise NotBuiltError(f"{stack.folder.name}/Cargo.toml: does not pin {stack.package}")
    text = re.sub(r"^rust-version = .*\n", "", text, flags=re.M)
    manifest.write_text(text + patch, "utf-8")
    _write_lock(folder, stack.package)
    target = stack.work / "cargo"
    called("cargo", "fetch", "--quiet", "--manifest-path", manifest, cwd=folder)
    _compiled(["cargo", "build", "--quiet", "--release", "--offline", "--target-dir", str(target)], folder)
    programs = fresh(stack.work / release.version)
    name = re.search(r'^name = "(.*)"', text, re.M)
    assert name is not None
    shutil.copy(target / "release" / name[1], programs / stack.folder.name)
    return Built(release, programs=programs)


def _write_lock(folder: Path, package: str) -> None:
    """Write a lock file with the pinned crates except the stack. Cargo keeps fitting entries and resolves the rest."""
    described = json.loads(
        called("cargo", "metadata", "--quiet", "--no-deps", "--offline", "--format-version", "1", cwd=folder)
    )
    source = next(
        dependency["source"] for dependency in described["packages"][0]["dependencies"] if dependency["source"]
    )
    lines = ["version = 4"]
    for line in (ADAPTERS / "crates.txt").read_text("ascii").splitlines():
        name, version, checksum = line.split()
        if name != package:
            lines += [
                "",
                "[[package]]",
                f'name = "{name}"',
                f'version = "{version}"',
                f'source = "{source}"',
                f'checksum = "{checksum}"',
            ]
    (folder / "Cargo.lock").write_text("\n".join(lines) + "\n", "utf-8")


def _with_go(stack: Stack, release: Release) -> Built:
    name = stack.folder.name
    folder = copied(stack, release)
    env = os.environ | {"GOWORK": "off", "GOTOOLCHAIN": "local", "GOFLAGS": "-buildvcs=false -mod=mod"}
    module = json.loads(
        called("go", "mod", "download", "-json", f"{stack.package}@{release.version}", cwd=folder, env=env)
    )
    released = json.loads(Path(module["Info"]).read_text("utf-8"))["Time"][:10]
    # The other modules are not pinned: Go selects the versions that the release requires, and verifies their checksums.
    called("go", "mod", "edit", f"-require={stack.package}@{release.version}", cwd=folder, env=env)
    programs = fresh(stack.work / release.version)
    with about(replace(release, released=released, checksum=module["Sum"])) as known:
        _compiled(["go", "build", "-trimpath", "-o", str(programs / name), "."], folder, env)
    return Built(known, programs=programs)


def _module_from(stack: Stack, source: Path) -> Built:
    """Build with the module of a checkout in place of the pinned module."""
    folder, name = copied(stack, CHECKOUT), stack.folder.name
    env = os.environ | {"GOWORK": "off", "GOTOOLCHAIN": "local", "GOFLAGS": "-buildvcs=false -mod=mod"}
    called("go", "mod", "edit", f"-replace={stack.package}={source.resolve()}", cwd=folder, env=env)
    programs = fresh(stack.work / CHECKOUT.version)
    _compiled(["go", "build", "-trimpath", "-o", str(programs / name), "."], folder, env)
    return Built(CHECKOUT, programs=programs)


def _distribution_from(stack: Stack, source: Path) -> Built:
    """Install a checkout without dependencies into a folder; pip builds it."""
    copied(stack, CHECKOUT)
    modules = fresh(stack.work / CHECKOUT.version)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(modules)]
    _compiled([*pip, str(source.resolve())], stack.work)
    return Built(CHECKOUT, modules=modules)


def _with_pip(stack: Stack, release: Release) -> Built:
    """Install the release without dependencies into a folder. They come from the environment, which is pinned."""
    copied(stack, release)
    pip = (sys.executable, "-m", "pip")
    wheels, modules = fresh(stack.work / "wheels"), fresh(stack.work / release.version)
    called(
        *pip,
        "download",
        "--quiet",
        "--no-deps",
        "--only-binary",
        ":all:",
        "--dest",
        wheels,
        f"{stack.package}=={release.version}",
    )
    wheel = next(wheels.glob("*.whl"))
    called(*pip, "install", "--quiet", "--no-deps", "--no-index", "--target", modules, wheel)
    with zipfile.ZipFile(wheel) as archive:
        newest = max(entry.date_time for entry in archive.infolist())
    released = datetime(*newest, tzinfo=UTC).date().isoformat()
    checksum = f"sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}"
    return Built(replace(release, released=released, checksum=checksum), modules=modules)


def _with_cc(stack: Stack, release: Release) -> Built:
    """Compile the C source of a release from an archive together with the adapter."""
    obtained = archives.obtain(stack, release)
    with about(replace(release, released=obtained.released, checksum=obtained.checksum)) as known:
        return _compiled_with_cc(stack, known, obtained.source)


def _compiled_with_cc(stack: Stack, release: Release, source: Path) -> Built:
    folder = copied(stack, release)
    include = folder / "ngtcp2"
    include.mkdir()
    (include / "version.h").write_text(f'#define NGTCP2_VERSION "{release.version}"\n#define NGTCP2_VERSION_NUM 0\n')
    library = source.resolve() / "lib"
    programs = fresh(stack.work / release.version)
    sources = [
        *library.glob("*.c"),
        folder / "src" / "adapter.c",
        folder.parent / "c" / "stdio_host.c",
        folder.parent / "c" / "json_lines.c",
    ]
    includes = [folder, library / "includes", library, CONFORMANCE / "include", folder.parent / "c"]
    command = [
        "cc",
        "-O2",
        "-std=gnu11",
        "-DHAVE_UNISTD_H",
        "-Werror=implicit-function-declaration",
        *(f"-I{path}" for path in includes),
        *map(str, sorted(sources)),
    ]
    _compiled([*command, "-o", str(programs / stack.folder.name)], folder)
    return Built(release, programs=programs)
