"""Runs blocks and their definitions on the same cases, and says where they differ.

A definition is a plain function of the parameters `p` and of whole input arrays, one for each stream input; it may also ask
for `tags` (a list of tags for each input), `packets` (what comes at the message input) and `take` (how many items of an endless
stream are looked at). It gives an array, a tuple of arrays for several outputs, or a `Result`.
"""

from __future__ import annotations

import inspect
import json
import tempfile
import zlib
from dataclasses import dataclass, field
from keyword import iskeyword
from types import SimpleNamespace
from typing import Any, Callable

import numpy as np
import superhet
from superhet import _catalog, _native
from superhet.graph import LibraryBlock

from .draw import Draw

EPS = 2.0**-24
"""The largest relative error of one rounding to single precision."""


@dataclass
class Case:
    """What a block is given: parameters, an array and tags for each stream input, and messages for its message input."""

    params: dict[str, Any]
    inputs: list[Any] = field(default_factory=list)
    tags: list[list[tuple[int, str, Any]]] = field(default_factory=list)
    packets: list[Any] = field(default_factory=list)
    take: int | None = None


@dataclass
class Result:
    """What comes out: an array for each stream output (`None`: not compared), its tags, messages by port, parameters to be read."""

    streams: list[Any] = field(default_factory=list)
    tags: list[list[tuple[int, str, Any]]] | None = None
    messages: dict[str, list[Any]] = field(default_factory=dict)
    shown: dict[str, Any] = field(default_factory=dict)
    files: dict[str, list[Any]] = field(default_factory=dict)
    """The lines of a file, each as JSON has it."""


@dataclass
class Definition:
    """How a block is defined, what it is tried with, and how far its output may be from the definition's."""

    block: str
    source: str
    draw: Callable[[Draw], Case]
    value: Callable[..., Any]
    within: Any
    tags: Any
    judge: Callable[..., str | None] | None = None
    open_end: int = 0


DEFINITIONS: dict[str, Definition] = {}


def define(
    block: str, *, source: str, draw: Callable[[Draw], Case], within: Any = 0.0, tags: Any = "none", **rest: Any
) -> Callable:
    """Makes a function the definition of a block.

    `within` is the bound of the error: 0 for bit by bit, a factor of |value|, or a function of the same arguments as the
    definition that gives an array, or a tuple of arrays, of absolute errors. `tags` says where tags go: `none` (none are tried),
    `keep` (they stay on their items, those of all inputs on all outputs), or a function `(p, index) → index`; a definition that
    asks for `tags` says so itself. The block may stop up to `open_end` items before the definition does, as it works in whole
    pieces, or then one item behind it, where a rounding decides whether there is a last one.
    `judge` is for random output: a function of the parameters and what came out that says what is wrong, or `None`.
    """

    def add(value: Callable) -> Callable:
        if block in DEFINITIONS:
            raise ValueError(f"{block} is defined twice")
        DEFINITIONS[block] = Definition(block, source, draw, value, within, tags, **rest)
        return value

    return add


class Near(float):
    """A number that is compared within a bound of its own."""

    def __new__(cls, value: float, bound: float) -> "Near":
        number = super().__new__(cls, value)
        number.bound = bound
        return number


class Angles(np.ndarray):
    """Angles, which are the same a whole turn further."""

    def __new__(cls, values: Any) -> "Angles":
        return np.asarray(values, "f8").view(cls)


class Difference(Exception):
    """A block and its definition differ."""


class _Sender(superhet.Block):
    """Sends messages, and ends."""

    message_outputs = ("out",)

    def __init__(self, messages: list[Any]) -> None:
        self.messages, self.inputs, self.outputs = messages, None, None

    def work(self, io: Any) -> int:
        for message in self.messages:
            io.send("out", message)
        return superhet.DONE


class _Receiver(superhet.Block):
    """Keeps messages: all, or so many, with which the graph ends."""

    message_inputs = ("in",)

    def __init__(self, limit: int | None) -> None:
        self.messages: list[Any] = []
        self.limit = limit

    def work(self, io: Any) -> int | None:
        self.messages += io.messages("in")
        if self.limit is None or len(self.messages) < self.limit:
            return None
        del self.messages[self.limit :]
        return superhet.DONE


SCHEDULERS = ("single", "pinned", "threads", "adaptive")


def parameters(block: str, given: dict[str, Any]) -> SimpleNamespace:
    """All parameters of a block, those that are not given by their defaults; a word of Python has an underscore behind it."""
    known = {param["name"]: param.get("default") for param in _catalog.entries()[block]["params"]}
    return SimpleNamespace(**{_word(name): given.get(name, default) for name, default in known.items()})


def _word(name: str) -> str:
    return f"{name}_" if iskeyword(name) else name


def _node(block: str, params: dict[str, Any]) -> LibraryBlock:
    """The block of the library, also where the package has a class of its own for it."""
    kind = type(block, (LibraryBlock,), {"kind": block, "entry": _catalog.entries()[block]})
    return kind(**{_word(key): value for key, value in params.items()})


def ports(block: str, params: dict[str, Any]) -> tuple[list, list, list[str], list[str]]:
    """The stream inputs and outputs with their items, and the message inputs and outputs, of a block with these parameters."""
    builder = _native.Builder()
    _node(block, params)._add(builder, "block")
    found = builder.ports("block")
    assert found is not None
    return found


def run(block: str, case: Case, random: np.random.Generator) -> Result:
    """What superhet's block makes of a case, under any scheduler and with any length of calls."""
    node = _node(block, case.params)
    inputs, outputs, message_inputs, message_outputs = ports(block, case.params)
    graph = superhet.Graph()
    graph.add(node)
    for place, array in enumerate(case.inputs):
        tags = case.tags[place] if case.tags else []
        graph.connect(superhet.vector_source(array, item=inputs[place][1], tags=tags), node[inputs[place][0]])
    port = next((port for port in message_inputs if port != "set"), None)
    if case.packets or (port and not inputs):
        graph.connect(_Sender(case.packets)["out"], node[port])
    sinks = [superhet.vector_sink(item=port[1]) for port in outputs]
    for sink, port in zip(sinks, outputs):
        if case.take is None:
            graph.connect(node[port[0]], sink)
        else:
            graph.connect(node[port[0]], superhet.head(item=port[1], items=case.take), sink)
    receivers = {port: _Receiver(case.take) for port in message_outputs}
    for port, receiver in receivers.items():
        graph.connect(node[port], receiver["in"])
    settings = {"strip_items": int(random.choice([1, 7, 64, 1000]))} if random.random() < 0.5 else {}
    running = graph.start(SCHEDULERS[random.integers(len(SCHEDULERS))], **settings)
    if not running.wait(30.0):
        running.cancel()
        raise Difference("the graph did not end within half a minute")
    return Result(
        [sink.array for sink in sinks],
        [[(tag.index, tag.key, tag.value) for tag in sink.tags] for sink in sinks],
        {port: receiver.messages for port, receiver in receivers.items()},
        _Shown(running, node),
    )


class _Shown:
    """Parameters of a block in a graph that has ended, asked for when they are wanted."""

    def __init__(self, running: Any, node: Any) -> None:
        self.running, self.node = running, node

    def __getitem__(self, name: str) -> Any:
        return self.running.get(self.node, name)


def expected(definition: Definition, case: Case) -> tuple[Result, list[Any]]:
    """What the definition makes of a case, and the bounds of the error of each output."""
    p = parameters(definition.block, case.params)
    wanted = _call(definition.value, p, case)
    if not isinstance(wanted, Result):
        wanted = Result(list(wanted) if isinstance(wanted, tuple) else [wanted])
    if wanted.tags is None and definition.tags != "none":
        move = (lambda p, index: index) if definition.tags == "keep" else definition.tags
        moved = sorted(
            ((move(p, index), key, value) for tags in case.tags for index, key, value in tags), key=lambda tag: tag[0]
        )
        wanted.tags = [moved] * len(wanted.streams)
    within = definition.within
    if callable(within):
        bounds = _call(within, p, case)
        bounds = list(bounds) if isinstance(bounds, tuple) else [bounds] * len(wanted.streams)
    else:
        bounds = [
            None if stream is None else within * np.abs(stream.astype("c16")) if within else 0.0
            for stream in wanted.streams
        ]
    return wanted, bounds


def _call(function: Callable, p: SimpleNamespace, case: Case) -> Any:
    """Calls a function with what it asks for."""
    asked = inspect.signature(function).parameters
    named = {name: getattr(case, name) for name in ("tags", "packets", "take") if name in asked}
    with np.errstate(all="ignore"):
        return function(p, *case.inputs, **named)


def compare(definition: Definition, case: Case, random: np.random.Generator) -> None:
    """Raises a `Difference` where the block and its definition differ."""
    wanted, bounds = expected(definition, case)
    got = run(definition.block, case, random)
    for place, (mine, stream, bound) in enumerate(zip(got.streams, wanted.streams, bounds)):
        if stream is not None:
            if definition.open_end:
                both = min(len(mine), len(stream))
                if -definition.open_end <= len(mine) - len(stream) <= 1:
                    mine, stream, bound = mine[:both], stream[:both], bound[:both] if np.ndim(bound) else bound
            _compare_streams(f"output {place}", mine, stream, bound)
    if len(wanted.streams) > len(got.streams):
        raise Difference(f"{len(got.streams)} outputs, expected {len(wanted.streams)}")
    for place, tags in enumerate(wanted.tags or []):
        _compare_lists(f"tags of output {place}", _ordered(got.tags[place]), _ordered(tags))
    if definition.judge and (wrong := definition.judge(parameters(definition.block, case.params), got)):
        raise Difference(wrong)
    for path, content in wanted.files.items():
        _compare_lists(f"lines of {path}", _lines(path), content)
    for port, messages in wanted.messages.items():
        _compare_lists(f"messages of {port}", got.messages[port], messages)
    for name, value in wanted.shown.items():
        if not _same(got.shown[name], value):
            raise Difference(f"{name} is {got.shown[name]!r}, expected {value!r}")


def _compare_streams(what: str, got: Any, wanted: Any, bound: Any) -> None:
    if len(got) != len(wanted):
        raise Difference(f"{what} has {len(got)} items, expected {len(wanted)}")
    if got.dtype.kind in "iub" and wanted.dtype.kind not in "iub":
        raise Difference(f"{what} is of {got.dtype}, expected {wanted.dtype}")
    with np.errstate(all="ignore"):
        if isinstance(wanted, Angles):
            wanted = np.asarray(wanted) + 2 * np.pi * np.rint((got - np.asarray(wanted)) / (2 * np.pi))
        single = wanted.astype(got.dtype)
        same = (single == got) | (np.isnan(single) & np.isnan(got))
        if bound is not None and np.any(bound):
            wide = "c16" if got.dtype.kind == "c" else "f8"
            same |= (np.abs(got.astype(wide) - wanted) <= bound) | np.isposinf(bound)
        same |= _unordered(got) & _unordered(single)
    if not same.all():
        first = int(np.argmin(same if same.ndim == 1 else same.all(axis=1)))
        allowed = np.broadcast_to(bound, got.shape)[first] if bound is not None else 0.0
        count = int(same.size - np.count_nonzero(same))
        raise Difference(
            f"{what} differs first at item {first} of {len(got)}: {got[first]!r}, expected {wanted[first]!r} "
            f"within {allowed!r}; {count} differ"
        )


def _unordered(values: Any) -> Any:
    """Where a complex number is neither finite nor to be ordered: how its parts share NaN and infinity is not specified."""
    return ~np.isfinite(values) if values.dtype.kind == "c" else np.zeros(values.shape, bool)


def _compare_lists(what: str, got: list[Any], wanted: list[Any]) -> None:
    for place, (mine, theirs) in enumerate(zip(got, wanted)):
        if not _same(mine, theirs):
            raise Difference(f"{what} differ first at {place} of {len(wanted)}: {mine!r}, expected {theirs!r}")
    if len(got) != len(wanted):
        extra = (got if len(got) > len(wanted) else wanted)[min(len(got), len(wanted))]
        raise Difference(f"{len(got)} {what}, expected {len(wanted)}; the first that has no counterpart: {extra!r}")


def _ordered(tags: list[Any]) -> list[Any]:
    """Tags by their index, those of one item by their keys: which comes first there is not specified."""
    return sorted(tags, key=lambda tag: tag[:2])


def _lines(path: str) -> list[Any]:
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def _same(a: Any, b: Any) -> bool:
    """Equality of values; floats within a few roundings of single precision, or as `b` says."""
    if isinstance(b, Near):
        return isinstance(a, float) and (b.bound == float("inf") or abs(a - b) <= b.bound)
    if isinstance(a, superhet.Packet) and isinstance(b, superhet.Packet):
        same = a.items.dtype == b.items.dtype and len(a.items) == len(b.items)
        exact = a.items.dtype.kind in "iu"
        return (
            same
            and _same(a.meta, b.meta)
            and bool(
                np.array_equal(a.items, b.items)
                if exact
                else np.allclose(a.items, b.items, rtol=8 * EPS, atol=0, equal_nan=True)
            )
        )
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_same(a[key], b[key]) for key in a)
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(_same(mine, theirs) for mine, theirs in zip(a, b))
    if isinstance(a, (float, complex)) and isinstance(b, (float, complex, int)) and not isinstance(b, bool):
        return bool(np.isclose(a, b, rtol=8 * EPS, atol=0, equal_nan=True))
    return type(a) is type(b) and a == b or isinstance(a, np.ndarray) and np.array_equal(a, b)


def trial(definition: Definition, seed: int, number: int) -> None:
    """Compares one case; what fails says how to repeat it."""
    random = np.random.default_rng([seed, zlib.crc32(definition.block.encode()), number])
    with tempfile.TemporaryDirectory() as folder:
        _trial(definition, Draw(random, folder), f"seed {seed}, case {number}", f"--seed {seed} --case {number}")


def _trial(definition: Definition, draw: Draw, what: str, again: str) -> None:
    case = definition.draw(draw)
    sees_tags = definition.tags != "none" or "tags" in inspect.signature(definition.value).parameters
    if sees_tags and not case.tags:
        case.tags = [draw.tags(len(array)) for array in case.inputs]
    try:
        compare(definition, case, draw.random)
    except Exception as error:
        shown = json.dumps(case.params, default=str)
        raise Difference(
            f"{definition.block}, {what}: {error}\n"
            f"  parameters: {shown if len(shown) < 2000 else shown[:2000] + '…'}\n"
            f"  inputs: {', '.join(f'{len(array)} {array.dtype}' for array in case.inputs) or 'none'}\n"
            f"  source: {definition.source}\n"
            f"  again: python -m differential --block {definition.block} {again}"
        ) from error
