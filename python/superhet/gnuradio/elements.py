"""Blocks as GNU Radio's Python sees them, and the flowgraphs that connect them."""

from __future__ import annotations

import contextlib
import itertools
import weakref
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Iterator, NamedTuple

from superhet.errors import BlockEnded

from . import pmt
from ._gr.signature import io_signature
from ._gr.tag_utils import tag_t, whole
from .errors import missing
from .remembered import add_settings

if TYPE_CHECKING:
    from .build import Build
    from .top_block import top_block

SIZES = {"C32": 8, "C64": 16, "f32": 4, "f64": 8, "i8": 1, "i16": 2, "i32": 4, "i64": 8}
SIZES |= {"u8": 1, "u16": 2, "u32": 4, "u64": 8, "cu8": 2, "cs8": 2, "cs16": 4}

BY_SIZE = ((8, "C32"), (4, "f32"), (2, "i16"), (1, "u8"))
"""What items of a size are where no neighbour says."""

_ids = itertools.count()

_numbers: dict[str, set[int]] = {}
"""The numbers that blocks of a name have, while there are any."""


def _symbolic_id(block: Any, name: str) -> int:
    """The least number that no other block of this name has; free again when the block is gone."""
    taken = _numbers.setdefault(name, set())
    number = next(free for free in itertools.count() if free not in taken)
    taken.add(number)
    weakref.finalize(block, taken.discard, number).atexit = False
    return number



class Element:
    """What all blocks have: a name, message ports, and settings that GNU Radio has for its buffers.

    Settings of buffers, threads and processors are taken and change nothing: superhet plans these itself.
    """

    def __init__(self, name: str) -> None:
        self.__dict__.setdefault("_element_id", next(_ids))
        self._element_name = name
        self._element_number = _symbolic_id(self, name)
        self._element_alias = ""
        self._build_of: "Build | None" = None
        self._is_stale = False
        self._early_messages: list[tuple[str, Any]] = []
        self._handlers: dict[str, Any] = {}
        self._message_outputs: list[str] = []

    def name(self) -> str:
        """The name that the block was made with."""
        return self._element_name

    def unique_id(self) -> int:
        """A number that no other block has."""
        return self._element_id

    def symbolic_id(self) -> int:
        """A number that no other block of the same name has."""
        return self._element_number

    def symbol_name(self) -> str:
        """The name and a number."""
        return f"{self._element_name}{self._element_number}"

    def identifier(self) -> str:
        """The name and a number, in brackets."""
        return f"{self._element_name}({self._element_id})"

    def alias(self) -> str:
        """The alias, or the symbol name."""
        return self._element_alias or self.symbol_name()

    def set_block_alias(self, alias: str) -> None:
        """Gives the block another name."""
        self._element_alias = str(alias)

    def alias_set(self) -> bool:
        """Whether there is an alias."""
        return bool(self._element_alias)

    def to_basic_block(self) -> "Element":
        """The block itself."""
        return self

    def message_port_register_in(self, port: Any) -> None:
        """Makes a message input."""
        self._handlers.setdefault(port_name(port), None)

    def message_port_register_out(self, port: Any) -> None:
        """Makes a message output."""
        if port_name(port) not in self._message_outputs:
            self._message_outputs.append(port_name(port))

    def message_ports_in(self) -> Any:
        """The names of the message inputs."""
        return _symbols(["system", *(name for name in self._message_names(0) if name != "system")])

    def message_ports_out(self) -> Any:
        """The names of the message outputs."""
        return _symbols(self._message_names(1))

    def has_msg_port(self, which_port: Any) -> bool:
        """Whether there is a message port of this name, on either side."""
        return port_name(which_port) in ("system", *self._message_names(0), *self._message_names(1))

    def _message_names(self, side: int) -> list[str]:
        """The message inputs (0) or outputs (1)."""
        return list(self._message_outputs if side else self._handlers)

    def is_set_max_noutput_items(self) -> bool:
        """Whether `set_max_noutput_items` was called."""
        return self.__dict__.get("_is_most_set", False)

    def unset_max_noutput_items(self) -> None:
        """Takes back what `set_max_noutput_items` has set."""
        self.__dict__["_is_most_set"] = False

    def unset_processor_affinity(self) -> None:
        """Takes back what `set_processor_affinity` has set."""
        self.set_processor_affinity([])  # type: ignore[attr-defined]

    def nitems_read(self, which_input: int) -> int:
        """How many items of an input it has taken so far."""
        return self._items_passed(0, which_input)

    def nitems_written(self, which_output: int) -> int:
        """How many items it has given to an output so far."""
        return self._items_passed(1, which_output)

    def _items_passed(self, side: int, port: int) -> int:
        build = self._build_of
        if build is None or build.running is None:
            return 0
        try:
            stream = self._stream(build, side, port)
        except (KeyError, IndexError, ValueError):
            raise ValueError(f"{self.identifier()} has no {('input', 'output')[side]} {port}") from None
        block, _, name = stream.port.partition(".")
        for counted in build.running.metrics()["blocks"]:
            if counted["name"] == block:
                for found in counted[("inputs", "outputs")[side]]:
                    if found["name"] == name:
                        return found["items"] // stream.vlen
        return 0

    def alias_pmt(self) -> Any:
        """The alias as a symbol."""
        return pmt.intern(self.alias())

    def start(self) -> bool:
        """Called when the flowgraph starts; blocks of the library have nothing to do then."""
        return True

    def stop(self) -> bool:
        """Called when the flowgraph has ended; blocks of the library have nothing to do then."""
        return True

    def relative_rate(self) -> float:
        """Output items for input items."""
        from .limits import ratio

        found = ratio(self)
        return found[0] / found[1] if found else 1.0

    def relative_rate_i(self) -> int:
        """The first of two whole numbers whose ratio is the relative rate."""
        return Fraction(self.relative_rate()).limit_denominator(1 << 20).numerator

    def relative_rate_d(self) -> int:
        """The second of two whole numbers whose ratio is the relative rate."""
        return Fraction(self.relative_rate()).limit_denominator(1 << 20).denominator

    def fixed_rate(self) -> bool:
        """Whether the counts of items in and out follow from each other."""
        from .limits import ratio

        return ratio(self) is not None

    def input_signature(self) -> io_signature:
        """How many streams come in, and how large their items are, as far as that is known before the flowgraph is built."""
        return self._signature(0)

    def output_signature(self) -> io_signature:
        """How many streams go out, and how large their items are, as far as that is known before the flowgraph is built."""
        return self._signature(1)

    def _signature(self, side: int) -> io_signature:
        most = self._stream_count(side)
        sizes = []
        for port in range(max(most, 1)):
            try:
                sizes.append(self._bytes_of_port(side, port) or 1)
            except ValueError:
                break
        if most == 0 or not sizes:
            return io_signature(0, 0, 0)
        return io_signature(1, most, sizes)

    def _stream_count(self, side: int) -> int:
        """How many streams come in or go out at most; −1: any number, or it is not known yet."""
        return -1

    def post(self, port: Any, message: Any) -> None:
        """Sends a message to an input of the block from outside; before the start it is kept until then."""
        if self._build_of is None or self._build_of.running is None or self._build_of._has_ended:
            self._early_messages.append((port_name(port), message))
            return
        if port_name(port) == "system" and pmt.is_pair(message) and pmt.eqv(pmt.car(message), pmt.intern("done")):
            self._build_of.top._is_told_to_end = True
            self._end_it(message)
            return
        # As there, what comes to a block that has ended is lost.
        with contextlib.suppress(BlockEnded):
            self._build_of.running.message(self._message_end(port_name(port), 0), message)

    _post = post

    def _end_it(self, message: Any) -> None:
        """Ends the block, for somebody has told it to: the sources of the flowgraph end with it."""
        self._build_of.stop()  # type: ignore[union-attr]

    def _message_end(self, port: str, side: int) -> str:
        """How the runtime names a message port; `side` is 0 for inputs, 1 for outputs."""
        assert self._build_of is not None
        return f"{self._build_of.names[self]}.{port}"

    def _add(self, build: "Build", name: str) -> None:
        """Puts the block into a graph that is being built."""
        raise NotImplementedError

    def _stream(self, build: "Build", side: int, port: int) -> "Stream":
        """What a stream port is in the graph that is being built."""
        raise NotImplementedError

    def _item_size(self) -> int | None:
        """The size of an item, where that is all that the block knows of its items."""
        return None

    def _bytes_of_port(self, side: int, port: int) -> int | None:
        """The bytes of an item of an input (0) or an output (1), where they are known before the flowgraph is built.

        ValueError where there is no such port.
        """
        return None

    def _needed_inputs(self) -> int:
        """How many inputs must be connected, as far as that is known."""
        return 0

    def _output_count(self, build: "Build") -> int:
        """How many outputs there are that must go somewhere."""
        return 0

    def _parts(self, build: "Build") -> list[str]:
        """The names of the blocks that it is made of in the runtime."""
        return [build.names[self]]

    def _stays(self) -> bool:
        """Whether it stays in a running graph though nothing is connected to it any more."""
        return False

    def _is_left_out(self) -> bool:
        """Whether its messages lead nowhere."""
        return False

    def _waits(self) -> bool:
        """Whether it has a thread of its own, so that its streams cannot be rewired while it runs.

        Others are between them and those of its neighbours then.
        """
        return False

    @classmethod
    def _controls(cls) -> dict[str, Any]:
        """The message inputs that change settings, and what they do."""
        return {}

    def _length_keys(self) -> list[str]:
        """The keys of tags with the lengths of packets that it reads or writes."""
        return []

    def _signs_tags(self) -> bool:
        """Whether its name and number are the source of its tags, as they are for some of GNU Radio's blocks."""
        return False

    def _says_sources(self) -> bool:
        """Whether it says of each of its tags who made it."""
        return False

    def _tag_of(self, index: int, key: str, value: bytes, source: str, vlen: int) -> tag_t:
        """A tag of the runtime, with an index and with lengths that count vectors."""
        tag = tag_t()
        found = whole(pmt.deserialize_str(value))
        build = self._build_of
        if build is not None and vlen > 1 and key in build.length_keys and pmt.is_integer(found):
            length = pmt.to_long(found)
            found = pmt.from_long(length // vlen) if length % vlen == 0 else found
        tag.offset, tag.key, tag.value = index // vlen, pmt.intern(key), found
        tag.srcid = build.source_of_tag(source) if build is not None else pmt.intern(source) if source else pmt.PMT_F
        return tag

    def _value_of_tag(self, key: str, value: Any, vlen: int) -> bytes:
        """The value of a tag for the runtime, whose lengths count what vectors are made of."""
        build = self._build_of
        if build is not None and vlen > 1 and key in build.length_keys and pmt.is_integer(value):
            value = pmt.from_long(pmt.to_long(value) * vlen)
        return pmt.serialize_str(value)

    def _may_end_alone(self) -> bool:
        """Whether its only output may stay unconnected."""
        return False

    def _awaits(self) -> str:
        """The message input whose messages it waits for, also where only the program sends them."""
        return ""

    def _depends_on_counts(self) -> bool:
        """Whether it is made for as many streams as are connected."""
        return False

    def _started(self) -> None:
        """The flowgraph is about to start."""

    def _stopped(self) -> None:
        """The flowgraph has ended."""

    def __repr__(self) -> str:
        return f"<{self.identifier()}>"


class Stream(NamedTuple):
    """A stream port: its name in the graph, the type of its items, and how many make one of GNU Radio's items."""

    port: str
    item: str
    vlen: int


add_settings(Element)


def _symbols(names: list[str]) -> Any:
    """A vector of symbols."""
    found = pmt.make_vector(len(names), pmt.PMT_NIL)
    for place, name in enumerate(names):
        pmt.vector_set(found, place, pmt.intern(name))
    return found


def port_name(port: Any) -> str:
    """The name of a message port, given as text or as a symbol."""
    if isinstance(port, str):
        return port
    if pmt.is_symbol(port):
        return pmt.symbol_to_string(port)
    raise TypeError(f"expected the name of a message port, got {port!r}")


def _check_port(port: int, count: int) -> None:
    if port >= count:
        raise ValueError(f"port number {port} exceeds max of {count - 1 if count else '(none)'}")


class Link(NamedTuple):
    """A connection of two stream ports."""

    source: Element
    source_port: int
    sink: Element
    sink_port: int

    def __str__(self) -> str:
        return f"{self.source.alias()}:{self.source_port}->{self.sink.alias()}:{self.sink_port}"


class MessageLink(NamedTuple):
    """A connection of two message ports."""

    source: Element
    source_port: str
    sink: Element
    sink_port: str


def _end(point: Any) -> tuple[Element, int]:
    block, port = point if isinstance(point, (tuple, list)) else (point, 0)
    element = _element(block)
    if not isinstance(port, int):
        raise ValueError(f"{element!r}: expected the number of a port, got {port!r}")
    if port < 0:
        raise ValueError(f"negative port number {port} is invalid")
    return element, port


def _message_link(ends: tuple[Any, ...]) -> MessageLink:
    """The connection of `(source, port, sink, port)` or `((source, port), (sink, port))`."""
    if len(ends) == 2:
        if not all(isinstance(end, (tuple, list)) and len(end) == 2 for end in ends):
            raise TypeError(f"expected a block and a message port for each of two ends, got {ends!r}")
        ends = (*ends[0], *ends[1])
    if len(ends) != 4:
        raise TypeError(f"expected source, port, sink and port, got {len(ends)} arguments")
    source, source_port, sink, sink_port = ends
    return MessageLink(_element(source), port_name(source_port), _element(sink), port_name(sink_port))


def _element(block: Any) -> Element:
    if isinstance(block, Element):
        return block
    inner = getattr(block, "to_basic_block", None)
    if inner is not None and isinstance(inner(), Element):
        return inner()
    raise TypeError(f"expected a block, got {block!r}")


class hier_block2(Element):
    """A block that is made of others: connect them to `self` for its own ports."""

    def __init__(self, name: str = "hier_block2", input_signature: Any = None, output_signature: Any = None) -> None:
        super().__init__(name)
        self._signatures = (input_signature or io_signature(0, 0, 1), output_signature or io_signature(0, 0, 1))
        self._links: list[Link] = []
        self._message_links: list[MessageLink] = []
        self._alone: list[Element] = []

    def input_signature(self) -> Any:
        """How many streams come in."""
        return self._signatures[0]

    def output_signature(self) -> Any:
        """How many streams go out."""
        return self._signatures[1]

    def connect(self, *points: Any) -> None:
        """Connects blocks in a row; a point is a block, or a block and the number of its port."""
        if not points:
            raise ValueError("connect: At least one block required for connect")
        self._may_change()
        if len(points) == 1:
            block = _element(points[0])
            if not isinstance(block, hier_block2) and (block._stream_count(0) > 0 or block._stream_count(1) > 0):
                raise ValueError(f"Block {block.identifier()} must not have any input or output ports")
            if block in self._children():
                raise ValueError(f"Block {block.identifier()} already connected.")
            self._alone.append(block)
            return
        ends = [_end(point) for point in points]
        for (source, source_port), (sink, sink_port) in zip(ends, ends[1:]):
            if source is sink:
                raise ValueError(f"connect: src and destination blocks cannot be the same: {source.alias()}")
            for link in self._links:
                if (link.sink, link.sink_port) == (sink, sink_port):
                    raise ValueError(f"destination already in use by edge {link}")
            self._check_link(source, source_port, sink, sink_port)
            self._links.append(Link(source, source_port, sink, sink_port))

    def _check_link(self, source: Element, source_port: int, sink: Element, sink_port: int) -> None:
        """Raises for ports that are not there, and for items of two sizes, as far as both are known now."""
        sizes = []
        for block, port, side in ((source, source_port, 1), (sink, sink_port, 0)):
            sizes.append(block._bytes_of_port(1 - side if block is self else side, port))
        if None not in sizes and sizes[0] != sizes[1]:
            raise ValueError(
                f"itemsize mismatch: {source.alias()}:{source_port} using {sizes[0]}, "
                f"{sink.alias()}:{sink_port} using {sizes[1]}"
            )

    def _bytes_of_port(self, side: int, port: int) -> int | None:
        signature = self._signatures[side]
        if signature.max_streams() >= 0:
            _check_port(port, signature.max_streams())
        return signature.sizeof_stream_item(port)

    def disconnect(self, *points: Any) -> None:
        """Takes connections out again; of one block alone all of them."""
        self._may_change()
        if len(points) == 1:
            block = _element(points[0])
            self._links = [link for link in self._links if block not in (link.source, link.sink)]
            self._alone = [alone for alone in self._alone if alone is not block]
            return
        ends = [_end(point) for point in points]
        for source, sink in zip(ends, ends[1:]):
            link = Link(*source, *sink)
            if link not in self._links:
                raise ValueError(f"cannot disconnect edge {link}, not found")
            self._links.remove(link)

    def disconnect_all(self) -> None:
        """Takes all connections out."""
        self._may_change()
        self._links, self._message_links, self._alone = [], [], []

    def msg_connect(self, *ends: Any) -> None:
        """Connects two message ports: `(source, port, sink, port)`, or `((source, port), (sink, port))`."""
        self._may_change()
        link = _message_link(ends)
        for block, port, side in ((link.source, link.source_port, 1), (link.sink, link.sink_port, 0)):
            known = block._message_names(1 - side if block is self else side)
            if port not in known and not (port == "system" and side == 0) and not block._is_left_out():
                raise ValueError(f"invalid msg port in connect() or disconnect(): {block.alias()} has no {port!r}")
        self._message_links.append(link)

    def msg_disconnect(self, *ends: Any) -> None:
        """Takes a connection of messages out again; the ends as in `msg_connect`."""
        self._may_change()
        link = _message_link(ends)
        if link not in self._message_links:
            raise ValueError(f"cannot disconnect {link}: they are not connected")
        self._message_links.remove(link)

    def message_ports_in(self) -> Any:
        """The names of the message inputs."""
        return _symbols(self._message_names(0))

    def message_port_register_hier_in(self, portname: Any) -> None:
        """Makes a message input, to be connected inside."""
        self.message_port_register_in(portname)

    def message_port_register_hier_out(self, portname: Any) -> None:
        """Makes a message output, to be connected inside."""
        self.message_port_register_out(portname)

    def _may_change(self) -> None:
        """Raises where the flowgraph cannot be changed now."""
        top = self._flowgraph()
        if top is not None:
            top._may_change()

    def _flowgraph(self) -> "top_block | None":
        """The flowgraph that the block is in, since that was started."""
        return self._build_of.top if self._build_of is not None else None

    def post(self, port: Any, message: Any) -> None:
        """Sends a message to an input of the block from outside; before the start it is kept until then."""
        for sink, sink_port in self._sinks(self, port_name(port), messages=True):
            sink.post(sink_port, message)

    _post = post

    def lock(self) -> None:
        """Begins a change of the connections of a flowgraph that runs; it goes on meanwhile."""
        top = self._flowgraph()
        if top is not None:
            top.lock()

    def unlock(self) -> None:
        """Ends a change: the running flowgraph becomes what it is said to be now, all at once.

        What waits in streams whose two ends stay connected is not lost.
        """
        top = self._flowgraph()
        if top is not None:
            top.unlock()

    # From here on: how the blocks inside are found, for the flowgraph that runs.

    def _children(self) -> Iterator[Element]:
        """The blocks inside, each once."""
        seen = dict.fromkeys(self._alone)
        for link in [*self._links, *self._message_links]:
            seen[link.source] = seen[link.sink] = None
        seen.pop(self, None)
        return iter(seen)

    def _hiers(self) -> Iterator["hier_block2"]:
        """The blocks inside that are made of others, at any depth."""
        for child in self._children():
            if isinstance(child, hier_block2):
                yield child
                yield from child._hiers()

    def _leaves(self) -> Iterator[Element]:
        """The blocks inside that are not made of others."""
        for child in self._children():
            if isinstance(child, hier_block2):
                yield from child._leaves()
            else:
                yield child

    def _sources(self, source: Element, port: Any, messages: bool) -> list[tuple[Element, Any]]:
        """The blocks and ports behind an output, where hierarchical blocks are resolved."""
        if not isinstance(source, hier_block2):
            return [(source, port)]
        found = []
        for link in source._message_links if messages else source._links:
            if link.sink is source and link.sink_port == port:
                found += self._sources(link.source, link.source_port, messages)
        if not found and not messages:
            raise RuntimeError(f"{source.identifier()}: output {port} is not connected internally")
        return found

    def _sinks(self, sink: Element, port: Any, messages: bool) -> list[tuple[Element, Any]]:
        """The blocks and ports behind an input, where hierarchical blocks are resolved."""
        if not isinstance(sink, hier_block2):
            return [(sink, port)]
        found = []
        for link in sink._message_links if messages else sink._links:
            if link.source is sink and link.source_port == port:
                found += self._sinks(link.sink, link.sink_port, messages)
        if not found and not messages:
            raise RuntimeError(f"{sink.identifier()}: input {port} is not connected internally")
        return found

    def _all_links(self, messages: bool) -> Iterator[Any]:
        """The connections between blocks that are not made of others."""
        kind = MessageLink if messages else Link
        for link in self._message_links if messages else self._links:
            if self in (link.source, link.sink):
                continue
            for source, source_port in self._sources(link.source, link.source_port, messages):
                for sink, sink_port in self._sinks(link.sink, link.sink_port, messages):
                    yield kind(source, source_port, sink, sink_port)
        for child in self._children():
            if isinstance(child, hier_block2):
                yield from child._all_links(messages)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        # A flowgraph with a window is one of Qt's widgets, too.
        other = getattr(super(), "__getattr__", None)
        if other is not None:
            return other(name)
        raise missing("method", f"{type(self).__name__}.{name}", [known for known in dir(type(self)) if known[0] != "_"])
