"""Values of tags and messages that Python has no type for."""

from __future__ import annotations

from typing import Any, NamedTuple


class Tag(NamedTuple):
    """A value that belongs to one item of a stream."""

    index: int
    """The absolute index of the item; the first has index 0."""
    key: str
    value: Any
    source: str = ""
    """The block that made the tag."""


class Packet:
    """A burst of items with metadata; a PDU.

    ``items`` is a numpy array, ``meta`` a dictionary with keys of text.
    """

    __slots__ = ("items", "meta")

    def __init__(self, items: Any, meta: dict[str, Any] | None = None) -> None:
        import numpy

        self.items = numpy.ascontiguousarray(items)
        self.meta = dict(meta or {})

    def __superhet_packet__(self) -> tuple[Any, dict[str, Any]]:
        return self.items, self.meta

    def __len__(self) -> int:
        return len(self.items)

    def __eq__(self, other: object) -> bool:
        import numpy

        if not isinstance(other, Packet):
            return NotImplemented
        same_items = self.items.dtype == other.items.dtype and numpy.array_equal(self.items, other.items)
        return bool(same_items) and self.meta == other.meta

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Packet({len(self.items)} {self.items.dtype} items, {self.meta})"


class Pairs(NamedTuple):
    """Linked pairs, as PMTs have them: ``(1 2 3)`` is ``Pairs([1, 2, 3], None)``, ``(a . b)`` is ``Pairs([a], b)``."""

    items: list[Any]
    end: Any
