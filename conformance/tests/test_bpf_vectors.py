"""The self-contained headers in the kernel: BPF_PROG_RUN answers every vector of their profiles, bit for bit."""

import pytest

from bpf_support import OUT, kernel, make
from every import every_case
from firstflight_conformance.replay.measure import config_from_json
from plain.headers import Header
from plain.judge import Difference, cases_of, judge_case
from studies.live.bpf.objects import objects

#: Headers with an object for the kernel.
HEADERS = sorted({bpf_object.source for bpf_object in objects()})


def test_all_headers_are_found() -> None:
    assert len(HEADERS) == 13


@pytest.mark.parametrize("name", HEADERS)
def test_kernel_answers_match_the_vectors(name: str) -> None:
    """The program in the kernel answers every judged event as the vectors expect."""
    program = OUT / "vectors" / name
    with kernel():
        make(f"OUT={OUT}", str(program))
        header = Header(name, program)
        chosen = list(cases_of(header, every_case()))
        assert len(chosen) >= 10
        header.answer((config_from_json(case.vector.config), case.events) for case in chosen)
    differences: dict[str, Difference | None] = {case.id: judge_case(header, case) for case in chosen}
    assert {case: difference for case, difference in differences.items() if difference} == {}
