"""What a PMT is: the classes behind `pmt_base`, the exceptions, and the constants and numbers.

A PMT is compared by identity, as in GNU Radio: `from_long(1) == from_long(1)` is false, `eqv` and `equal` compare values.
Symbols with the same text are one object.
"""

from __future__ import annotations

import operator
import struct
import threading
from typing import Any, Iterator
from weakref import WeakValueDictionary

import numpy as np

# How deep values may lie within each other where they are written, read, printed, compared and converted. The length of
# a list does not count. superhet's own values have the same limit.
MAX_DEPTH = 128


class wrong_type(ValueError):
    """A value is not of the type that a function is for."""

    def __init__(self, where: str, value: object) -> None:
        super().__init__(f"{where}: wrong_type {shown(value)}")


class out_of_range(RuntimeError):
    """An index, a length or a depth is beyond its limit."""


class notimplemented(RuntimeError):
    """What was asked for does not exist: bytes that are no PMT, or a value that cannot be written."""


class pmt_base:
    """Any PMT. Made by the functions of this module, never directly; not changed but by `set_*`, `vector_*` and the like."""

    __slots__ = ("__weakref__",)

    # Not `__new__`, which would make each value several times as slow to make.
    def __init__(self, *arguments: object) -> None:
        raise TypeError("a pmt_base is made by functions such as pmt.from_long() and pmt.intern()")

    def __repr__(self) -> str:
        return write_string(self)

    __str__ = __repr__

    def __reduce__(self) -> tuple[Any, ...]:
        from .wire import deserialize_str, serialize_str

        return deserialize_str, (serialize_str(self),)

    def __superhet_pmt__(self) -> bytes:
        """What superhet's own values are made of."""
        from .wire import serialize_str

        return serialize_str(self)

    def __copy__(self) -> pmt_base:
        return self


class Bool(pmt_base):
    __slots__ = ()

    def __init__(self) -> None:
        pass


class Null(pmt_base):
    __slots__ = ()

    def __init__(self) -> None:
        pass


class Symbol(pmt_base):
    __slots__ = ("text", "wire")

    def __init__(self, text: str) -> None:
        self.text = text
        self.wire: bytes | None = None
        """Its bytes, once they were asked for."""


class Number(pmt_base):
    """A number; `value` is the Python number."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


class Integer(Number):
    __slots__ = ()


class Uint64(Number):
    __slots__ = ()


class Real(Number):
    __slots__ = ()


class Complex(Number):
    __slots__ = ()


class Pair(pmt_base):
    __slots__ = ("car", "cdr")

    def __init__(self, car: pmt_base, cdr: pmt_base) -> None:
        self.car = car
        self.cdr = cdr


class Dict(Pair):
    """A pair whose chain is a dictionary: each `car` is a pair of key and value."""

    __slots__ = ()


class Vector(pmt_base):
    __slots__ = ("items",)

    def __init__(self, items: list[pmt_base]) -> None:
        self.items = items


class Tuple(pmt_base):
    __slots__ = ("items",)

    def __init__(self, items: tuple[pmt_base, ...]) -> None:
        self.items = items


class Uniform(pmt_base):
    """A vector of numbers of one type: `kind` is its letter and bits ("u8"), `array` a numpy array of its own."""

    __slots__ = ("kind", "array")

    def __init__(self, kind: str, array: np.ndarray) -> None:
        self.kind = kind
        self.array = array


class Any_(pmt_base):
    """Any Python object, carried along within one program."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value


PMT_T = Bool()
PMT_F = Bool()
PMT_NIL = Null()
PMT_EOF = Pair(PMT_NIL, PMT_NIL)
NAMED = {PMT_T: "PMT_T", PMT_F: "PMT_F", PMT_NIL: "PMT_NIL", PMT_EOF: "PMT_EOF"}


def get_PMT_T() -> pmt_base:
    """The constant for true."""
    return PMT_T


def get_PMT_F() -> pmt_base:
    """The constant for false."""
    return PMT_F


def get_PMT_NIL() -> pmt_base:
    """The empty list, which is the empty dictionary as well."""
    return PMT_NIL


def get_PMT_EOF() -> pmt_base:
    """What `deserialize_str` gives where there are no bytes."""
    return PMT_EOF


def write_string(obj: pmt_base) -> str:
    """The value as GNU Radio prints it: `((key . 1) (other 2 3))`."""
    from .text import write_string

    return write_string(obj)


def shown(value: object) -> str:
    """A short text of a value for a message."""
    try:
        text = write_string(value) if isinstance(value, pmt_base) else repr(value)
    except out_of_range as error:
        text = f"<{error}>"
    return text if len(text) <= 500 else f"{text[:500]}..."


def need(where: str, *values: object) -> None:
    """Raises TypeError unless all are PMTs."""
    for value in values:
        if not isinstance(value, pmt_base):
            raise TypeError(f"{where}(): wants a PMT (see pmt.to_pmt), got {type(value).__name__} {shown(value)}")


def whole(where: str, value: object, low: int, high: int) -> int:
    """A Python int from whatever is a whole number, within the limits; TypeError where it is not."""
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"{where}(): wants a whole number, got {type(value).__name__} {shown(value)}") from None
    if not low <= number <= high:
        raise TypeError(f"{where}(): wants a whole number from {low} to {high}, got {number}")
    return number


def size(where: str, value: object) -> int:
    """A length or an index: a whole number that is not negative."""
    return whole(where, value, 0, 2**63 - 1)


def real(where: str, value: object) -> float:
    """A Python float from any number that is real."""
    if isinstance(value, (str, bytes, bytearray)):
        raise TypeError(f"{where}(): wants a number, got {value!r}")
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, OverflowError) as error:
        raise TypeError(f"{where}(): wants a real number: {error}") from None


def chain(x: pmt_base) -> Iterator[Pair]:
    """The pairs of a chain up to its end.

    Raises out_of_range where the chain is a circle, as `set_cdr` can make one. (Brent's algorithm: a mark that moves
    ahead after 1, 2, 4, ... steps is met again if and only if there is a circle.)
    """
    mark, steps, limit = None, 0, 1
    while isinstance(x, Pair):
        if x is mark:
            raise out_of_range("a list that never ends: one of its pairs follows itself")
        steps += 1
        if steps == limit:
            mark, steps, limit = x, 0, 2 * limit
        yield x
        x = x.cdr


def deeper(depth: int) -> int:
    """One more than `depth`; raises out_of_range beyond `MAX_DEPTH`."""
    if depth >= MAX_DEPTH:
        raise out_of_range(f"values within each other deeper than {MAX_DEPTH}")
    return depth + 1


# True and false.


def is_bool(obj: pmt_base) -> bool:
    """Whether it is `PMT_T` or `PMT_F`."""
    need("is_bool", obj)
    return isinstance(obj, Bool)


def is_true(obj: pmt_base) -> bool:
    """Whether it is anything but `PMT_F`."""
    need("is_true", obj)
    return obj is not PMT_F


def is_false(obj: pmt_base) -> bool:
    """Whether it is `PMT_F`."""
    need("is_false", obj)
    return obj is PMT_F


def from_bool(val: bool) -> pmt_base:
    """`PMT_T` or `PMT_F`."""
    if val is None or hasattr(type(val), "__bool__"):
        return PMT_T if val else PMT_F
    raise TypeError(f"from_bool(): wants a bool, got {type(val).__name__} {shown(val)}")


def to_bool(val: pmt_base) -> bool:
    """The bool; wrong_type where it is none."""
    need("to_bool", val)
    if not isinstance(val, Bool):
        raise wrong_type("pmt_to_bool", val)
    return val is PMT_T


def is_null(x: pmt_base) -> bool:
    """Whether it is `PMT_NIL`, the empty list."""
    need("is_null", x)
    return x is PMT_NIL


def is_eof_object(obj: pmt_base) -> bool:
    """Whether it is `PMT_EOF`."""
    need("is_eof_object", obj)
    return obj is PMT_EOF


# Symbols.

# All symbols that are in use; and the last ones again, which are kept, as this is seven times as fast to look up.
_symbols: WeakValueDictionary[str, Symbol] = WeakValueDictionary()
_recent: dict[str, Symbol] = {}
_RECENT_LIMIT = 4096
_symbols_lock = threading.Lock()


def symbol(text: str) -> Symbol:
    """The one symbol with this text."""
    found = _recent.get(text)
    if found is None:
        with _symbols_lock:
            found = _symbols.get(text)
            if found is None:
                found = _symbols[text] = Symbol(text)
            if len(_recent) >= _RECENT_LIMIT:
                _recent.clear()
            _recent[text] = found
    return found


def intern(s: str | bytes) -> pmt_base:
    """The symbol with this text: the same object for the same text.

    Bytes are read as UTF-8. Bytes that came by `deserialize_str` and are no UTF-8 are kept as lone surrogates
    (`surrogateescape`), so that they are written as they came.
    """
    if isinstance(s, (bytes, bytearray)):
        s = s.decode()
    if not isinstance(s, str):
        raise TypeError(f"intern(): wants text, got {type(s).__name__} {shown(s)}")
    return symbol(str(s))


def string_to_symbol(s: str) -> pmt_base:
    """The same as `intern`."""
    return intern(s)


def is_symbol(obj: pmt_base) -> bool:
    """Whether it is a symbol."""
    need("is_symbol", obj)
    return isinstance(obj, Symbol)


def symbol_to_string(sym: pmt_base) -> str:
    """The text of a symbol."""
    need("symbol_to_string", sym)
    if not isinstance(sym, Symbol):
        raise wrong_type("pmt_symbol_to_string", sym)
    return sym.text


# Numbers.


def is_number(obj: pmt_base) -> bool:
    """Whether it is an integer, a uint64, a real or a complex number."""
    need("is_number", obj)
    return isinstance(obj, Number)


def is_integer(x: pmt_base) -> bool:
    """Whether it was made by `from_long`."""
    need("is_integer", x)
    return isinstance(x, Integer)


def from_long(x: int) -> pmt_base:
    """An integer of 64 bits with sign."""
    return Integer(whole("from_long", x, -(2**63), 2**63 - 1))


def to_long(x: pmt_base) -> int:
    """The integer; wrong_type where it is none."""
    need("to_long", x)
    if not isinstance(x, Integer):
        raise wrong_type("pmt_to_long", x)
    return x.value


def is_uint64(x: pmt_base) -> bool:
    """Whether it was made by `from_uint64`."""
    need("is_uint64", x)
    return isinstance(x, Uint64)


def from_uint64(x: int) -> pmt_base:
    """An integer of 64 bits without sign."""
    return Uint64(whole("from_uint64", x, 0, 2**64 - 1))


def to_uint64(x: pmt_base) -> int:
    """The number of a uint64, or of an integer that is not negative."""
    need("to_uint64", x)
    if isinstance(x, Uint64) or isinstance(x, Integer) and x.value >= 0:
        return x.value
    raise wrong_type("pmt_to_uint64", x)


def is_real(obj: pmt_base) -> bool:
    """Whether it was made by `from_double` or `from_float`."""
    need("is_real", obj)
    return isinstance(obj, Real)


def single(x: float) -> float:
    """The nearest number of single precision; infinite beyond its range."""
    with np.errstate(over="ignore", invalid="ignore"):
        return float(np.float32(x))


def from_double(x: float) -> pmt_base:
    """A real number."""
    return Real(real("from_double", x))


def from_float(x: float) -> pmt_base:
    """A real number, rounded to single precision."""
    return Real(single(real("from_float", x)))


def to_double(x: pmt_base) -> float:
    """The number of a real or an integer."""
    need("to_double", x)
    if isinstance(x, (Real, Integer)):
        return float(x.value)
    raise wrong_type("pmt_to_double", x)


def to_float(x: pmt_base) -> float:
    """The same as `to_double`, rounded to single precision."""
    return single(to_double(x))


def is_complex(obj: pmt_base) -> bool:
    """Whether it is a complex number."""
    need("is_complex", obj)
    return isinstance(obj, Complex)


def make_rectangular(re: float, im: float) -> pmt_base:
    """A complex number of its real and imaginary part."""
    return Complex(complex(real("make_rectangular", re), real("make_rectangular", im)))


def from_complex(*parts: Any, **named: Any) -> pmt_base:
    """A complex number: `from_complex(z)` or `from_complex(re, im)`."""
    values = [*parts, *(named.pop(name) for name in ("z", "re", "im") if name in named)]
    if named or len(values) not in (1, 2):
        raise TypeError("from_complex(): wants (z) or (re, im)")
    if len(values) == 2:
        return make_rectangular(*values)
    return Complex(as_complex("from_complex", values[0]))


def as_complex(where: str, value: Any) -> complex:
    """A Python complex from any number."""
    if isinstance(value, (str, bytes, bytearray)):
        raise TypeError(f"{where}(): wants a complex number, got {value!r}")
    try:
        return complex(value)
    except (TypeError, OverflowError) as error:
        raise TypeError(f"{where}(): wants a complex number: {error}") from None


pmt_from_complex = from_complex


def to_complex(z: pmt_base) -> complex:
    """The number of a complex, a real or an integer."""
    need("to_complex", z)
    if isinstance(z, (Complex, Real, Integer)):
        return complex(z.value)
    raise wrong_type("pmt_to_complex", z)


def mp(x: Any, im: Any = None) -> pmt_base:
    """Makes a PMT: text gives a symbol, a whole number an integer (or uint64, or real, where it is too large), and so on.

    As in GNU Radio, bools give the integers 0 and 1; `pmt.to_pmt` keeps them, and takes containers, too.
    """
    if im is not None:
        return make_rectangular(x, im)
    if isinstance(x, (str, bytes)):
        return intern(x)
    if isinstance(x, (bool, int, np.integer)):
        number = int(x)
        if -(2**63) <= number < 2**63:
            return Integer(number)
        return Uint64(number) if 0 <= number < 2**64 else Real(real("mp", number))
    if isinstance(x, (float, np.floating)):
        return Real(float(x))
    if isinstance(x, (complex, np.complexfloating)):
        return Complex(complex(x))
    raise TypeError(f"mp(): wants text or a number, got {type(x).__name__} {shown(x)} (pmt.to_pmt takes more)")


# Any object.


def make_any(any: object) -> pmt_base:
    """Carries any Python object along. It cannot be serialized."""
    return Any_(any)


def is_any(obj: pmt_base) -> bool:
    """Whether it was made by `make_any`."""
    need("is_any", obj)
    return isinstance(obj, Any_)


def any_ref(obj: pmt_base) -> object:
    """The object that it carries."""
    need("any_ref", obj)
    if not isinstance(obj, Any_):
        raise wrong_type("pmt_any_ref", obj)
    return obj.value


def any_set(obj: pmt_base, any: object) -> None:
    """Makes it carry another object."""
    need("any_set", obj)
    if not isinstance(obj, Any_):
        raise wrong_type("pmt_any_set", obj)
    obj.value = any


def is_negative(x: float) -> bool:
    """Whether the sign is set, that of a zero or of a NaN too."""
    return struct.pack(">d", x)[0] >= 128
