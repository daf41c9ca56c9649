"""Grammar rules that the checker counts, and the findings of one file."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from language.texts import Text, texts

_PREPOSITIONS = (
    "about|above|after|against|at|before|behind|below|between|by|during|for|from|in|into|of|on|over|through|to|under|upon|with|"
    "within|without"
)
#: Verbs of an indirect question: "check what the peer sent" is fine.
_ASKS = "ask|check|decide|deciding|determine|explain|find out|know|knew|learn|see|show|specify|understand"
#: Words that need a noun before "who".
_NO_NOUN = "and|or|but|by|to|of|for|with|from|than|on|as|is|are|if|only|those|that|not|when|where"
_COMPARISON = "longer|later|earlier|more|less|fewer|greater|larger|smaller|different"

#: A match with a first group is exempt, as is a question: a sentence, or the text of a link in a sentence.
PATTERNS = {
    "what": rf"(?:\b({_ASKS})\w*,? )?\bwhat\b",
    "preposition + which": rf"\b(?:{_PREPOSITIONS}) which\b",
    "that of, those of": r"\b(?:that|those) of\b(?! course)",
    "beside": r"\bbeside\b",
    "who without a noun": rf"\bwhoever\b|(?:^|[;:(] ?)who\b|\b(?:{_NO_NOUN}) who\b",
    "first word Of, What, Which ...": r"^\W*(?:of|what|whoever|nothing|nobody|which)\b",
    "is no, has no": rf"\b(?:is|are|has|have) no\b(?! (?:{_COMPARISON})\b)",
}
LONG = "long sentence"
CATEGORIES = (*PATTERNS, LONG)
_COMPILED = {category: re.compile(pattern, re.I) for category, pattern in PATTERNS.items()}
_END = re.compile(r"(?<!e\.g\.)(?<!i\.e\.)(?<!cf\.)(?<!vs\.)(?<=[.!?])[\"')\]*_]*\s+(?=[\"'(\[*_]*[A-Z0-9])")
_QUESTION_LINK = re.compile(r"\[[^][]*\?")
_WORD = re.compile(r"\S*\w\S*")


@dataclass(frozen=True)
class Finding:
    """A match of a category in a line of a file."""

    path: Path
    line: int
    category: str
    excerpt: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.category}: {self.excerpt}"


def words_limit(path: Path) -> int:
    """Return the number of words that a sentence of a file may have: 30 in ``spec/``, otherwise 25."""
    return 30 if path.parts[:1] == ("spec",) else 25


def read(root: Path, path: Path) -> tuple[list[int], list[Finding]]:
    """Return the line of each word, and the findings, of a file below ``root``."""
    words: list[int] = []
    findings: list[Finding] = []
    for text in texts(root / path):
        words += [text.line(match.start()) for match in _WORD.finditer(text.words)]
        findings += findings_in(path, text)
    return words, findings


def findings_in(path: Path, text: Text) -> Iterator[Finding]:
    """Yield the findings of one text of a file."""
    for start, sentence in _sentences(text.words):
        length = len(_WORD.findall(sentence))
        if length > words_limit(path):
            yield Finding(path, text.line(start), LONG, f"{length} words: {sentence[:60]}")
        if sentence.rstrip("\"')]*_ ").endswith("?"):
            continue
        questions = [match.span() for match in _QUESTION_LINK.finditer(sentence)]
        for category, pattern in _COMPILED.items():
            for match in pattern.finditer(sentence):
                in_question = any(first <= match.end() <= end for first, end in questions)
                if not in_question and (not match.re.groups or match[1] is None):
                    around = sentence[max(match.start() - 20, 0) : match.end() + 30]
                    yield Finding(path, text.line(start + match.start()), category, around)


def _sentences(text: str) -> Iterator[tuple[int, str]]:
    start = 0
    for match in _END.finditer(text):
        yield start, text[start : match.start()].rstrip()
        start = match.end()
    yield start, text[start:].rstrip()
