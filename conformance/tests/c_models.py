"""The transfer-time models of the C port as Python functions, built with cffi with and without ``__int128``."""

from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import cffi  # type: ignore[import-untyped]

from c_build import extension
from c_port import TRAP, declarations
from firstflight.errors import DomainError
from firstflight.transfer_time.transfer_time import INPUTS, Inputs, TransferTime
from firstflight_conformance import port
from firstflight_conformance.paths import BUILD, REFERENCE_C

#: Header and sources of the models.
_ROOTS = ("firstflight/transfer_time/transfer_time.h",)
_SOURCES = (
    *(REFERENCE_C / "firstflight" / name for name in ("wide.c", "fraction.c")),
    *(path for path in port.sources() if path.parent.name == "transfer_time"),
)
#: Builds by name, with their macros.
BUILDS = {"int128": [], "no_int128": [("FF_NO_INT128", "1")]}


@cache
def _module(build: str) -> Any:
    """Return the extension module of a build."""
    name = f"_models_{build}"

    def compiled(directory: str) -> str:
        builder = cffi.FFI()
        builder.cdef(declarations(*_ROOTS))
        builder.set_source(
            name,
            "".join(f'#include "{root}"\n' for root in _ROOTS),
            sources=[str(source) for source in _SOURCES],
            include_dirs=[str(REFERENCE_C)],
            define_macros=BUILDS[build],
            extra_compile_args=["-std=c11", *TRAP],
        )
        return str(builder.compile(tmpdir=directory))

    inputs = [*_SOURCES, *port.headers(), Path(__file__)]
    return extension(BUILD / "cffi-models", name, inputs, compiled)


class Models:
    """One build of the models."""

    def __init__(self, build: str) -> None:
        """Build the models if needed, and load them."""
        module = _module(build)
        self.ffi: Any = module.ffi
        self.lib: Any = module.lib
        self._inputs = self.ffi.new("struct ff_transfer_time_inputs *")
        self._answer = self.ffi.new("struct ff_transfer_time *")
        self._text = self.ffi.new("char[]", self.lib.FF_WIDE_DECIMAL_SIZE)

    def compute(self, scheme: str, inputs: Inputs) -> TransferTime:
        """Return the answer like :func:`firstflight.transfer_time.compute`; check that errors leave it unchanged."""
        for name in INPUTS.get(scheme, ()):
            setattr(self._inputs, name, getattr(inputs, name))
        out = self._answer
        out.psi, before = 2**64 - 7, bytes(self.ffi.buffer(out))
        status = self.lib.ff_transfer_time_compute(scheme.encode(), self._inputs, out)
        if status != self.lib.FF_OK:
            assert bytes(self.ffi.buffer(out))[8:] == before[8:]
            raise DomainError("unknown scheme" if status == self.lib.FF_ERR_UNKNOWN_PROFILE else "domain")
        gamma = Fraction(self.integer(out.gamma.numerator), self.integer(out.gamma.denominator))
        assert gamma.denominator == self.integer(out.gamma.denominator)
        return TransferTime(out.psi, gamma, out.gamma_ns, out.response_time_ns)

    def quick_start_code(self, requested_rate_bps: int) -> tuple[int, int]:
        """Return the answer like :func:`firstflight.transfer_time.quick_start_code`."""
        code, rate = self.ffi.new("uint64_t *"), self.ffi.new("uint64_t *")
        if self.lib.ff_quick_start_code(requested_rate_bps, code, rate) != self.lib.FF_OK:
            raise DomainError("domain")
        return code[0], rate[0]

    def integer(self, wide: Any) -> int:
        """Return a wide number as an integer."""
        assert wide.count == 0 or wide.limbs[wide.count - 1] > 0
        return sum(wide.limbs[index] << (64 * index) for index in range(wide.count))

    def wide(self, value: int) -> Any:
        """Return a new wide number with this value."""
        wide = self.ffi.new("struct ff_wide *")
        wide.count = -(-value.bit_length() // 64)
        for index in range(wide.count):
            wide.limbs[index] = value >> (64 * index) & (2**64 - 1)
        return wide

    def decimal(self, value: int) -> str:
        """Return the decimal text of a wide number from the port."""
        length = self.lib.ff_wide_decimal(self.wide(value), self._text)
        text = self.ffi.string(self._text).decode()
        assert len(text) == length
        return text
