"""From a flowgraph of GNU Radio's making to a graph that runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from superhet import _native
from superhet.arrays import DTYPES

from .elements import Element, Stream

if TYPE_CHECKING:
    from .elements import top_block

SIZES = {"C32": 8, "C64": 16, "f32": 4, "f64": 8, "i8": 1, "i16": 2, "i32": 4, "i64": 8}
SIZES |= {"u8": 1, "u16": 2, "u32": 4, "u64": 8, "cu8": 2, "cs8": 2, "cs16": 4}

BY_SIZE = ((8, "C32"), (4, "f32"), (2, "i16"), (1, "u8"))
"""What items of a size are where no neighbour says."""


class Build:
    """A flowgraph as it is put together, and then runs."""

    def __init__(self, top: "top_block") -> None:
        self.builder = _native.Builder()
        self.running: _native.Running | None = None
        self.names: dict[Element, str] = {}
        self.links = list(top._all_links(messages=False))
        self.message_links = list(top._all_links(messages=True))
        self._taken: set[str] = set()
        self._top = top
        self._has_ended = False
        for leaf in top._leaves():
            if leaf not in self.names:
                self.names[leaf] = self.free(leaf._element_alias or leaf._element_name)
        self._check_ports()
        for leaf in self.names:
            leaf._build_of = self
        self._items: dict[Element, tuple[str, int]] = {}
        untyped = [leaf for leaf in self.names if leaf._item_size() is not None]
        for leaf, name in self.names.items():
            if leaf._item_size() is None:
                leaf._add(self, name)
        self._find_items(untyped)
        for leaf in untyped:
            leaf._add(self, self.names[leaf])
        for link in self.links:
            self._connect(link)
        for link in self.message_links:
            source = link.source._message_end(link.source_port, 1)
            self.builder.connect(source, link.sink._message_end(link.sink_port, 0))
        for leaf, name in self.names.items():
            self._drop_rest(leaf, name)

    def free(self, name: str) -> str:
        """A name that nothing has yet."""
        name = "".join(letter if letter.isalnum() or letter in "_-" else "_" for letter in name) or "block"
        number, candidate = 1, name
        while candidate in self._taken:
            number += 1
            candidate = f"{name}_{number}"
        self._taken.add(candidate)
        return candidate

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

    def _connect(self, link: Any) -> None:
        source = link.source._stream(self, 1, link.source_port)
        sink = link.sink._stream(self, 0, link.sink_port)
        sizes = [SIZES[stream.item] * stream.vlen for stream in (source, sink)]
        if sizes[0] != sizes[1]:
            raise ValueError(
                f"itemsize mismatch: {link.source.alias()}:{link.source_port} using {sizes[0]}, "
                f"{link.sink.alias()}:{link.sink_port} using {sizes[1]}"
            )
        self.builder.connect(self.adapted(source, sink.item), sink.port)

    def adapted(self, stream: Stream, item: str) -> str:
        """A port that gives the same bits as items of another type."""
        if stream.item == item:
            return stream.port
        name = self.free(f"{stream.port.replace('.', '_')}_as_{item}")
        self.builder.add(name, "reinterpret", {"from": stream.item, "to": item})
        self.builder.connect(stream.port, name)
        return name

    def _drop_rest(self, leaf: Element, name: str) -> None:
        """Gives outputs that nobody reads somewhere to go, as GNU Radio does where a block may have fewer."""
        used = {link.source_port for link in self.links if link.source is leaf}
        for port in range(leaf._output_count(self)):
            if port not in used:
                stream = leaf._stream(self, 1, port)
                sink = self.free(f"{name}_rest")
                self.builder.add(sink, "null_sink", {"item": stream.item})
                self.builder.connect(stream.port, sink)

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
        self.running = self.builder.start(settings)

    def is_running(self) -> bool:
        """Whether the graph runs."""
        if self.running is None or self._has_ended:
            return False
        try:
            if self.running.ended or self.running.wait(0.0):
                self._end()
        except Exception:
            self._end()
            raise
        return not self._has_ended

    def wait(self) -> None:
        """Waits until the graph has ended."""
        if self.running is None or self._has_ended:
            return
        try:
            self.running.wait()
        except KeyboardInterrupt:
            self.running.stop_within(1.0)
            raise
        finally:
            self._end()

    def stop(self) -> None:
        """Ends the sources."""
        if self.running is not None:
            self.running.stop()

    def _end(self) -> None:
        if not self._has_ended:
            self._has_ended = True
            for leaf in self.names:
                leaf._stopped()


def array_of(item: str) -> Any:
    """Numpy's type of an item type."""
    import numpy

    return numpy.dtype(DTYPES[item])
