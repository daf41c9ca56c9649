"""Levels of rules, from MUST to open point."""

from enum import Enum

from firstflight_conformance.format.clauses import Clause, known_clauses


class Level(Enum):
    """The level of a rule, the most binding first. The value is the name in reports.

    ``DEFINITION``: a text states the rule without a keyword. ``OUR_DEFINITION``: the rule is from this project, not
    from a text, and is not listed as an open point. ``OPEN_POINT``: another choice than the model's at an open point, a
    place where a text permits several implementations. It conforms, so no failure has this level.
    """

    MUST = "MUST"
    SHOULD = "SHOULD"
    DEFINITION = "definition"
    OUR_DEFINITION = "our definition"
    OPEN_POINT = "open point"
    #: Upper bound for an unknown cause that breaks one of several rules: the most binding of these rules.
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
    """Return the level of a clause, by its author and its keyword of RFC 2119.

    A clause of this project has ``OUR_DEFINITION``. A clause of a text has ``MUST`` or ``SHOULD`` for these keywords
    and their negations, ``SHOULD`` for RECOMMENDED, and otherwise ``DEFINITION``.
    """
    if clause.ours:
        return Level.OUR_DEFINITION
    return _OF_CLAUSES.get(clause.level, Level.DEFINITION)


def most_binding(clauses: tuple[str, ...]) -> Level:
    """Return the most binding level among clauses, given by id; ``DEFINITION`` if no id is known.

    The order is ``MUST``, ``SHOULD``, ``DEFINITION`` (a text without a keyword), ``OUR_DEFINITION`` (no text).
    """
    known = known_clauses()
    levels = [level_of_clause(known[name]) for name in clauses if name in known]
    order = list(Level)
    return min(levels, key=order.index, default=Level.DEFINITION)


def at_most(clauses: tuple[str, ...]) -> Level:
    """Return the level of a failure with an unknown cause that may violate any of these rules.

    The result is an upper bound, such as "at most SHOULD", from the most binding rule. If all rules are definitions of
    this project, the result is ``OUR_DEFINITION``. ``clauses``: ids of the rules.
    """
    return _AT_MOST.get(most_binding(clauses), Level.OUR_DEFINITION)


def rule_parts(clause: Clause) -> tuple[str, str, str]:
    """Return a rule for a report: its id, its text, and its level with its source."""
    return f"[{clause.id}] ", " ".join(clause.text.split()), f" ({level_of_clause(clause).value}; {clause.source})"
