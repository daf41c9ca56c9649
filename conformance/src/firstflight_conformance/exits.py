"""How the command ends when something else than the user's input is wrong: signals, files and its own errors."""

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
CLOSED_PIPE = 128 + signal.SIGPIPE  # the reader has seen enough
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_AGAIN_S = 2.0  # an exception that was raised inside a finalizer is lost, and is raised again


class Interrupted(BaseException):
    """A signal asks the program to end. No handler of :class:`Exception` stops it."""

    def __init__(self, number: int) -> None:
        """Keep the number of the signal."""
        super().__init__(signal.Signals(number).name)
        self.number = number


def run(command: Callable[[], object]) -> NoReturn:
    """Run the command and end the process with its exit code, leaving no child behind."""
    _open_streams()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # ignored, as some parents leave it, no child could be waited for
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
    os._exit(code)  # at once: threads that wait for an adapter, or compute, are not waited for


def _open_streams() -> None:
    """Lead what was closed before this program began to the null device: else a file that is opened would take its place."""
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
    """Run the command and return its exit code; say on standard error what went wrong."""
    for stream in (sys.stdout, sys.stderr):  # what the locale cannot write is escaped
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
    """Raise :class:`Interrupted` on the first signal; what was ignored before, as below nohup, stays so."""
    asked: list[int] = []

    def interrupt(number: int, _frame: FrameType | None) -> None:
        for other in _SIGNALS:
            signal.signal(other, signal.SIG_IGN)
        signal.signal(signal.SIGALRM, again)
        signal.setitimer(signal.ITIMER_REAL, _AGAIN_S)
        asked.append(number)
        raise Interrupted(number)

    def again(_number: int, _frame: FrameType | None) -> None:
        signal.setitimer(signal.ITIMER_REAL, _AGAIN_S)
        raise Interrupted(asked[0])

    for number in _SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, interrupt)
    yield
