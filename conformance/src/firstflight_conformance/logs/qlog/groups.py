"""Groups each event with the metrics that a writer logged before or after it."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from firstflight_conformance.logs.qlog.items import Discarded, Item, Lost, Metrics, Own, Parameters, Received, Sent
from firstflight_conformance.logs.qlog.prior import as_processed
from firstflight_conformance.logs.qlog.writers import Writer

#: Metrics and losses of an ACK are logged at most this long before its record.
_BEFORE_NS = 5_000_000
#: Records that may precede the record of their ACK. The ACK that confirms the handshake discards the handshake keys.
_OF_AN_ACK = (Metrics, Lost, Discarded)


@dataclass(frozen=True, slots=True)
class Order:
    """Order of records.

    ``sent_before``: metrics precede a sent packet. ``ack_before``: metrics and losses precede an ACK. ``prior``:
    metrics show the state before the ACK, and an ACK is logged at its arrival.
    """

    sent_before: bool
    ack_before: bool
    prior: bool = False

    def __str__(self) -> str:
        """Return a description: whether metrics are logged before or after sent packets, and before or after ACKs."""
        if self.prior:
            return "metrics before ACKs, without their effect"
        where = ["before" if is_before else "after" for is_before in (self.sent_before, self.ack_before)]
        return f"metrics {where[0]} sent packets, {where[1]} ACKs"


PRIOR = Order(False, False, prior=True)
ORDERS = (Order(False, False), Order(True, False), Order(False, True), Order(True, True), PRIOR)


@dataclass(slots=True)
class Group:
    """Log records of one event, such as an ACK or packets sent at one time, and the metrics after it."""

    items: list[Item]
    metrics: dict[str, Any] = field(default_factory=dict)
    members: dict[str, Any] = field(default_factory=dict)

    @property
    def t_ns(self) -> int:
        """The time of the event in ns: the time of its first record."""
        return self.items[0].t_ns


def groups_of(items: Iterable[Item], order: Order, writer: Writer) -> list[Group]:
    """Return one group for each event, in the order of processing: the records of the event, with its metrics.

    ``order``: whether the log has the metrics and losses of a packet or ACK before or after its record. Records logged
    before it are moved after it. ``writer``: the software that wrote the log, with its deviations from this order.
    """
    groups: list[Group] = []
    ordered = arranged(items, order)
    for item in losses_first(ordered) if writer.losses_first else ordered:
        if isinstance(item, Metrics):
            if groups:
                groups[-1].metrics |= item.values
        elif isinstance(item, Own) and "ev" not in item.raw:
            if groups:
                groups[-1].members |= item.raw
        elif isinstance(item, Parameters) or (isinstance(item, Received) and not (item.ranges or item.confirms)):
            continue  # quinn's metrics of an ACK come after all packets of its datagram
        elif groups and _continues(groups[-1], item, writer):
            groups[-1].items.append(item)
        else:
            groups.append(Group([item]))
    return groups


def _continues(group: Group, item: Item, writer: Writer) -> bool:
    """Return whether the record ``item`` belongs to the event of ``group``.

    An event contains packets sent at one time, or packets lost within 5 ms, without metrics between their records.
    Exception: some writers log metrics between the losses of one event (``metrics_between_losses``).
    """
    last = group.items[-1]
    if isinstance(item, Sent) and isinstance(last, Sent):
        return item.t_ns == last.t_ns and item.in_flight == last.in_flight and not group.metrics
    if isinstance(item, Lost) and isinstance(last, Lost):
        at_once = item.t_ns - last.t_ns < _BEFORE_NS and item.probe == last.probe
        return at_once and (not group.metrics or writer.metrics_between_losses)
    return False


def arranged(items: Iterable[Item], order: Order) -> list[Item]:
    """Return the items of a log with metrics and losses after the record of their packet or ACK.

    ``order``: where the log has metrics and losses relative to these records.
    """
    if order.prior:
        return as_processed(list(items))
    ordered: list[Item] = []
    barrier = 0
    for item in items:
        if (
            order.sent_before
            and isinstance(item, Sent)
            and item.in_flight
            and ordered
            and isinstance(ordered[-1], Metrics)
        ):
            metrics = ordered.pop()
            ordered += [item, metrics]
        elif order.ack_before and isinstance(item, Received) and item.ranges:
            ordered.insert(_begin(ordered, barrier, item.t_ns, order), item)
            barrier = len(ordered)
        else:
            ordered.append(item)
    return ordered


def losses_first(items: list[Item]) -> list[Item]:
    """Return the items with losses moved before the ACK that revealed them, for logs in the order ACK, metrics, losses.

    The losses are moved only if at least two metrics records between the ACK and the losses contain bytes in flight.
    Metrics from the first such record, up to but not including the last, belong to the losses; the others to the ACK.
    Example: ACK, rtt, flight 1, cwnd 1, flight 2, losses becomes losses, flight 1, cwnd 1, ACK, rtt, flight 2.
    """
    ordered: list[Item] = []
    index = 0
    while index < len(items):
        first = index + 1
        lost = _run(items, first, Metrics)
        end = _run(items, lost, Lost)
        flights = [at for at in range(first, lost) if _tells_flight(items[at])]
        if isinstance(items[index], Received) and end > lost and len(flights) > 1:
            losses_start, ack_start = flights[0], flights[-1]
            ordered += [*items[lost:end], *items[losses_start:ack_start]]
            ordered += [items[index], *items[first:losses_start], *items[ack_start:lost]]
            index = end
        else:
            ordered.append(items[index])
            index = first
    return ordered


def _run(items: list[Item], begin: int, kind: type) -> int:
    """Return the end of the run of items of a kind that starts at ``begin``."""
    while begin < len(items) and isinstance(items[begin], kind):
        begin += 1
    return begin


def _tells_flight(item: Item) -> bool:
    return isinstance(item, Metrics) and "bytes_in_flight" in item.values


def _begin(items: list[Item], barrier: int, t_ns: int, order: Order) -> int:
    """Return the position in ``items`` to insert an ACK logged at ``t_ns``: before its metrics and losses.

    They were logged less than 5 ms before the ACK. Items before ``barrier`` belong to an earlier ACK. After a
    sent packet, if ``order`` has metrics after sent packets, the first metrics with bytes in flight belong to the
    packet.
    """
    begin = len(items)
    while begin > barrier and isinstance(items[begin - 1], _OF_AN_ACK) and t_ns - items[begin - 1].t_ns < _BEFORE_NS:
        begin -= 1
    before = items[begin - 1] if begin > 0 else None
    if isinstance(before, Sent) and before.in_flight and not order.sent_before:
        begin = next((at + 1 for at in range(begin, len(items)) if _tells_flight(items[at])), begin)
    return begin
