"""NewReno that detects by itself whether the window is used. ``works_out.py RULE``: a rule of :data:`RULES`."""

import sys

import base
from newreno import Message, NewReno

#: Rules by name: whether an ACK is application-limited, from the controller and the last acknowledged packet.
RULES = {
    "half-at-sending": lambda s, last: last > s.used_to,
    "last-send": lambda s, _: s.ended,
    "always": lambda _s, _last: True,
    "never": lambda _s, _last: False,
}


class WorksOut(NewReno):
    """A packet uses the window if half of it was in flight then. ``ended``: the last send exhausted the data."""

    used_to, ended = -1, False

    def on_sent(self, event: Message) -> str:
        if 2 * int(event["bytes_in_flight"]) >= self.cwnd:
            self.used_to = event["packets"][-1][1]
        self.ended = event["app_limited"]
        return super().on_sent(event)

    def on_ack(self, event: Message) -> str:
        limited = RULES[sys.argv[1]](self, event["packets"][-1][1])
        return super().on_ack(event | {"app_limited": limited})


base.controller_of = lambda start: WorksOut(start["config"])
base.serve(hello=base.HELLO | {"works_out": ["app_limited"], "observables": ["cwnd_bytes"]})
