"""Reads the flat form of one profile, drives a controller with it and reports the first difference. To be copied.

Strict: a line whose members are not exactly those of pages/flat-format.md is refused.
"""

import json

RULES = ["tier", "level", "clauses", "ours", "title", "why"]
PROFILE = ["line", "format", "version", "algorithm", "profile", "observables", "state", "cases"]
CASE = [
    "line", "case", "max_datagram_size_bytes", "initial_window_bytes", "events", "granularity", "bits", "flags", *RULES,
]  # fmt: skip
RTTS = ["latest_rtt_ns", "min_rtt_ns", "smoothed_rtt_ns", "ack_delay_ns"]
SAVED = ["saved_cwnd_bytes", "saved_rtt_ns", "endpoint_matches", "in_use", "expires_t_ns", "max_jump_bytes"]
EVENTS = {
    "sent": ["packets", "bytes", "bytes_in_flight", "app_limited", "retransmits"],
    "ack": ["packets", "bytes", "bytes_in_flight", "next_packet", "app_limited", *RTTS, "oldest_unacked_packet"],
    "lost": ["packets", "bytes", "bytes_in_flight", "next_packet"],
    "ce": ["packet", "sent_t_ns", "ce_count"],
    "backlog": ["queued_bytes", "receive_window_bytes", "latest_rtt_ns"],
    "saved_path": [*SAVED, "beta_numerator", "beta_denominator"],
    **dict.fromkeys(("persistent_congestion", "pto", "path_change", "spurious_loss", "idle_restart"), ()),
}
EXPECT = ["cwnd_bytes", "ssthresh_bytes", "phase", "outcome", "next_release_ns", "trigger", "state"]


def read_line(text, names):
    """Return the members of a line. Raise ``ValueError`` if they are not those named."""

    def members(pairs):
        found = dict(pairs)
        if len(found) < len(pairs):
            raise ValueError(f"a member is there twice: {text[:80]}")
        return found

    line = json.loads(text, object_pairs_hook=members)
    if list(line) != list(names):
        raise ValueError(f"members {set(line) ^ set(names)} unknown, missing or out of order: {text[:80]}")
    return line


def read_event(text):
    """Return an event, with what is expected after it."""
    kind = text.split('"ev":"', 1)[-1].split('"', 1)[0]
    if kind not in EVENTS:
        raise ValueError(f"unknown event: {text[:80]}")
    event = read_line(text, ["line", "i", "ev", "t_ns", *EVENTS[kind], "expect", "allowed"])
    if list(event["expect"]) != EXPECT:
        raise ValueError(f"unknown, missing or disordered in expect: {list(event['expect'])}")
    return event


def cases(path):
    """Yield each case of a file with its events."""
    with open(path, encoding="utf-8") as file:
        header = read_line(next(file), PROFILE)
        if header["format"] != 1:
            raise ValueError(f"format {header['format']}")
        count = 0
        for text in file:
            case = read_line(text, CASE)
            yield case, [read_event(next(file)) for _ in range(case["events"])]
            count += 1
        if count != header["cases"]:
            raise ValueError(f"{count} cases instead of {header['cases']}")


def first_difference(case, events, controller):
    """Return where a controller departs from a case, ``None`` if it does not.

    ``controller(event)`` returns those observables that are to be compared, by name.
    """
    for event in events:
        for name, observed in controller(event).items():
            expected = event["expect"][name]
            if observed != expected and observed not in event["allowed"].get(name, ()):
                place = f"{case['case']}, event {event['i']} ({event['ev']} at {event['t_ns']} ns)"
                return f"{place}: {name}: expected {expected}, observed {observed}"
    return None
