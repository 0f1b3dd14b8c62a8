"""PMTs as bytes, the same as GNU Radio's.

A byte says what follows: 0 true, 1 false, 2 symbol (length of 16 bits, UTF-8), 3 integer of 32 bits, 4 real, 5 complex,
6 nil, 7 pair, 8 vector, 9 dictionary, 10 uniform vector, 11 uint64, 12 tuple, 13 integer of 64 bits. All numbers are
big-endian. A list is pairs within pairs; its length does not count as depth here.
"""

from __future__ import annotations

import struct
from typing import BinaryIO, Callable

import numpy as np

from .uniform import CODES, KINDS
from .values import (
    PMT_EOF,
    PMT_F,
    PMT_NIL,
    PMT_T,
    Any_,
    Complex,
    Dict,
    Integer,
    Pair,
    Real,
    Symbol,
    Tuple,
    Uint64,
    Uniform,
    Vector,
    chain,
    deeper,
    need,
    notimplemented,
    out_of_range,
    pmt_base,
    symbol,
    wrong_type,
)

TRUE, FALSE, SYMBOL, INT32, REAL, COMPLEX, NIL, PAIR, VECTOR, DICT, UNIFORM, UINT64, TUPLE, INT64 = range(14)

_LONGEST_SYMBOL = 65535


def serialize_str(obj: pmt_base) -> bytes:
    """The value as bytes.

    Raises:
        notimplemented: a value made by `make_any`.
        out_of_range: a symbol longer than 65535 bytes (GNU Radio cuts its length and writes what cannot be read), values
            within each other deeper than 128, a list that never ends.
    """
    need("serialize_str", obj)
    parts: list[bytes] = []
    _write(obj, 0, parts.append)
    return b"".join(parts)


def serialize(obj: pmt_base, sink: BinaryIO) -> bool:
    """Writes the value to a file that was opened for binary writing."""
    sink.write(serialize_str(obj))
    return True


def _write(x: pmt_base, depth: int, put: Callable[[bytes], None]) -> None:
    if isinstance(x, Pair):
        depth = deeper(depth)
        for x in chain(x):
            put(b"\x09" if isinstance(x, Dict) else b"\x07")
            _write(x.car, depth, put)
        _write(x.cdr, depth, put)
    elif isinstance(x, (Vector, Tuple)):
        depth = deeper(depth)
        put(struct.pack(">BI", VECTOR if isinstance(x, Vector) else TUPLE, len(x.items)))
        for item in x.items:
            _write(item, depth, put)
    else:
        put(_leaf(x))


_pack_symbol = struct.Struct(">BH").pack
_pack_int32 = struct.Struct(">Bi").pack
_pack_real = struct.Struct(">Bd").pack


def _leaf(x: pmt_base) -> bytes:
    if isinstance(x, Symbol):
        text = x.text.encode("utf-8", "surrogateescape")
        if len(text) > _LONGEST_SYMBOL:
            raise out_of_range(f"a symbol of {len(text)} bytes; {_LONGEST_SYMBOL} can be serialized")
        return _pack_symbol(SYMBOL, len(text)) + text
    if isinstance(x, Integer):
        if -(2**31) <= x.value < 2**31:
            return _pack_int32(INT32, x.value)
        return struct.pack(">Bq", INT64, x.value)
    if isinstance(x, Uint64):
        return struct.pack(">BQ", UINT64, x.value)
    if isinstance(x, Real):
        return _pack_real(REAL, x.value)
    if isinstance(x, Complex):
        return struct.pack(">Bdd", COMPLEX, x.value.real, x.value.imag)
    if isinstance(x, Uniform):
        head = struct.pack(">BBIBB", UNIFORM, CODES[x.kind], len(x.array), 1, 0)
        return head + x.array.astype(x.array.dtype.newbyteorder(">")).tobytes()
    if isinstance(x, Any_):
        raise notimplemented("pmt::serialize: a value made by make_any has no bytes")
    return bytes([TRUE if x is PMT_T else FALSE if x is PMT_F else NIL])


def deserialize_str(str: bytes) -> pmt_base:
    """The value that the bytes begin with; `PMT_EOF` where there are none.

    What follows the value is not looked at. GNU Radio reads numbers beyond the end as whatever lies there, and refuses the
    empty tuple that it writes itself; here the first is an error and the second is read.

    Raises:
        notimplemented: the bytes are no PMT, or end too early.
        wrong_type: an entry of a dictionary is no pair.
        out_of_range: values lie within each other deeper than 128.
    """
    if isinstance(str, (bytes, bytearray, memoryview)):
        data = bytes(str)
    elif isinstance(str, type("")):
        data = str.encode("utf-8", "surrogateescape")
    else:
        raise TypeError(f"deserialize_str(): wants bytes, got {type(str).__name__}")
    return _Reader(data).value(0) if data else PMT_EOF


def deserialize(source: BinaryIO) -> pmt_base:
    """The value that a file holds, which was opened for binary reading."""
    return deserialize_str(source.read())


class _Reader:
    """Reads one value from bytes that may be anything. Room is made for what is there, not for what a length promises."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.offset = 0

    def take(self, count: int) -> bytes:
        start = self.offset
        self.offset = end = start + count
        if end > len(self.data):
            raise notimplemented(
                f"pmt::deserialize: malformed input stream: {count} bytes wanted at byte {start} of {len(self.data)}"
            )
        return self.data[start:end]

    def value(self, depth: int) -> pmt_base:
        tag = self.take(1)[0]
        leaf = _LEAVES.get(tag)
        if leaf is not None:
            return leaf(self)
        if tag in (PAIR, DICT):
            return self.chain(tag, deeper(depth))
        if tag == VECTOR:
            return Vector(self.items(deeper(depth)))
        if tag == TUPLE:
            return Tuple(tuple(self.items(deeper(depth))))
        raise notimplemented(f"pmt::deserialize: malformed input stream, tag value = : {tag}")

    def items(self, depth: int) -> list[pmt_base]:
        count = int.from_bytes(self.take(4), "big")
        # Each item has a byte at least: a false count is found before the first is read.
        if count > len(self.data) - self.offset:
            raise notimplemented(
                f"pmt::deserialize: malformed input stream: {count} items in {len(self.data) - self.offset} bytes"
            )
        return [self.value(depth) for _ in range(count)]

    def chain(self, tag: int, depth: int) -> pmt_base:
        """Pairs in a row. From the first that is a dictionary's on all are, as in GNU Radio."""
        cars: list[pmt_base] = []
        first_of_dictionary: int | None = None
        while tag in (PAIR, DICT):
            if tag == DICT and first_of_dictionary is None:
                first_of_dictionary = len(cars)
            item = self.value(depth)
            if first_of_dictionary is not None and not isinstance(item, Pair):
                raise wrong_type("pmt_dcons: not a pair", item)
            cars.append(item)
            tag = self.take(1)[0]
        self.offset -= 1
        result = self.value(depth)
        pairs = len(cars) if first_of_dictionary is None else first_of_dictionary
        for item in reversed(cars[pairs:]):
            result = Dict(item, result)
        for item in reversed(cars[:pairs]):
            result = Pair(item, result)
        return result

    def symbol(self) -> pmt_base:
        return symbol(str(self.take(int.from_bytes(self.take(2), "big")), "utf-8", "surrogateescape"))

    def uniform(self) -> pmt_base:
        code, count, padding = struct.unpack(">BIB", self.take(6))
        if code >= len(_KINDS):
            raise notimplemented(f"pmt::deserialize: malformed input stream, uniform vector of type {code}")
        self.take(padding)
        kind, dtype, written = _KINDS[code]
        return Uniform(kind, np.frombuffer(self.take(count * dtype.itemsize), written).astype(dtype))


# Name, type in memory and type in the bytes, by the number that stands for them.
_KINDS = [(kind, dtype, dtype.newbyteorder(">")) for kind, dtype in KINDS.items()]

_unpack_real = struct.Struct(">d").unpack

_LEAVES: dict[int, Callable[[_Reader], pmt_base]] = {
    TRUE: lambda reader: PMT_T,
    FALSE: lambda reader: PMT_F,
    NIL: lambda reader: PMT_NIL,
    SYMBOL: _Reader.symbol,
    INT32: lambda reader: Integer(int.from_bytes(reader.take(4), "big", signed=True)),
    INT64: lambda reader: Integer(int.from_bytes(reader.take(8), "big", signed=True)),
    UINT64: lambda reader: Uint64(int.from_bytes(reader.take(8), "big")),
    REAL: lambda reader: Real(_unpack_real(reader.take(8))[0]),
    COMPLEX: lambda reader: Complex(complex(*struct.unpack(">dd", reader.take(16)))),
    UNIFORM: _Reader.uniform,
}
