"""The C port as a Python object: built with cffi into ``build/cffi``, driven by the model's events."""

import fcntl
import importlib.util
import re
from enum import Enum
from pathlib import Path
from typing import Any

import cffi  # type: ignore[import-untyped]

from firstflight import search_profiles
from firstflight.controller import Config, Controller
from firstflight.errors import DomainError
from firstflight.events import Ack, Ce, Event, Lost, PersistentCongestion, Pto, Run, Sent
from firstflight.observables import Observation, Outcome, Phase
from firstflight.search import Search
from firstflight.search_profiles import Readings
from firstflight.slow_start import SlowStart
from firstflight_conformance.paths import BUILD, REFERENCE_C

_MODULE = "_firstflight_c"
_HEADERS = ("limits", "events", "observables", "slow_start", "search_profiles", "search", "controller")
_SEARCH_STATE = ("bin", "open_bin_bytes", "shift_bins", "current_bytes", "previous_bytes")
#: FF_NONE, FF_NO_RTT_NS and FF_SSTHRESH_INFINITE alike.
_NONE = 2**64 - 1


def _declarations() -> str:
    """Return what cffi is to know: the public headers without comments and directives, and their constants."""
    include = REFERENCE_C / "include" / "firstflight"
    text = "\n".join((include / f"{name}.h").read_text(encoding="utf-8") for name in _HEADERS)
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    # A plain number may be the length of an array; the value of any other constant is left to the compiler.
    text = re.sub(r"^#define (FF_\w+) (?!\d+$).+$", r"#define \1 ...", text, flags=re.MULTILINE)
    return "\n".join(line for line in text.splitlines() if not line.startswith("#") or line.startswith("#define FF_"))


def _built_module(directory: Path) -> Path:
    """Return the path of the extension module, after building it if a source is newer. Processes take turns."""
    sources = sorted((REFERENCE_C / "src").glob("*.c"))
    headers = sorted((REFERENCE_C / "include").rglob("*.h"))
    newest = max(path.stat().st_mtime for path in [*sources, *headers, Path(__file__)])
    directory.mkdir(parents=True, exist_ok=True)
    with (directory / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        built = [path for path in directory.glob(f"{_MODULE}.*.so") if path.stat().st_mtime > newest]
        if built:
            return built[0]
        builder = cffi.FFI()
        builder.cdef(_declarations())
        builder.set_source(
            _MODULE,
            '#include "firstflight/controller.h"',
            sources=[str(source) for source in sources],
            include_dirs=[str(REFERENCE_C / "include")],
            # Undefined behaviour ends the process: no run-time library is needed for that.
            extra_compile_args=["-std=c11", "-O2", "-fsanitize=undefined", "-fsanitize-undefined-trap-on-error"],
        )
        return Path(builder.compile(tmpdir=str(directory)))


def _load() -> Any:
    spec = importlib.util.spec_from_file_location(_MODULE, _built_module(BUILD / "cffi"))
    if spec is None or spec.loader is None:
        raise ImportError(_MODULE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_module = _load()
ffi = _module.ffi
lib = _module.lib

_OUTCOMES = dict(enumerate(Outcome))
_PHASES = dict(enumerate(Phase))


class Port:
    """A controller of the C port. It answers like the model, in the model's own types."""

    def __init__(self, readings: Readings | None, config: Config) -> None:
        """Begin with SEARCH in the given readings, or with the base controller alone."""
        self._readings = readings
        #: What the last event showed, ``None`` if it was refused.
        self.last: Observation | None = None
        self._controller = ffi.new("struct ff_controller *")
        self._observation = ffi.new("struct ff_observation *")
        _check(lib.ff_controller_init_with(self._controller, _readings_to_c(readings), _config_to_c(config)))

    @staticmethod
    def create(algorithm: str, profile: str, config: Config) -> "Port":
        """Begin by the name of a profile."""
        port = Port(search_profiles.PROFILES.get(profile), config)
        status = lib.ff_controller_init(port._controller, algorithm.encode(), profile.encode(), _config_to_c(config))
        _check(status)
        return port

    def step(self, event: Event) -> Observation:
        """Process one event. Raise :class:`DomainError` where the port answers FF_ERR_DOMAIN."""
        self.last = None
        c_event, runs = _event_to_c(event)
        _check(lib.ff_controller_step(self._controller, c_event, self._observation))
        del runs  # borrowed by the event until here
        seen = self._observation
        names = _SEARCH_STATE if self.searching else ("recovery_start_ns",)
        self.last = Observation(
            seen.cwnd_bytes,
            _optional(seen.ssthresh_bytes),
            _PHASES[seen.phase],
            _OUTCOMES[seen.outcome],
            {name: _optional(getattr(seen, name)) for name in names},
        )
        return self.last

    @property
    def searching(self) -> bool:
        """Whether SEARCH acts."""
        return bool(self._controller.searching)

    def readings(self) -> bytes:
        """Return the bytes of the readings."""
        return bytes(ffi.buffer(ffi.addressof(self._controller, "readings")))

    def state(self) -> Controller:
        """Return the whole state in the model's form."""
        base, search = self._controller.base, self._controller.search
        if search.slot != search.curr % lib.FF_SEARCH_RING_BINS:
            raise AssertionError(f"slot {search.slot} is not that of bin {search.curr}")
        return Controller(
            SlowStart(
                base.max_datagram_size_bytes,
                base.cwnd_bytes,
                _optional(base.ssthresh_bytes),
                _optional(base.recovery_start_ns),
                base.in_recovery,
            ),
            self._readings,
            Search(search.bin_ticks, search.bin_end_ticks, search.curr, search.rtt_ns, tuple(search.bins)),
            self._controller.t_ns,
        )

    def load(self, state: Controller) -> None:
        """Continue from a state of the model."""
        base, search = self._controller.base, self._controller.search
        base.max_datagram_size_bytes = state.base.max_datagram_size_bytes
        base.cwnd_bytes = state.base.cwnd_bytes
        base.ssthresh_bytes = _required(state.base.ssthresh_bytes)
        base.recovery_start_ns = _required(state.base.recovery_start_ns)
        base.in_recovery = state.base.in_recovery
        search.bin_ticks = state.search.bin_ticks
        search.bin_end_ticks = state.search.bin_end_ticks
        search.curr = state.search.curr
        search.slot = state.search.curr % lib.FF_SEARCH_RING_BINS
        search.rtt_ns = state.search.rtt_ns
        search.bins = state.search.bins
        self._controller.t_ns = state.t_ns


def _check(status: int) -> None:
    if status != lib.FF_OK:
        raise DomainError({lib.FF_ERR_DOMAIN: "domain", lib.FF_ERR_UNKNOWN_PROFILE: "unknown profile"}[status])


def _optional(value: int) -> int | None:
    return None if value == _NONE else value


def _required(value: int | None) -> int:
    return _NONE if value is None else value


def _readings_to_c(readings: Readings | None) -> Any:
    if readings is None:
        return ffi.NULL
    values = {name: getattr(readings, name) for name in Readings.__dataclass_fields__}
    return ffi.new("struct ff_search_readings *", {name: _choice(value) for name, value in values.items()})


def _choice(value: Enum | int) -> int:
    return list(type(value)).index(value) if isinstance(value, Enum) else value


def _config_to_c(config: Config) -> Any:
    window = config.initial_window_bytes
    return ffi.new("struct ff_config *", (config.max_datagram_size_bytes, 0 if window is None else window))


def _event_to_c(event: Event) -> tuple[Any, Any]:
    """Return the event and the runs that it borrows."""
    out = ffi.new("struct ff_event *")
    out.t_ns = event.t_ns
    runs = None
    match event:
        case Sent():
            out.kind = lib.FF_EVENT_SENT
            runs = _fill(out.sent, event.packets, event, ("bytes", "bytes_in_flight", "app_limited"))
        case Ack():
            out.kind = lib.FF_EVENT_ACK
            names = ("bytes", "bytes_in_flight", "next_packet", "app_limited", "ack_delay_ns")
            runs = _fill(out.ack, event.packets, event, names)
            out.ack.latest_rtt_ns = _required(event.latest_rtt_ns)
            out.ack.min_rtt_ns = _required(event.min_rtt_ns)
            out.ack.smoothed_rtt_ns = _required(event.smoothed_rtt_ns)
        case Lost():
            out.kind = lib.FF_EVENT_LOST
            runs = _fill(out.lost, event.packets, event, ("bytes", "bytes_in_flight", "next_packet"))
        case Ce():
            out.kind = lib.FF_EVENT_CE
            out.ce.packet, out.ce.sent_t_ns, out.ce.ce_count = event.packet, event.sent_t_ns, event.ce_count
        case PersistentCongestion():
            out.kind = lib.FF_EVENT_PERSISTENT_CONGESTION
        case Pto():
            out.kind = lib.FF_EVENT_PTO
    return out, runs


def _fill(out: Any, packets: tuple[Run, ...], event: Event, names: tuple[str, ...]) -> Any:
    runs = ffi.new("struct ff_run[]", [(run.first, run.last, run.size_bytes, run.sent_t_ns) for run in packets])
    out.packets = runs
    out.run_count = len(packets)
    for name in names:
        setattr(out, name, getattr(event, name))
    return runs
