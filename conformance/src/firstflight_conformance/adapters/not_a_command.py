"""Error messages for an ``--adapter`` path that is not a command."""

from pathlib import Path

#: Interpreters of scripts without execute permission, by suffix.
_INTERPRETERS = {".py": "python3", ".sh": "sh", ".js": "node", ".rb": "ruby", ".pl": "perl", ".lua": "lua"}


def not_a_command(path: Path) -> str:
    """Return the reason why a path is not a command, and the remedy."""
    if not path.exists():
        return "no such file"
    if path.is_dir():
        return "is a directory; pass the program in it"
    interpreter = _INTERPRETERS.get(path.suffix)
    instead = f", or pass the command '{interpreter} {path}'" if interpreter else ""
    return f"is not executable: chmod +x {path}{instead}"
