"""Which blocks run, and which of them are connected: what is switched off, bypassed or virtual is resolved."""

from __future__ import annotations

from dataclasses import dataclass

from . import values
from .document import BYPASSED, DISABLED, ENABLED, Block, Document, Link

NO_BLOCKS = frozenset("options import note epy_module snippet bus_structure qtgui_tab_widget qtgui_grbackground".split())
NO_BLOCKS |= {"blocks_ctrlport_monitor", "blocks_ctrlport_monitor_performance", "wxgui_notebook", "xmlrpc_server", "xmlrpc_client"}
"""What is in flowgraphs besides blocks and variables; and what watches or arranges only."""


@dataclass(frozen=True)
class Edge:
    """A connection between blocks that run."""

    source: str
    source_port: str
    sink: str
    sink_port: str
    line: int


def running(document: Document) -> dict[str, Block]:
    """The blocks that run, by name."""
    return {
        block.name: block
        for block in document.blocks
        if block.state == ENABLED
        and block.id not in NO_BLOCKS
        and block.id not in ("virtual_source", "virtual_sink")
        and not values.is_variable(block)
    }


def edges(document: Document) -> tuple[list[Edge], list[str]]:
    """The connections between blocks that run, and what is wrong with others."""
    runs = running(document)
    known = {block.name: block for block in document.blocks if block.state == DISABLED}
    known |= {block.name: block for block in document.blocks if block.state != DISABLED}
    into: dict[tuple[str, str], Link] = {}
    virtual: dict[str, Link] = {}
    for link in document.links:
        sink = known.get(link.sink)
        if sink is not None and sink.state == BYPASSED:
            into.setdefault((link.sink, link.sink_port), link)
        elif sink is not None and sink.state == ENABLED and sink.id == "virtual_sink":
            virtual.setdefault(sink.param("stream_id"), link)
    found, mistakes = [], []

    def behind(link: Link) -> tuple[str, str] | None:
        """The block and the port that a connection begins at, back through what only hands on."""
        seen = set()
        while True:
            block = known.get(link.source)
            if block is None:
                mistakes.append(f"{document.place(link.line)}connections: there is no block {link.source}")
                return None
            if block.name in runs:
                return link.source, link.source_port
            if block.name in seen:
                mistakes.append(f"{document.place(link.line)}block {block.name}: the connection leads back to itself")
                return None
            seen.add(block.name)
            before = None
            if block.state == BYPASSED:
                before = into.get((block.name, link.source_port))
            elif block.state == ENABLED and block.id == "virtual_source":
                before = virtual.get(block.param("stream_id"))
                if before is None:
                    mistakes.append(f"{document.place(block.line)}block {block.name}: there is no virtual sink for it")
            if before is None:
                return None
            link = before

    for link in document.links:
        if link.sink not in known:
            mistakes.append(f"{document.place(link.line)}connections: there is no block {link.sink}")
        elif link.sink in runs:
            source = behind(link)
            if source is not None:
                found.append(Edge(*source, link.sink, link.sink_port, link.line))
    return found, mistakes
