"""Sources of releases outside registries: in a crate or a source package of Debian. Each is pinned by its checksum."""

import hashlib
import json
import tarfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from studies.history.registry import NotBuiltError, Release, UnreachableError, called, crate_index, fresh
from studies.history.stacks import Stack

_KEYS = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
_CRATE = """[package]
name = "obtain"
version = "0.0.0"
edition = "2021"
[lib]
path = "lib.rs"
[target.'cfg(any())'.dependencies]
{crate} = {{ version = "={crate_version}", default-features = false }}
[workspace]
"""


@dataclass(frozen=True, slots=True)
class Source:
    """The source of a release: its folder, its date and the checksum of its archive."""

    source: Path
    released: str | None
    checksum: str


def obtain(stack: Stack, release: Release) -> Source:
    """Return the source of a release. Raise :class:`UnreachableError`, :class:`NotBuiltError` for a wrong checksum."""
    archive = next(archive for archive in stack.archives if archive["version"] == release.version)
    return _from_crate(stack, archive) if "crate" in archive else _from_debian(stack, archive)


def _from_crate(stack: Stack, archive: dict[str, str]) -> Source:
    folder = fresh(stack.work / "obtain")
    (folder / "Cargo.toml").write_text(_CRATE.format(**archive), "utf-8")
    (folder / "lib.rs").touch()
    called("cargo", "fetch", "--quiet", cwd=folder)
    packages = json.loads(called("cargo", "metadata", "--offline", "--format-version", "1", cwd=folder))["packages"]
    place = next(Path(package["manifest_path"]) for package in packages if package["name"] == archive["crate"])
    entry = next(
        index_line for index_line in crate_index(archive["crate"]) if index_line["vers"] == archive["crate_version"]
    )
    released = (entry.get("pubtime") or "")[:10] or None
    return Source(place.parent / archive["inside"], released, f"sha256:{entry['cksum']}")


def _from_debian(stack: Stack, archive: dict[str, str]) -> Source:
    """Fetch a source package with ``apt-get`` from the machine's mirror, with separate apt folders."""
    folder = stack.work / "apt"
    file = folder / archive["file"]
    if not file.exists():
        env = _apt(folder, archive["suite"])
        called("apt-get", "update", "-qq", cwd=folder, env=env)
        try:
            called("apt-get", "source", "-qq", "--download-only", "--tar-only", archive["package"], cwd=folder, env=env)
        except UnreachableError:
            if not file.exists():  # other files of the package may be gone
                raise
    checksum = hashlib.sha256(file.read_bytes()).hexdigest()
    if checksum != archive["sha256"]:
        raise NotBuiltError(f"{archive['file']}: checksum {checksum} differs from the pinned one")
    source = fresh(folder / release_folder(archive))
    with tarfile.open(file) as content:
        inside = [entry for entry in content.getmembers() if archive["inside"] in entry.name]
        content.extractall(source, inside, filter="data")
    newest = max(entry.mtime for entry in inside)
    place = next(path for path in source.rglob("lib") if (path / "ngtcp2_cc.h").exists())
    released = datetime.fromtimestamp(newest, UTC).date().isoformat()
    return Source(place.parent, released, f"sha256:{checksum}")


def release_folder(archive: dict[str, str]) -> str:
    """Return the name of the folder of an unpacked archive."""
    return f"source-{archive['version']}"


def _apt(folder: Path, suite: str) -> dict[str, str]:
    """Write an apt configuration for sources of one suite. Raise :class:`UnreachableError` without a Debian mirror."""
    targets = called("apt-get", "indextargets", "--format", "$(LABEL)|$(REPO_URI)").splitlines()
    uri = next((line.partition("|")[2] for line in targets if line.startswith("Debian|")), "")
    if not uri:
        raise UnreachableError("apt-get knows no mirror of Debian: run `apt-get update`")
    for name in ("lists/partial", "cache/archives/partial", "state"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    signed = f"[signed-by={_KEYS}] " if _KEYS.exists() else ""
    (folder / "sources.list").write_text(f"deb-src {signed}{uri} {suite} main\n", "utf-8")
    config = {
        "Dir::Etc::sourcelist": "sources.list",
        "Dir::Etc::sourceparts": "none",
        "Dir::State::lists": "lists",
        "Dir::Cache": "cache",
        "Dir::State": "state",
    }
    lines = [f'{name} "{folder / value}";' for name, value in config.items()]
    (folder / "apt.conf").write_text("\n".join([*lines, 'APT::Sandbox::User "root";']) + "\n", "utf-8")
    return {"APT_CONFIG": str(folder / "apt.conf"), "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
