"""Firefox as a sender: ``python conformance/studies live.peers.firefox PACKAGES`` runs it and stores the agreement.

``PACKAGES`` is a folder with the unpacked Debian packages (`make firefox`). The runs use a separate network namespace
with only loopback. Preferences select SEARCH or HyStart++; a page makes Firefox upload over HTTP/3, and it writes a
qlog.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from firstflight_conformance.logs.qlog.read import read_qlog
from firstflight_conformance.logs.recording.recording import Recording
from firstflight_conformance.paths import LIVE_PATHS, STUDIES
from studies.live import agreement
from studies.live.kernel import namespace
from studies.live.peers.run import QUIC_GO, TransferError, transfer

_PATHS = ("deep-queue", "slow", "paced")
_UPLOAD_BYTES = 4_000_000
_UPLOAD_S = 60
_ALGORITHM = "network.http.http3.slow_start_algorithm"
_PREFERENCES: dict[str, str | int | bool] = {
    "network.http.http3.enable_qlog": True,
    "network.http.http3.force-use-alt-svc-mapping-for-testing": True,
    "network.http.http3.disable_when_third_party_roots_found": False,
    "network.dns.disableIPv6": True,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "app.update.enabled": False,
    "browser.aboutwelcome.enabled": False,
    "browser.safebrowsing.malware.enabled": False,
    "browser.safebrowsing.phishing.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "extensions.update.enabled": False,
    "services.settings.server": "",
    "toolkit.telemetry.enabled": False,
}


@dataclass(frozen=True, slots=True)
class Preference:
    """A value of Firefox's preference (0: classic slow start), the closest profile, and the number of runs per path.

    ``must_agree``: the profile describes it. No profile describes neqo's HyStart++, which is compared with the RFC's.
    """

    name: str
    value: int
    profile: str
    runs: int
    must_agree: bool


PREFERENCES = (
    Preference("SEARCH", 2, "search/neqo-2026", 2, must_agree=True),
    Preference("HyStart++", 1, "hystartpp/rfc-9406", 1, must_agree=False),
)


def upload(port: int, value: int, packages: Path, folder: Path) -> None:
    """Let Firefox with this value of its preference load the page at a port; stop it after the page's upload."""
    profile, temporary = folder / "profile", folder / "tmp"
    profile.mkdir()
    temporary.mkdir()
    libraries = packages / "usr/lib/x86_64-linux-gnu"
    browser = packages / "usr/lib/firefox-esr"
    _trust(packages / "usr/bin/certutil", libraries, profile, folder / "ca.pem")
    mapping = {"network.http.http3.alt-svc-mapping-for-testing": f"localhost;h3=:{port}"}
    preferences = _PREFERENCES | mapping | {_ALGORITHM: value}
    lines = [f'user_pref("{name}", {_literal(value)});\n' for name, value in preferences.items()]
    (profile / "user.js").write_text("".join(lines), encoding="utf-8")
    surroundings = os.environ | {
        "LD_LIBRARY_PATH": f"{browser}:{libraries}",  # the browser's own folder first: it contains newer libraries
        "HOME": str(folder),
        "TMPDIR": str(temporary),
    }
    command = [str(browser / "firefox-esr"), "--headless", "--no-remote", "--profile", str(profile)]
    command.append(f"https://localhost:{port}/")
    with subprocess.Popen(
        command, env=surroundings, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    ) as running:
        try:
            until_s = time.monotonic() + _UPLOAD_S
            while not (folder / "done").exists():
                if time.monotonic() > until_s:
                    sys.exit("Firefox has not uploaded everything in time")
                time.sleep(0.05)
        finally:
            _end(running)


def _end(running: subprocess.Popen[bytes]) -> None:
    """Stop the browser and its processes, if necessary by SIGKILL."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(running.pid, number)
        with suppress(subprocess.TimeoutExpired):
            running.wait(10)


def _trust(certutil: Path, libraries: Path, profile: Path, authority: Path) -> None:
    """Make a browser profile trust the certificate authority of this run."""
    surroundings = os.environ | {"LD_LIBRARY_PATH": str(libraries)}
    store = ["-d", f"sql:{profile}"]
    for words in (["-N", *store, "--empty-password"], ["-A", *store, "-n", "ca", "-t", "C,,", "-i", str(authority)]):
        subprocess.run([certutil, *words], env=surroundings, check=True, stdout=subprocess.DEVNULL)


def _literal(value: str | int | bool) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int) else f'"{value}"'


def recorded(packages: Path, path: str, value: int) -> Recording:
    """Return the recording of one upload over a path, with this value of the preference."""
    folder = Path(tempfile.mkdtemp(prefix="firstflight-firefox-"))
    try:
        receiver = [str(QUIC_GO), "serve", str(folder), str(_UPLOAD_BYTES), str(2 * _UPLOAD_S)]
        sender = [sys.executable, str(STUDIES), "live.peers.firefox", "upload", "PORT"]
        sender += [str(value), str(packages), str(folder)]
        transfer(LIVE_PATHS / f"{path}.json", receiver, sender, _UPLOAD_S)
        logs = sorted((folder / "tmp").rglob("*.sqlog"), key=lambda log: log.stat().st_size)
        if not logs:
            raise TransferError("Firefox has written no qlog")
        return read_qlog(logs[-1]).recording
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main(words: list[str]) -> int:
    """Make the runs, or act as the sender of one. Return the exit code: 1 if a run disagrees that must agree."""
    match words:
        case ["upload", port, value, packages, folder]:
            upload(int(port), int(value), Path(packages), Path(folder))
            return 0
        case [packages]:
            namespace.enter()
            subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
            return _runs(Path(packages).resolve())
    print("usage: firefox PACKAGES", file=sys.stderr)
    return 2


def _runs(packages: Path) -> int:
    version = (packages / "usr/lib/firefox-esr/application.ini").read_text(encoding="utf-8")
    version = next(line.partition("=")[2] for line in version.splitlines() if line.startswith("Version="))
    disagree = 0
    for preference, path in product(PREFERENCES, _PATHS):
        recordings = [recorded(packages, path, preference.value) for _ in range(preference.runs)]
        row = agreement.row(f"Firefox with {preference.name}", version, path, preference.profile, recordings)
        agreement.keep([row])
        disagree |= preference.must_agree and row.agree < row.judged
        print(agreement.line(row), flush=True)
    return disagree


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
