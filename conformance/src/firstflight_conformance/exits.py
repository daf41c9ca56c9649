"""Exit codes for causes other than the user's input: signals, files and internal errors."""

import errno
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import NoReturn

from firstflight_conformance.adapters import children
from firstflight_conformance.text import shown

UNUSABLE = 2  # a file cannot be read or written
INTERNAL = 70  # EX_SOFTWARE of sysexits.h: a defect of this program
CLOSED_PIPE = 128 + signal.SIGPIPE  # the reader has closed the pipe
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_AGAIN_S = 2.0  # retry interval: an exception raised inside a finalizer is lost


class Interrupted(BaseException):
    """A signal requests the end of the program. Handlers of :class:`Exception` do not catch this class."""

    def __init__(self, number: int) -> None:
        """Store the number of the signal."""
        super().__init__(signal.Signals(number).name)
        self.number = number


def run(command: Callable[[], object]) -> NoReturn:
    """Run the command and end the process with its exit code, leaving no child behind."""
    _open_streams()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # some parents ignore it; waiting for children would fail
    children.adopt()
    code = INTERNAL
    try:
        with _signals():
            code = exit_code(command)
    except Interrupted as interrupted:
        signal.setitimer(signal.ITIMER_REAL, 0)
        print(f"firstflight: ended by {interrupted}", file=sys.stderr)
        code = 128 + interrupted.number
    finally:
        children.end_all(os.getpid())
    with suppress(OSError, ValueError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code)  # do not join threads that wait for an adapter or compute


def _open_streams() -> None:
    """Open closed standard streams on the null device, so that no file gets their descriptors."""
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(number)
        except OSError:
            opened = os.open(os.devnull, os.O_RDONLY if mode == "r" else os.O_WRONLY)
            if opened != number:
                os.dup2(opened, number)
                os.close(opened)
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))


def exit_code(command: Callable[[], object]) -> int:
    """Run the command and return its exit code; print errors on standard error."""
    for stream in (sys.stdout, sys.stderr):  # escape characters outside the locale's encoding
        with suppress(AttributeError, OSError, ValueError):
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        try:
            command()
        finally:
            sys.stdout.flush()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None) * UNUSABLE
    except OSError as error:
        if error.errno == errno.EPIPE:
            return CLOSED_PIPE
        print(f"Error: {shown(str(error))}", file=sys.stderr)
        return UNUSABLE
    except Exception:
        traceback.print_exc()
        print("firstflight: an internal error, not a verdict; please report it", file=sys.stderr)
        return INTERNAL
    return 0


@contextmanager
def _signals() -> Iterator[None]:
    """Raise :class:`Interrupted` on the first SIGINT, SIGTERM or SIGHUP, and ignore further ones.

    A timer raises it again every two seconds, because an exception inside a finalizer is lost. Signals ignored before
    (nohup) stay ignored.
    """
    received: list[int] = []

    def interrupt(number: int, _frame: FrameType | None) -> None:
        for signal_number in _SIGNALS:
            signal.signal(signal_number, signal.SIG_IGN)
        signal.signal(signal.SIGALRM, again)
        signal.setitimer(signal.ITIMER_REAL, _AGAIN_S)
        received.append(number)
        raise Interrupted(number)

    def again(_number: int, _frame: FrameType | None) -> None:
        signal.setitimer(signal.ITIMER_REAL, _AGAIN_S)
        raise Interrupted(received[0])

    for number in _SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, interrupt)
    yield
