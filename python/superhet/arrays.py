"""Streams from numpy arrays and into them."""

from __future__ import annotations

from typing import Any, AsyncIterator, Iterable, Iterator

from superhet import _native
from superhet._values import Tag
from superhet.graph import Node

DTYPES = {
    "C32": "complex64",
    "C64": "complex128",
    "f32": "float32",
    "f64": "float64",
    "i8": "int8",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
    "u8": "uint8",
    "u16": "uint16",
    "u32": "uint32",
    "u64": "uint64",
    "cu8": "uint8",
    "cs8": "int8",
    "cs16": "int16",
}
"""Numpy's type of each item type. An item of the last three is a row of two."""


def _of_kind(array: Any, item: str) -> Any:
    """The array, if its numbers can be items of that type without losing a fraction, a sign or an imaginary part."""
    import numpy

    wanted = numpy.dtype(DTYPES[item])
    if array.dtype.kind in "iu" and wanted.kind in "iu":
        limits = numpy.iinfo(wanted)
        if array.size and (array.min() < limits.min or array.max() > limits.max):
            raise ValueError(
                f"expected numbers from {limits.min} to {limits.max} for {item} items, got {array.min()} to {array.max()}"
            )
    elif not numpy.can_cast(array.dtype, wanted, "same_kind"):
        raise TypeError(f"expected numbers for {item} items, got {array.dtype}: convert it, as in x.astype({str(wanted)!r})")
    return array


def _tag(given: Any) -> Tag:
    """The tag that a tuple is."""
    if not isinstance(given, (tuple, list)) or not 3 <= len(given) <= 4:
        raise TypeError(f"tags: expected tags, or (index, key, value) of each, got {given!r}")
    return Tag(*given)


class vector_source(Node):
    """Gives the items of a numpy array, once or over and over.

    Parameters
    ----------
    values : array of one dimension
        The items; of two dimensions with rows of two for the pairs ``cu8``, ``cs8`` and ``cs16``. A contiguous array of
        the right type is not copied, and must not be changed while the graph runs.
    repeat : bool, default False
        Whether to begin again at the end.
    item : text, default as the array's type says
        The type of the items.
    tags : tags, or (index, key, value) of each
        The tags, with the index in the array.

    Outputs
    -------
    out : items as `item` says
    """

    kind = "vector_source"

    def __init__(
        self,
        values: Any,
        repeat: bool = False,
        *,
        item: str | None = None,
        tags: Iterable[tuple[Any, ...]] = (),
        name: str | None = None,
    ) -> None:
        import numpy

        array = numpy.asarray(values)
        if item is None:
            item = {"float64": "f32", "complex128": "C32", "int64": "i32", "bool": "u8"}.get(str(array.dtype))
            if item is None or hasattr(values, "dtype"):
                item = _native.item_of(array if array.dtype != bool else array.view("uint8"))
        if item not in DTYPES:
            raise ValueError(f"there is no item type {item}; there are {', '.join(DTYPES)}")
        columns = (2,) if item.startswith("c") else ()
        if not array.shape or array.shape[1:] != columns:
            expected = "rows of two" if columns else "one dimension"
            raise ValueError(f"expected an array of {expected} for {item} items, got the shape {array.shape}")
        self.array = numpy.ascontiguousarray(_of_kind(array, item), dtype=DTYPES[item])
        self.item, self.repeat, self.name = item, repeat, name
        self.tags = [_tag(tag) for tag in tags]

    def _add(self, builder: _native.Builder, name: str) -> None:
        tags = [(tag.index, tag.key, tag.value, tag.source) for tag in self.tags]
        builder.add_array(name, self.array, self.item, self.repeat, tags)


class vector_sink(Node):
    """Keeps the items of a stream for numpy.

    Parameters
    ----------
    item : text, default what it is connected to gives
        The type of the items.
    limit : int, default none
        With a limit the graph waits while so many items wait to be taken: see `chunks`.

    Inputs
    ------
    in : items as `item` says
    """

    kind = "vector_sink"

    def __init__(self, item: str | None = None, limit: int | None = None, *, name: str | None = None) -> None:
        if limit is not None and not (hasattr(limit, "__index__") and limit >= 1):
            raise ValueError(f"limit: expected a whole number from 1 on, got {limit!r}")
        self.item, self.limit, self.name = item, limit, name
        self._native: _native.Sink | None = None if item is None else _native.Sink(item, limit)
        self._taken: list[Any] = []
        self._tags: list[Tag] = []

    def _add(self, builder: _native.Builder, name: str) -> None:
        self._add_as(builder, name, self.item or "C32")

    def _add_as(self, builder: _native.Builder, name: str, item: str) -> None:
        if self._native is None:
            self._native = _native.Sink(item, self.limit)
        builder.add_sink(name, self._native)

    def take(self) -> Any:
        """The items that have arrived since the last time, as a numpy array of its own."""
        import numpy

        array = self._arrived()
        if self._taken:
            array = numpy.concatenate([*self._taken, array])
            self._taken = []
        return array

    def _arrived(self) -> Any:
        import numpy

        if self._native is None:
            return numpy.empty(0, DTYPES[self.item or "C32"])
        return numpy.asarray(self._native.take())

    @property
    def array(self) -> Any:
        """All items that have arrived and were not taken, as a numpy array."""
        import numpy

        array = self._arrived()
        if len(array) or not self._taken:
            self._taken.append(array)
        if len(self._taken) > 1:
            self._taken = [numpy.concatenate(self._taken)]
        return self._taken[0]

    @property
    def tags(self) -> list[Tag]:
        """All tags that have arrived, with the index of their item in the stream."""
        if self._native is not None:
            self._tags += [Tag(*tag) for tag in self._native.take_tags()]
        return self._tags

    def _repr_html_(self) -> str:
        from superhet import _draw, plot

        array = self.array
        facts = [("items", str(len(array))), ("type", self.item or str(array.dtype)), ("tags", str(len(self.tags)))]
        return _draw.table(("sink", self.name or self.kind), facts) + plot._html(array, None)

    def clear(self) -> None:
        """Forgets all items and tags."""
        self.take()
        self.tags.clear()

    def __len__(self) -> int:
        waiting = 0 if self._native is None else len(self._native)
        return waiting + sum(len(array) for array in self._taken)

    def chunks(self, items: int = 1) -> "Chunks":
        """The items as they come, in arrays of at least ``items`` each but for the last: ``for`` or ``async for``."""
        return Chunks(self, items)


class Chunks:
    """The items of a sink as they come: see `vector_sink.chunks`."""

    def __init__(self, sink: vector_sink, items: int) -> None:
        self._sink, self._items = sink, items

    def _next(self) -> tuple[Any, bool]:
        """What has come after a while, and whether that was the last."""
        native = self._sink._native
        if native is None:
            raise RuntimeError("the graph of this sink was not started yet")
        ended = native.wait(self._items, 0.05)
        there = len(native)
        return (self._sink.take() if there >= self._items or (ended and there) else None), ended

    def __iter__(self) -> Iterator[Any]:
        ended = False
        while not ended:
            chunk, ended = self._next()
            if chunk is not None:
                yield chunk

    async def __aiter__(self) -> AsyncIterator[Any]:
        import asyncio

        ended = False
        while not ended:
            chunk, ended = await asyncio.to_thread(self._next)
            if chunk is not None:
                yield chunk
