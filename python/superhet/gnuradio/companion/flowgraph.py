"""From a flowgraph of GNU Radio Companion to a flowgraph that runs."""

from __future__ import annotations

import difflib
import functools
import os
import re
import sys
import types
from pathlib import Path
from typing import Any

from .. import elements, top_block
from .._gr.signature import io_signature
from ..namespaces import module
from . import values
from .document import COMMON, ENABLED, Block, Document, FlowgraphError, read
from .edges import Edge, edges, running
from .older import OLDER
from .palette import palette

DEEPEST = 16
"""How deep blocks of others may be inside each other."""

SIZES = {"complex": 8, "float": 4, "int": 4, "short": 2, "byte": 1, "char": 1}
SIZES |= {"fc64": 16, "fc32": 8, "f64": 8, "f32": 4, "s64": 8, "s32": 4, "s16": 2, "s8": 1, "u8": 1, "sc64": 16}
SIZES |= {"sc32": 8, "sc16": 4, "sc8": 2, "bit": 1}
"""The bytes of an item of a pad."""


WATCHED = {"blocks_ctrlport_probe_c": 8, "blocks_ctrlport_probe2_c": 8, "blocks_ctrlport_probe2_f": 4, "blocks_ctrlport_probe2_i": 4}
WATCHED |= {"blocks_ctrlport_probe2_s": 2, "blocks_ctrlport_probe2_b": 1}
"""Sinks that another program would look into, and the bytes of their items: there is none here."""


class Flowgraph:
    """The blocks of a file, made and connected inside `top`."""

    def __init__(self, document: Document, sets: dict[str, str], top: Any, arguments: dict[str, Any], depth: int = 0) -> None:
        self.document, self.sets, self.top, self.depth = document, sets, top, depth
        self.arguments = arguments
        """The values of its parameters, where it is a block of others."""
        self.scope = values.scope_of_modules()
        self.scope["self"] = top
        self.blocks: dict[str, Any] = {}
        self.mistakes: list[str] = []
        self._runs = running(document)
        self._edges, mistakes = edges(document)
        if depth:
            self._pads = Pads(document)
        else:
            self._pads = Pads(None)
            mistakes += self._no_pads()
        self.mistakes += values.imports(document, self.scope) + mistakes
        self.mistakes += values.variables(document, self.scope, self._override)
        if not self.mistakes:
            # What variables lack, blocks would lack, too.
            self._make_blocks()
            self._connect()

    def _no_pads(self) -> list[str]:
        place, problem = self.document.place, "a pad is a port of a block of others, which does not run by itself"
        pads = [block for block in self._runs.values() if block.id in ("pad_source", "pad_sink")]
        return [f"{place(block.line)}block {block.name}: {problem}" for block in pads]

    def _override(self, name: str) -> tuple[bool, Any]:
        if name in self.arguments:
            return True, self.arguments[name]
        if name in self.sets:
            return True, values.value(self.sets[name], self.scope)
        return False, None

    def _mistake(self, block: Block, error: BaseException) -> None:
        told = str(error) or type(error).__name__
        self.mistakes.append(f"{self.document.place(block.line)}block {block.name}: {told}")

    def _make_blocks(self) -> None:
        for name, block in self._runs.items():
            if block.id in ("pad_source", "pad_sink"):
                continue
            try:
                self.blocks[name] = self._made(block)
            except Exception as error:  # noqa: BLE001: the code of the file may raise anything.
                self._mistake(block, error)

    def _made(self, block: Block) -> Any:
        params = dict(block.params)
        for target, given in self.sets.items():
            owner, dot, name = target.partition(".")
            if dot and owner == block.name:
                params[name] = given
        block = Block(block.name, block.id, block.line, block.state, params, block.buses)
        if block.id == "epy_block":
            return self._embedded(block)
        if block.id in OLDER:
            kind, rest = block.param("type", "BER").strip("'\""), ("win_size", "bits_per_symbol")
            numbers = {name: int(values.value(block.params[name], self.scope)) for name in rest if block.param(name)}
            return OLDER[block.id](kind, **numbers)
        if block.id in WATCHED:
            return module("blocks").null_sink(WATCHED[block.id])
        inner = self._file_of(block.id)
        entry = palette().get(block.id)
        if entry is None or inner is not None:
            if inner is None:
                near = difflib.get_close_matches(block.id, palette(), 1)
                hint = f"; did you mean {near[0]}?" if near else ""
                raise ValueError(f"there is no block {block.id} in GNU Radio, and no file beside the flowgraph makes it{hint}")
            return self._of_others(block, inner)
        chosen = entry.call(block.params)
        if chosen is None:
            said = ", ".join(f"{name} {block.params.get(name, '')}" for name in entry.by)
            raise ValueError(f"{block.id} with {said} is not known")
        return values.call(entry, block, chosen, self.scope)

    def _embedded(self, block: Block) -> Any:
        module = types.ModuleType(block.name)
        sys.modules[block.name] = module
        exec(compile(block.param("_source_code"), f"{block.name}.py", "exec"), vars(module))  # noqa: S102
        own = [it for it in vars(module).values() if isinstance(it, type) and it.__module__ == module.__name__]
        made = getattr(module, "blk", None) or next((it for it in own if issubclass(it, elements.Element)), None)
        if made is None:
            raise ValueError("the code has no class of a block")
        params = {name: written for name, written in block.params.items() if name not in COMMON and written.strip()}
        return made(**{name: values.value(written, self.scope) for name, written in params.items()})

    def _of_others(self, block: Block, inner: Document) -> Any:
        if self.depth >= DEEPEST:
            raise ValueError(f"blocks of others are more than {DEEPEST} deep inside each other")
        parameters = {part.name: part for part in inner.blocks if part.id == "parameter" and part.state == ENABLED}
        arguments = {}
        for name, part in parameters.items():
            if name in block.params:
                written = block.params[name]
                is_text = part.param("type") in ("str", "string")
                arguments[name] = values.text(written, self.scope) if is_text else values.value(written, self.scope)
        return Hier(block.id, inner, arguments, self.depth + 1)

    def _file_of(self, id: str) -> Document | None:
        return hier_file(id, folders(self.document.folder))

    def _connect(self) -> None:
        for edge in self._edges:
            if any(name not in self.blocks and name not in self._pads.places for name in (edge.source, edge.sink)):
                continue
            for one in self._of_bus(edge):
                try:
                    self._link(one)
                except Exception as error:  # noqa: BLE001: blocks in the file's code may raise anything.
                    self._mistake(self._runs[one.source], error)

    def _of_bus(self, edge: Edge) -> list[Edge]:
        """The connections that a bus is."""
        count = self._bus_count(edge)
        if count:
            # Its number comes behind those of the streams.
            others = [int(one.sink_port) for one in self._edges if one.sink == edge.sink and self._bus_count(one)]
            first = (int(edge.sink_port) - min(others)) * count
            return [Edge(edge.source, str(at), edge.sink, str(first + at), edge.line) for at in range(count)]
        if not (edge.source_port.startswith("bus") and edge.sink_port.startswith("bus")):
            return [edge]
        ends = []
        for port, side, block in (
            (edge.source_port, "source", self._runs[edge.source]),
            (edge.sink_port, "sink", self._runs[edge.sink]),
        ):
            own = f"bus_structure_{side}"
            written = block.buses.get(own) or block.buses.get("bus_structure") or block.params.get(own, "")
            structure = values.value(written, self.scope) if written.strip() else None
            ends.append(list(structure[int(port.removeprefix("bus") or 0)]) if structure else None)
        known = next((end for end in ends if end is not None), None)
        if known is None:
            count = self.blocks[edge.source].output_signature().max_streams() if edge.source in self.blocks else -1
            if count < 1:
                raise ValueError(f"{edge.source} and {edge.sink}: no structure of the bus is known")
            known = list(range(count))
        first, second = (end if end is not None else range(len(known)) for end in ends)
        return [Edge(edge.source, str(a), edge.sink, str(b), edge.line) for a, b in zip(first, second)]

    def _bus_count(self, edge: Edge) -> int:
        """How many streams the bus has that is said by a number behind those of the streams, if it is one."""
        source = self.blocks.get(edge.source)
        if not (isinstance(source, elements.hier_block2) and edge.source_port.isdigit() and edge.sink_port.isdigit()):
            return 0
        count = source.output_signature().max_streams()
        return count if 0 < count <= int(edge.source_port) else 0

    def _end(self, name: str, port: str, side: int) -> tuple[Any, str]:
        """A block and its port; of a pad that of the block that it is a port of."""
        if name in self._pads.places:
            return self.top, self._pads.port(name, port)
        return self.blocks[name], port

    def _link(self, edge: Edge) -> None:
        source, source_port = self._end(edge.source, edge.source_port, 1)
        sink, sink_port = self._end(edge.sink, edge.sink_port, 0)
        if source_port.isdigit() and sink_port.isdigit():
            self.top.connect((source, int(source_port)), (sink, int(sink_port)))
        else:
            self.top.msg_connect((source, source_port), (sink, sink_port))

    def snippets(self, section: str) -> None:
        """Executes the pieces of code for a section: `main_after_init`, `main_after_start`, `main_after_stop`."""
        found = [block for block in self.document.blocks if block.id == "snippet" and block.state == ENABLED]
        found = [block for block in found if block.param("section", "main_after_init") == section]

        def priority(block: Block) -> int:
            written = block.param("priority", "0")
            return -int(written) if re.fullmatch(r"-?\d+", written) else 0

        for block in sorted(found, key=priority):
            exec(compile(block.param("code"), f"<{block.name}>", "exec"), {**self.scope, "self": self.top})  # noqa: S102

    def name_parts(self) -> None:
        """Gives the flowgraph its blocks and variables as attributes, as snippets expect them."""
        named = [block.name for block in self.document.blocks if values.is_variable(block)]
        for name in named:
            if name in self.scope and name.isidentifier():
                setattr(self.top, name, self.scope[name])
        for name, block in self.blocks.items():
            if name.isidentifier():
                setattr(self.top, name, block)


class Pads:
    """The ports of a block of others: a pad for each, or for several streams."""

    def __init__(self, document: Document | None) -> None:
        self.places: dict[str, str] = {}
        self.streams: dict[str, list[int]] = {"pad_source": [], "pad_sink": []}
        self.messages: dict[str, list[str]] = {"pad_source": [], "pad_sink": []}
        pads = [] if document is None else [it for it in document.blocks if it.id in self.streams and it.state == ENABLED]
        for pad in sorted(pads, key=lambda pad: pad.name):
            kind = pad.param("type", "complex")
            if kind == "message":
                self.places[pad.name] = pad.param("label", pad.name)
                self.messages[pad.id].append(self.places[pad.name])
                continue
            self.places[pad.name] = str(len(self.streams[pad.id]))
            count, vlen = (_whole(pad.param(name, "1")) for name in ("num_streams", "vlen"))
            if kind not in SIZES:
                raise ValueError(f"pad {pad.name}: items of type {kind} are not known")
            self.streams[pad.id] += [SIZES[kind] * vlen] * count

    def port(self, name: str, port: str) -> str:
        """The port of the block that a port of a pad is."""
        place = self.places[name]
        return str(int(place) + int(port)) if place.isdigit() and port.isdigit() else place


def _whole(written: str) -> int:
    return int(written) if written.strip().isdigit() else 1


class Hier(elements.hier_block2):
    """A block that a file of GNU Radio Companion describes."""

    def __init__(self, name: str, document: Document, arguments: dict[str, Any], depth: int) -> None:
        pads = Pads(document)
        signatures = []
        for kind in ("pad_source", "pad_sink"):
            sizes = pads.streams[kind]
            signatures.append(io_signature(len(sizes), len(sizes), sizes) if sizes else io_signature(0, 0, 1))
        super().__init__(name, *signatures)
        for port in pads.messages["pad_source"]:
            self.message_port_register_hier_in(port)
        for port in pads.messages["pad_sink"]:
            self.message_port_register_hier_out(port)
        inner = Flowgraph(document, {}, self, arguments, depth)
        if inner.mistakes:
            raise FlowgraphError(inner.mistakes)


def folders(beside: Path) -> tuple[Path, ...]:
    """Where files of blocks of others are looked for: beside the flowgraph, and where GNU Radio Companion looks."""
    named = [Path(path) for path in os.environ.get("GRC_HIER_PATH", "").split(os.pathsep) if path]
    return (beside, *named, Path.home() / ".grc_gnuradio")


@functools.cache
def hier_file(id: str, where: tuple[Path, ...]) -> Document | None:
    """The file that makes the block `id`, if one of the folders has it."""
    if not re.fullmatch(r"\w+", id):
        return None
    for folder in where:
        if not folder.is_dir():
            continue
        for path in sorted(folder.glob("*.grc"), key=lambda path: path.stem != id):
            if not _may_make(path, id):
                continue
            document = read(path)
            if document.makes_a_block and document.options.get("id") == id:
                return document
    return None


@functools.cache
def _may_make(path: Path, id: str) -> bool:
    """Whether the text of a file can be that of the block, which is looked at first, as it is quickly done."""
    try:
        found = path.read_text(errors="replace")
    except OSError:
        return False
    return id in found and "hb" in found


def build(document: Document, sets: dict[str, str]) -> Flowgraph:
    """The flowgraph of a document, which runs by itself.

    Raises:
        FlowgraphError: All mistakes that were found.
    """
    if document.makes_a_block:
        raise FlowgraphError([f"{document.file}: the flowgraph makes a block of others and does not run by itself"])
    title = document.options.get("title") or document.options.get("id") or "flowgraph"
    found = Flowgraph(document, sets, top_block.top_block(title), {})
    if found.mistakes:
        raise FlowgraphError(found.mistakes)
    return found
