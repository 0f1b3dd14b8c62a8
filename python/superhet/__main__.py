"""The command: ``python -m superhet run graph.toml``."""

from __future__ import annotations

import os
import sys

from superhet import _native


def main() -> int:
    """Runs the command with the arguments of this process, and gives its exit code."""
    import signal

    if sys.argv[1:2] == ["batch"]:
        from superhet.batch.command import main as batch

        return batch(sys.argv[2:])
    # Ctrl-C is the command's business, as where it is a program of its own.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    code = _native.command(sys.argv[1:], [sys.executable, "-m", "superhet"])
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        ending = getattr(signal, name, None)
        if ending is not None and code == 128 + ending:
            # The process dies of the signal that has ended the run, as the program does: a loop of bash ends with it.
            sys.stdout.flush()
            signal.signal(ending, signal.SIG_DFL)
            os.kill(os.getpid(), ending)
    return code


if __name__ == "__main__":
    sys.exit(main())
