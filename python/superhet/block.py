"""Blocks that are written in Python."""

from __future__ import annotations

import inspect
from typing import Any, Callable, Iterable, Mapping, Sequence, Union

from superhet import _native
from superhet.arrays import DTYPES
from superhet.graph import Node

BATCH_BYTES = 3 << 17
"""How much a port can show at once where nothing else is said."""


def _is_whole(value: Any, least: int) -> bool:
    return hasattr(value, "__index__") and value >= least


def _checked(ratio: Any) -> tuple[int, int]:
    """A ratio of items out and in, if it can be one."""
    if not isinstance(ratio, (tuple, list)) or len(ratio) != 2 or not all(_is_whole(part, 1) for part in ratio):
        raise ValueError(f"ratio: expected (items out, items in), whole numbers from 1 on, got {ratio!r}")
    return ratio[0], ratio[1]


class Stream:
    """A stream port of a block that is written in Python: what it asks of the runtime.

    Parameters
    ----------
    item : text
        The type of the items, such as ``"C32"`` or ``"f32"``.
    min : int, default 1
        The fewest items that a call sees. Few large calls cost less than many small ones. What is left at the end of
        the stream is shown even if it is less.
    multiple : int, default 1
        Calls see whole multiples of this many items.
    max : int, default none
        The most items that a call sees.
    history : int, default 0
        Inputs: how many items before the new ones a call sees, too; zero before the start of the stream.
    batch : int, default as many as make 384 KiB
        How many items can be seen at once, if there are so many.
    optional : bool, default False
        Whether the port may stay unconnected.
    """

    __slots__ = ("item", "min", "multiple", "max", "history", "batch", "optional")

    def __init__(
        self,
        item: str,
        *,
        min: int = 1,
        multiple: int = 1,
        max: int | None = None,
        history: int = 0,
        batch: int | None = None,
        optional: bool = False,
    ) -> None:
        if item not in DTYPES:
            raise ValueError(f"there is no item type {item}; there are {', '.join(DTYPES)}")
        least_of = {"min": 0, "multiple": 1, "max": 1, "history": 0, "batch": 1}
        for (name, least), value in zip(least_of.items(), (min, multiple, max, history, batch)):
            if value is not None and not _is_whole(value, least):
                raise ValueError(f"{name}: expected a whole number from {least} on, got {value!r}")
        if max is not None and max < min:
            raise ValueError(f"max: expected at least min, which is {min}, got {max}")
        import numpy

        size = numpy.dtype(DTYPES[item]).itemsize * (2 if item in ("cu8", "cs8", "cs16") else 1)
        batch = BATCH_BYTES // size if batch is None else batch
        self.item, self.min, self.multiple, self.max = item, min, multiple, max
        self.history, self.optional = history, optional
        self.batch = batch if max is None or batch < max else max

    def _said(self, name: str) -> dict[str, Any]:
        return {"name": name, **{key: getattr(self, key) for key in self.__slots__}}


Streams = Union[None, str, Stream, Sequence[Union[str, Stream]], Mapping[str, Union[str, Stream]]]


def _streams(given: Streams, alone: str) -> dict[str, Stream]:
    """Ports by name, whichever way they were said."""
    if given is None:
        return {}
    if isinstance(given, (str, Stream)):
        given = {alone: given}
    elif not isinstance(given, Mapping):
        given = {alone: given[0]} if len(given) == 1 else {f"{alone}{place}": port for place, port in enumerate(given)}
    return {name: port if isinstance(port, Stream) else Stream(port) for name, port in given.items()}


class Block(Node):
    """A block with a ``work`` method of your own.

    Declare the ports as class attributes or in ``__init__``, and write ``work(self, io)``. It is called whenever there
    is something to do; see `superhet.Io`. ``io.inputs`` and ``io.outputs`` are lists of numpy arrays in the streams'
    own memory, without a copy; they are valid during the call only.

    >>> import numpy, superhet
    >>> class Pairwise(superhet.Block):
    ...     '''Sums of two neighbours: one item for two.'''
    ...     inputs = superhet.Stream("f32", multiple=2)
    ...     outputs = "f32"
    ...     ratio = (1, 2)
    ...
    ...     def work(self, io):
    ...         x, y = io.inputs[0], io.outputs[0]
    ...         n = min(len(x) // 2, len(y))
    ...         numpy.add(x[0 : 2 * n : 2], x[1 : 2 * n : 2], out=y[:n])
    ...         io.consume(0, 2 * n)
    ...         io.produce(0, n)
    >>> Pairwise().process(numpy.arange(6, dtype="f4"))
    array([1., 5., 9.], dtype=float32)
    """

    inputs: Streams = None
    """Stream inputs: an item type, a `Stream`, a list of them (``in0``, ``in1``, ...) or a dictionary by name."""
    outputs: Streams = None
    """Stream outputs, likewise."""
    message_inputs: Iterable[str] = ()
    """The names of message inputs."""
    message_outputs: Iterable[str] = ()
    """The names of message outputs."""
    ratio: tuple[int, int] = (1, 1)
    """Items out for items in: where the tags of the inputs land, and what ``rx_rate`` says behind the block."""
    shift: float = 0.0
    """What part of the input's rate comes to 0 Hz, from -0.5 to 0.5: ``rx_freq`` says the centre behind the block."""
    delay: int = 0
    """Group delay in items at the interpolated rate, for tags."""
    tags: str = "all"
    """How tags pass: ``all`` (each input's to each output), ``one_to_one`` or ``none``."""
    blocking: bool = False
    """Whether ``work`` waits for the outside world, such as a socket or a clock. The block gets a thread of its own."""

    @property
    def kind(self) -> str:  # type: ignore[override]
        """The name of the class."""
        return type(self).__name__

    def work(self, io: _native.Io) -> int | None:
        """Does some work. Give `DONE` to end the block."""
        raise NotImplementedError(f"{type(self).__name__} has no method work")

    def _declaration(self) -> dict[str, Any]:
        return {
            "inputs": [port._said(name) for name, port in _streams(self.inputs, "in").items()],
            "outputs": [port._said(name) for name, port in _streams(self.outputs, "out").items()],
            "message_inputs": list(self.message_inputs),
            "message_outputs": list(self.message_outputs),
            "ratio": _checked(self.ratio),
            "shift": float(self.shift),
            "delay": self.delay,
            "tags": self.tags,
            "blocking": self.blocking,
        }

    def _add(self, builder: _native.Builder, name: str) -> None:
        builder.add_python(name, self, self._declaration())


DONE = -1
"""What ``work`` gives to end its block."""


class FunctionBlock(Block):
    """A plain function of arrays as a block: see `block`."""

    def __init__(
        self,
        function: Callable[..., Any],
        inputs: Streams,
        outputs: Streams,
        ratio: tuple[int, int],
        name: str | None,
    ) -> None:
        self.function, self.ratio, self.name = function, _checked(ratio), name
        self.inputs, self.outputs = inputs, outputs
        count = len(_streams(inputs, "in"))
        self._writes = len(inspect.signature(function).parameters) == count + len(_streams(outputs, "out"))
        interpolation, decimation = self.ratio
        self.inputs = {
            port_name: _with_multiple(port, decimation) for port_name, port in _streams(inputs, "in").items()
        }
        self.outputs = {
            port_name: _with_multiple(port, interpolation) for port_name, port in _streams(outputs, "out").items()
        }

    @property
    def kind(self) -> str:  # type: ignore[override]
        """The name of the function."""
        name = getattr(self.function, "__name__", "<lambda>")
        return name if name != "<lambda>" else "function"

    def _declaration(self) -> dict[str, Any]:
        return {**super()._declaration(), "function": self.function, "writes": self._writes}


def _with_multiple(port: Stream, multiple: int) -> Stream:
    if port.history:
        raise ValueError("a function of arrays sees no history: write a class with work")
    given = {key: getattr(port, key) for key in Stream.__slots__}
    return Stream(**{**given, "multiple": max(port.multiple, multiple)})


def block(
    inputs: Streams = "C32",
    outputs: Streams = "C32",
    *,
    ratio: tuple[int, int] = (1, 1),
    name: str | None = None,
) -> Callable[[Callable[..., Any]], Callable[[], FunctionBlock]]:
    """Makes a block of a plain function of arrays.

    The function is pure: what it gives for an item must not depend on where the arrays begin and end. With as many
    parameters as inputs it gives the output arrays; with as many as inputs and outputs it writes into the last ones,
    which saves a copy. ``ratio`` is items out for items in.

    >>> import numpy, superhet
    >>> @superhet.block("f32", "f32")
    ... def half(x, y):
    ...     numpy.multiply(x, 0.5, out=y)
    >>> half().process(numpy.array([2, 4], "f4"))
    array([1., 2.], dtype=float32)
    """

    def decorate(function: Callable[..., Any]) -> Callable[[], FunctionBlock]:
        def make(name: str | None = name) -> FunctionBlock:
            return FunctionBlock(function, inputs, outputs, ratio, name)

        if not callable(function):
            raise TypeError(f"expected a function of arrays, got {function!r}")
        make.__name__ = make.__qualname__ = getattr(function, "__name__", type(function).__name__)
        make.__doc__ = function.__doc__
        make.function = function  # type: ignore[attr-defined]
        return make

    return decorate
