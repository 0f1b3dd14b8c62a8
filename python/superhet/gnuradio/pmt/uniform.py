"""Vectors of numbers of one type: u8, s8, u16, s16, u32, s32, u64, s64, f32, f64, c32 and c64; and blobs.

For each type there are the same functions, here for u8: `make_u8vector(k, fill)`, `init_u8vector(k, data)`,
`is_u8vector(x)`, `u8vector_ref(v, k)`, `u8vector_set(v, k, x)`, `u8vector_elements(v)` (a Python list) and
`u8vector_writable_elements(v)` (a numpy array that is the vector's own memory: what is written there is in the vector).
`pmt.to_python(v)` gives a numpy array of its own.
"""

from __future__ import annotations

from array import array
from typing import Any, Callable

import numpy as np

from .lists import at
from .values import Uniform, as_complex, need, out_of_range, pmt_base, real, shown, size, whole, wrong_type

# In the order of the numbers that stand for them in serialized bytes.
KINDS: dict[str, np.dtype[Any]] = {
    "u8": np.dtype(np.uint8),
    "s8": np.dtype(np.int8),
    "u16": np.dtype(np.uint16),
    "s16": np.dtype(np.int16),
    "u32": np.dtype(np.uint32),
    "s32": np.dtype(np.int32),
    "u64": np.dtype(np.uint64),
    "s64": np.dtype(np.int64),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    "c32": np.dtype(np.complex64),
    "c64": np.dtype(np.complex128),
}
CODES = {kind: code for code, kind in enumerate(KINDS)}


def _uniform(where: str, x: pmt_base, kind: str | None = None) -> Uniform:
    need(where, x)
    if not isinstance(x, Uniform) or kind not in (None, x.kind):
        raise wrong_type(f"pmt_{where}", x)
    return x


def _number(where: str, x: Any, dtype: np.dtype) -> Any:
    """One number that fits into the type; TypeError where it does not."""
    if dtype.kind in "ui":
        limits = np.iinfo(dtype)
        return whole(where, x, int(limits.min), int(limits.max))
    return real(where, x) if dtype.kind == "f" else as_complex(where, x)


def _numbers(where: str, data: Any, dtype: np.dtype) -> np.ndarray:
    """A new array of the numbers; TypeError where one does not fit into the type."""
    if isinstance(data, (bytes, bytearray, memoryview)):
        data = np.frombuffer(data, np.uint8)
    if not isinstance(data, np.ndarray):
        if isinstance(data, str) or not hasattr(data, "__getitem__") or not hasattr(data, "__len__"):
            raise TypeError(f"{where}(): wants a sequence of numbers, got {type(data).__name__} {shown(data)}")
        data = _sequence(where, data, dtype)
    data = data.reshape(-1)
    allowed = {"u": "bui", "i": "bui", "f": "buif", "c": "buifc"}[dtype.kind]
    if data.dtype.kind not in allowed:
        raise TypeError(f"{where}(): numbers of the type {data.dtype} do not become {dtype}")
    if dtype.kind in "ui" and data.size:
        for end in (data.min(), data.max()):
            _number(where, end, dtype)
    with np.errstate(over="ignore", invalid="ignore"):
        return np.array(data, dtype=dtype)


def _sequence(where: str, data: Any, dtype: np.dtype) -> np.ndarray:
    try:
        if dtype.kind in "uif":
            # Checks each number, which numpy does not.
            return np.frombuffer(array(dtype.char if dtype.kind != "f" else "d", data), dtype if dtype.kind != "f" else "d")
        return np.array([as_complex(where, item) for item in data], np.complex128)
    except (TypeError, OverflowError) as error:
        text = str(error)
        raise TypeError(text if text.startswith(where) else f"{where}(): wants numbers for {dtype}: {text}") from None


def from_array(kind: str, data: np.ndarray) -> pmt_base:
    """A uniform vector of a copy of the array."""
    return Uniform(kind, np.array(data, KINDS[kind]).reshape(-1))


def _functions(kind: str, dtype: np.dtype) -> dict[str, Callable[..., Any]]:
    """The functions of one type, by name."""

    def make(k: int, fill: Any) -> pmt_base:
        with np.errstate(over="ignore", invalid="ignore"):
            return Uniform(kind, np.full(size(f"make_{kind}vector", k), _number(f"make_{kind}vector", fill, dtype), dtype))

    def init(k: int, data: Any) -> pmt_base:
        k = size(f"init_{kind}vector", k)
        items = _numbers(f"init_{kind}vector", data, dtype)
        if k > len(items):
            raise out_of_range(f"init_{kind}vector(): {k} items wanted of a sequence of {len(items)}")
        return Uniform(kind, items if k == len(items) else items[:k].copy())

    def is_kind(x: pmt_base) -> bool:
        need(f"is_{kind}vector", x)
        return isinstance(x, Uniform) and x.kind == kind

    def ref(v: pmt_base, k: int) -> Any:
        items = _uniform(f"{kind}vector_ref", v, kind).array
        return items[at(f"{kind}vector_ref", k, len(items))].item()

    def set_item(v: pmt_base, k: int, x: Any) -> None:
        items = _uniform(f"{kind}vector_set", v, kind).array
        k = at(f"{kind}vector_set", k, len(items))
        with np.errstate(over="ignore", invalid="ignore"):
            items[k] = _number(f"{kind}vector_set", x, dtype)

    def elements(v: pmt_base, len: int | None = None) -> Any:
        items = _uniform(f"{kind}vector_elements", v, kind).array
        if len is None:
            return items.tolist()
        return items[0].item() if items.size else None

    def writable_elements(v: pmt_base, len: int | None = None) -> np.ndarray:
        return _uniform(f"{kind}vector_writable_elements", v, kind).array

    # The name of the parameter `len` is GNU Radio's, and hides the function: the other functions do without it.
    made: dict[str, tuple[Any, str]] = {
        f"make_{kind}vector": (make, f"A vector of `k` numbers of {kind}, which are all `fill`."),
        f"init_{kind}vector": (init, f"A vector of the first `k` numbers of a sequence or numpy array, as {kind}."),
        f"is_{kind}vector": (is_kind, f"Whether it is a vector of {kind}."),
        f"{kind}vector_ref": (ref, f"Number `k` of a vector of {kind}, counted from 0."),
        f"{kind}vector_set": (set_item, f"Changes number `k` of a vector of {kind}."),
        f"{kind}vector_elements": (elements, "The numbers as a list; as GNU Radio has it, the first one where `len` is given."),
        f"{kind}vector_writable_elements": (writable_elements, "The vector's own memory as a numpy array."),
    }
    functions: dict[str, Callable[..., Any]] = {}
    for name, (function, doc) in made.items():
        function.__name__ = function.__qualname__ = name
        function.__doc__ = doc
        functions[name] = function
    return functions


FUNCTIONS = {name: function for kind, dtype in KINDS.items() for name, function in _functions(kind, dtype).items()}


def is_uniform_vector(x: pmt_base) -> bool:
    """Whether it is a vector of numbers of one type."""
    need("is_uniform_vector", x)
    return isinstance(x, Uniform)


def uniform_vector_itemsize(x: pmt_base) -> int:
    """How many bytes one of its numbers takes."""
    return _uniform("uniform_vector_itemsize", x).array.itemsize


def uniform_vector_elements(v: pmt_base, len: int | None = None) -> memoryview:
    """The bytes of its numbers, to be read only."""
    return _uniform("uniform_vector_elements", v).array.data.cast("B").toreadonly()


def uniform_vector_writable_elements(v: pmt_base, len: int | None = None) -> memoryview:
    """The bytes of its numbers; what is written there is in the vector."""
    return _uniform("uniform_vector_writable_elements", v).array.data.cast("B")


# A blob is a vector of u8.


def make_blob(buf: bytes | bytearray | memoryview | np.ndarray, len: int | None = None) -> pmt_base:
    """A vector of u8 of the first `len` bytes."""
    items = np.frombuffer(buf, np.uint8)
    count = items.size if len is None else size("make_blob", len)
    if count > items.size:
        raise out_of_range(f"make_blob(): {count} bytes wanted of {items.size}")
    return from_array("u8", items[:count])


def is_blob(x: pmt_base) -> bool:
    """Whether it is a vector of u8."""
    need("is_blob", x)
    return isinstance(x, Uniform) and x.kind == "u8"


def blob_data(blob: pmt_base) -> memoryview:
    """The bytes of any uniform vector."""
    return uniform_vector_elements(blob)


def blob_length(blob: pmt_base) -> int:
    """How many bytes any uniform vector has."""
    return _uniform("blob_length", blob).array.nbytes
