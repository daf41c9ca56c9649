"""Differences between writers of qlogs that a log does not show. They were measured, or read in the sources.

Everything else is derived from the log: its container, units, names, and the order of related records.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from firstflight_conformance.logs.qlog.values import member


@dataclass(frozen=True, slots=True)
class Writer:
    """A program that writes qlogs. ``name``: as in a log. The other members describe differences of its logs.

    ``rtt_less_delay``: logs the RTT sample less the ACK delay, while the controller gets the full sample.
    ``rtt_with_each_sample``: logs the RTT of every sample; other writers log only changes.
    ``metrics_between_losses``: metrics follow each lost packet, and those after the last one are valid.
    ``losses_first``: for an ACK that reveals losses, processes the losses before the ACK, but logs them after it.
    ``tag_bytes``: bytes of the authentication tag, which count in flight, but not in the logged or acknowledged size.
    ``padding_counts``: a padded packet with ACKs alone counts in flight.
    ``every_window``: logs every change of the window at its event; without a record the window is unchanged.
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
#: In the order of the search.
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


#: Number of records that are searched for members of a single writer.
_SEARCHED = 200


def writer_of(header: Mapping[str, Any], records: Sequence[tuple[str, Mapping[str, Any]]] = ()) -> Writer:
    """Return the writer of a log: the first known writer with its name in the header.

    Otherwise return quiche if one of the first 200 records has a member that only quiche writes, else ``UNKNOWN``. The
    header often contains only the name of the application, not of the QUIC implementation.
    """
    trace = member(header, "trace")
    if member(trace, "vantage_point").get("name") == OWN.name:
        return OWN
    text = json.dumps(header, default=str).lower()
    named = next((writer for writer in WRITERS if writer.name in text), UNKNOWN)
    if named is UNKNOWN and any(map(_is_quiche_record, (record for _, record in records[:_SEARCHED]))):
        return next(writer for writer in WRITERS if writer.name == "quiche")
    return named


def _is_quiche_record(record: Mapping[str, Any]) -> bool:
    data = record.get("data")
    return isinstance(data, dict) and any(key == "send_at_time" or key.startswith("cf_") for key in data)
