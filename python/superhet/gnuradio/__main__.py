"""``python -m superhet.gnuradio SCRIPT.py [ARGUMENTS]``: runs a script that is written for GNU Radio.

``python -m superhet.gnuradio FLOWGRAPH.grc [--check] [--set NAME=VALUE]...`` runs a flowgraph of GNU Radio Companion, with the Python
code that is in it; with ``--check`` all blocks are made and connected, and nothing starts. `superhet run` does without Python, and executes none.
"""

from __future__ import annotations

import argparse
import os
import runpy
import sys
import tempfile
from pathlib import Path

import superhet.gnuradio
from superhet import _native

USAGE = """usage: python -m superhet.gnuradio SCRIPT.py [ARGUMENTS]
       python -m superhet.gnuradio FLOWGRAPH.grc [--check] [--set NAME=VALUE]..."""


def main(arguments: list[str]) -> int:
    """Runs the file that the first argument names, with the others as its own."""
    if not arguments or arguments[0] in ("-h", "--help"):
        print(USAGE, file=sys.stderr)
        return 0 if arguments else 2
    file = Path(arguments[0])
    if not file.is_file():
        print(f"superhet.gnuradio: {file} is not a file", file=sys.stderr)
        return 2
    if file.suffix.lower() == ".grc":
        return _run_flowgraph(file, arguments[1:])
    _run_script(file, arguments)
    return 0


def _run_script(script: Path, arguments: list[str]) -> None:
    superhet.gnuradio.install(shadow=True)
    sys.argv = arguments
    sys.path.insert(0, str(script.resolve().parent))
    runpy.run_path(str(script), run_name="__main__")


def _run_flowgraph(file: Path, arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog=f"python -m superhet.gnuradio {file}", description="Runs a flowgraph.")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="the value of a variable")
    parser.add_argument("--check", action="store_true", help="make all blocks and connect them, without a start")
    given = parser.parse_args(arguments)
    try:
        text = _native.grc_script(str(file), given.set, given.check)
    except ValueError as error:
        print(f"superhet.gnuradio: {error}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "flowgraph.py"
        script.write_text(text, encoding="utf-8")
        # As without Python, relative paths begin at the flowgraph.
        os.chdir(file.resolve().parent)
        _run_script(script, [str(script)])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
