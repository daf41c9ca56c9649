"""Adapter of the model with mutants, window only: ``mutant_adapter.py ALGORITHM CLAIMED PROFILE [MUTANT ...]``."""

import json
import sys
from typing import Any

from diagnosis_support import candidate
from firstflight.errors import DomainError
from firstflight_conformance.format.wire import encode_int, event_from_json
from firstflight_conformance.replay.answers import CRASHES
from firstflight_conformance.replay.measure import config_from_json
from firstflight_conformance.replay.variant import Variant

ALGORITHM, CLAIMED, PROFILE, *MUTANTS = sys.argv[1:]
variant = Variant(candidate(*MUTANTS) if MUTANTS else None)
state: Any = None


def answer(message: dict[str, Any]) -> dict[str, Any]:
    global state
    match message["op"]:
        case "hello":
            names = {"protocol": 1, "name": "mutant", "version": "1", "algorithms": {ALGORITHM: CLAIMED.split(",")}}
            return {"op": "hello", **names, "observables": ["cwnd_bytes"]}
        case "start":
            if message["algorithm"] != ALGORITHM:
                return {"op": "unsupported", "reason": "another algorithm"}
            profile = message["profile"] if PROFILE == "-" else PROFILE
            state = variant.create(ALGORITHM, profile, config_from_json(message["config"]))
            return {"op": "started"}
        case "event":
            observation = variant.advance(state, event_from_json(message["event"]))
            return {"op": "observed", "i": message["i"], "cwnd_bytes": encode_int(observation.cwnd_bytes)}
        case _:
            return {"op": "ended"}


for line in sys.stdin:
    try:
        reply = answer(json.loads(line))
    except (DomainError, *CRASHES) as error:
        reply = {"op": "unsupported", "reason": repr(error)}
    print(json.dumps(reply), flush=True)
