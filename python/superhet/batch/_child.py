"""A process that runs commands of superhet one after the other, for `superhet.batch.child`.

A recording that breaks the decoder breaks this process alone. A request is a line of JSON on stdin: ``arguments``, and ``feed``
where the command reads a part of a file on its stdin. The answer on stdout is a line of JSON with ``code``, ``bytes`` and
``error``, and then what the command has printed. The process ends as soon as nobody holds the other end of its stdin.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import sys
import tempfile
import threading
from typing import Any

from superhet import _native

PIECE_BYTES = 1 << 20
ERROR_BYTES = 4096


def _widen(data: bytes, convert: str) -> bytes:
    """Numbers of WAV that no raw format has, as one that it has: 8 bits with a sign, 32 bits."""
    if convert == "u8":
        return data.translate(bytes(value ^ 0x80 for value in range(256)))
    if convert == "s24":
        wide = bytearray(len(data) // 3 * 4)
        for place in range(3):
            wide[place + 1 :: 4] = data[place::3]
        return bytes(wide)
    return data


def _feed(pipe: int, feed: dict[str, Any]) -> None:
    """Writes a part of a file into a pipe, until the command has read enough."""
    left, convert = feed["bytes"], feed["convert"]
    step = PIECE_BYTES // 3 * 3
    try:
        with open(feed["path"], "rb") as file:
            file.seek(feed["offset"])
            while left:
                data = file.read(min(step, left))
                if not data:
                    break
                left -= len(data)
                view = memoryview(_widen(data, convert))
                while view:
                    view = view[os.write(pipe, view) :]
    except BrokenPipeError:
        pass
    finally:
        os.close(pipe)


def _run(request: dict[str, Any], stdout: Any, stderr: Any) -> int:
    """Runs a command with its streams led elsewhere; gives its exit code."""
    feeder, null = None, os.open(os.devnull, os.O_RDWR)
    before = os.dup(2)
    os.dup2(stdout.fileno(), 1)
    os.dup2(stderr.fileno(), 2)
    if request.get("feed"):
        read, write = os.pipe()
        os.dup2(read, 0)
        os.close(read)
        feeder = threading.Thread(target=_feed, args=(write, request["feed"]), daemon=True)
        feeder.start()
    try:
        return _native.command(request["arguments"], [sys.executable, "-m", "superhet"])
    finally:
        for stream in (0, 1):
            os.dup2(null, stream)
        os.dup2(before, 2)
        os.close(before)
        os.close(null)
        if feeder:
            feeder.join()


def _end_with(stream: int) -> None:
    """Ends the process when the other end of a pipe is closed."""
    poll = select.poll()
    poll.register(stream, 0)
    poll.poll()
    os._exit(1)


def main() -> None:
    """Answers requests until there are no more."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    threading.Thread(target=_end_with, args=(requests.fileno(),), daemon=True).start()
    with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        for line in requests:
            for stream in (stdout, stderr):
                stream.seek(0)
                stream.truncate()
            code = _run(json.loads(line), stdout, stderr)
            length = stdout.seek(0, os.SEEK_END)
            said = stderr.seek(0, os.SEEK_END)
            stderr.seek(max(0, said - ERROR_BYTES))
            error = stderr.read().decode(errors="replace")
            try:
                answers.write(json.dumps({"code": code, "bytes": length, "error": error}).encode() + b"\n")
                stdout.seek(0)
                shutil.copyfileobj(stdout, answers, PIECE_BYTES)
                answers.flush()
            except BrokenPipeError:
                # Whoever has asked is gone.
                os._exit(1)
