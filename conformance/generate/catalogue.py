"""Hand-built stimuli and the expectations of their authors."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from firstflight import Config
from firstflight_conformance.format.builder import StreamBuilder
from firstflight_conformance.format.oracle import Expectation
from firstflight_conformance.replay.stimulus import Stimulus


class Catalogue:
    """Hand-built stimuli; each is a function that fills a :class:`StreamBuilder`."""

    def __init__(self, *profiles: str, sources: tuple[str, ...], builder: type[Any] = StreamBuilder) -> None:
        """Set the default profiles and sources of the stimuli, and the class that builds streams."""
        self.builder = builder
        self.profiles, self.sources = profiles, sources
        self.stimuli: list[Stimulus] = []

    def add(
        self,
        stimulus_id: str,
        title: str,
        why: str,
        *,
        tier: str = "gold",
        profiles: tuple[str, ...] = (),
        sources: tuple[str, ...] = (),
        flags: tuple[str, ...] = (),
        max_datagram_size_bytes: int = 1200,
        initial_window_bytes: int | None = 12000,
        alternatives: tuple[dict[str, str], ...] = (),
        builder: type[Any] | None = None,
    ) -> Callable[[Callable[[Any], None]], Callable[[Any], None]]:
        """Register the decorated function as a stimulus. ``builder``: overrides the one of the catalogue."""
        make = builder or self.builder

        def register(fill: Callable[[Any], None]) -> Callable[[Any], None]:
            stream = make(max_datagram_size_bytes, initial_window_bytes)
            fill(stream)
            source = {"kind": "hand", "sources": [*(sources or self.sources)]}
            config = Config(max_datagram_size_bytes, initial_window_bytes)
            text = " ".join(why.split())
            self.stimuli.append(
                Stimulus(
                    stimulus_id, title, text, tier, profiles or self.profiles, source, config, tuple(stream.events),
                    flags, alternatives, _resolved(stimulus_id, stream.expectations, profiles or self.profiles),
                )
            )  # fmt: skip
            return fill

        return register


def _resolved(stimulus_id: str, expectations: list[Expectation], profiles: tuple[str, ...]) -> tuple[Expectation, ...]:
    """Return the expectations with explicit profiles. Raise ``ValueError`` for a profile outside the stimulus."""
    for expectation in expectations:
        if unknown := set(expectation.profiles or ()) - set(profiles):
            raise ValueError(f"{stimulus_id}: expectation for unlisted {', '.join(sorted(unknown))}")
    return tuple(replace(entry, profiles=entry.profiles or profiles) for entry in expectations)
