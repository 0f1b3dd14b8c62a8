"""The command: ``python -m superhet run graph.toml``."""

from __future__ import annotations

import os
import signal
import sys

from superhet import _native


def main() -> int:
    """Runs the command with the arguments of this process, and gives its exit code."""
    if sys.argv[1:2] == ["batch"]:
        from superhet.batch.command import main as batch

        return batch(sys.argv[2:])
    # Ctrl-C is the command's business, as where it is a program of its own.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _native.command(sys.argv[1:], [sys.executable, "-m", "superhet"])


def end(code: int) -> int:
    """Lets the process die of the signal that has ended the command, if one has, so that a loop of bash ends with it."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and code == 128 + number:
            sys.stdout.flush()
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
    return code


if __name__ == "__main__":
    sys.exit(end(main()))
