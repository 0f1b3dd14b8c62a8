"""Blocks of `gnuradio.pdu` that are more than a row of the table."""

from __future__ import annotations

import sys
from collections import deque
from typing import Any

from . import pmt
from .python_blocks import basic_block

_APPEND, _BALK = 0, 2
_ITEMS = {"b": "u1", "c": "c8", "f": "f4", "i": "i4", "s": "i2"}


class _pdu_to_stream(basic_block):
    """The items of PDUs as a stream, each burst between the tags `tx_sob` and `tx_eob`, with `tx_time` where its metadata say a time.

    A PDU that comes before the one before it has gone is appended to its burst, if it says no time, or dropped, as `early_pdu_behavior` says.
    """

    _letters = ""

    def __init__(self, early_pdu_behavior: int, max_queue_size: int = 64) -> None:
        super().__init__("pdu_to_stream", [], [_ITEMS[self._letters]])
        self._behavior, self._most = int(early_pdu_behavior), int(max_queue_size)
        self._queue: deque[tuple[Any, Any]] = deque()
        self._burst: Any = None
        self._sent = self._dropped = 0
        self.message_port_register_in(pmt.intern("pdus"))
        self.set_msg_handler(pmt.intern("pdus"), self._take)

    def set_max_queue_size(self, max_queue_size: int) -> None:
        """Sets how many PDUs may wait."""
        self._most = int(max_queue_size)

    def _take(self, message: Any) -> None:
        import numpy

        if not (pmt.is_pair(message) and pmt.is_dict(pmt.car(message)) and pmt.is_uniform_vector(pmt.cdr(message))):
            print("pdu_to_stream: expected a PDU", file=sys.stderr)
            return
        items = numpy.asarray(pmt.to_python(pmt.cdr(message)))
        if items.dtype.itemsize != numpy.dtype(_ITEMS[self._letters]).itemsize:
            wanted = numpy.dtype(_ITEMS[self._letters]).itemsize
            print(f"pdu_to_stream: expected items of {wanted} bytes, got {items.dtype.itemsize}", file=sys.stderr)
        elif len(self._queue) >= self._most:
            self._dropped += 1
            print(f"pdu_to_stream: the queue is full, a PDU is dropped ({self._dropped} so far)", file=sys.stderr)
        elif len(items):
            self._queue.append((pmt.car(message), items.view(_ITEMS[self._letters])))

    def general_work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Gives what waits."""
        out, given = output_items[0], 0
        while given < len(out):
            if self._burst is None:
                if not self._queue:
                    break
                self._begin(given)
            count = min(len(out) - given, len(self._burst) - self._sent)
            out[given : given + count] = self._burst[self._sent : self._sent + count]
            given, self._sent = given + count, self._sent + count
            if self._sent == len(self._burst):
                self._end(given - 1)
        return given

    def _tag(self, place: int, key: str, value: Any) -> None:
        self.add_item_tag(0, self.nitems_written(0) + place, pmt.intern(key), value, pmt.intern(self.alias()))

    def _begin(self, place: int) -> None:
        meta, self._burst = self._queue.popleft()
        self._sent = 0
        self._tag(place, "tx_sob", pmt.PMT_T)
        time = pmt.dict_ref(meta, pmt.intern("tx_time"), pmt.PMT_NIL)
        if pmt.is_tuple(time):
            self._tag(place, "tx_time", time)

    def _end(self, place: int) -> None:
        """Goes on with the PDU that is appended, or ends the burst at an item."""
        if self._behavior == _APPEND and self._queue and not pmt.dict_has_key(self._queue[0][0], pmt.intern("tx_time")):
            self._burst, self._sent = self._queue.popleft()[1], 0
            return
        if self._behavior != _APPEND:
            for _ in range(len(self._queue)):
                self._queue.popleft()
                if self._behavior == _BALK:
                    print("pdu_to_stream: a PDU came before the burst before it was over, and is dropped", file=sys.stderr)
        self._burst = None
        self._tag(place, "tx_eob", pmt.PMT_T)


class pdu_split(basic_block):
    """The metadata of PDUs, and their vectors; those without items only with `pass_empty_data`."""

    def __init__(self, pass_empty_data: bool = False) -> None:
        super().__init__("pdu_split")
        self._passes = bool(pass_empty_data)
        self.message_port_register_in(pmt.intern("pdu"))
        for port in ("dict", "vec"):
            self.message_port_register_out(pmt.intern(port))
        self.set_msg_handler(pmt.intern("pdu"), self._split)

    def _split(self, message: Any) -> None:
        if not (pmt.is_pair(message) and pmt.is_uniform_vector(pmt.cdr(message))):
            print("pdu_split: expected a PDU", file=sys.stderr)
            return
        meta, vector = pmt.car(message), pmt.cdr(message)
        if self._passes or not pmt.eq(meta, pmt.PMT_NIL):
            self.message_port_pub(pmt.intern("dict"), meta)
        if self._passes or pmt.length(vector):
            self.message_port_pub(pmt.intern("vec"), vector)


def _blocks() -> dict[str, Any]:
    doc = _pdu_to_stream.__doc__
    streams = {
        f"pdu_to_stream_{letter}": type(f"pdu_to_stream_{letter}", (_pdu_to_stream,), {"_letters": letter, "__doc__": doc}) for letter in _ITEMS
    }
    return {**streams, "pdu_split": pdu_split}


BLOCKS = _blocks()
"""The blocks by name."""
