"""The C port as a Python object: built with cffi into ``build/cffi``, driven by the model's events."""

import re
import struct
from collections.abc import Callable
from dataclasses import fields
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import cffi  # type: ignore[import-untyped]

from c_build import extension
from firstflight.controller import Config, Controller, step
from firstflight.errors import DomainError
from firstflight.events import Event
from firstflight.hybla import hybla
from firstflight.hybla.hybla import Hybla
from firstflight.newreno.newreno import BaseState
from firstflight.observables import Observation, Outcome, Phase
from firstflight.search.bins import TICKS_PER_UNIT, Search, Series
from firstflight.search.profiles import PROFILES as SEARCH_PROFILES
from firstflight.search.profiles import Boundary, Clock, ExitBin, Readings
from firstflight.search.rtt import Sample
from firstflight.window_rules import NEWRENO
from firstflight_conformance import port
from firstflight_conformance.format.wire import event_name
from firstflight_conformance.paths import BUILD, REFERENCE_C

#: Folder of the headers of the port.
_INCLUDE = REFERENCE_C
#: Headers whose functions the tests of the port call.
_ROOTS = ("firstflight/controller.h", "firstflight/cubic/window.h", "firstflight/u128.h")
#: Headers without declarations, whose macros cffi cannot parse.
_MACROS = ("firstflight/rare.h", "firstflight/version.h")
_SEARCH_STATE = ("bin", "open_bin_bytes", "shift_bins", "current_bytes", "previous_bytes", "target_bytes")
#: Value of FF_NONE, FF_NO_RTT_NS and FF_SSTHRESH_INFINITE.
NONE = 2**64 - 1
#: Type of a port's answer to an event.
Answer = TypeVar("Answer")
#: Traps on undefined behaviour need no run-time library. Python's own flags come first and would wrap signed overflow.
TRAP = ("-O1", "-g0", "-fno-wrapv", "-fsanitize=undefined", "-fsanitize-undefined-trap-on-error")
#: Compiler flags of each build of the port.
_BUILDS = {
    "int128": TRAP,
    "no_int128": (*TRAP, "-DFF_NO_INT128"),
    "coverage": ("-O0", "-g0", "--coverage"),
}
#: Byte that fills the memory for the state before initialisation. Bytes after the state must keep this value.
_FILL = 0xA5
_NS_PER_UNIT = {Clock.NS: 1, Clock.US: 1_000, Clock.MS: 1_000_000}


def headers(*roots: str) -> list[Path]:
    """Return these headers of the port below ``include``, each after all headers that it includes."""
    ordered: dict[Path, None] = {}

    def visit(path: Path) -> None:
        for name in re.findall(r'^#include "(firstflight/[^"]+)"', path.read_text(encoding="utf-8"), re.MULTILINE):
            if name not in _MACROS:
                visit(_INCLUDE / name)
        ordered[path] = None

    for root in roots:
        visit(_INCLUDE / root)
    return list(ordered)


def declarations(*roots: str) -> str:
    """Return the declarations for cffi: headers with their constants, without comments, directives and bodies."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in headers(*roots))
    text = _rows_expanded(re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL).replace("\\\n", ""))
    text = re.sub(r"^#ifdef __cplusplus\n.*?^#endif", "", text, flags=re.DOTALL | re.MULTILINE).replace("FF_C11 ", "")
    text = re.sub(r"^static inline .*?^}", "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r'^#define FF_\w+ ".*"$', "", text, flags=re.MULTILINE)  # cffi does not support string constants
    # A plain number may be the length of an array; the compiler provides the values of other constants.
    text = re.sub(r"^#define (FF_\w+) (?!\d+$).+$", r"#define \1 ...", text, flags=re.MULTILINE)
    return "\n".join(line for line in text.splitlines() if not line.startswith("#") or line.startswith("#define FF_"))


def _rows_expanded(text: str) -> str:
    """Return the text with the macros FF_BASES and FF_STARTUPS expanded for each of their rows."""
    lists = {
        name: re.findall(r"X\(([^)]*)\)", rows)
        for name, rows in re.findall(r"^#define (FF_\w+)\(X\) (.*)$", text, re.M)
    }
    macro = r"^ *#define (FF_\w+)\((X|package, [^)]*)\)(.*)$"
    bodies = {name: (names, body) for name, names, body in re.findall(macro, text, re.M)}

    def written(use: re.Match[str]) -> str:
        names, body = bodies[use[2]]
        rows = (dict(zip(names.split(", "), row.split(", "), strict=True)) for row in lists[use[1]])
        parts = re.split(rf"(?:##)?\b({names.replace(', ', '|')})\b(?:##)?", body)
        return "\n".join("".join(row.get(part, part) for part in parts) for row in rows)

    return re.sub(rf"^ *({'|'.join(lists)})\((\w+)\)$", written, re.sub(macro, "", text, flags=re.M), flags=re.M)


@cache
def module_of(build: str) -> Any:
    """Return the extension module of a build: ``int128``, ``no_int128`` or ``coverage``."""
    name = f"_firstflight_c_{build}"
    sources = port.sources()
    counted = build == "coverage"
    gcov = "\nvoid __gcov_dump(void);\nvoid __gcov_reset(void);\n" if counted else ""

    def compiled(directory: str) -> str:
        builder = cffi.FFI()
        builder.cdef(declarations(*_ROOTS) + gcov)
        builder.set_source(
            name,
            "".join(f'#include "{root}"\n' for root in _ROOTS) + gcov,
            sources=[str(source) for source in sources],
            include_dirs=[str(_INCLUDE)],
            extra_compile_args=["-std=c11", *_BUILDS[build]],
            extra_link_args=["--coverage"] if counted else [],
        )
        return str(builder.compile(tmpdir=directory))

    inputs = [*sources, *port.headers(), Path(__file__)]
    return extension(BUILD / "cffi" / build, name, inputs, compiled)


_module = module_of("int128")
ffi = _module.ffi
lib = _module.lib

_OUTCOMES = dict(enumerate(Outcome))
_PHASES = dict(enumerate(Phase))


class Port:
    """A controller of the C port. Its answers have the types of the model."""

    def __init__(
        self,
        readings: Readings | None,
        config: Config,
        build: str = "int128",
        hybla_readings: hybla.Readings | None = None,
    ) -> None:
        """Start SEARCH with these readings, or the base controller alone. ``hybla_readings``: for the base Hybla."""
        module = module_of(build)
        self._ffi, self._lib = module.ffi, module.lib
        self._readings = readings
        #: Observation after the last event, or ``None`` if the port refused the event.
        self.last: Observation | None = None
        self._controller = self._ffi.new("struct ff_controller *")
        self._observation = self._ffi.new("struct ff_observation *")
        self._room = self._ffi.buffer(self._ffi.addressof(self._controller, "search"))
        self._room[:] = bytes([_FILL]) * len(self._room)
        self._begin(readings)
        c_config = _config_to_c(self._ffi, config)
        if readings is None:
            status = self._lib.ff_controller_init(self._controller, b"slow-start", b"rfc-9002", c_config)
        else:
            c_readings = _readings_to_c(self._ffi, readings)
            status = self._lib.ff_controller_init_search(self._controller, c_readings, c_config)
        _check(status)
        if hybla_readings is not None:
            self._lib.ff_controller_use_hybla(self._controller, hybla_readings_to_c(self._ffi, hybla_readings))

    def _begin(self, readings: Readings | None) -> None:
        """Read the memory layout of the state for these readings from the port."""
        #: Completed bins of the last comparison: delivered and sent.
        self._compared: list[tuple[int, ...]] = [(), ()]
        self._size = 0
        if readings is not None:
            c_readings = _readings_to_c(self._ffi, readings)
            lib = self._lib
            self._size = lib.ff_search_state_bytes(c_readings)
            self._kept = [lib.ff_search_kept_bins(c_readings, k) for k in (lib.FF_SEARCH_DELIVERED, lib.FF_SEARCH_SENT)]
            sent_at = self._size - lib.FF_SEARCH_BIN_BYTES * self._kept[1]
            self._slots = [sent_at - lib.FF_SEARCH_BIN_BYTES * self._kept[0], sent_at]

    @staticmethod
    def create(algorithm: str, profile: str, config: Config) -> "Port":
        """Return a controller for the profile with this name."""
        port = Port(SEARCH_PROFILES.get(profile), config)
        status = lib.ff_controller_init(
            port._controller, algorithm.encode(), profile.encode(), _config_to_c(ffi, config)
        )
        _check(status)
        return port

    def step(self, event: Event) -> Observation:
        """Process one event. Raise :class:`DomainError` if the port returns FF_ERR_DOMAIN."""
        self.last = None
        c_event, runs = event_to_c(self._ffi, self._lib, event)
        _check(self._lib.ff_controller_step(self._controller, c_event, self._observation))
        del runs  # borrowed by the event until here
        observation = self._observation
        names = _SEARCH_STATE if self._readings is not None else ("recovery_start_ns",)
        self.last = Observation(
            observation.cwnd_bytes,
            optional(observation.ssthresh_bytes),
            _PHASES[observation.phase],
            _OUTCOMES[observation.outcome],
            {name: optional(getattr(observation, name)) for name in names},
        )
        return self.last

    def step_unobserved(self, event: Event) -> bool:
        """Process one event without reading the observables; return whether the port accepted it."""
        c_event, runs = event_to_c(self._ffi, self._lib, event)
        status = self._lib.ff_controller_step(self._controller, c_event, self._ffi.NULL)
        del runs  # borrowed by the event until here
        return bool(status == self._lib.FF_OK)

    @property
    def memory(self) -> bytes:
        """The bytes of the controller."""
        return bytes(self._ffi.buffer(self._controller))

    def number(self, name: str) -> int | None:
        """Return a number of the last observation."""
        return optional(getattr(self._observation, name))

    @property
    def searching(self) -> bool:
        """Whether SEARCH acts."""
        return bool(self._controller.algorithm == self._lib.FF_ALGORITHM_SEARCH)

    def readings(self) -> bytes:
        """Return the bytes of the readings."""
        return bytes(self._ffi.buffer(self._ffi.addressof(self._controller, "search_readings")))

    def differs(self, model: Controller) -> str:
        """Return the differences between the port's state and the model's, or an empty string."""
        base = self._controller.base
        port_state = BaseState(
            base.max_datagram_size_bytes,
            base.cwnd_bytes,
            optional(base.ssthresh_bytes),
            optional(base.recovery_start_ns),
            base.in_recovery,
            rules=NEWRENO if hybla_of(base) is None else hybla.RULES,
            rules_state=hybla_of(base),
        )
        place = (self._controller.t_ns, self._controller.next_packet)
        if port_state != model.base or place != (model.t_ns, model.next_packet):
            return f"base: {port_state} at {place}"
        if model.readings is None:
            return ""
        words = self._words(model.readings, model.search)
        if self._room[: len(words)] != words:
            return f"state: {struct.unpack(f'<{len(words) // 8}Q', self._room[: len(words)])}"
        for kind, series in enumerate((model.search.delivered, model.search.sent)):
            if model.readings.exit_bin is ExitBin.LEFT_OPEN:
                continue  # the ring still has bytes of a reopened bin; none are read before the next bin ends
            if series.completed is not self._compared[kind] and not self._same_bins(kind, model.search.curr, series):
                return f"bins {kind}: {bytes(self._room[self._slots[kind] :]).hex()}"
            self._compared[kind] = series.completed
        return ""

    def untouched_beyond(self) -> bool:
        """Return whether the bytes after the state are unchanged."""
        return bytes(self._room[self._size :]) == bytes([_FILL]) * (len(self._room) - self._size)

    def load(self, model: Controller) -> None:
        """Continue from a state of the model."""
        base = self._controller.base
        base.max_datagram_size_bytes = model.base.max_datagram_size_bytes
        base.cwnd_bytes = model.base.cwnd_bytes
        base.ssthresh_bytes = _required(model.base.ssthresh_bytes)
        base.recovery_start_ns = _required(model.base.recovery_start_ns)
        base.in_recovery = model.base.in_recovery
        state = model.base.rules_state
        if isinstance(state, Hybla):
            base.rules_state.hybla.smallest_ns = _required(state.smallest_ns)
            base.rules_state.hybla.credit = state.credit
        self._controller.t_ns = model.t_ns
        self._controller.next_packet = model.next_packet
        assert model.readings is not None
        words = self._words(model.readings, model.search)
        self._room[: len(words)] = words
        for kind, series in enumerate((model.search.delivered, model.search.sent)):
            for place, data in self._ring(kind, model.search.curr, series):
                self._room[place : place + len(data)] = data

    def _words(self, readings: Readings, search: Search) -> bytes:
        """Return the expected bytes before the bins. The port does not store a bin end that it will not read again."""
        gate_ns = 0
        if search.bin_end_ticks > 0 and search.target_bytes is None:
            end = search.bin_end_ticks + (1 if readings.boundary is Boundary.AFTER else 0)
            gate_ns = -(-end // TICKS_PER_UNIT) * _NS_PER_UNIT[readings.clock]
        words = [gate_ns, search.bin_ticks, search.curr, *_sample(search.sample), *_counters(search.delivered)]
        more = (*_counters(search.sent), _required(search.target_bytes), search.drain_acked)
        if self._slots[0] > 8 * len(words):
            words += more
        elif more != (0, 0, NONE, 0):
            raise AssertionError(f"there is no room for {more}")
        return struct.pack(f"<{len(words)}Q", *words)

    def _same_bins(self, kind: int, curr: int, series: Series) -> bool:
        ring = self._ring(kind, curr, series)
        return all(self._room[place : place + len(data)] == data for place, data in ring)

    def _ring(self, kind: int, curr: int, series: Series) -> list[tuple[int, bytes]]:
        """Return the offsets of the completed bins of a series, and their bytes."""
        ring_bins, size = self._kept[kind], self._lib.FF_SEARCH_BIN_BYTES
        bins = series.completed[-ring_bins:] if ring_bins else ()
        first = (curr - len(bins)) % ring_bins if ring_bins else 0
        data = b"".join(number.to_bytes(size, "little") for number in bins)
        split = size * (ring_bins - first)
        start = self._slots[kind]
        return [(start + size * first, data[:split]), (start, data[split:])]


def _sample(sample: Sample | None) -> tuple[int, int, int, int]:
    if sample is None:
        return NONE, NONE, NONE, 0
    return sample.latest_ns, _required(sample.minimum_ns), _required(sample.smoothed_ns), sample.ack_delay_ns


def _counters(series: Series) -> tuple[int, int]:
    return series.counter_bytes, series.counter_bytes - series.open_bytes


def _check(status: int) -> None:
    if status != lib.FF_OK:
        raise DomainError({lib.FF_ERR_DOMAIN: "domain", lib.FF_ERR_UNKNOWN_PROFILE: "unknown profile"}[status])


def optional(value: int) -> int | None:
    """Return a number of the port in the model's form."""
    return None if value == NONE else value


def step_both(
    model: Controller, port_step: Callable[[Event], Answer], event: Event
) -> tuple[Controller, Observation, Answer] | None:
    """Process the event with model and port; return the model's new state and both answers, ``None`` if both refuse."""
    try:
        after, expected = step(model, event)
    except DomainError:
        try:
            port_step(event)
        except DomainError:
            return None
        raise AssertionError(f"the port accepts {event}") from None
    return after, expected, port_step(event)


def _required(value: int | None) -> int:
    return NONE if value is None else value


def _readings_to_c(ffi: Any, readings: Readings) -> Any:
    values = {name: getattr(readings, name) for name in Readings.__dataclass_fields__}
    return ffi.new("struct ff_search_readings *", {name: _choice(value) for name, value in values.items()})


def hybla_readings_to_c(ffi: Any, readings: hybla.Readings) -> Any:
    """Return the readings of Hybla as a struct of the port."""
    names = hybla.Readings.__dataclass_fields__
    return ffi.new("struct ff_hybla_readings *", {name: _choice(getattr(readings, name)) for name in names})


def hybla_of(base: Any) -> Hybla | None:
    """Return the state of Hybla in a base of the port, or ``None`` for another base."""
    if base.base != _module.lib.FF_BASE_HYBLA:
        return None
    state = base.rules_state.hybla
    like = next(iter(hybla.PROFILES.values()))
    choices = {
        name: list(type(value))[getattr(state.readings, name)]
        if isinstance(value, Enum)
        else getattr(state.readings, name)
        for name, value in ((name, getattr(like, name)) for name in hybla.Readings.__dataclass_fields__)
    }
    return Hybla(hybla.Readings(**choices), optional(state.smallest_ns), state.credit)


def _choice(value: Enum | int) -> int:
    return list(type(value)).index(value) if isinstance(value, Enum) else value


def _config_to_c(ffi: Any, config: Config) -> Any:
    window = config.initial_window_bytes
    return ffi.new("struct ff_config *", (config.max_datagram_size_bytes, 0 if window is None else window))


def event_to_c(ffi: Any, lib: Any, event: Event) -> tuple[Any, Any]:
    """Return the event and the memory that it borrows."""
    out, name = ffi.new("struct ff_event *"), event_name(event)
    out.t_ns, out.kind = event.t_ns, getattr(lib, f"FF_EVENT_{name.upper()}")
    borrowed = []
    for field in fields(event)[1:]:
        value = getattr(event, field.name)
        if isinstance(value, tuple):
            is_runs = field.name == "packets"
            entries = (
                [(run.first, run.last, run.size_bytes, run.sent_t_ns) for run in value] if is_runs else list(value)
            )
            borrowed.append(ffi.new("struct ff_run[]" if is_runs else "struct ff_range[]", entries))
            setattr(getattr(out, name), "run_count" if is_runs else f"{field.name.removesuffix('s')}_count", len(value))
            value = borrowed[-1]
        elif field.type == bool | None:
            value = bool(value)
        setattr(getattr(out, name), field.name, _required(value))
    return out, borrowed
