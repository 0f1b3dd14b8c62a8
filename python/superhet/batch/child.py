"""Commands of superhet in processes of their own, which stay for the next one."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import select
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, Iterator

from superhet.batch.errors import RecordingError

_ROOT = str(Path(__file__).resolve().parents[2])
_PROGRAM = "import sys; sys.path[0] = sys.argv.pop(1); from superhet.batch import _child; _child.main()"


class Child:
    """A process that runs one command after the other; it is started again after one that has killed it."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def run(
        self, arguments: list[str], *, feed: dict[str, Any] | None = None, timeout_s: float | None = None
    ) -> Iterator[bytes]:
        """The lines that a command prints; `RecordingError` with what it says where it fails.

        ``feed`` is what it reads on stdin: ``path``, ``offset`` and ``bytes``, and ``convert``, the encoding of WAV that no raw
        format has.
        """
        process = self._started()
        assert process.stdin and process.stdout
        try:
            process.stdin.write(json.dumps({"arguments": arguments, "feed": feed}).encode() + b"\n")
            process.stdin.flush()
            poll = select.poll()
            poll.register(process.stdout, select.POLLIN)
            if not poll.poll(None if timeout_s is None else max(1, round(timeout_s * 1e3))):
                self.close()
                raise RecordingError(f"it was not decoded in {timeout_s:g} s")
            head = process.stdout.readline()
        except BrokenPipeError:
            head = b""
        if not head:
            self.close()
            raise RecordingError(f"the decoder's process {_ending(process.returncode)}")
        answer = json.loads(head)
        left = answer["bytes"]
        try:
            while left:
                line = process.stdout.readline()
                left -= len(line)
                if not line:
                    raise RecordingError("the decoder's process ended while it answered")
                if answer["code"] == 0:
                    yield line
        finally:
            # The rest of an answer that nobody wants to hear would be taken for the next one.
            if left and process is self._process:
                self.close()
        if answer["code"] != 0:
            raise RecordingError(_said(answer["error"]) or f"the decoder ended with code {answer['code']}")

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self.close()
            # In a session of its own, it hears no Ctrl-C; it ends when its stdin is closed.
            self._process = subprocess.Popen(
                [sys.executable, "-c", _PROGRAM, _ROOT],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,
                env={**os.environ, "SUPERHET_LOG": "error"},
            )
        return self._process

    def close(self) -> None:
        """Ends the process, whatever it does."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                if stream:
                    with contextlib.suppress(BrokenPipeError):
                        stream.close()


def _ending(code: int | None) -> str:
    return f"was ended by signal {-code}" if code and code < 0 else f"ended with code {code}"


def _said(error: str) -> str:
    """What a command says on stderr, without its name before it."""
    lines = [line.removeprefix("superhet: ").strip() for line in error.splitlines()]
    return "; ".join(line for line in lines if line).replace(":; ", ": ")


_idle: list[Child] = []
_lock = threading.Lock()


@contextlib.contextmanager
def borrowed() -> Iterator[Child]:
    """A process that nobody else uses meanwhile, and that is kept for the next one."""
    with _lock:
        child = _idle.pop() if _idle else Child()
    try:
        yield child
    finally:
        with _lock:
            _idle.append(child)


@atexit.register
def _close_all() -> None:
    with _lock:
        while _idle:
            _idle.pop().close()
