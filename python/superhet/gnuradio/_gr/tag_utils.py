"""Stream tags: `gr.tag_t`, and tags as Python objects and back."""

from __future__ import annotations

from typing import Any

from .. import pmt


class tag_t:
    """A tag: `offset` (the index of its item), `key`, `value` and `srcid` (who made it), the last three PMTs."""

    __slots__ = ("_key", "_offset", "_srcid", "_value", "marked_deleted")

    def __init__(self, rhs: tag_t | None = None) -> None:
        if not isinstance(rhs, (tag_t, type(None))):
            raise TypeError(f"tag_t(): wants nothing or another tag, got {type(rhs).__name__}")
        self.offset = rhs.offset if rhs else 0
        self.key = rhs.key if rhs else pmt.PMT_NIL
        self.value = rhs.value if rhs else pmt.PMT_NIL
        self.srcid = rhs.srcid if rhs else pmt.PMT_F
        self.marked_deleted: list[int] = list(rhs.marked_deleted) if rhs else []

    @property
    def offset(self) -> int:
        """The index of the item that the tag is at, counted from the start of the stream."""
        return self._offset

    @offset.setter
    def offset(self, offset: int) -> None:
        self._offset = pmt.to_uint64(pmt.from_uint64(offset))

    @property
    def key(self) -> pmt.pmt_base:
        """What the tag is about, a symbol."""
        return self._key

    @key.setter
    def key(self, key: pmt.pmt_base) -> None:
        self._key = _pmt("key", key)

    @property
    def value(self) -> pmt.pmt_base:
        """What it says, any PMT."""
        return self._value

    @value.setter
    def value(self, value: pmt.pmt_base) -> None:
        self._value = _pmt("value", value)

    @property
    def srcid(self) -> pmt.pmt_base:
        """Who made it: a symbol, or `PMT_F`."""
        return self._srcid

    @srcid.setter
    def srcid(self, srcid: pmt.pmt_base) -> None:
        self._srcid = _pmt("srcid", srcid)

    @staticmethod
    def offset_compare(x: tag_t, y: tag_t) -> bool:
        """Whether the first tag is at an earlier item than the second."""
        return x.offset < y.offset

    def __lt__(self, other: tag_t) -> bool:
        return self._offset < other._offset

    def __gt__(self, other: tag_t) -> bool:
        return self._offset > other._offset

    def __repr__(self) -> str:
        return f"tag_t(offset={self.offset}, key={self.key}, value={self.value}, srcid={self.srcid})"


def _pmt(name: str, value: object) -> pmt.pmt_base:
    if not isinstance(value, pmt.pmt_base):
        raise TypeError(f"tag_t.{name}: wants a PMT (see pmt.to_pmt), got {type(value).__name__}")
    return value


class PythonTag:
    """A tag whose key, value and srcid are Python objects."""

    def __init__(self) -> None:
        self.offset: int | None = None
        self.key: Any = None
        self.value: Any = None
        self.srcid: Any = None


def tag_to_python(tag: tag_t) -> PythonTag:
    """The tag with Python objects in the place of PMTs (see `pmt.to_python`)."""
    result = PythonTag()
    result.offset = tag.offset
    result.key = pmt.to_python(tag.key)
    result.value = pmt.to_python(tag.value)
    result.srcid = pmt.to_python(tag.srcid)
    return result


def python_to_tag(tag_struct: Any) -> tag_t | None:
    """A tag from `[offset, key, value]`, `[offset, key, value, srcid]` or a dict with those names.

    Key, value and srcid are PMTs; a field that is none keeps what a new tag has, as in GNU Radio. Gives None for anything
    else.
    """
    if isinstance(tag_struct, dict):
        fields = [(name, tag_struct[name]) for name in ("offset", "key", "value", "srcid") if name in tag_struct]
    elif isinstance(tag_struct, (list, tuple)) and len(tag_struct) in (3, 4):
        fields = list(zip(("offset", "key", "value", "srcid"), tag_struct))
    else:
        return None
    if not fields:
        return None
    tag = tag_t()
    for name, value in fields:
        if name == "offset" or isinstance(value, pmt.pmt_base):
            setattr(tag, name, value)
    return tag


def whole(value: pmt.pmt_base) -> pmt.pmt_base:
    """A value of a tag as GNU Radio's blocks make it: whole numbers are `long`."""
    return pmt.from_long(pmt.to_uint64(value)) if pmt.is_uint64(value) and pmt.to_uint64(value) < 1 << 63 else value


def whole_entries(message: pmt.pmt_base) -> pmt.pmt_base:
    """A packet whose metadata has whole numbers as GNU Radio's blocks make them; any other message as it is."""
    if not (pmt.is_pair(message) and pmt.is_uniform_vector(pmt.cdr(message)) and pmt.is_dict(pmt.car(message))):
        return message
    meta = pmt.car(message)
    items = pmt.dict_items(meta)
    pairs = [pmt.nth(place, items) for place in range(pmt.length(items))]
    if not any(pmt.is_uint64(pmt.cdr(pair)) for pair in pairs):
        return message
    for pair in reversed(pairs):
        meta = pmt.dict_add(meta, pmt.car(pair), whole(pmt.cdr(pair)))
    return pmt.cons(meta, pmt.cdr(message))
