"""The commit of this project used for a run."""

import subprocess
from pathlib import Path
from typing import Any

from firstflight_conformance.paths import IS_CHECKOUT, ROOT


def checkout(root: Path = ROOT) -> dict[str, Any] | None:
    """Return the commit, its date, and whether tracked files are changed; ``None`` without a repository or git."""
    if not IS_CHECKOUT or not (root / ".git").exists():
        return None
    head = _git(root, "log", "-1", "--format=%H %cs")
    if head is None:
        return None
    commit, date = head.split()
    return {
        "commit": commit,
        "date": date,
        "changed": bool(_git(root, "status", "--porcelain", "--untracked-files=no")),
    }


def _git(root: Path, *words: str) -> str | None:
    try:
        done = subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()
