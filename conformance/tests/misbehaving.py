"""Adapters that misbehave, and the expected results over three vectors; the second vector is the target."""

import json
from dataclasses import dataclass
from functools import partial

from firstflight_conformance.adapters.faults import FaultKind
from runner_support import command

#: Memory bound of the runner for each adapter, in MiB, in addition to the memory of the loaded program.
MORE_MIB = 64

PASS, ERRORED = "pass", "errored"
ONLY_TARGET = (PASS, ERRORED, PASS)
ALL = (ERRORED,) * 3
NONE = (PASS,) * 3


@dataclass(frozen=True)
class Misbehaving:
    """The action of an adapter, its command, and the expected verdicts, fault and reason.

    In the command ``{memory}`` is a file that outlives the adapter. ``at_most_s``: time bound of the run, including its
    deadline and the start of three Python processes on a busy machine.
    """

    does: str
    command: tuple[str, ...]
    verdicts: tuple[str, ...]
    fault: FaultKind | None
    reason: str = ""
    deadline_s: int = 10
    at_most_s: int = 20

    @property
    def code(self) -> int:
        """The exit code of the run."""
        return 3 if ERRORED in self.verdicts else 0


def _answers(mode: str, does: str, fault: FaultKind, reason: str) -> Misbehaving:
    return Misbehaving(f"answers {does}", command("answers", mode), ONLY_TARGET, fault, reason)


def _declares(members: dict[str, object], reason: str) -> Misbehaving:
    text = json.dumps(members)
    return Misbehaving(f"declares `{text}`", command("declares", text), ALL, FaultKind.HELLO, reason)


_not_json = partial(_answers, fault=FaultKind.NOT_JSON)
_wrong_type = partial(_answers, fault=FaultKind.WRONG_TYPE)

ANSWERS = (
    _not_json("garbage", "with text that is not JSON", reason="not JSON"),
    _not_json("not-utf8", "with bytes that are not UTF-8", reason="not UTF-8"),
    _not_json("nested", "with 50000 brackets", reason="nested too deeply"),
    _not_json("many-digits", "with a number of 5000 digits", reason="not JSON"),
    _not_json("nan", "with NaN", reason="NaN is not a JSON number"),
    _not_json("array", "with a list", reason="not a JSON object"),
    _not_json("member-twice", "with a member that is there twice", reason="duplicate member"),
    _answers("no-op", "without `op`", FaultKind.WRONG_ANSWER, "without `op`"),
    _answers("wrong-op", "with another `op`", FaultKind.WRONG_ANSWER, "event 1: answered `started`"),
    _answers("twice", "twice", FaultKind.WRONG_INDEX, "event 2: answered with the index 1"),
    _answers("wrong-index", "with another index", FaultKind.WRONG_INDEX, "event 1: answered with the index 2"),
    _answers("index-true", "with the index `true`", FaultKind.WRONG_INDEX, "event 1: answered with the index True"),
    _answers("twice-at-end", "the last event twice", FaultKind.EXTRA_ANSWER, "`observed` after the last event"),
    _answers("ended-twice", "the end twice", FaultKind.EXTRA_ANSWER, "after the case"),
    _answers("missing", "without a declared observable", FaultKind.MISSING_OBSERVABLE,
             "event 1: ssthresh_bytes is declared but missing"),
    _wrong_type("float", "with a fraction", reason="event 1: cwnd_bytes: 14400.0"),
    _wrong_type("huge", "with 2^53 as a number", reason="9007199254740992"),
    _wrong_type("huger", "with 2^64", reason="18446744073709551616"),
    _wrong_type("negative", "with a negative window", reason="-1"),
    _wrong_type("null", "with no window", reason="None"),
    _wrong_type("phase-number", "with a phase that is a number", reason="phase: 1 is not a string"),
    _wrong_type("state-list", "with a state that is a list", reason="state: [] is not an object"),
)  # fmt: skip

_process = partial(Misbehaving, verdicts=ONLY_TARGET)

PROCESSES = (
    _process("exits in a case", command("behaves", "crash"), fault=FaultKind.EXITED, reason="event 1: exited with code 3"),
    _process("aborts in a case", command("behaves", "abort"), fault=FaultKind.EXITED,
             reason="event 1: was ended by signal 6 (SIGABRT)"),
    _process("hangs in a case", command("behaves", "hang"), fault=FaultKind.TIMEOUT, reason="event 1: no answer within 5 s",
             deadline_s=5),
    _process("closes its output and stays", command("behaves", "close-output"), fault=FaultKind.EXITED,
             reason="event 1: closed its output"),
    _process("writes 100 MB", command("behaves", "flood"), fault=FaultKind.TOO_MUCH_OUTPUT, reason="of output", deadline_s=30),
    _process("writes 100 MB of lines", command("behaves", "flood-lines"), fault=FaultKind.WRONG_ANSWER, reason="without `op`",
             deadline_s=30),
    _process("writes 10 MB to its log", command("behaves", "log"), verdicts=NONE, fault=None),
    _process("leaves a child that keeps the pipes open", command("behaves", "fork", "{memory}"), verdicts=NONE, fault=None),
    _process("leaves a child behind and exits", command("behaves", "fork-and-exit", "{memory}"), fault=FaultKind.EXITED,
             reason="exited with code 5"),
    _process("says why it cannot start", command("behaves", "crash-at-start"), verdicts=ALL, fault=FaultKind.EXITED,
             reason="hello: exited with code 1; its log ends: cannot find my library"),
    _process("never says hello", command("behaves", "mute"), verdicts=ALL, fault=FaultKind.TIMEOUT, reason="hello: no answer within 1 s", deadline_s=1),
    _process("says hello one byte at a time", command("behaves", "dribble"), verdicts=ALL, fault=FaultKind.TIMEOUT,
             reason="hello: no answer within 1 s", deadline_s=1),
    _process("exits in a case and at every later start", command("behaves", "crash-again", "{memory}"),
             verdicts=(PASS, ERRORED, ERRORED), fault=FaultKind.EXITED, reason="exited with code"),
    _process("exits with 9 after the last case", command("behaves", "fail-at-end"), verdicts=(PASS, PASS, ERRORED), fault=FaultKind.EXITED,
             reason="exited with code 9"),
    _process("exits after each case", command("behaves", "exit-after-case"), verdicts=(ERRORED, ERRORED, PASS), fault=FaultKind.EXITED,
             reason="after the case"),
    _process("ignores the end of its input", command("behaves", "stubborn"), verdicts=NONE, fault=None, deadline_s=5),
)  # fmt: skip

HELLOS = (
    _declares({"protocol": 3}, "unknown protocol 3; expected 1 or 2"),
    _declares({"protocol": True}, "unknown protocol True"),
    _declares({"op": "ended"}, "answered `ended`"),
    _declares({"name": ""}, "name: must be a non-empty string"),
    _declares({"version": "absent"}, "version: must be a non-empty string"),
    _declares({"algorithms": ["slow-start"]}, "algorithms: must map each algorithm to a list of profiles"),
    _declares({"algorithms": {"slow-start": "rfc-9002"}}, "algorithms: must map each algorithm to a list of profiles"),
    _declares({"observables": "cwnd_bytes"}, "observables: must be a list"),
    _declares({"observables": ["cwnd_bytes", "mood"]}, "'mood' is not one of"),
    _declares({"observables": ["phase"]}, "must include cwnd_bytes"),
    _declares({"clock": "h"}, "clock: 'h' is not one of"),
    _declares({"clock": {}}, "clock: {} is not one of"),
    _declares({"window": "bits"}, "window: 'bits' is not one of"),
    _declares({"arithmetic": "decimal"}, "arithmetic: 'decimal' is not one of"),
    Misbehaving("claims to know every algorithm", command("declares", "{}", "claims-all"), ALL, FaultKind.PROBE, "answered `started`"),
    Misbehaving("answers the probe with text that is not JSON", command("declares", "{}", "garbled-probe"), ALL,
                FaultKind.NOT_JSON, "not JSON"),
)  # fmt: skip

TABLE = (*ANSWERS, *PROCESSES, *HELLOS)
