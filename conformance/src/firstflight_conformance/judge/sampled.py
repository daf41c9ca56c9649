"""Report of a socket that was sampled over time. It contains no profile, since a sample sums up many ACKs."""

from collections.abc import Iterator
from typing import Any

from firstflight_conformance.judge import did as doing
from firstflight_conformance.judge.did import Did
from firstflight_conformance.logs.capture.sockets import Sampled

REASON = "samples of a socket name no profile: trace a row per ACK (trace-cmd record -e tcp:tcp_probe), or capture at the sender"


def _did(sampled: Sampled) -> Did:
    """Return the sender's behaviour, as far as the samples show it."""
    first, exit_sample = sampled.first, sampled.left
    exit_bytes, evidence = None, "none"
    if exit_sample is not None and exit_sample.ssthresh is not None:
        evidence = "loss" if exit_sample.marks else "threshold"
        before = sampled.samples[: sampled.samples.index(exit_sample)]
        exit_bytes = exit_sample.mss_bytes * (
            max(sample.cwnd for sample in before) if exit_sample.marks else exit_sample.ssthresh
        )
    t_ns = None
    if exit_sample is not None and exit_sample.t_ns is not None and sampled.samples[0].t_ns is not None:
        t_ns = exit_sample.t_ns - sampled.samples[0].t_ns
    return Did(
        None if first is None else first.cwnd * first.mss_bytes, sampled.samples[0].mss_bytes, None, None, t_ns, exit_bytes, None,
        evidence, None, 0, 0,
    )  # fmt: skip


def to_json(sampled: Sampled) -> dict[str, Any]:
    """Return the report on a sampled socket as JSON, with the members of a judged connection.

    A sampled socket is a series of samples of cwnd, ssthresh and other values that the kernel reports for a socket.
    """
    return {
        "did": doing.to_json(_did(sampled)), "refuted": [], "may_be": [], "none_of_ours": False, "explained_with": [], "undecided": REASON,
        "agreement": None, "notes": list(sampled.notes), "path": None, "why": [],
    }  # fmt: skip


def lines(sampled: Sampled) -> Iterator[str]:
    """Yield the lines of the text report on a sampled socket.

    ``sampled``: states of one socket (cwnd, ssthresh, acknowledged bytes) at several times, read from repeated output
    of ``ss``.
    """
    did, size = _did(sampled), sampled.samples[0].mss_bytes
    control = "" if sampled.control is None else f", {sampled.control}"
    yield f"{len(sampled.samples)} samples of the socket {sampled.addresses}{control}"
    yield from sampled.notes
    if sampled.others:
        yield f"note: {sampled.others} more sockets are in the file; the one that acknowledges most is reported"
    if sampled.first is not None:
        yield f"initial window: {did.initial_window_bytes} bytes, {sampled.first.cwnd} datagrams of {size}"
    else:
        yield "initial window: not shown, as data was acknowledged before the first sample"
    yield from _exit_lines(sampled, did)
    yield f"not decided: {REASON}"


def _exit_lines(sampled: Sampled, did: Did) -> Iterator[str]:
    exit_sample = sampled.left
    if exit_sample is None:
        yield "exit of slow start: not shown"
        return
    when = ""
    if did.t_ns is not None:
        before = sampled.samples[sampled.samples.index(exit_sample) - 1]
        since_ns = (before.t_ns or 0) - (sampled.samples[0].t_ns or 0)
        when = f" between {since_ns / 1e6:.1f} and {did.t_ns / 1e6:.1f} ms after the first sample"
    if exit_sample.marks:
        yield f"slow start is left{when}: by a loss or congestion mark, at {did.window_bytes} bytes or more"
        return
    yield f"slow start is left{when}: without a loss, by its threshold (ssthresh)"
    yield f"there the window had {did.window_bytes} bytes, {exit_sample.ssthresh} datagrams of {exit_sample.mss_bytes}"
