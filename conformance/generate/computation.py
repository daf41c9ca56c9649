"""Vectors of computations, written from a catalogue of inputs and the answers of the model."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from firstflight_conformance.format.computations import INPUTS, answer
from firstflight_conformance.format.wire import decode_int, encode_int
from firstflight_conformance.replay.measure import clauses_of_computation
from generate import catalogues


def worked(psi: int, gamma_ns: int, numerator: int = 0, denominator: int = 1) -> dict[str, Any]:
    """Return the hand-computed outputs of a transfer time: psi, and Gamma in whole ns plus a fraction."""
    return {"psi": psi, "gamma_ns": gamma_ns, "gamma": gamma_ns + Fraction(numerator, denominator)}


@dataclass(frozen=True, slots=True)
class Question:
    """Inputs with a title and a reason. ``expect``: hand-computed values, by profile and output."""

    id: str
    title: str
    why: str
    tier: str
    sources: tuple[str, ...]
    inputs: dict[str, int]
    profiles: tuple[str, ...]
    expect: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


class Questions:
    """Collects questions of one algorithm; ``defaults`` are the values of inputs that a question omits."""

    def __init__(self, algorithm: str, defaults: dict[str, int]) -> None:
        """Set the algorithm and the defaults."""
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
        expect: Mapping[str, Any] | None = None,
        **inputs: int,
    ) -> None:
        """Add a question: what do the profiles answer to these inputs?"""
        self.add(name, title, why, profiles, sources, inputs, expect, tier)

    def add(
        self,
        name: str,
        title: str,
        why: str,
        profiles: tuple[str, ...],
        sources: tuple[str, ...],
        inputs: dict[str, int],
        expect: Mapping[str, Any] | None,
        tier: str = "gold",
    ) -> None:
        """Add a question with a table of inputs. Raise ``ValueError`` for an input that no profile uses.

        ``expect``: hand-computed outputs for every profile, or a table by profile; required for gold questions.
        """
        if expect is None and tier == "gold":
            raise ValueError(f"{name}: a gold question states what was worked out")
        values = self.defaults | inputs
        used = [key for key in values if any(key in INPUTS[profile] for profile in profiles)]
        if unused := set(inputs) - set(used):
            raise ValueError(f"{name}: no profile takes {', '.join(sorted(unused))}")
        used_inputs = {key: values[key] for key in used}
        text = " ".join(why.split())
        stated = {} if expect is None else {profile: expect.get(profile, expect) for profile in profiles}
        question = Question(f"{self.algorithm}.{name}", title, text, tier, sources, used_inputs, profiles, stated)
        self.questions.append(question)


def _wrong(expect: Mapping[str, Any], answered: Mapping[str, Any]) -> list[str]:
    """Return a phrase for each output that differs from the hand-computed value."""
    computed = {name: _plain(value) for name, value in answered.items()}
    return [
        f"{name} is {computed.get(name, 'no such output')} in the model, worked out was {value}"
        for name, value in expect.items()
        if computed.get(name) != value
    ]


def _plain(value: Any) -> object:
    if isinstance(value, list):
        return Fraction(int(value[0]), int(value[1]))
    return decode_int(value) if isinstance(value, str) and value.isdigit() else value


def to_json(question: Question) -> dict[str, Any]:
    """Return the vector: the question with the answers of the model in each profile.

    Raise ``ValueError`` if the model disagrees with the hand-computed values.
    """
    profiles = {}
    for profile in question.profiles:
        inputs = {name: question.inputs[name] for name in INPUTS[profile]}
        answered = answer(profile, inputs)
        if wrong := _wrong(question.expect.get(profile, {}), answered):
            raise ValueError(f"{question.id}@{profile}: {'; '.join(wrong)}")
        profiles[profile] = {"clauses": list(clauses_of_computation(profile, inputs)), "expect": answered}
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
    """Return the canonical JSON text of a computation."""
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
    """Return the text of every computation by its path below ``vectors/``. Raise ``ValueError`` for a duplicate id."""
    questions = [question for catalogue in catalogues.members("QUESTIONS") for question in catalogue.questions]
    files: dict[str, str] = {}
    for question in sorted(questions, key=lambda question: question.id):
        algorithm, rest = question.id.split(".", 1)
        if f"{algorithm}/{rest}.json" in files:
            raise ValueError(f"{question.id}: duplicate id")
        files[f"{algorithm}/{rest}.json"] = text(to_json(question))
    return files
