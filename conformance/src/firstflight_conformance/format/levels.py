"""How binding a rule is."""

from enum import Enum

from firstflight_conformance.format.clauses import Clause, known_clauses


class Level(Enum):
    """The level of a rule. The value is the name in reports; the most binding comes first.

    ``DEFINITION``: a text states it without a keyword. ``OUR_DEFINITION``: no text states it, it is ours, and it is not listed as an open
    point. ``OPEN_POINT``: another choice at an open point, which conforms; no failure has it.
    """

    MUST = "MUST"
    SHOULD = "SHOULD"
    DEFINITION = "definition"
    OUR_DEFINITION = "our definition"
    OPEN_POINT = "open point"
    #: What is known of a cause that is not: it breaks one of several rules, and this is the most binding of them.
    AT_MOST_MUST = "at most MUST"
    AT_MOST_SHOULD = "at most SHOULD"
    AT_MOST_DEFINITION = "at most definition"


_OF_CLAUSES = {
    "MUST": Level.MUST,
    "MUST NOT": Level.MUST,
    "SHOULD": Level.SHOULD,
    "SHOULD NOT": Level.SHOULD,
    "RECOMMENDED": Level.SHOULD,
}

_AT_MOST = {
    Level.MUST: Level.AT_MOST_MUST,
    Level.SHOULD: Level.AT_MOST_SHOULD,
    Level.DEFINITION: Level.AT_MOST_DEFINITION,
}


def level_of_clause(clause: Clause) -> Level:
    """Return the level of a rule: that of its text, a definition if the text has no keyword; a rule of ours is our definition."""
    if clause.ours:
        return Level.OUR_DEFINITION
    return _OF_CLAUSES.get(clause.level, Level.DEFINITION)


def most_binding(clauses: tuple[str, ...]) -> Level:
    """Return the level of the most binding of the rules, a definition if there is none."""
    known = known_clauses()
    levels = [level_of_clause(known[name]) for name in clauses if name in known]
    order = list(Level)
    return min(levels, key=order.index, default=Level.DEFINITION)


def at_most(clauses: tuple[str, ...]) -> Level:
    """Return the level of an unknown cause, of which only the rules are known that it may break."""
    return _AT_MOST.get(most_binding(clauses), Level.OUR_DEFINITION)


def rule_parts(clause: Clause) -> tuple[str, str, str]:
    """Return a rule for a report: its id, its whole text, and its level with its source."""
    return f"[{clause.id}] ", " ".join(clause.text.split()), f" ({level_of_clause(clause).value}; {clause.source})"
