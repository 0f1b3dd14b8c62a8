"""Python objects as PMTs and back: `pmt.to_pmt` and `pmt.to_python`."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import lists, values
from .uniform import KINDS, from_array
from .values import Any_, Bool, Dict, Null, Number, Pair, Symbol, Tuple, Uniform, Vector, chain, deeper, need, pmt_base

_KIND_OF = {dtype: kind for kind, dtype in KINDS.items()}
# As in GNU Radio, whose blocks take streams of bytes that are u8.
_KIND_OF[np.dtype(np.int8)] = "u8"


def pmt_to_python(p: pmt_base) -> Any:
    """The Python object that stands for the value.

    | PMT | Python |
    |---|---|
    | nil, bool, symbol | None, bool, str |
    | integer, uint64, real, complex | int, int, float, complex |
    | dictionary | dict; pairs up to the last entry whose key is a vector or a dictionary |
    | pair | tuple of two: a list of 1 and 2 is `(1, (2, None))` |
    | tuple, vector | tuple, list |
    | uniform vector | numpy array of its own |

    Raises:
        out_of_range: values within each other deeper than 128, a list that never ends.
    """
    need("to_python", p)
    return _to_python(p, 0)


def _to_python(p: pmt_base, depth: int) -> Any:
    if isinstance(p, Symbol):
        return p.text
    if isinstance(p, Number):
        return p.value
    if isinstance(p, Uniform):
        return p.array.copy()
    if isinstance(p, Null):
        return None
    if isinstance(p, Bool):
        return p is values.PMT_T
    if isinstance(p, Any_):
        return p.value
    depth = deeper(depth)
    if isinstance(p, Tuple):
        return tuple([_to_python(item, depth) for item in p.items])
    if isinstance(p, Vector):
        return [_to_python(item, depth) for item in p.items]
    assert isinstance(p, Pair)
    if isinstance(p, Dict):
        return _dictionary(p, depth)
    items = []
    for p in chain(p):
        # What follows a dictionary's first entry is a dictionary: it is the end of this list.
        items.append(_to_python(p.car, depth))
        if isinstance(p.cdr, Dict):
            break
    result = _to_python(p.cdr, depth)
    for item in reversed(items):
        result = (item, result)
    return result


def _dictionary(p: Dict, depth: int) -> Any:
    """A dict of the entries after the last whose key cannot be one in Python; those up to it are pairs, as in GNU Radio."""
    entries = [(_to_python(lists.car(node.car), depth), _to_python(lists.cdr(node.car), depth)) for node in chain(p)]
    bad = max((place for place, (key, _) in enumerate(entries) if not _is_hashable(key)), default=-1)
    result: Any = dict(entries[bad + 1 :]) or None
    for entry in reversed(entries[: bad + 1]):
        result = (entry, result)
    return result


def _is_hashable(key: Any) -> bool:
    try:
        hash(key)
    except TypeError:
        return False
    return True


def python_to_pmt(p: Any) -> pmt_base:
    """The PMT that stands for a Python object.

    | Python | PMT |
    |---|---|
    | None, bool, str | nil, bool, symbol |
    | int | integer, uint64 from 2**63 on |
    | float, complex | real, complex |
    | tuple, list, dict | tuple, vector, dictionary |
    | numpy array | uniform vector (of int8: u8, which has no negative numbers; see `init_s8vector`) |
    | numpy scalar | as the Python number |

    Raises:
        ValueError: another type.
        TypeError: a number that has no room in 64 bits.
        out_of_range: objects within each other deeper than 128.
    """
    return _to_pmt(p, 0)


def _to_pmt(p: Any, depth: int) -> pmt_base:
    if p is None:
        return values.PMT_NIL
    if isinstance(p, np.ndarray):
        return numpy_to_uvector(p)
    if isinstance(p, np.generic):
        p = p.item()
    if isinstance(p, bool):
        return values.from_bool(p)
    if isinstance(p, str):
        return values.intern(p)
    if isinstance(p, int):
        return values.from_uint64(p) if p >= 2**63 else values.from_long(p)
    if isinstance(p, float):
        return values.from_double(p)
    if isinstance(p, complex):
        return values.from_complex(p)
    if isinstance(p, tuple):
        depth = deeper(depth)
        return Tuple(tuple([_to_pmt(item, depth) for item in p]))
    if isinstance(p, list):
        depth = deeper(depth)
        return Vector([_to_pmt(item, depth) for item in p])
    if isinstance(p, dict):
        depth = deeper(depth)
        result = lists.make_dict()
        for key, value in p.items():
            result = lists.dict_add(result, _to_pmt(key, depth), _to_pmt(value, depth))
        return result
    raise ValueError(f"can't convert {type(p)} type to pmt ({values.shown(p)})")


def numpy_to_uvector(numpy_array: np.ndarray) -> pmt_base:
    """A uniform vector of a copy of the array's numbers, row after row."""
    kind = _KIND_OF.get(numpy_array.dtype.newbyteorder("="))
    if kind is None:
        raise ValueError(f"unsupported numpy array dtype for conversion to pmt {numpy_array.dtype}")
    if numpy_array.dtype.kind == "i" and kind == "u8" and numpy_array.size and numpy_array.min() < 0:
        raise TypeError("an array of int8 becomes a vector of u8, which has no negative numbers: use pmt.init_s8vector")
    return from_array(kind, numpy_array)


def uvector_to_numpy(uvector: pmt_base) -> np.ndarray:
    """A numpy array of its own with the numbers of a uniform vector."""
    need("uvector_to_numpy", uvector)
    if not isinstance(uvector, Uniform):
        raise ValueError(f"unsupported uvector data type for conversion to numpy array {values.shown(uvector)}")
    return uvector.array.copy()


def pmt_to_tuple(p: pmt_base) -> tuple[Any, ...]:
    """A Python tuple of the items of a tuple."""
    return tuple(pmt_to_python(lists.tuple_ref(p, k)) for k in range(lists.length(p)))


def pmt_from_tuple(p: tuple[Any, ...]) -> pmt_base:
    """A tuple of the items of a Python tuple."""
    return python_to_pmt(tuple(p))


def pmt_to_vector(p: pmt_base) -> list[Any]:
    """A Python list of the items of a vector."""
    return [pmt_to_python(lists.vector_ref(p, k)) for k in range(lists.length(p))]


def pmt_from_vector(p: list[Any]) -> pmt_base:
    """A vector of the items of a Python list."""
    return python_to_pmt(list(p))


def pmt_to_dict(p: pmt_base) -> dict[Any, Any]:
    """A Python dict of the entries of a dictionary."""
    return {} if isinstance(p, Null) else _dictionary(lists.dict_items(p), 0)  # type: ignore[arg-type]


def pmt_from_dict(p: dict[Any, Any]) -> pmt_base:
    """A dictionary of the entries of a Python dict."""
    return python_to_pmt(dict(p))
