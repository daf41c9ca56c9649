"""Unpacks files compressed by gzip, xz or zstd, up to a limit or the end of truncated data."""

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from io import BufferedReader, RawIOBase
from typing import Any, BinaryIO, cast

#: Packed bytes per step; they expand to at most 16 MiB (zstd; gzip and xz: less).
_PIECE_BYTES = 512
#: Constructor of a decompressor, and the error that the decompressor raises.
_Library = tuple[Callable[[], Any], type[Exception]]


@dataclass(frozen=True, slots=True)
class Content:
    """Content of a file. ``packing``: gzip, xz, zstd or None. ``cut``: the packed data is truncated."""

    data: bytes
    packing: str | None = None
    cut: bool = False


def unpacked(file: BinaryIO, most_bytes: int) -> Content:
    """Return the content of a file, or at least its first ``most_bytes``.

    Raise :class:`OSError` for broken packed data, and :class:`ImportError` without a library for it.
    """
    reader = BufferedReader(cast("RawIOBase", file))
    head = reader.peek(6)[:6]
    for name, begins, library in _PACKINGS:
        if begins(head):
            return _unpacked(name, library, iter(partial(reader.read, _PIECE_BYTES), b""), most_bytes)
    return Content(reader.read(most_bytes))


def _unpacked(name: str, library: Callable[[], _Library], pieces: Iterator[bytes], most_bytes: int) -> Content:
    """Unpack consecutive members. Ignore zeros between members, and trailing bytes that are not a member."""
    begin, error_of_library = library()
    current, outputs = begin(), list[bytes]()
    first, begun, size = True, 0, 0  # begun: outputs before the current member
    try:
        for piece in pieces:
            rest = piece
            while rest:
                if current.eof:
                    current, first, begun = begin(), False, len(outputs)
                if output := current.decompress(rest):
                    outputs.append(output)
                    size += len(output)
                rest = current.unused_data.lstrip(b"\0") if current.eof else b""
            if size >= most_bytes:
                break
    except error_of_library as error:
        if first or len(outputs) > begun:
            raise OSError(0, f"is not a complete {name} file: {error}") from error
        return Content(b"".join(outputs), name)
    return Content(b"".join(outputs), name, cut=not current.eof and size < most_bytes)


def _gzip() -> _Library:
    return lambda: zlib.decompressobj(31), zlib.error


def _xz() -> _Library:
    try:
        lzma = import_module("lzma")
    except ImportError:  # Python in the browser lacks it
        raise ImportError("is packed by xz: unpack it by xz -d") from None
    return lzma.LZMADecompressor, lzma.LZMAError


def _zstd() -> _Library:
    """Return the library of Python 3.14 or later, or the package zstandard."""
    try:
        library = import_module("compression.zstd")
        return library.ZstdDecompressor, library.ZstdError
    except ImportError:
        pass
    try:
        library = import_module("zstandard")
    except ImportError:
        raise ImportError("is packed by zstd: unpack it by zstd -d, or install the package zstandard") from None
    return lambda: library.ZstdDecompressor().decompressobj(), library.ZstdError


#: Packings: name, test of the first bytes, library. A zstd file may start with a skippable frame, as written by pzstd
#: (RFC 8878, section 3.1.2).
_PACKINGS: tuple[tuple[str, Callable[[bytes], bool], Callable[[], _Library]], ...] = (
    ("gzip", lambda head: head.startswith(b"\x1f\x8b"), _gzip),
    ("xz", lambda head: head.startswith(b"\xfd7zXZ"), _xz),
    (
        "zstd",
        lambda head: head.startswith(b"\x28\xb5\x2f\xfd") or (head[1:4] == b"\x2a\x4d\x18" and head[0] >> 4 == 5),
        _zstd,
    ),
)
