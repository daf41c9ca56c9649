"""Why a path that should be an adapter is no command."""

from pathlib import Path

#: What runs a script that is not executable.
_INTERPRETERS = {".py": "python3", ".sh": "sh", ".js": "node", ".rb": "ruby", ".pl": "perl", ".lua": "lua"}


def not_a_command(path: Path) -> str:
    """Return why a path is no command, and what to do."""
    if not path.exists():
        return "there is no such file"
    if path.is_dir():
        return "is a directory; name the program in it"
    interpreter = _INTERPRETERS.get(path.suffix)
    instead = f", or name the command '{interpreter} {path}'" if interpreter else ""
    return f"is not executable: chmod +x {path}{instead}"
