"""``python -m superhet.gnuradio SCRIPT.py [ARGUMENTS]``: runs a script that is written for GNU Radio."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import superhet.gnuradio


def main(arguments: list[str]) -> int:
    """Runs the script that the first argument names, with the others as its own."""
    if not arguments or arguments[0] in ("-h", "--help"):
        print("usage: python -m superhet.gnuradio SCRIPT.py [ARGUMENTS]", file=sys.stderr)
        return 0 if arguments else 2
    script = Path(arguments[0])
    if not script.is_file():
        print(f"superhet.gnuradio: {script} is not a file", file=sys.stderr)
        return 2
    superhet.gnuradio.install(shadow=True)
    sys.argv = arguments
    sys.path.insert(0, str(script.resolve().parent))
    runpy.run_path(str(script), run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
