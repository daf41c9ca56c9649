"""The input of all vectors: for an adapter as lines of the protocol, for a plain header as lines of its driver."""

from firstflight_conformance.adapters import messages
from firstflight_conformance.adapters.compute import ComputationScript
from firstflight_conformance.adapters.script import Script, Stream
from firstflight_conformance.beside import reach
from firstflight_conformance.format import computations, vectors
from firstflight_conformance.replay.measure import config_from_json

reach("plain")
from plain.headers import HEADERS, begin_line, event_line  # noqa: E402
from plain.judge import cases_of, programs  # noqa: E402


def of_adapter() -> bytes:
    """Return the messages of all cases, concatenated."""
    lines = [messages.encode(messages.HELLO)]
    for vector in vectors.load_all():
        stream = Stream(vector)
        for case in vectors.cases([vector]):
            script = Script(case, stream)
            lines += [messages.encode(script.start), script.lines]
    lines += [messages.encode(ComputationScript(case).message) for case in computations.cases(computations.load_all())]
    return b"".join(lines)


def of_headers() -> dict[str, bytes]:
    """Return the driver input of each plain header: the cases of its profile."""
    every_case = list(vectors.cases(vectors.load_all()))
    asked = {}
    for name in HEADERS:
        lines = []
        for case in cases_of(programs()[name], every_case):
            config = config_from_json(case.vector.config)
            lines += [begin_line(config.max_datagram_size_bytes, config.initial_window_bytes)]
            lines += [event_line(event) for event in case.events]
        asked[name] = "".join(f"{line}\n" for line in lines).encode()
    return asked
