"""One adapter process: exchanges lines within bounds of time and size.

Messages are pipelined. One loop alternates between reading, writing and draining standard error, so that neither side
can block the other. A misbehaving process costs at most the deadline and the output bound.
"""

import errno
import os
import select
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from firstflight_conformance.adapters import children
from firstflight_conformance.adapters.faults import ConversationError, FaultKind, excerpt, late

LINE_MAX_BYTES = 1 << 20
LOG_MAX_BYTES = 64 << 10
#: Part of the log shown after a crash: lines, and characters per line.
LOG_LINES, LOG_LINE_MAX = 20, 300
OUTPUT_BASE_BYTES = 64 << 10
OUTPUT_PER_EVENT_BYTES = 4 << 10

_CHUNK_BYTES = 64 << 10
_MANY, _PAUSE_S = 16, 0.0001
_EXIT_POLL_S = 0.1  # poll interval for the exit of a process whose output another process keeps open
_EXIT_GRACE_S = 1.0  # how long to wait for the exit status after the output has ended


class AdapterProcess:
    """A running adapter. Leaving the context kills it, its descendants and its process group."""

    def __init__(self, command: Sequence[str], cwd: Path) -> None:
        """Start the command. Raise :class:`ConversationError` on failure, :class:`OSError` at the open-file limit."""
        try:
            self._popen = subprocess.Popen(
                command,
                cwd=cwd,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
                preexec_fn=children.die_with_parent,  # noqa: PLW1509 one call of the C library
            )
        except (OSError, ValueError) as error:
            if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
                raise OSError(error.errno, f"{error.strerror}: raise the limit with `ulimit -n`") from error
            raise ConversationError(FaultKind.START, f"cannot be started: {error}") from error
        self._stdin = _non_blocking(self._popen.stdin)
        self._stdout = _non_blocking(self._popen.stdout)
        self._stderr = _non_blocking(self._popen.stderr)
        self._poll = select.poll()
        self._poll.register(self._stdout, select.POLLIN)
        self._poll.register(self._stderr, select.POLLIN)
        self._incoming = bytearray()
        self._outgoing: bytes | memoryview = b""
        self._log = bytearray()
        self._input_closed = self._output_ended = False

    def __enter__(self) -> Self:
        """Return the process."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Kill the process."""
        self.kill()

    def exchange(
        self, messages: bytes, answers: int, deadline_s: float, received: bytearray, output_max_bytes: int
    ) -> float:
        """Send the messages and append ``answers`` lines to ``received``; return the rest of ``deadline_s``.

        On a :class:`ConversationError`, ``received`` contains the lines before the fault.
        """
        until_s = time.monotonic() + deadline_s
        self._send(messages)
        came_bytes = len(self._incoming)
        missing = answers - self._take_lines(received, answers)
        remaining_s = deadline_s
        while missing or self._outgoing:
            if remaining_s <= 0:
                raise ConversationError(FaultKind.TIMEOUT, late(deadline_s))
            came_bytes += self._turn(min(remaining_s, _EXIT_POLL_S))
            missing -= self._take_lines(received, missing)
            self._check_bounds(came_bytes, output_max_bytes)
            if missing > _MANY:  # fewer wakeups for adapters that flush each answer
                time.sleep(_PAUSE_S)
            if self._output_ended and missing:
                raise self._gone()
            remaining_s = until_s - time.monotonic()
        return remaining_s

    def has_stray_output(self) -> bool:
        """Return whether unrequested output has arrived."""
        with suppress(OSError):
            self._turn(0)
        return bool(self._incoming)

    def finish(self, deadline_s: float) -> ConversationError | None:
        """Close the input and wait for the exit. Return a fault (further output or a bad exit status), or None.

        A process that does not exit in time is killed without a fault: all its answers have arrived.
        """
        self._close_input()
        until_s = time.monotonic() + deadline_s
        while not self._output_ended and not self._incoming and (remaining_s := until_s - time.monotonic()) > 0:
            self._turn(min(remaining_s, _EXIT_POLL_S))
        if self._incoming:
            return ConversationError(
                FaultKind.EXTRA_ANSWER, f"unexpected output: {excerpt(bytes(self._incoming[:400]))}"
            )
        status = self._wait_for_exit() if self._output_ended else None
        if status is not None and (status.si_code != os.CLD_EXITED or status.si_status != 0):
            return self._gone()
        return None

    def kill(self) -> None:
        """Kill the process group, reap the process and close the pipes."""
        if self._popen.returncode is None:
            # The process is not reaped yet, even if it has exited, so its group id cannot be reused.
            children.end_all(self._popen.pid)  # first the descendants that have left the group
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._popen.pid, signal.SIGKILL)
            self._popen.wait()
        for pipe in (self._popen.stdin, self._popen.stdout, self._popen.stderr):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()

    def _send(self, data: bytes) -> None:
        self._outgoing = data
        if data and not self._input_closed and not self._output_ended:
            self._write()
            if self._outgoing:
                self._poll.register(self._stdin, select.POLLOUT)

    def _turn(self, timeout_s: float) -> int:
        """Wait up to ``timeout_s`` seconds until a pipe of the process is ready, and serve all ready pipes.

        Read standard output and standard error, and write pending input, without waiting again. Return the number of
        bytes read from standard output, 0 after a timeout.
        """
        ready = self._poll.poll(1000 * timeout_s)
        if not ready and self._exit_status() is not None:
            ready = self._poll.poll(0)  # output from before the exit
            # Another process may keep the output open, but all output of this process has been read.
            self._output_ended = self._output_ended or not ready
        came_bytes = 0
        for descriptor, _ in ready:
            if descriptor == self._stdout:
                came_bytes += self._read_output()
            elif descriptor == self._stderr:
                self._read_log()
            else:
                self._write()
                if not self._outgoing:
                    self._poll.unregister(self._stdin)
        return came_bytes

    def _write(self) -> None:
        data = self._outgoing
        try:
            count = os.write(self._stdin, data if len(data) <= _CHUNK_BYTES else memoryview(data)[:_CHUNK_BYTES])
        except BlockingIOError:
            return
        except OSError:  # the process has closed its input; its output or exit status gives the reason
            count = len(data)
        self._outgoing = b"" if count == len(data) else memoryview(data)[count:]

    def _read_output(self) -> int:
        try:
            chunk = os.read(self._stdout, _CHUNK_BYTES)
        except BlockingIOError:
            return 0
        if not chunk:
            self._poll.unregister(self._stdout)
            self._output_ended = True
        self._incoming += chunk
        return len(chunk)

    def _read_log(self) -> None:
        try:
            chunk = os.read(self._stderr, _CHUNK_BYTES)
        except BlockingIOError:
            return
        if not chunk:
            self._poll.unregister(self._stderr)
        self._log += chunk
        del self._log[:-LOG_MAX_BYTES]

    def _take_lines(self, received: bytearray, most_lines: int) -> int:
        """Move up to ``most_lines`` complete lines to ``received``; return their number."""
        if not self._incoming:
            return 0
        count = self._incoming.count(b"\n")
        if count <= most_lines:
            end = self._incoming.rfind(b"\n") + 1
        else:
            end, count = 0, most_lines
            for _ in range(most_lines):
                end = self._incoming.index(b"\n", end) + 1
        received += self._incoming[:end]
        del self._incoming[:end]
        return count

    def _check_bounds(self, came_bytes: int, output_max_bytes: int) -> None:
        if len(self._incoming) > LINE_MAX_BYTES:
            raise ConversationError(FaultKind.TOO_MUCH_OUTPUT, f"a line of more than {LINE_MAX_BYTES} bytes")
        if came_bytes > output_max_bytes:
            raise ConversationError(FaultKind.TOO_MUCH_OUTPUT, f"more than {output_max_bytes} bytes of output")

    def _close_input(self) -> None:
        if self._popen.stdin is not None and not self._popen.stdin.closed:
            with suppress(KeyError):
                self._poll.unregister(self._stdin)
            self._popen.stdin.close()
        self._input_closed = True

    def _exit_status(self) -> os.waitid_result | None:
        # WNOWAIT leaves the process unreaped, so that killing its group stays safe.
        return os.waitid(os.P_PID, self._popen.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)

    def _wait_for_exit(self) -> os.waitid_result | None:
        until_s = time.monotonic() + _EXIT_GRACE_S
        while (status := self._exit_status()) is None and time.monotonic() < until_s:
            time.sleep(0.005)
        return status

    def _gone(self) -> ConversationError:
        status = self._wait_for_exit()
        if status is None:
            reason = "closed its output"
        elif status.si_code == os.CLD_EXITED:
            reason = f"exited with code {status.si_status}"
        else:
            reason = f"was ended by signal {status.si_status} ({_signal_name(status.si_status)})"
        log = self._log_lines()
        note = f"; its log ends: {excerpt(log[-1].strip(), 300)}" if log else ""
        return ConversationError(FaultKind.EXITED, reason + note, tuple(excerpt(line, LOG_LINE_MAX) for line in log))

    def _log_lines(self) -> list[str]:
        """Return the last non-empty lines of standard error."""
        with suppress(OSError):  # BlockingIOError: no more data
            for _ in range(LOG_MAX_BYTES // _CHUNK_BYTES + 16):
                self._log += os.read(self._stderr, _CHUNK_BYTES)
        text = bytes(self._log).decode("utf-8", "backslashreplace").expandtabs(4)
        return [line.rstrip() for line in text.splitlines() if line.strip()][-LOG_LINES:]


def _non_blocking(pipe: IO[bytes] | None) -> int:
    assert pipe is not None
    os.set_blocking(pipe.fileno(), False)
    return pipe.fileno()


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown"
