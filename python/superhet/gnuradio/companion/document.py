"""A flowgraph of GNU Radio Companion as it is written: options, blocks and connections, not interpreted yet."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from superhet import _native

ENABLED, DISABLED, BYPASSED = "enabled", "disabled", "bypassed"

COMMON = frozenset({"affinity", "alias", "comment", "maxoutbuf", "minoutbuf", "_source_code", "_io_cache"})
"""Parameters that GNU Radio Companion gives every block."""


class FlowgraphError(Exception):
    """A flowgraph has mistakes, one in each of `mistakes`."""

    def __init__(self, mistakes: list[str]) -> None:
        self.mistakes = mistakes
        super().__init__("\n".join(mistakes) if len(mistakes) == 1 else f"{len(mistakes)} mistakes:\n  - " + "\n  - ".join(mistakes))


@dataclass
class Block:
    """A block: its parameters are text."""

    name: str
    id: str
    line: int
    state: str
    params: dict[str, str]
    buses: dict[str, str] = field(default_factory=dict)

    def param(self, name: str, default: str = "") -> str:
        """A parameter, or the default where it is empty or not there."""
        text = self.params.get(name, "")
        return text if text.strip() else default


@dataclass
class Link:
    """A connection: block and port at both ends."""

    source: str
    source_port: str
    sink: str
    sink_port: str
    line: int


@dataclass
class Document:
    """A flowgraph."""

    file: str
    folder: Path
    options: dict[str, str]
    blocks: list[Block]
    links: list[Link]

    @classmethod
    def of(cls, given: dict[str, Any], file: str, folder: Path) -> "Document":
        """From what the runtime has read."""
        blocks = [Block(**block) for block in given["blocks"]]
        return cls(file, folder, given["options"], blocks, [Link(*link) for link in given["links"]])

    @property
    def makes_a_block(self) -> bool:
        """Whether it is a block of others, and no flowgraph that runs by itself."""
        return self.options.get("generate_options", "").startswith("hb")

    def place(self, line: int) -> str:
        """Where something stands, for messages."""
        return f"{self.file}:{line}: "


def read(path: Path) -> Document:
    """Reads a file: the YAML of GNU Radio 3.8 and later, or the XML of 3.7.

    Raises:
        FlowgraphError: It is no flowgraph.
    """
    try:
        given = json.loads(_native.grc_document(str(path)))
    except ValueError as error:
        raise FlowgraphError([str(error)]) from None
    return Document.of(given, str(path), path.resolve().parent)
