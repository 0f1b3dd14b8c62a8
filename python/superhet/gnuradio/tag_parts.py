"""Blocks about tags that are more to Python than a row of the table."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from . import pmt
from ._gr.tag_utils import tag_t
from .python_blocks import sync_block

if TYPE_CHECKING:
    from .build import Build


def items_of(size: int) -> tuple[str, int]:
    """Numpy's type and length of items of so many bytes."""
    for dtype, bytes_ in (("c8", 8), ("f4", 4), ("i2", 2)):
        if size % bytes_ == 0:
            return dtype, size // bytes_
    return "u1", size


class tag_debug(sync_block):
    """Prints the tags of its inputs, and keeps those of the last call, or all of them.

    `key_filter` names the only key that counts, unless it is empty.
    """

    def __init__(self, sizeof_stream_item: int, name: str, key_filter: str = "") -> None:
        self._port = items_of(int(sizeof_stream_item))
        super().__init__("tag_debug", [self._port], None)
        self._title = str(name)
        self._lock = threading.Lock()
        self._tags: list[tag_t] = []
        self._display, self._save_all = True, False
        self.set_key_filter(key_filter)

    def _add(self, build: "Build", name: str) -> None:
        self._set_ports([self._port] * max(1, build.count(self, 0)), [])
        super()._add(build, name)

    def _depends_on_counts(self) -> bool:
        return True

    def set_key_filter(self, key_filter: str) -> None:
        """Sets the only key that counts; an empty text lets all count."""
        self._key_filter = str(key_filter)

    def key_filter(self) -> str:
        """What `set_key_filter` has set."""
        return self._key_filter

    def set_display(self, d: bool) -> None:
        """Sets whether tags are printed."""
        self._display = bool(d)

    def set_save_all(self, s: bool) -> None:
        """Sets whether the tags of all calls are kept, not those of the last one alone."""
        self._save_all = bool(s)

    def num_tags(self) -> int:
        """How many tags are kept."""
        with self._lock:
            return len(self._tags)

    def current_tags(self) -> list[tag_t]:
        """The tags that are kept."""
        with self._lock:
            return list(self._tags)

    def work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Looks at the tags of what there is."""
        count = min(len(items) for items in input_items)
        key = pmt.intern(self._key_filter) if self._key_filter else None
        found = [sorted(self.get_tags_in_window(at, 0, count, key)) for at in range(len(input_items))]
        with self._lock:
            self._tags = (self._tags if self._save_all else []) + [tag for tags in found for tag in tags]
        if self._display and any(found):
            self._print(found)
        return count

    def _print(self, found: list[list[tag_t]]) -> None:
        lines = ["-" * 70, f"Tag Debug: {self._title}"]
        for at, tags in enumerate(found):
            lines += [f"Input Stream: {at:02}"] if tags else []
            for tag in tags:
                source = pmt.write_string(tag.srcid) if pmt.is_symbol(tag.srcid) else "n/a"
                key, value = (pmt.write_string(one) for one in (tag.key, tag.value))
                lines.append(f"  Offset: {tag.offset:8}  Source: {source:<8}  Key: {key}   Value: {value}")
        print("\n".join([*lines, "-" * 70]), flush=True)


class burst_tagger(sync_block):
    """Tags where a trigger, the second input, becomes greater than 0, and where it is so no longer."""

    def __init__(self, itemsize: int) -> None:
        port = items_of(int(itemsize))
        super().__init__("burst_tagger", [port, "i2"], [port])
        self._marks = {True: (pmt.intern("burst"), pmt.PMT_T), False: (pmt.intern("burst"), pmt.PMT_F)}
        self._is_on = False

    def set_true_tag(self, key: str, value: bool) -> None:
        """Sets the key and the value of tags at the start of a burst."""
        self._marks[True] = (pmt.intern(key), pmt.from_bool(value))

    def set_false_tag(self, key: str, value: bool) -> None:
        """Sets the key and the value of tags at its end."""
        self._marks[False] = (pmt.intern(key), pmt.from_bool(value))

    def work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Passes items on."""
        import numpy

        count = len(output_items[0])
        output_items[0][:] = input_items[0][:count]
        on = input_items[1][:count] > 0
        source = pmt.intern(self.alias())
        for place in numpy.flatnonzero(numpy.diff(on, prepend=self._is_on)).tolist():
            key, value = self._marks[bool(on[place])]
            self.add_item_tag(0, self.nitems_written(0) + place, key, value, source)
        self._is_on = bool(on[-1]) if count else self._is_on
        return count


CLASSES: dict[str, Any] = {"blocks.tag_debug": tag_debug, "blocks.burst_tagger": burst_tagger}
