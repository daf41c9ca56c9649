"""Vectors that hold a computation: written from a catalogue of inputs and what the model answers."""

import json
from dataclasses import dataclass
from typing import Any

from firstflight_conformance.computations import INPUTS, answer, clauses_of
from firstflight_conformance.wire import encode_int


@dataclass(frozen=True, slots=True)
class Question:
    """Inputs with what a reader needs to know of them."""

    id: str
    title: str
    why: str
    tier: str
    sources: tuple[str, ...]
    inputs: dict[str, int]
    profiles: tuple[str, ...]


class Questions:
    """Collects questions of one algorithm; inputs that are not named have the given defaults."""

    def __init__(self, algorithm: str, defaults: dict[str, int]) -> None:
        """Name the algorithm and the defaults."""
        self.algorithm, self.defaults = algorithm, defaults
        self.questions: list[Question] = []

    def ask(
        self,
        name: str,
        title: str,
        why: str,
        *profiles: str,
        sources: tuple[str, ...],
        tier: str = "gold",
        **inputs: int,
    ) -> None:
        """Add a question: what do the profiles answer to these inputs?"""
        self.add(name, title, why, profiles, sources, inputs, tier)

    def add(
        self,
        name: str,
        title: str,
        why: str,
        profiles: tuple[str, ...],
        sources: tuple[str, ...],
        inputs: dict[str, int],
        tier: str = "gold",
    ) -> None:
        """Add a question whose inputs come as a table. Raise ``ValueError`` for an input that no profile takes."""
        values = self.defaults | inputs
        wanted = [key for key in values if any(key in INPUTS[profile] for profile in profiles)]
        if unused := set(inputs) - set(wanted):
            raise ValueError(f"{name}: no profile takes {', '.join(sorted(unused))}")
        taken = {key: values[key] for key in wanted}
        text = " ".join(why.split())
        self.questions.append(Question(f"{self.algorithm}.{name}", title, text, tier, sources, taken, profiles))


def to_json(question: Question) -> dict[str, Any]:
    """Return the vector: the question with what the model answers in each profile."""
    profiles = {}
    for profile in question.profiles:
        inputs = {name: question.inputs[name] for name in INPUTS[profile]}
        profiles[profile] = {"clauses": list(clauses_of(profile, inputs)), "expect": answer(profile, inputs)}
    return {
        "format": 1,
        "kind": "computation",
        "id": question.id,
        "title": question.title,
        "why": question.why,
        "algorithm": question.id.split(".", 1)[0],
        "tier": question.tier,
        "source": {"kind": "hand", "sources": list(question.sources)},
        "inputs": {name: encode_int(value) for name, value in question.inputs.items()},
        "profiles": profiles,
    }


def text(vector: dict[str, Any]) -> str:
    """Return the canonical text of a computation."""
    lines = ["{"]
    lines += [f"  {_text(key)}: {_text(value)}," for key, value in vector.items() if key != "profiles"]
    lines.append('  "profiles": {')
    for number, (name, profile) in enumerate(vector["profiles"].items(), 1):
        lines += [
            f"    {_text(name)}: {{",
            f'      "clauses": {_text(profile["clauses"])},',
            f'      "expect": {_text(profile["expect"])}',
            "    }" if number == len(vector["profiles"]) else "    },",
        ]
    return "\n".join([*lines, "  }", "}", ""])


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def all_files() -> dict[str, str]:
    """Return the content of every computation by its path below ``vectors/``. Raise ``ValueError`` if an id is there twice."""
    from firstflight_conformance.vectorgen import hand_transfer_time, hand_transfer_time_domain

    questions = [*hand_transfer_time.QUESTIONS.questions, *hand_transfer_time_domain.QUESTIONS.questions]
    files: dict[str, str] = {}
    for question in sorted(questions, key=lambda question: question.id):
        algorithm, rest = question.id.split(".", 1)
        if f"{algorithm}/{rest}.json" in files:
            raise ValueError(f"{question.id}: this id is there twice")
        files[f"{algorithm}/{rest}.json"] = text(to_json(question))
    return files
