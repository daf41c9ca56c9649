"""Write the broken files, each with one change from `right.ndjson`, and `verdicts.tsv` here: python3 make.py"""

from pathlib import Path

HERE = Path(__file__).parent
RIGHT = (HERE / "right.ndjson").read_bytes()
FORMAT_1 = (HERE / "format-1.ndjson").read_bytes()
LINES = RIGHT.splitlines(keepends=True)
#: The lines of `right.ndjson`: the header; a case of two events; a case of three.
HEADER, FIRST, SENT, ACK, SECOND, _, LOST, CE = range(8)
DEEP = 100_000


def changed(line: int, old: str, new: str) -> bytes:
    """Replace a text that occurs once in a line."""
    text = LINES[line]
    assert text.count(old.encode()) == 1, (old, text)
    return b"".join([*LINES[:line], text.replace(old.encode(), new.encode()), *LINES[line + 1 :]])


def before(line: int, more: bytes) -> bytes:
    """Insert text before a line; the number of lines appends it."""
    return b"".join([*LINES[:line], more, *LINES[line:]])


END = len(LINES)
CWND = '"cwnd_bytes":12000,"ssthresh_bytes":null'
RUNS = '"packets":[[0,9,1200,1000000000]]'

STRUCTURE = {
    "empty": b"",
    "only-a-newline": b"\n",
    "cut-after-the-header": LINES[HEADER],
    "cut-in-a-line": RIGHT[:-200],
    "cut-between-cases": b"".join(LINES[:SECOND]),
    "cut-between-events": b"".join(LINES[:-1]),
    "cut-before-the-last-newline": RIGHT[:-1],
    "cases-one-more": changed(HEADER, '"cases":2', '"cases":3'),
    "cases-one-less": changed(HEADER, '"cases":2', '"cases":1'),
    "cases-none-said": changed(HEADER, '"cases":2', '"cases":0'),
    "cases-none-there": LINES[HEADER].replace(b'"cases":2', b'"cases":0'),
    "events-one-more": changed(FIRST, '"events":2', '"events":3'),
    "events-one-less": changed(FIRST, '"events":2', '"events":1'),
    "events-none-said": changed(FIRST, '"events":2', '"events":0'),
    "garbage-at-the-end": before(END, b"garbage\n"),
    "a-case-at-the-end": before(END, LINES[FIRST]),
    "an-event-at-the-end": before(END, LINES[ACK]),
    "an-empty-line-at-the-end": before(END, b"\n"),
    "an-empty-line-between": before(SECOND, b"\n"),
    "a-comment": before(SECOND, b"// the second case\n"),
    "no-header": b"".join(LINES[FIRST:]),
    "two-headers": before(FIRST, LINES[HEADER]),
    "another-format": changed(HEADER, '"format":2', '"format":3'),
    "format-1-of-format-2": changed(HEADER, '"format":2', '"format":1'),
    "format-1-with-pmtu-probe": FORMAT_1.replace(b'"retransmits":[],', b'"retransmits":[],"pmtu_probe":false,'),
    "format-as-text": changed(HEADER, '"format":2', '"format":"2"'),
    "kind-of-the-header": changed(HEADER, '"line":"profile"', '"line":"case"'),
    "kind-of-a-case": changed(FIRST, '"line":"case"', '"line":"event"'),
    "kind-of-an-event": changed(SENT, '"line":"event"', '"line":"case"'),
    "events-counted-from-one": changed(SENT, '"i":0', '"i":1'),
    "an-event-counted-twice": changed(ACK, '"i":1', '"i":0'),
}
MEMBERS = {
    "unknown-in-an-event": changed(SENT, '"t_ns":', '"news":1,"t_ns":'),
    "unknown-in-expect": changed(SENT, '"phase":', '"news":1,"phase":'),
    "unknown-in-a-case": changed(FIRST, '"tier":', '"news":1,"tier":'),
    "missing-in-an-event": changed(ACK, '"app_limited":false,', ""),
    "missing-in-expect": changed(SENT, '"cwnd_bytes":12000,', ""),
    "missing-in-a-case": changed(FIRST, '"tier":"gold",', ""),
    "disorder-in-an-event": changed(
        SENT, '"bytes":12000,"bytes_in_flight":12000', '"bytes_in_flight":12000,"bytes":12000'
    ),
    "disorder-in-expect": changed(SENT, CWND, '"ssthresh_bytes":null,"cwnd_bytes":12000'),
    "twice-in-an-event": changed(ACK, '"next_packet":10', '"next_packet":10,"next_packet":10'),
    "twice-in-expect": changed(SENT, CWND, f'"cwnd_bytes":1,{CWND}'),
    "twice-in-state": changed(
        SENT, '"recovery_start_ns":null', '"recovery_start_ns":null,"recovery_start_ns":null'
    ),
    "twice-in-allowed": changed(CE, '{"cwnd_bytes":[6000,7200]', '{"cwnd_bytes":[6000,7200],"cwnd_bytes":[6000,7200]'),
    "twice-in-clauses": changed(FIRST, '"slow-start.sent":null', '"slow-start.sent":null,"slow-start.sent":null'),
    "unknown-in-a-way": changed(LOST, '{"way":1,"cwnd_bytes"', '{"way":1,"window_bytes"'),
    "missing-in-a-way": changed(LOST, '"way":1,', ""),
    "twice-in-a-way": changed(LOST, '{"way":1,', '{"way":1,"cwnd_bytes":7200,'),
    "nothing-in-a-way": changed(SENT, '"ways":[]', '"ways":[{"way":1}]'),
    "missing-pmtu-probe": changed(SENT, '"pmtu_probe":false,', ""),
    "missing-ways": changed(SENT, ',"ways":[]', ""),
    "unknown-in-state": changed(SENT, '"recovery_start_ns":', '"recovery_end_ns":'),
    "unknown-in-allowed": changed(CE, '{"cwnd_bytes":[6000,7200]', '{"window_bytes":[6000,7200]'),
    "name-in-capitals": changed(SENT, CWND, CWND.replace("cwnd_bytes", "CWND_BYTES")),
    "two-objects-on-a-line": b"".join([*LINES[:ACK], LINES[ACK].strip() + LINES[ACK], *LINES[SECOND:]]),
    "unknown-event": changed(ACK, '"ev":"ack"', '"ev":"acked"'),
    "event-null": changed(ACK, '"ev":"ack"', '"ev":null'),
}  # fmt: skip
VALUES = {
    "number-with-a-point": changed(SENT, CWND, CWND.replace("12000", "12000.0")),
    "number-with-an-exponent": changed(SENT, CWND, CWND.replace("12000", "12e3")),
    "number-below-zero": changed(SENT, CWND, CWND.replace("12000", "-12000")),
    "number-with-a-leading-zero": changed(SENT, CWND, CWND.replace("12000", "012000")),
    "number-2-to-the-64": changed(SENT, CWND, CWND.replace("12000", str(2**64))),
    "number-that-wraps": changed(SENT, CWND, CWND.replace("12000", str(2**64 + 12000))),
    "number-as-text": changed(SENT, CWND, CWND.replace("12000", '"12000"')),
    "number-as-null": changed(SENT, CWND, CWND.replace("12000", "null")),
    "threshold-as-false": changed(SENT, CWND, CWND.replace("null", "false")),
    "truth-as-null": changed(ACK, '"app_limited":false', '"app_limited":null'),
    "truth-as-number": changed(ACK, '"app_limited":false', '"app_limited":0'),
    "text-as-null": changed(FIRST, '"granularity":"ms"', '"granularity":null'),
    "run-of-three": changed(SENT, RUNS, '"packets":[[0,9,1200]]'),
    "run-of-five": changed(SENT, RUNS, '"packets":[[0,9,1200,1000000000,0]]'),
    "run-with-null": changed(SENT, RUNS, '"packets":[[0,9,null,1000000000]]'),
    "run-of-texts": changed(SENT, RUNS, '"packets":[["0","9","1200","1000000000"]]'),
    "runs-null": changed(SENT, RUNS, '"packets":null'),
    "runs-none": changed(SENT, RUNS, '"packets":[]'),
    "runs-as-object": changed(SENT, RUNS, '"packets":{}'),
    "way-as-text": changed(LOST, '{"way":1', '{"way":"1"'),
    "interval-of-three": changed(LOST, "[4000,6000]", "[4000,6000,8000]"),
    "interval-of-null": changed(LOST, "[4000,6000]", "[null,6000]"),
    "truth-in-a-way": changed(LOST, '"cwnd_bytes":7200', '"cwnd_bytes":true'),
}
SYNTAX = {
    "comma-at-the-end": changed(SENT, '"ways":[]}', '"ways":[],}'),
    "single-quotes": changed(SENT, '"ev":"sent"', "'ev':'sent'"),
    "a-blank": changed(SENT, '"ev":"sent"', '"ev": "sent"'),
    "crlf": RIGHT.replace(b"\n", b"\r\n"),
    "byte-order-mark": b"\xef\xbb\xbf" + RIGHT,
    "nul": changed(FIRST, '"title":"', '"title":"\0'),
    "tabulator-in-a-text": changed(FIRST, '"title":"', '"title":"\t'),
    "escape-of-a-newline": changed(FIRST, '"title":"', '"title":"\\n'),
    "escape-of-a-code-point": changed(FIRST, '"title":"', '"title":"\\u0041'),
    "no-utf-8": RIGHT.replace(b"\xc2\xa7", b"\xa7"),
    "utf-8-too-long": RIGHT.replace(b"\xc2\xa7", b"\xc0\xa7"),
    "utf-8-of-a-surrogate": RIGHT.replace(b"\xc2\xa7", b"\xed\xa0\x80"),
    "deep-lists": before(FIRST, b"[" * DEEP + b"]" * DEEP + b"\n"),
    "deep-objects": before(FIRST, b'{"a":' * DEEP + b"1" + b"}" * DEEP + b"\n"),
    "deep-in-a-member": changed(SENT, '"recovery_start_ns":null', f'"recovery_start_ns":{"[" * DEEP}{"]" * DEEP}'),
}
#: The second case with the answers of the toy as way 1.
ANOTHER_WAY = changed(
    LOST, '"expect":{"cwnd_bytes":6000,"ssthresh_bytes":6000', '"expect":{"cwnd_bytes":7200,"ssthresh_bytes":7200'
).replace(b'{"way":1,"cwnd_bytes":7200,"ssthresh_bytes":7200}', b'{"way":1,"cwnd_bytes":6000,"ssthresh_bytes":6000}')
ACCEPTED = {
    "right": ("agrees", RIGHT),
    "a-long-id": ("agrees", changed(FIRST, '"case":"broken.first@', f'"case":"broken.{"first-" * 50}@')),
    "text-like-a-number": ("agrees", changed(FIRST, '"title":"', '"title":"#12000')),
    "numbers-of-64-bits": ("agrees", changed(CE, '"ce_count":1', f'"ce_count":{2**64 - 2}')),
    "format-1": ("agrees", FORMAT_1),
    "another-way": ("agrees", ANOTHER_WAY),
    "another-way-and-more": ("open", ANOTHER_WAY.replace(b'"cwnd_bytes":[6000,7200],', b"")),
    "within-an-interval": ("open", changed(LOST, '"expect":{"cwnd_bytes":6000', '"expect":{"cwnd_bytes":5000')),
    "outside-of-an-interval": (
        "differs",
        changed(LOST, '"expect":{"cwnd_bytes":6000', '"expect":{"cwnd_bytes":3900').replace(
            b"[4000,6000]", b"[3900,5999]"
        ),
    ),
    "a-wrong-phase": ("differs", changed(ACK, '"phase":"slow_start"', '"phase":"recovery"')),
    "a-wrong-state": ("differs", changed(ACK, '"recovery_start_ns":null', '"recovery_start_ns":1')),
    "a-wrong-value": ("differs", changed(ACK, '"cwnd_bytes":14400', '"cwnd_bytes":14401')),
}


def files() -> dict[str, tuple[str, bytes]]:
    """Return the verdict and the bytes of each file, by name."""
    refused = {name: ("refused", content) for name, content in (STRUCTURE | MEMBERS | VALUES | SYNTAX).items()}
    return {f"{name}.ndjson": file for name, file in (refused | ACCEPTED).items()}


def verdicts() -> str:
    return "".join(f"{name}\t{verdict}\n" for name, (verdict, _) in sorted(files().items()))


if __name__ == "__main__":
    for name, (_, content) in files().items():
        (HERE / name).write_bytes(content)
    (HERE / "verdicts.tsv").write_text(verdicts(), "utf-8")
