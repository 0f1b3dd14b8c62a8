"""superhet: a software-radio runtime.

Blocks are put into a `Graph`, connected, and run. Every block of the library is a class here, and in
`superhet.blocks`; blocks of your own are functions under `block`, or classes that extend `Block`.

>>> import numpy, superhet
>>> graph = superhet.Graph()
>>> sink = superhet.vector_sink()
>>> graph.connect(superhet.vector_source(numpy.ones(3, "c8")), superhet.multiply_const(constant=2j), sink)
>>> graph.run()
>>> sink.array
array([0.+2.j, 0.+2.j, 0.+2.j], dtype=complex64)
"""

from __future__ import annotations

import atexit
from typing import Any

from superhet import _native, blocks, errors
from superhet._native import Io
from superhet._values import Packet, Pairs, Tag
from superhet.arrays import Chunks, vector_sink, vector_source
from superhet.block import DONE, Block, FunctionBlock, Stream, block
from superhet.dashboard import Dashboard
from superhet.errors import Error
from superhet.graph import Graph, LibraryBlock, Node, Port, Running, _stop_all, process

__version__ = _native.version()

__all__ = [
    "DONE",
    "Block",
    "Chunks",
    "Dashboard",
    "Error",
    "FunctionBlock",
    "Graph",
    "Io",
    "LibraryBlock",
    "Node",
    "Packet",
    "Pairs",
    "Port",
    "Running",
    "Stream",
    "Tag",
    "block",
    "blocks",
    "errors",
    "process",
    "vector_sink",
    "vector_source",
]

atexit.register(_stop_all)

_MODULES = ("batch", "firdes", "gnuradio", "kernels", "optfir", "plot", "sigmf", "window")
"""Modules that are read when they are asked for."""


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    if name in _MODULES:
        import importlib

        return importlib.import_module(f"superhet.{name}")
    try:
        return getattr(blocks, name)
    except AttributeError as error:
        raise AttributeError(f"superhet has nothing called {name}: {error}") from None


def __dir__() -> list[str]:
    return sorted({*__all__, *_MODULES, *dir(blocks)})
