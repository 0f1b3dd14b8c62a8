"""How many streams a block has, and how large their items are: `gr.io_signature`."""

from __future__ import annotations

from operator import index
from typing import Iterable

IO_INFINITE = -1


class io_signature:
    """`min_streams` to `max_streams` (-1: any number) streams, whose items have `sizeof_stream_item` bytes."""

    IO_INFINITE = IO_INFINITE

    def __init__(self, min_streams: int, max_streams: int, sizeof_stream_item: int | Iterable[int]) -> None:
        sizes: Iterable[int] = [sizeof_stream_item] if hasattr(sizeof_stream_item, "__index__") else sizeof_stream_item  # type: ignore
        self._min, self._max, self._sizes = index(min_streams), index(max_streams), [index(size) for size in sizes]
        if self._min < 0 or self._max < IO_INFINITE or 0 <= self._max < self._min:
            raise ValueError(
                f"io_signature: wants 0 <= min_streams <= max_streams, or max_streams = -1 for any number, "
                f"got min_streams = {self._min}, max_streams = {self._max}"
            )
        if not self._sizes:
            raise ValueError("io_signature: wants the size of at least one stream's items")
        if self._max != 0 and min(self._sizes) < 1:
            raise ValueError(f"io_signature: wants items of at least one byte, got {self._sizes}")

    @classmethod
    def make(cls, min_streams: int, max_streams: int, sizeof_stream_item: int) -> io_signature:
        """All streams have items of the same size."""
        return cls(min_streams, max_streams, sizeof_stream_item)

    @classmethod
    def make2(cls, min_streams: int, max_streams: int, sizeof_stream_item1: int, sizeof_stream_item2: int) -> io_signature:
        """The first stream's items have one size, those of all others another."""
        return cls(min_streams, max_streams, [sizeof_stream_item1, sizeof_stream_item2])

    @classmethod
    def make3(
        cls,
        min_streams: int,
        max_streams: int,
        sizeof_stream_item1: int,
        sizeof_stream_item2: int,
        sizeof_stream_item3: int,
    ) -> io_signature:
        """Sizes for the first stream, the second, and all others."""
        return cls(min_streams, max_streams, [sizeof_stream_item1, sizeof_stream_item2, sizeof_stream_item3])

    @classmethod
    def makev(cls, min_streams: int, max_streams: int, sizeof_stream_items: Iterable[int]) -> io_signature:
        """A size for each stream; the last one holds for all that follow."""
        return cls(min_streams, max_streams, list(sizeof_stream_items))

    def min_streams(self) -> int:
        """How many streams there are at least."""
        return self._min

    def max_streams(self) -> int:
        """How many streams there are at most; -1: any number."""
        return self._max

    def sizeof_stream_item(self, index: int) -> int:
        """Bytes of an item of a stream."""
        if index < 0:
            raise ValueError(f"io_signature: wants the index of a stream, got {index}")
        return self._sizes[min(index, len(self._sizes) - 1)]

    def sizeof_stream_items(self) -> list[int]:
        """The sizes as they were given."""
        return list(self._sizes)

    def check(self, streams: int, what: str) -> None:
        """Raises ValueError unless a block may have so many streams; `what` names them for the message."""
        most = self._max if self._max != IO_INFINITE else streams
        if not self._min <= streams <= most:
            count = str(self._min) if self._min == self._max else f"{self._min} to {'any number' if self._max < 0 else self._max}"
            raise ValueError(f"{what}: wants {count} streams, {streams} are connected")

    def __repr__(self) -> str:
        return f"io_signature({self._min}, {self._max}, {self._sizes})"


def io_signature2(*args: int) -> io_signature:
    """The same as `io_signature.make2`."""
    return io_signature.make2(*args)


def io_signature3(*args: int) -> io_signature:
    """The same as `io_signature.make3`."""
    return io_signature.make3(*args)


def io_signaturev(min_streams: int, max_streams: int, sizeof_stream_items: Iterable[int]) -> io_signature:
    """The same as `io_signature.makev`."""
    return io_signature.makev(min_streams, max_streams, sizeof_stream_items)
