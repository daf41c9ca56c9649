"""Unpacks files that are compressed by gzip, xz or zstd, up to a limit and up to the place where the packed data is cut."""

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from io import BufferedReader, RawIOBase
from typing import Any, BinaryIO, cast

#: So many packed bytes expand to at most 16 MiB (zstd; gzip and xz: less).
_PIECE_BYTES = 512
#: Returns a decompressor, and the error that it raises.
_Library = tuple[Callable[[], Any], type[Exception]]


@dataclass(frozen=True, slots=True)
class Content:
    """Content of a file. ``packing``: gzip, xz, zstd or None. ``cut``: whether the packed data ends early."""

    data: bytes
    packing: str | None = None
    cut: bool = False


def unpacked(file: BinaryIO, most_bytes: int) -> Content:
    """Return the content of a file, or at least the first ``most_bytes`` of it.

    Raise :class:`OSError` for packed data that is broken, and :class:`ImportError` without a library for it.
    """
    reader = BufferedReader(cast("RawIOBase", file))
    head = reader.peek(6)[:6]
    for name, begins, library in _PACKINGS:
        if begins(head):
            return _unpacked(name, library, iter(partial(reader.read, _PIECE_BYTES), b""), most_bytes)
    return Content(reader.read(most_bytes))


def _unpacked(name: str, library: Callable[[], _Library], pieces: Iterator[bytes], most_bytes: int) -> Content:
    """Unpack members that follow each other. Zeros between them, and bytes behind them that are no member, are left out."""
    begin, error_of_library = library()
    current, found = begin(), list[bytes]()
    first, begun, size = True, 0, 0  # begun: outputs before the current member
    try:
        for piece in pieces:
            rest = piece
            while rest:
                if current.eof:
                    current, first, begun = begin(), False, len(found)
                if output := current.decompress(rest):
                    found.append(output)
                    size += len(output)
                rest = current.unused_data.lstrip(b"\0") if current.eof else b""
            if size >= most_bytes:
                break
    except error_of_library as error:
        if first or len(found) > begun:
            raise OSError(0, f"is no whole {name} file: {error}") from error
        return Content(b"".join(found), name)
    return Content(b"".join(found), name, cut=not current.eof and size < most_bytes)


def _gzip() -> _Library:
    return lambda: zlib.decompressobj(31), zlib.error


def _xz() -> _Library:
    try:
        lzma = import_module("lzma")
    except ImportError:  # the interpreter of the browser has none
        raise ImportError("is packed by xz: unpack it by xz -d") from None
    return lzma.LZMADecompressor, lzma.LZMAError


def _zstd() -> _Library:
    """Python has a library from 3.14 on; an earlier Python needs the package zstandard."""
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


#: Packings: name, first bytes of a file, library. zstd also begins with a frame to skip, as pzstd writes it (RFC 8878, section 3.1.2).
_PACKINGS: tuple[tuple[str, Callable[[bytes], bool], Callable[[], _Library]], ...] = (
    ("gzip", lambda head: head.startswith(b"\x1f\x8b"), _gzip),
    ("xz", lambda head: head.startswith(b"\xfd7zXZ"), _xz),
    (
        "zstd",
        lambda head: head.startswith(b"\x28\xb5\x2f\xfd") or (head[1:4] == b"\x2a\x4d\x18" and head[0] >> 4 == 5),
        _zstd,
    ),
)
