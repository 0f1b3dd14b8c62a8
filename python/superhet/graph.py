"""Graphs of blocks."""

from __future__ import annotations

import time
import warnings
import weakref
from collections.abc import Iterable
from keyword import iskeyword
from os import PathLike
from types import TracebackType
from typing import Any, Iterator, Union

from superhet import _catalog, _native
from superhet.dashboard import Dashboard
from superhet.errors import GraphError, UnknownPort


class Port:
    """A port of a block: ``block["out"]``."""

    __slots__ = ("block", "name")

    def __init__(self, block: "Node", name: Union[str, int]) -> None:
        self.block = block
        self.name = name

    def __repr__(self) -> str:
        return f"{self.block!r}[{self.name!r}]"


class Node:
    """Anything that a graph can hold. ``block[port]`` names one of its ports, by name or by place."""

    name: str | None = None
    """The name that it gets in a graph; without one the graph gives it its type's."""
    kind: str = "block"
    """What it is called where it has no name."""

    def __getitem__(self, port: Union[str, int]) -> Port:
        return Port(self, port)

    def _add(self, builder: _native.Builder, name: str) -> None:
        """Puts the block into a graph that is being built."""
        raise NotImplementedError

    def _nodes(self) -> Iterator["Node"]:
        yield self

    def process(self, *arrays: Any) -> Any:
        """What the block makes of whole arrays, one for each input: an array, or a tuple of arrays for several outputs.

        For notebooks and tests: a graph is built around the block, runs on one thread, and is gone.
        """
        return process(self, *arrays)

    def _repr_svg_(self) -> str:
        from superhet import _draw

        return _draw.graph([(self.name or self.kind, self)], [])

    def __repr__(self) -> str:
        return f"<{self.kind}{f' {self.name}' if self.name else ''}>"


def _checked(block: Node, name: str | None) -> str | None:
    """A name for a block, if it can be one."""
    if name is not None and (not isinstance(name, str) or "." in name):
        kind = block.kind
        raise GraphError(f"{kind}: name: expected a text without a dot, which stands before the port's name, got {name!r}")
    return name


class Graph:
    """Blocks with names, and streams and messages between their ports.

    >>> import numpy, superhet
    >>> graph = superhet.Graph()
    >>> source = superhet.vector_source(numpy.arange(4, dtype="f4"))
    >>> sink = superhet.vector_sink()
    >>> graph.connect(source, superhet.multiply_const(constant=2.0, item="f32"), sink)
    >>> graph.run()
    >>> sink.array
    array([0., 2., 4., 6.], dtype=float32)
    """

    def __init__(self) -> None:
        self._names: dict[Node, str] = {}
        self._links: list[tuple[Port, Port]] = []

    def add(self, block: Node, name: str | None = None) -> Node:
        """Adds a block, under a name if one is given. Blocks that are connected need not be added before."""
        for node in block._nodes():
            if node not in self._names:
                self._names[node] = self._free(_checked(node, name or node.name) or node.kind)
        return block

    def _free(self, name: str) -> str:
        taken = set(self._names.values())
        number, candidate = 1, name
        while candidate in taken:
            number += 1
            candidate = f"{name}_{number}"
        return candidate

    def connect(self, *chain: Union[Node, Port]) -> None:
        """Connects blocks in a row, each output to the next input.

        A block alone means its only port that fits; ``block["port"]`` names one, and ``block[0]`` its first stream.
        Message ports are connected the same way. A misfit is reported when the graph is checked or started.
        """
        if len(chain) < 2:
            raise GraphError("connect needs two blocks or more")
        ends = [end if isinstance(end, Port) else Port(end, "") for end in chain]
        for end in ends:
            if not isinstance(end.block, Node):
                raise TypeError(f"expected a block or a port, got {end.block!r}")
            self.add(end.block)
        self._links += list(zip(ends, ends[1:]))

    def disconnect(self, source: Union[Node, Port], sink: Union[Node, Port]) -> None:
        """Takes a connection out again."""

        def same(end: Port, given: Union[Node, Port]) -> bool:
            given = given if isinstance(given, Port) else Port(given, "")
            return end.block is given.block and end.name == given.name

        before = len(self._links)
        self._links = [(a, b) for a, b in self._links if not (same(a, source) and same(b, sink))]
        if len(self._links) == before:
            raise UnknownPort(f"{source!r} is not connected to {sink!r}")

    @property
    def blocks(self) -> dict[str, Node]:
        """The blocks by name."""
        return {name: block for block, name in self._names.items()}

    def name_of(self, block: Node) -> str:
        """The name that the graph knows a block by."""
        if block not in self._names:
            raise UnknownPort(f"{block!r} is not in this graph")
        return self._names[block]

    def _build(self) -> tuple[_native.Builder, dict[str, Any]]:
        """The graph for the runtime, and the ports of its blocks by their names."""
        builder, ports = _native.Builder(), {}
        self._put(builder, self._names, self._links, ports)
        return builder, ports

    def _put(
        self, builder: _native.Builder, blocks: dict[Node, str], links: list[tuple[Port, Port]], ports: dict[str, Any]
    ) -> None:
        """Puts blocks and connections into ``builder``, and the ports of the blocks into ``ports``."""
        later = []
        for block, name in blocks.items():
            if getattr(block, "item", "") is None:
                later.append((block, name))
            else:
                block._add(builder, name)
                ports[name] = builder.ports(name)
        for block, name in later:
            block._add_as(builder, name, self._item_for(ports, block))  # type: ignore[attr-defined]
            ports[name] = builder.ports(name)
        for source, sink in links:
            builder.connect(self._end(ports, source, 1), self._end(ports, sink, 0))

    def _end(self, ports: dict[str, Any], port: Port, side: int) -> str:
        """How the runtime knows a port: ``side`` is 0 for inputs, 1 for outputs."""
        name = self._names[port.block]
        if port.name == "":
            return name
        if isinstance(port.name, str):
            return f"{name}.{port.name}"
        streams = ports[name][side] if ports.get(name) else []
        if not 0 <= port.name < len(streams):
            what = "output" if side else "input"
            raise UnknownPort(f"{name} has no stream {what} {port.name}: it has {len(streams)}")
        return f"{name}.{streams[port.name][0]}"

    def _item_for(self, ports: dict[str, Any], block: Node) -> str:
        """The items that the output gives which feeds a block that takes any."""
        for source, sink in self._links:
            if sink.block is not block:
                continue
            known = ports.get(self._names[source.block])
            outputs = known[1] if known else []
            named = [port for port in outputs if port[0] == source.name]
            if isinstance(source.name, int):
                named = outputs[source.name : source.name + 1]
            for port in named or outputs[:1]:
                return port[1]
        return "C32"

    def check(self) -> None:
        """Finds the mistakes of the graph: raises a `GraphError`, which lists them all where there are several."""
        self._build()[0].check()

    def start(
        self,
        scheduler: str = "adaptive",
        *,
        workers: int | None = None,
        strip_items: int | None = None,
        max_latency_items: int | None = None,
        seed: int | None = None,
        realtime: int | None = None,
        dashboard: Union[Dashboard, str, int, bool, None] = None,
    ) -> "Running":
        """Starts the graph, and gives a handle to it, which is a context manager.

        ``scheduler`` is ``adaptive``, ``single``, ``pinned`` or ``threads``; ``workers`` how many threads it has;
        ``strip_items`` the longest span; ``max_latency_items`` how much may lie between a source and a sink;
        ``realtime`` a priority from 1 to 99. A graph can be started again when it has ended.

        ``dashboard`` shows the graph in the browser: ``True``, an address or a port as for `Dashboard`, or a
        `Dashboard` that shows other graphs, too. See `Running.dashboard`.
        """
        settings = {
            "scheduler": scheduler,
            "workers": workers,
            "strip_items": strip_items,
            "max_latency_items": max_latency_items,
            "seed": seed,
            "realtime": realtime,
        }
        if dashboard is True:
            dashboard = Dashboard()
        elif dashboard is not None and dashboard is not False and not isinstance(dashboard, Dashboard):
            dashboard = Dashboard(dashboard)
        builder, ports = self._build()
        running = Running(self, builder.start(settings, bool(dashboard)), ports)
        if dashboard:
            dashboard.show(running)
            running._dashboard = dashboard
        return running

    def run(self, scheduler: str = "adaptive", **settings: Any) -> None:
        """Starts the graph and waits until it has ended. Ctrl-C stops it."""
        self.start(scheduler, **settings).wait()

    def _edges(self) -> list[tuple[str, str]]:
        return [(self._names[a.block], self._names[b.block]) for a, b in self._links]

    def _repr_svg_(self) -> str:
        from superhet import _draw

        return _draw.graph([(name, block) for block, name in self._names.items()], self._edges())

    def _repr_html_(self) -> str:
        from superhet import _draw

        rows = [(name, repr(block)) for block, name in self._names.items()]
        return self._repr_svg_() + _draw.table(("block", "is"), rows)

    def __repr__(self) -> str:
        chains = ", ".join(f"{a} -> {b}" for a, b in self._edges())
        return f"<Graph of {len(self._names)} blocks: {chains}>"


class Running:
    """A graph at work.

    As a context manager it is stopped at the end of the ``with`` block, and waited for.
    """

    def __init__(self, graph: Graph, native: _native.Running, ports: dict[str, Any]) -> None:
        self._graph = graph
        self._native = native
        self._ports = ports
        self._dashboard: Dashboard | None = None
        _alive.add(self)

    def wait(self, timeout: float | None = None) -> bool:
        """Waits until the graph has ended; ``False`` if ``timeout`` seconds are up before. Ctrl-C stops the graph."""
        try:
            return self._native.wait(timeout)
        except KeyboardInterrupt:
            self._native.stop_within(1.0)
            raise

    def stop(self, timeout: float | None = 5.0) -> None:
        """Ends the sources, and waits until what they have given has reached the sinks, for ``timeout`` seconds.

        After that the graph is cancelled, and `DidNotStop` names the blocks that had not come back. With ``None`` it
        does not wait: see `wait`.
        """
        if timeout is None:
            self._native.stop()
        else:
            self._native.stop_within(timeout)

    def cancel(self) -> None:
        """Ends all blocks as soon as their current call returns."""
        self._native.cancel()

    @property
    def ended(self) -> bool:
        """Whether the graph has ended."""
        return self._native.ended or self._native.wait(0.0)

    def dashboard(
        self,
        address: Union[str, int, None] = None,
        *,
        hosts: Iterable[str] = (),
        record_dir: Union[str, PathLike[str], None] = None,
    ) -> Dashboard:
        """The graph in the browser: a `Dashboard`, whose parameters these are; the same one when asked again.

        It is there until it is closed, or nobody holds this handle any more. What goes into and out of blocks that wait
        for the outside world can be looked at where the graph was started with ``graph.start(dashboard=...)``.
        """
        if self._dashboard is None or not self._dashboard.urls:
            self._dashboard = Dashboard(address, hosts=hosts, record_dir=record_dir)
            self._dashboard.show(self)
        return self._dashboard

    def _described(self) -> list[tuple[str, str, dict[str, Any]]]:
        """Per block of the library, its name, its type and what it was made with."""
        nodes = self._graph._names.items()
        return [(name, node.kind, node.params) for node, name in nodes if isinstance(node, LibraryBlock)]

    def _port(self, block: Union[Node, Port, str], port: str = "") -> str:
        if isinstance(block, Port):
            block, port = block.block, str(block.name)
        if isinstance(block, Node):
            block = self._graph.name_of(block)
        return f"{block}.{port}" if port else block

    def message(self, port: Union[Port, str], value: Any) -> None:
        """Sends a message to an input: ``block["port"]`` or ``"block.port"``."""
        self._native.message(self._port(port), value)

    def request(self, port: Union[Port, str], value: Any, timeout: float = 1.0) -> Any:
        """Sends a request to an input, and gives the answer."""
        return self._native.request(self._port(port), value, timeout)

    def set(self, block: Union[Node, str], parameter: str, value: Any, at: int | None = None) -> int | None:
        """Changes a parameter of a block; ``at`` an item of its input, or now.

        Gives the index of the item from which on it holds, where that is known within a tenth of a second.
        """
        return self._native.set(self._port(block, parameter), value, at)

    def get(self, block: Union[Node, str], parameter: str) -> Any:
        """The value that a parameter of a block has."""
        return self._native.get(self._port(block, parameter))

    def change(self) -> "Change":
        """Changes blocks and connections while the graph runs: see `Change`."""
        return Change(self)

    @property
    def parameters(self) -> list[str]:
        """What can be set, each as ``block.parameter``."""
        return self._native.parameters()

    @property
    def metrics(self) -> dict[str, Any]:
        """The graph's work so far: per block calls, busy time, items; ``lock_wait_s`` is how long a block that
        is written in Python has waited for Python's lock."""
        return self._native.metrics()

    def __enter__(self) -> "Running":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.stop()
        else:
            self.cancel()


class Change(Graph):
    """Changes of a running graph, made all at once, between two calls of its blocks, when the ``with`` block ends; or not
    at all, where an exception leaves it.

    It is the running graph, to be added to and connected anew. Items that wait in streams stay. A reader goes on with
    the items before it, and a new one begins with the next item that is written. ``blocks`` of the graph shows the
    result.

    >>> import superhet
    >>> graph = superhet.Graph()
    >>> source, sink = superhet.null_source(item="f32"), superhet.null_sink(item="f32")
    >>> graph.connect(source, sink)
    >>> running = graph.start()
    >>> double = superhet.multiply_const(item="f32", constant=2.0)
    >>> with running.change() as change:
    ...     change.disconnect(source, sink)
    ...     change.connect(source, double, sink)
    >>> with running.change() as change:
    ...     change.remove(double)
    >>> graph
    <Graph of 2 blocks: null_source -> null_sink>
    >>> running.stop()
    """

    def __init__(self, running: Running) -> None:
        graph = running._graph
        self._running = running
        self._names, self._links = dict(graph._names), list(graph._links)
        self._removed: list[str] = []
        self._bridges: list[tuple[Port, Port]] = []
        self.begins: dict[str, int] = {}
        """By name of each new block, afterwards: the index of the first item that it takes (gives, for a source)."""

    def remove(self, block: Node) -> None:
        """Takes a block out. If it has one input and one output of the same items, and both are still connected, its
        source then feeds its readers. Streams of other blocks have to be connected anew.
        """
        name = self.name_of(block)
        feeds = [source for source, sink in self._links if sink.block is block]
        fed = [sink for source, sink in self._links if source.block is block]
        self._links = [(a, b) for a, b in self._links if block not in (a.block, b.block)]
        del self._names[block]
        if block in self._running._graph._names:
            self._removed.append(name)
            # The runtime makes these itself.
            self._bridges += [(feeds[0], sink) for sink in fed] if len(feeds) == 1 else []

    def __enter__(self) -> "Change":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._make()

    def _make(self) -> None:
        graph, builder = self._running._graph, _native.Builder()
        ports = dict(self._running._ports)
        for source, sink in graph._links:
            kept = (source, sink) in self._links
            if not kept and not {graph._names[source.block], graph._names[sink.block]} & set(self._removed):
                builder.disconnect(graph._end(ports, source, 1), graph._end(ports, sink, 0))
        for name in self._removed:
            builder.remove(name)
        new = {block: name for block, name in self._names.items() if block not in graph._names}
        self._put(builder, new, [link for link in self._links if link not in graph._links], ports)
        self.begins = dict(self._running._native.change(builder))
        graph._names, graph._links, self._running._ports = self._names, self._links + self._bridges, ports


_alive: "weakref.WeakSet[Running]" = weakref.WeakSet()
"""Graphs to be stopped before the interpreter goes."""


def _stop_all() -> None:
    """Ends all graphs, and waits a moment for blocks in Python: none may come back to an interpreter that is going."""
    for running in list(_alive):
        running._native.cancel()
    _native.leave()
    deadline = time.monotonic() + 1.0
    while _native.calls_in_progress() and time.monotonic() < deadline:
        time.sleep(0.005)


def process(chain: Union[Node, list[Node]], *arrays: Any) -> Any:
    """What a block, or a list of blocks in a row, makes of whole arrays: see `Node.process`."""
    from superhet.arrays import vector_sink, vector_source

    blocks = chain if isinstance(chain, list) else [chain]
    graph, probe = Graph(), _native.Builder()
    for block in (blocks[0], blocks[-1])[: len(blocks)]:
        block._add(probe, "last" if block is blocks[-1] else "first")
    inputs = probe.ports("last" if len(blocks) == 1 else "first")[0]  # type: ignore[index]
    outputs = probe.ports("last")[1]  # type: ignore[index]
    if len(arrays) != len(inputs):
        raise GraphError(f"{blocks[0]!r} has {len(inputs)} inputs, got {len(arrays)} arrays")
    for array, port in zip(arrays, inputs):
        graph.connect(vector_source(array, item=port[1]), blocks[0][port[0]])
    for first, second in zip(blocks, blocks[1:]):
        graph.connect(first, second)
    sinks = [vector_sink(item=port[1]) for port in outputs]
    for sink, port in zip(sinks, outputs):
        graph.connect(blocks[-1][port[0]], sink)
    graph.run("single")
    results = tuple(sink.array for sink in sinks)
    return results[0] if len(results) == 1 else results


class LibraryBlock(Node):
    """A block of the library. Its class is named as the block, and has its documentation."""

    entry: dict[str, Any] = {}

    def __init__(self, *values: Any, name: str | None = None, **params: Any) -> None:
        params.update(self._placed(values, params))
        # A parameter that is a word of Python has an underscore behind it: `from_`.
        params = {key.removesuffix("_") if iskeyword(key.removesuffix("_")) else key: params[key] for key in params}
        params = self._renamed(params)
        known = [param["name"] for param in self.entry["params"]]
        for given in params:
            if given not in known:
                hint = _catalog.near(given, known) or f"; it has {', '.join(known) or 'none'}"
                raise TypeError(f"{self.kind} has no parameter {given}{hint}")
        missing = [param["name"] for param in self.entry["params"] if param["required"] and param["name"] not in params]
        if missing:
            raise TypeError(f"{self.kind} needs {', '.join(missing)}, as in {self._example()}")
        self.name = name
        self.params = {key: _catalog.plain(value) for key, value in params.items()}
        for key in [key for key, value in self.params.items() if isinstance(value, complex)]:
            if f"{key}_imag" in known and f"{key}_imag" not in self.params:
                self.params[f"{key}_imag"] = self.params[key].imag
                self.params[key] = self.params[key].real
        _native.check_block(self.kind, self.params)

    def _renamed(self, params: dict[str, Any]) -> dict[str, Any]:
        """The same by the names that parameters have now, with a warning for each that was given by one it had before."""
        now = {former: param["name"] for param in self.entry["params"] for former in param.get("formerly", ())}
        for former in [key for key in params if key in now]:
            if now[former] in params:
                raise TypeError(f"{self.kind}: {former} is what {now[former]} was called before, and both are given")
            message = f"{self.kind}: {former} is called {now[former]} now; the former name is understood until the next version"
            warnings.warn(message, FutureWarning, stacklevel=3)
        return {now.get(key, key): value for key, value in params.items()}

    def _placed(self, values: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
        """Values that were given without names: those of the parameters without defaults, in their order."""
        places = [param["name"] for param in self.entry["params"] if param["required"]]
        if len(values) > len(places):
            takes = f"takes {', '.join(places)} without a name" if places else "takes no value without a name"
            raise TypeError(f"{self.kind} {takes}, got {len(values)}: name the others, as in {self._example()}")
        placed = dict(zip(places, values))
        for name in placed:
            if name in named or f"{name}_" in named:
                raise TypeError(f"{self.kind} got {name} twice")
        return placed

    @classmethod
    def _example(cls) -> str:
        """A call with a name for each parameter."""
        from superhet.blocks import class_name

        named = [param["name"] for param in cls.entry["params"] if not param["required"]][:1]
        places = [param["name"] for param in cls.entry["params"] if param["required"]]
        return f"{class_name(cls.kind)}({', '.join([*places, *(f'{name}=...' for name in named)])})"

    def _add(self, builder: _native.Builder, name: str) -> None:
        builder.add(name, self.kind, self.params)

    def __repr__(self) -> str:
        params = ", ".join(f"{key}={value!r}"[:60] for key, value in self.params.items())
        return f"{self.kind}({params})"

