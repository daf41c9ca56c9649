"""Builders of streams by algorithm, for stimuli of several algorithms."""

from firstflight.controller import ALGORITHMS
from firstflight_conformance.format.builder import StreamBuilder
from stimuli.bbr.sender import Sampled
from stimuli.careful_resume.builder import ResumeBuilder

#: Algorithms whose streams need more than packets.
_BUILDERS: dict[str, type[StreamBuilder]] = {
    "bbr": Sampled,
    "careful-resume": ResumeBuilder,
    "tcb-sharing": ResumeBuilder,
}


def builder_of(algorithm: str) -> type[StreamBuilder]:
    """Return the builder of an algorithm's streams."""
    return _BUILDERS.get(algorithm, StreamBuilder)


def profiles_of(algorithm: str) -> tuple[str, ...]:
    """Return all profiles of an algorithm on its own base."""
    return tuple(ALGORITHMS[algorithm].profiles)
