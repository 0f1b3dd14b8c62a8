"""Polymorphic types: GNU Radio's `pmt`, written anew in Python.

Values for messages and tags: bools, symbols, numbers, pairs and lists, dictionaries, tuples, vectors, and vectors of
numbers of one type. Functions and results are those of GNU Radio 3.10; bytes made by `serialize_str` are identical.
Where GNU Radio reads beyond memory, writes what cannot be read or crashes, these raise.

>>> import superhet.gnuradio.pmt as pmt
>>> value = pmt.dict_add(pmt.make_dict(), pmt.intern("rate"), pmt.from_double(48e3))
>>> value
((rate . 48000))
>>> pmt.to_python(pmt.deserialize_str(pmt.serialize_str(value)))
{'rate': 48000.0}
"""

from __future__ import annotations

import builtins as _builtins
import difflib as _difflib
from typing import Any as _Any
from typing import TextIO as _TextIO

from . import lists as _lists
from . import pmt_to_python
from . import uniform as _uniform
from . import values as _values
from . import wire as _wire
from .lists import (
    acons,
    assoc,
    assq,
    assv,
    caar,
    cadddr,
    caddr,
    cadr,
    car,
    cdar,
    cddr,
    cdr,
    cons,
    dcons,
    dict_add,
    dict_delete,
    dict_has_key,
    dict_items,
    dict_keys,
    dict_ref,
    dict_update,
    dict_values,
    eq,
    equal,
    eqv,
    is_dict,
    is_pair,
    is_tuple,
    is_vector,
    length,
    list1,
    list2,
    list3,
    list4,
    list5,
    list6,
    list_add,
    list_has,
    list_rm,
    make_dict,
    make_tuple,
    make_vector,
    map,
    member,
    memq,
    memv,
    nth,
    nthcdr,
    reverse,
    reverse_x,
    set_car,
    set_cdr,
    subsetp,
    to_tuple,
    tuple_ref,
    vector_fill,
    vector_ref,
    vector_set,
)
from .pmt_to_python import pmt_to_python as to_python
from .pmt_to_python import python_to_pmt
from .pmt_to_python import python_to_pmt as to_pmt
from .uniform import (
    blob_data,
    blob_length,
    is_blob,
    is_uniform_vector,
    make_blob,
    uniform_vector_elements,
    uniform_vector_itemsize,
    uniform_vector_writable_elements,
)
from .values import (
    PMT_EOF,
    PMT_F,
    PMT_NIL,
    PMT_T,
    any_ref,
    any_set,
    from_bool,
    from_complex,
    from_double,
    from_float,
    from_long,
    from_uint64,
    get_PMT_EOF,
    get_PMT_F,
    get_PMT_NIL,
    get_PMT_T,
    intern,
    is_any,
    is_bool,
    is_complex,
    is_eof_object,
    is_false,
    is_integer,
    is_null,
    is_number,
    is_real,
    is_symbol,
    is_true,
    is_uint64,
    make_any,
    make_rectangular,
    mp,
    notimplemented,
    out_of_range,
    pmt_base,
    pmt_from_complex,
    string_to_symbol,
    symbol_to_string,
    to_bool,
    to_complex,
    to_double,
    to_float,
    to_long,
    to_uint64,
    write_string,
    wrong_type,
)
from .wire import deserialize, deserialize_str, serialize, serialize_str

globals().update(_uniform.FUNCTIONS)


def is_pdu(obj: pmt_base) -> bool:
    """Whether it is a pair of a dictionary and a uniform vector."""
    return is_pair(obj) and is_dict(car(obj)) and is_uniform_vector(cdr(obj))


def print(v: pmt_base) -> None:
    """Prints the value on a line of its own."""
    _builtins.print(write_string(v))


def write(obj: pmt_base, port: _TextIO) -> None:
    """Writes the value as text to a file."""
    port.write(write_string(obj))


def read(port: _TextIO) -> pmt_base:
    """Raises notimplemented, as GNU Radio does: a value cannot be read from its text."""
    raise notimplemented("notimplemented: pmt::read")


def _methods() -> None:
    """Gives `pmt_base` the `is_*` methods that GNU Radio's has."""
    for name in """is_any is_bool is_complex is_dict is_integer is_null is_number is_pair is_real is_symbol is_tuple
            is_uint64 is_uniform_vector is_vector""".split() + [f"is_{kind}vector" for kind in _uniform.KINDS]:
        setattr(pmt_base, name, lambda self, _function=globals()[name]: _function(self))
    # Here the method and the function of the same name differ.
    setattr(pmt_base, "is_dict", lambda self: isinstance(self, _values.Dict))


_methods()

__all__ = [name for name in globals() if name[0] != "_" and name != "annotations"]


def __getattr__(name: str) -> _Any:
    near = _difflib.get_close_matches(name, __all__, 3, 0.6)
    hint = f"; there is {', '.join(near)}" if near else ""
    raise AttributeError(f"module 'pmt' has no attribute {name!r}{hint}")
