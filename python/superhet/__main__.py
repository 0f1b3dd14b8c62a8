"""The command: ``python -m superhet run graph.toml``."""

from __future__ import annotations

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
    return _native.command(sys.argv[1:], [sys.executable, "-m", "superhet"])


if __name__ == "__main__":
    sys.exit(main())
