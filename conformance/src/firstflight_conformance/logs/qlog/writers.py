"""What the writers of qlogs do differently, as far as a log does not show it itself. Measured, or read in their sources.

Everything else is found in the log: its container, units, what its names are called, and in which order it puts what belongs together.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from firstflight_conformance.logs.qlog.values import member


@dataclass(frozen=True, slots=True)
class Writer:
    """``name``: as it stands in a log. The habits are explained where they are used.

    ``rtt_less_delay``: the RTT sample is logged less the acknowledgement delay, and its controller is given it in full.
    ``rtt_with_each_sample``: a log without one at an ACK had none there; others log what changed.
    ``metrics_between_losses``: metrics stand after each packet lost, and those after the last hold.
    ``losses_first``: the losses that an ACK reveals are processed before what it acknowledges, and logged last of all.
    ``tag_bytes``: of the authentication tag, which counts in flight, but neither in the logged size of a packet nor as acknowledged.
    ``padding_counts``: a padded packet with ACKs alone counts in flight.
    ``every_window``: every change of the window is logged at its event; a record without one says that it is what it was.
    """

    name: str
    rtt_less_delay: bool = False
    rtt_with_each_sample: bool = False
    metrics_between_losses: bool = False
    losses_first: bool = False
    every_window: bool = False
    tag_bytes: int = 0
    padding_counts: bool = True


OWN = Writer("firstflight", rtt_with_each_sample=True, every_window=True)
#: In the order in which they are looked for.
WRITERS = (
    Writer("aioquic", rtt_less_delay=True, rtt_with_each_sample=True, metrics_between_losses=True),
    Writer("quic-go"),
    Writer("quinn"),
    Writer("neqo", losses_first=True),
    Writer("ngtcp2"),
    Writer("quiche", padding_counts=False),
    Writer("s2n-quic"),
    Writer("picoquic", tag_bytes=16),
    Writer("mvfst"),
)
UNKNOWN = Writer("an unknown writer")


#: How many records are searched for members that one writer alone has.
_SEARCHED = 200


def writer_of(header: Mapping[str, Any], records: Sequence[tuple[str, Mapping[str, Any]]] = ()) -> Writer:
    """Return the writer that the header of a log names, or that its records show: a title is often the application's."""
    trace = member(header, "trace")
    if member(trace, "vantage_point").get("name") == OWN.name:
        return OWN
    text = json.dumps(header, default=str).lower()
    named = next((writer for writer in WRITERS if writer.name in text), UNKNOWN)
    if named is UNKNOWN and any(map(_of_quiche, (record for _, record in records[:_SEARCHED]))):
        return next(writer for writer in WRITERS if writer.name == "quiche")
    return named


def _of_quiche(record: Mapping[str, Any]) -> bool:
    data = record.get("data")
    return isinstance(data, dict) and any(key == "send_at_time" or key.startswith("cf_") for key in data)
