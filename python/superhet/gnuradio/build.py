"""From a flowgraph of GNU Radio's making to a graph that runs."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from superhet import _native
from superhet.arrays import DTYPES
from superhet.errors import BlockEnded, BlockFailed

from . import pmt
from .elements import BY_SIZE, SIZES, Element, MessageLink, Stream
from .limits import limits

if TYPE_CHECKING:
    from .top_block import top_block

Helpers = dict[tuple[str, str], tuple[str, str, dict[str, Any]]]
"""Blocks behind ports that GNU Radio does not need, by the port and what they are for: name, kind and parameters."""


class Build:
    """A flowgraph as it is put together, runs, and is changed."""

    def __init__(self, top: "top_block") -> None:
        self.builder = _native.Builder()
        self.running: _native.Running | None = None
        self.names: dict[Element, str] = {}
        """The blocks, and what the runtime calls them."""
        self.top = top
        self._taken: set[str] = set()
        self._has_ended = self._is_stopping = False
        self.length_keys: frozenset[str] = frozenset()
        """The keys of tags that say how long packets are: as the blocks of the flowgraph name them."""
        self._items: dict[Element, tuple[str, int]] = {}
        self._counts: dict[Element, tuple[int, int]] = {}
        # What there is between the blocks, by the runtime's names: connections, and blocks of the face's own making.
        self._wires: dict[tuple[str, str], None] = {}
        self._helpers: Helpers = {}
        # The ports of blocks that cannot be taken out of a running graph, though the flowgraph has them no more: side, name, items.
        self._mailboxes: dict[Element, Element] = {}
        self._control_blocks: dict[Element, Element] = {}
        self._retired: list[tuple[int, str, str]] = []
        # Parameters, as `block.parameter`, of blocks that come into a running graph.
        self._settings: list[tuple[str, Any]] = []
        self._put()

    def _put(self) -> None:
        """Brings the builder up to date with the flowgraph: adds new parts, and removes those that have gone."""
        self.links = list(self.top._all_links(messages=False))
        messages = self.top._all_links(messages=True)
        self.message_links = [link for link in messages if not (link.source._is_left_out() or link.sink._is_left_out())]
        self._check_ports()
        leaves = dict.fromkeys(self.top._leaves())
        for leaf in list(leaves):
            self._keep_open(leaf, leaves)
        self.message_links = [self._controlled(link, leaves) for link in self.message_links]
        leaves |= {leaf: None for leaf in self.names if leaf._stays()}
        gone = [leaf for leaf in self.names if leaf not in leaves or self._is_another(leaf)]
        parts = [part for leaf in gone if not leaf._waits() for part in leaf._parts(self)]
        for leaf in gone:
            if leaf._waits():
                self._retire(leaf)
            del self.names[leaf]
        fresh = [leaf for leaf in leaves if leaf not in self.names]
        for leaf in fresh:
            self.names[leaf] = self.free(leaf._element_alias or leaf._element_name)
            leaf._build_of = self
            leaf._is_stale = False
            self._counts[leaf] = (self.count(leaf, 0), self.count(leaf, 1))
            self._items.pop(leaf, None)
        self.length_keys = frozenset(key for leaf in self.names for key in leaf._length_keys())
        for leaf in self.top._hiers():
            leaf._build_of = self
        self._check_inputs(fresh)
        untyped = [leaf for leaf in fresh if leaf._item_size() is not None]
        for leaf in fresh:
            if leaf._item_size() is None:
                leaf._add(self, self.names[leaf])
        self._find_items(untyped)
        for leaf in untyped:
            leaf._add(self, self.names[leaf])
        self._check_inputs(fresh)
        wires, helpers, self._wires, self._helpers = self._wires, self._helpers, {}, {}
        ends = limits(self.links, self.names)
        for link in self.links:
            self._connect(link, helpers, ends.get(link))
        for link in self.message_links:
            source = link.source._message_end(link.source_port, 1)
            self._wires[source, link.sink._message_end(link.sink_port, 0)] = None
        for leaf in self.names:
            self._drop_rest(leaf, helpers)
        self._connect_retired(helpers)
        for wire in wires:
            if wire not in self._wires:
                self.builder.disconnect(*wire)
        # Nothing is connected to them any more: the runtime closes no gap.
        for part in parts + [name for key, (name, *_) in helpers.items() if key not in self._helpers]:
            self.builder.remove(part)
        for key, (name, kind, params) in self._helpers.items():
            if key not in helpers:
                self.builder.add(name, kind, params)
        for wire in self._wires:
            if wire not in wires:
                self.builder.connect(*wire)

    def _controlled(self, link: MessageLink, leaves: dict[Element, None]) -> MessageLink:
        """The connection, to a block beside where its input changes settings."""
        handlers = link.sink._controls()
        if link.sink_port not in handlers:
            return link
        from .control_ports import control

        beside = self._control_blocks.setdefault(link.sink, control(link.sink, handlers))
        leaves[beside] = None
        return MessageLink(link.source, link.source_port, beside, link.sink_port)

    def _keep_open(self, leaf: Element, leaves: dict[Element, None]) -> None:
        """Connects a message input that waits for what the program itself sends, so that the block does not end without it."""
        port = leaf._awaits()
        if not port or any(link.sink is leaf and link.sink_port == port for link in self.message_links):
            return
        from .python_blocks import mailbox

        box = self._mailboxes.setdefault(leaf, mailbox())
        leaves[box] = None
        self.message_links.append(MessageLink(box, "out", leaf, port))

    def _check_inputs(self, leaves: list[Element]) -> None:
        """Raises where nothing is connected to an input that needs a stream."""
        for leaf in leaves:
            there, needed = self.count(leaf, 0), leaf._needed_inputs()
            if there < needed:
                raise RuntimeError(
                    f"{leaf.identifier()}: insufficient connected input ports ({needed} needed, {there} connected)"
                )

    def _is_another(self, leaf: Element) -> bool:
        """Whether a block has to be made anew, for its settings, or for it is made for so many streams."""
        if leaf._is_stale:
            return True
        counts = (self.count(leaf, 0), self.count(leaf, 1))
        return self._counts[leaf] != counts and leaf._depends_on_counts()

    def change(self) -> None:
        """Changes the graph that runs to what the flowgraph is now."""
        assert self.running is not None
        before = {name: dict(value) if isinstance(value, dict) else value for name, value in vars(self).items()}
        of_leaves = {leaf: dict(vars(leaf)) for leaf in self.names}
        self.builder = _native.Builder()
        self._settings = []
        try:
            self._put()
            fresh = [leaf for leaf in self.names if leaf not in before["names"]]
            for leaf in fresh:
                leaf._started()
            self.running.change(self.builder)
            for parameter, value in self._settings:
                with contextlib.suppress(BlockEnded):
                    self.running.set(parameter, value)
        except BaseException:
            vars(self).update(before)
            for leaf, attributes in of_leaves.items():
                vars(leaf).update(attributes)
            raise
        for leaf in of_leaves:
            if leaf not in self.names:
                leaf._stopped()
                leaf._build_of = None

    def set_first(self, parameter: str, value: Any) -> None:
        """Sets the parameter `block.parameter` of a block that was put in just now, before its first item where the graph starts."""
        if self.running is None:
            self.builder.set(parameter, value)
        else:
            self._settings.append((parameter, value))

    def free(self, name: str) -> str:
        """A name that nothing has yet."""
        name = "".join(letter if letter.isalnum() or letter in "_-" else "_" for letter in name) or "block"
        number, candidate = 1, name
        while candidate in self._taken:
            number += 1
            candidate = f"{name}_{number}"
        self._taken.add(candidate)
        return candidate

    def source_of_tag(self, name: str) -> Any:
        """What GNU Radio has for the source of a tag, by the name that the runtime has for it."""
        if not name:
            return pmt.PMT_F
        for leaf, known in self.names.items():
            if name == known or name in leaf.__dict__.get("_names_of_stages", ()):
                if leaf._says_sources():
                    break
                return pmt.intern(f"{leaf.name()}{leaf.unique_id()}") if leaf._signs_tags() else pmt.PMT_F
        return pmt.intern(name)

    def count(self, leaf: Element, side: int) -> int:
        """How many stream inputs (0) or outputs (1) of a block are connected."""
        ports = [
            (link.sink_port, link.source_port)[side]
            for link in self.links
            if (link.sink, link.source)[side] is leaf
        ]
        return max(ports, default=-1) + 1

    def item(self, leaf: Element) -> tuple[str, int]:
        """The items of a block that knows only their size: their type, and how many make that size."""
        return self._items[leaf]

    def _check_ports(self) -> None:
        """Raises for an input that two outputs feed."""
        seen: dict[tuple[Element, int], Element] = {}
        for link in self.links:
            end = (link.sink, link.sink_port)
            if end in seen:
                raise ValueError(f"{link.sink.identifier()}: input {link.sink_port} has two sources")
            seen[end] = link.source

    def _find_items(self, untyped: list[Element]) -> None:
        """Takes the types of the neighbours over, as far as they reach."""
        left = set(untyped)
        while left:
            found = {}
            for link in self.links:
                for (leaf, _), (other, port), side in (
                    ((link.source, link.source_port), (link.sink, link.sink_port), 0),
                    ((link.sink, link.sink_port), (link.source, link.source_port), 1),
                ):
                    if leaf not in left or leaf in found or other in left:
                        continue
                    size = leaf._item_size()
                    item = self._items[other][0] if other in self._items else other._stream(self, side, port).item
                    if size and size % SIZES[item] == 0:
                        found[leaf] = (item, size // SIZES[item])
            if not found:
                # Nothing is known of these: one says what its size suggests, and the others follow.
                leaf = next(iter(sorted(left, key=lambda leaf: leaf.unique_id())))
                size = leaf._item_size() or 1
                fitting = next((one, item) for one, item in BY_SIZE if size % one == 0)
                found = {leaf: (fitting[1], size // fitting[0])}
            self._items |= found
            left -= set(found)

    def _connect(self, link: Any, known: Helpers, items: int | None) -> None:
        source = link.source._stream(self, 1, link.source_port)
        sink = link.sink._stream(self, 0, link.sink_port)
        sizes = [SIZES[stream.item] * stream.vlen for stream in (source, sink)]
        if sizes[0] != sizes[1]:
            raise ValueError(
                f"itemsize mismatch: {link.source.alias()}:{link.source_port} using {sizes[0]}, "
                f"{link.sink.alias()}:{link.sink_port} using {sizes[1]}"
            )
        end = source.port
        if link.source._waits():
            end = self._helper(source, "apart", "copy", {"item": source.item}, known)
        if items is not None:
            params = {"item": source.item, "items": items * source.vlen}
            end = self._helper(Stream(end, source.item, 1), f"head_{items}", "head", params, known)
        if source.item != sink.item:
            # The same bits as items of another type.
            params = {"from": source.item, "to": sink.item}
            end = self._helper(Stream(end, source.item, 1), sink.item, "reinterpret", params, known)
        if link.sink._waits():
            self._wires[self._before(sink, known), sink.port] = None
            sink = Stream(self._helpers[sink.port, "before"][0], sink.item, 1)
        self._wires[end, sink.port] = None

    def _retire(self, leaf: Element) -> None:
        """Notes the streams of a block that waits for the outside world: it stays, and nothing comes to it any more."""
        for side in (0, 1):
            for port in range(self._counts[leaf][side]):
                stream = leaf._stream(self, side, port)
                self._retired.append((side, stream.port, stream.item))

    def _connect_retired(self, known: Helpers) -> None:
        for side, port, item in self._retired:
            stream = Stream(port, item, 1)
            if side == 0:
                before = self._before(stream, known)
                made = known.get((port, "none"))
                name = made[0] if made else self.free(f"{before}_none")
                self._helpers[port, "none"] = (name, "vector_source", {"item": item, "values": []})
                self._wires[name, before] = None
                self._wires[before, port] = None
            else:
                end = self._helper(stream, "apart", "copy", {"item": item}, known)
                self._helper(Stream(end, item, 1), "rest", "null_sink", {"item": item}, known)

    def _before(self, sink: Stream, known: Helpers) -> str:
        """The name of a block before an input that cannot be rewired while it runs."""
        key = (sink.port, "before")
        made = known.get(key)
        name = made[0] if made else self.free(f"{sink.port.replace('.', '_')}_before")
        self._helpers[key] = (name, "copy", {"item": sink.item})
        return name

    def _helper(
        self,
        source: Stream,
        what: str,
        kind: str,
        params: dict[str, Any],
        known: Helpers,
    ) -> str:
        """The name of a block behind a port that GNU Radio does not need: one that is there already, or a new one."""
        key = (source.port, what)
        if key not in self._helpers:
            made = known.get(key)
            name = made[0] if made else self.free(f"{source.port.replace('.', '_')}_{what}")
            self._helpers[key] = (name, kind, params)
            self._wires[source.port, name] = None
        return self._helpers[key][0]

    def _drop_rest(self, leaf: Element, known: Helpers) -> None:
        """Gives outputs that nobody reads somewhere to go, as GNU Radio does where a block may have fewer."""
        used = {link.source_port for link in self.links if link.source is leaf}
        count = leaf._output_count(self)
        if count == 1 and not used and not leaf._may_end_alone():
            raise RuntimeError(f"{leaf.identifier()}: insufficient connected output ports (1 needed, 0 connected)")
        for port in range(count):
            if port not in used:
                stream = leaf._stream(self, 1, port)
                self._helper(stream, "rest", "null_sink", {"item": stream.item}, known)

    def start(self, max_noutput_items: int) -> None:
        """Starts the graph."""
        strip = max(1, int(max_noutput_items)) if max_noutput_items < 10_000_000 else None
        settings = {
            "scheduler": "adaptive",
            "workers": None,
            "strip_items": strip,
            "max_latency_items": None,
            "seed": None,
            "realtime": None,
        }
        for leaf in self.names:
            leaf._started()
        self.running = self.builder.start(settings, False)
        for leaf in [*self.names, *self.top._hiers()]:
            while leaf._early_messages:
                leaf.post(*leaf._early_messages.pop(0))

    def is_of_messages(self) -> bool:
        """Whether no stream connects anything."""
        return bool(self.message_links) and not self.links

    def is_running(self) -> bool:
        """Whether the graph runs."""
        if self.running is None or self._has_ended:
            return False
        try:
            if self.running.ended or self.running.wait(0.0):
                self._end()
        except Exception as error:
            self._end()
            if not self._is_of_the_end(error):
                raise
        return not self._has_ended

    def is_stopping(self) -> bool:
        """Whether it was told to stop."""
        return self._is_stopping

    def wait(self) -> None:
        """Waits until the graph has ended."""
        if self.running is None or self._has_ended:
            return
        try:
            self.running.wait()
        except KeyboardInterrupt:
            self.running.stop_within(1.0)
            raise
        except BlockFailed as error:
            if not self._is_of_the_end(error):
                raise
        finally:
            self._end()

    def _is_of_the_end(self, error: Exception) -> bool:
        """Whether a stream has ended within a packet, or was stopped within a symbol: as there, what there is of it is dropped."""
        text = str(error) if isinstance(error, BlockFailed) else ""
        return "was cut short: the stream ended" in text or self._is_stopping and "expected whole" in text

    def stop(self) -> None:
        """Ends the sources; and blocks in Python that could wait for their own messages for ever."""
        self._is_stopping = True
        if self.running is not None:
            self.running.stop()
            for leaf, name in self.names.items():
                if leaf._stays() and self._follows_itself(name):
                    with contextlib.suppress(BlockEnded):
                        self.running.message(f"{name}.system", pmt.cons(pmt.intern("done"), pmt.from_long(1)))

    def _follows_itself(self, name: str) -> bool:
        """Whether what a block gives comes back to it."""
        ahead, seen = [name], set()
        while ahead:
            here = ahead.pop()
            after = {sink.partition(".")[0] for source, sink in self._wires if source.partition(".")[0] == here}
            ahead += after - seen
            seen |= after
        return name in seen

    def _end(self) -> None:
        if not self._has_ended:
            self._has_ended = True
            for leaf in self.names:
                leaf._stopped()


def array_of(item: str) -> Any:
    """Numpy's type of an item type."""
    import numpy

    return numpy.dtype(DTYPES[item])
