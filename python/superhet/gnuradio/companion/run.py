"""Runs and checks flowgraphs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from ..build import Build
from .document import Document, FlowgraphError
from .flowgraph import build


def check(document: Document, sets: dict[str, str]) -> int:
    """Makes all blocks and connects them, without a start; gives their number. `sets` has expressions for variables and, as
    `BLOCK.PARAMETER`, for parameters of blocks.

    Raises:
        FlowgraphError: All mistakes that were found.
    """
    made = build(document, sets)
    try:
        Build(made.top)
    except Exception as error:
        raise FlowgraphError([f"{document.file}: {error}"]) from error
    return len(made.blocks)


def run(document: Document, sets: dict[str, str]) -> None:
    """Runs a flowgraph until it ends.

    Raises:
        FlowgraphError: All mistakes that were found.
    """
    made = build(document, sets)
    made.name_parts()
    made.snippets("main_after_init")
    try:
        made.top.start()
        made.snippets("main_after_start")
        made.top.wait()
    except KeyboardInterrupt:
        made.top.stop()
        made.top.wait()
    made.snippets("main_after_stop")


def main(given: dict[str, Any], file: str, folder: str, sets: dict[str, str], only_check: bool) -> None:
    """What a script does that hands a flowgraph over; ends the program with 2 where it has mistakes."""
    document = Document.of(given, file, Path(folder))
    try:
        if only_check:
            count = check(document, sets)
            print(f"{file}: {count} block{'' if count == 1 else 's'}, no mistakes")
        else:
            run(document, sets)
    except FlowgraphError as error:
        print(f"superhet.gnuradio: {error}", file=sys.stderr)
        sys.exit(2)
