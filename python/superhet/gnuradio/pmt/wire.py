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
        out_of_range: a symbol longer than 65535 bytes (GNU Radio cuts its length and writes bytes that cannot be read),
            values within each other deeper than 128, a list that never ends.
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
    leaf = _LEAVES.get(type(x))
    if leaf is not None:
        put(leaf(x))
    elif isinstance(x, Pair):
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
    elif isinstance(x, Any_):
        raise notimplemented("pmt::serialize: a value made by make_any has no bytes")
    else:
        put(bytes([TRUE if x is PMT_T else FALSE if x is PMT_F else NIL]))


_pack_symbol = struct.Struct(">BH").pack
_pack_int32 = struct.Struct(">Bi").pack
_pack_real = struct.Struct(">Bd").pack
_pack_uniform = struct.Struct(">BBIBB").pack


def _write_symbol(x: Symbol) -> bytes:
    if x.wire is None:
        text = x.text.encode("utf-8", "surrogateescape")
        if len(text) > _LONGEST_SYMBOL:
            raise out_of_range(f"a symbol of {len(text)} bytes; {_LONGEST_SYMBOL} can be serialized")
        x.wire = _pack_symbol(SYMBOL, len(text)) + text
    return x.wire


def _write_integer(x: Integer) -> bytes:
    if -(2**31) <= x.value < 2**31:
        return _pack_int32(INT32, x.value)
    return struct.pack(">Bq", INT64, x.value)


def _write_uniform(x: Uniform) -> bytes:
    head = _pack_uniform(UNIFORM, CODES[x.kind], len(x.array), 1, 0)
    return head + (x.array.tobytes() if x.array.itemsize == 1 else x.array.byteswap().tobytes())


_LEAVES: dict[type, Callable[[Any], bytes]] = {
    Symbol: _write_symbol,
    Integer: _write_integer,
    Uint64: lambda x: struct.pack(">BQ", UINT64, x.value),
    Real: lambda x: _pack_real(REAL, x.value),
    Complex: lambda x: struct.pack(">Bdd", COMPLEX, x.value.real, x.value.imag),
    Uniform: _write_uniform,
}
"""What writes a value that has no others inside."""


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
    return _read(data, 0, 0)[0] if data else PMT_EOF


def deserialize(source: BinaryIO) -> pmt_base:
    """The value that a file holds, which was opened for binary reading."""
    return deserialize_str(source.read())


def _short(count: int, at: int, data: bytes) -> notimplemented:
    return notimplemented(f"pmt::deserialize: malformed input stream: {count} bytes wanted at byte {at} of {len(data)}")


def _read(data: bytes, at: int, depth: int) -> tuple[pmt_base, int]:
    """The value that begins at a byte, of bytes that may be anything, and where it ends.

    Memory is allocated for bytes that are there, not for a length that is only promised.
    """
    if at >= len(data):
        raise _short(1, at, data)
    tag = data[at]
    if tag >= len(_READERS):
        raise notimplemented(f"pmt::deserialize: malformed input stream, tag value = : {tag}")
    return _READERS[tag](data, at + 1, depth)


_Read = Callable[[bytes, int, int], "tuple[pmt_base, int]"]


def _constant(value: pmt_base) -> _Read:
    return lambda data, at, depth: (value, at)


def _number(size: int, make: Callable[[bytes], pmt_base]) -> _Read:
    """Reads a number of so many bytes."""

    def read(data: bytes, at: int, depth: int) -> tuple[pmt_base, int]:
        end = at + size
        if end > len(data):
            raise _short(size, at, data)
        return make(data[at:end]), end

    return read


_symbols: dict[bytes, Symbol] = {}
"""Symbols that were read lately."""
_MOST_SYMBOLS = 1024


def _read_symbol(data: bytes, at: int, depth: int) -> tuple[pmt_base, int]:
    start = at + 2
    if start > len(data):
        raise _short(2, at, data)
    end = start + int.from_bytes(data[at:start], "big")
    if end > len(data):
        raise _short(end - start, start, data)
    text = data[start:end]
    found = _symbols.get(text)
    if found is None:
        if len(_symbols) >= _MOST_SYMBOLS:
            _symbols.clear()
        found = _symbols[text] = symbol(str(text, "utf-8", "surrogateescape"))
    return found, end


def _read_chain(data: bytes, at: int, depth: int) -> tuple[pmt_base, int]:
    """Pairs in a row. From the first that is a dictionary's on all are, as in GNU Radio."""
    depth = deeper(depth)
    cars: list[pmt_base] = []
    first_of_dictionary: int | None = None
    # The byte before says what the first pair is.
    at -= 1
    while at < len(data) and data[at] in (PAIR, DICT):
        if data[at] == DICT and first_of_dictionary is None:
            first_of_dictionary = len(cars)
        item, at = _read(data, at + 1, depth)
        if first_of_dictionary is not None and not isinstance(item, Pair):
            raise wrong_type("pmt_dcons: not a pair", item)
        cars.append(item)
    result, at = _read(data, at, depth)
    pairs = len(cars) if first_of_dictionary is None else first_of_dictionary
    for item in reversed(cars[pairs:]):
        result = Dict(item, result)
    for item in reversed(cars[:pairs]):
        result = Pair(item, result)
    return result, at


def _items(data: bytes, at: int, depth: int) -> tuple[list[pmt_base], int]:
    depth = deeper(depth)
    if at + 4 > len(data):
        raise _short(4, at, data)
    count, at = int.from_bytes(data[at : at + 4], "big"), at + 4
    # Each item has a byte at least: a false count is found before the first is read.
    if count > len(data) - at:
        raise notimplemented(f"pmt::deserialize: malformed input stream: {count} items in {len(data) - at} bytes")
    items = []
    for _ in range(count):
        item, at = _read(data, at, depth)
        items.append(item)
    return items, at


def _read_vector(data: bytes, at: int, depth: int) -> tuple[pmt_base, int]:
    items, at = _items(data, at, depth)
    return Vector(items), at


def _read_tuple(data: bytes, at: int, depth: int) -> tuple[pmt_base, int]:
    items, at = _items(data, at, depth)
    return Tuple(tuple(items)), at


# Name, type in memory and type in the bytes, by the number that stands for them.
_KINDS = [(kind, dtype, dtype.newbyteorder(">")) for kind, dtype in KINDS.items()]

_unpack_uniform = struct.Struct(">BIB").unpack_from


def _read_uniform(data: bytes, at: int, depth: int) -> tuple[pmt_base, int]:
    if at + 6 > len(data):
        raise _short(6, at, data)
    code, count, padding = _unpack_uniform(data, at)
    if code >= len(_KINDS):
        raise notimplemented(f"pmt::deserialize: malformed input stream, uniform vector of type {code}")
    kind, dtype, written = _KINDS[code]
    start = at + 6 + padding
    end = start + count * dtype.itemsize
    if end > len(data):
        raise _short(end - start, start, data)
    return Uniform(kind, np.frombuffer(data, written, count, start).astype(dtype)), end


_unpack_real = struct.Struct(">d").unpack

_READERS: list[_Read] = [
    _constant(PMT_T),
    _constant(PMT_F),
    _read_symbol,
    _number(4, lambda data: Integer(int.from_bytes(data, "big", signed=True))),
    _number(8, lambda data: Real(_unpack_real(data)[0])),
    _number(16, lambda data: Complex(complex(*struct.unpack(">dd", data)))),
    _constant(PMT_NIL),
    _read_chain,
    _read_vector,
    _read_chain,
    _read_uniform,
    _number(8, lambda data: Uint64(int.from_bytes(data, "big"))),
    _read_tuple,
    _number(8, lambda data: Integer(int.from_bytes(data, "big", signed=True))),
]
"""By the byte that says what follows."""
