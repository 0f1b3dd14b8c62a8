"""Flowgraphs of GNU Radio Companion in Python: all that is in them, also the code.

`superhet run` does without this where a flowgraph needs no Python. Here its expressions are evaluated and its code is executed, as in
the script that GNU Radio Companion would write.
"""

from .document import Document, FlowgraphError, read
from .flowgraph import Flowgraph
from .run import check, main, run

__all__ = ["Document", "Flowgraph", "FlowgraphError", "check", "main", "read", "run"]
