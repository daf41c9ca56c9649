"""The model, on events as JSON."""

from typing import Any

import firstflight
from firstflight_conformance.format.wire import event_from_json, observation_to_json


class Model:
    """A controller of the model."""

    def __init__(self, start: dict[str, Any]) -> None:
        config = firstflight.Config(**start["config"])
        self.controller = firstflight.create(start["algorithm"], start["profile"], config)

    def observe(self, event: dict[str, Any]) -> dict[str, Any]:
        """Process an event; return the observables."""
        return observation_to_json(firstflight.advance(self.controller, event_from_json(event)))
