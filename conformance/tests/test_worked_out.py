"""Each question of the transfer-time models has an answer worked out by hand."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from generate.computation import Questions, to_json
from stimuli.transfer_time import slow_start, startups


@pytest.mark.parametrize(
    "changed",
    [{"psi": 1}, {"gamma_ns": 829}, {"gamma": 828 + Fraction(131, 181)}, {"code": 7}, {"error": "domain"}],
    ids=str,
)
def test_a_wrong_answer_of_a_computation_stops_the_generator(changed: dict[str, Any]) -> None:
    question = next(
        question for question in slow_start.QUESTIONS.questions if question.id == "transfer-time.slow-start.size-one"
    )
    to_json(question)
    with pytest.raises(ValueError, match=f"slow-start: {next(iter(changed))} is"):
        to_json(replace(question, expect={"slow-start": changed}))


def test_swapped_answers_of_two_profiles_are_refused() -> None:
    question = next(
        question for question in startups.QUESTIONS.questions if question.id.endswith("more-start.any-rate")
    )
    swapped = {"more-start": question.expect["quick-start"], "quick-start": question.expect["more-start"]}
    with pytest.raises(ValueError, match="@more-start: error is no such output in the model, worked out was domain"):
        to_json(replace(question, expect=swapped))


def test_a_gold_question_must_state_its_answer() -> None:
    questions = Questions("transfer-time", startups.QUESTIONS.defaults)
    with pytest.raises(ValueError, match="a gold question states what was worked out"):
        questions.ask("none", "title", "why", "slow-start", sources=())
