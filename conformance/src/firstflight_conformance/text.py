"""Escapes untrusted text before output: text from adapters, vectors, paths and the command line."""

#: Length limits of printed names (adapters, phases) and reasons, in characters; longer texts are cut.
NAME_MAX = 80
REASON_MAX = 300


def shown(text: str, limit: int = REASON_MAX) -> str:
    """Return a text as one line for terminals and reports: cut, with control characters and lone surrogates escaped."""
    if len(text) <= limit and text.isprintable():
        return text
    cut = text if len(text) <= limit else text[:limit]
    one_line = cut.isprintable()
    escaped = cut if one_line else "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in cut)
    return escaped if len(text) <= limit and len(escaped) <= limit else escaped[: limit - 3] + "..."


def refusal(text: str, limit: int) -> str | None:
    """Return the reason why a text must not be stored or compared, or None if it may be.

    The reasons are more than ``limit`` characters, or a character that is not printable, such as a control character.
    """
    if len(text) > limit:
        return f"a text of {len(text)} characters; at most {limit} are allowed"
    return None if text.isprintable() else f"a control character or a lone surrogate in {shown(text, NAME_MAX)}"


def texts(value: object) -> list[str]:
    """Return every text within a JSON value, keys included."""
    strings, open_values = [], [value]
    while open_values:
        inner = open_values.pop()
        if isinstance(inner, str):
            strings.append(inner)
        elif isinstance(inner, dict):
            strings += inner
            open_values += inner.values()
        elif isinstance(inner, list):
            open_values += inner
    return strings
