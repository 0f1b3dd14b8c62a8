"""Prints PMTs in GNU Radio's notation."""

from __future__ import annotations

from typing import Callable

from .values import (
    PMT_F,
    PMT_T,
    Any_,
    Bool,
    Complex,
    Null,
    Number,
    Pair,
    Real,
    Symbol,
    Tuple,
    Uniform,
    Vector,
    chain,
    deeper,
    is_negative,
    need,
    pmt_base,
)


def write_string(obj: pmt_base) -> str:
    """The value as GNU Radio prints it: `((key . 1) (other 2 3))`.

    Reals have six digits, vectors of f32 six places and those of f64 fifteen.

    Raises:
        out_of_range: values lie within each other deeper than 128, or a list never ends.
    """
    need("write_string", obj)
    parts: list[str] = []
    _write(obj, 0, parts.append)
    return "".join(parts)


def _write(x: pmt_base, depth: int, put: Callable[[str], None]) -> None:
    if isinstance(x, Pair):
        depth = deeper(depth)
        before = "("
        for x in chain(x):
            put(before)
            _write(x.car, depth, put)
            before = " "
        if not isinstance(x.cdr, Null):
            put(" . ")
            _write(x.cdr, depth, put)
        put(")")
    elif isinstance(x, (Vector, Tuple)):
        depth = deeper(depth)
        before, after = ("#(", ")") if isinstance(x, Vector) else ("{", "}")
        put(before)
        for place, item in enumerate(x.items):
            if place:
                put(" ")
            _write(item, depth, put)
        put(after)
    else:
        put(_leaf(x))


def _leaf(x: pmt_base) -> str:
    if isinstance(x, Symbol):
        return x.text
    if isinstance(x, Real):
        return number(x.value, "g")
    if isinstance(x, Complex):
        return f"{number(x.value.real, 'g')}+{number(x.value.imag, 'g')}i"
    if isinstance(x, Number):
        return str(x.value)
    if isinstance(x, Uniform):
        return f"#[{' '.join(_items(x))}]"
    if isinstance(x, Bool):
        return {PMT_T: "#t", PMT_F: "#f"}[x]
    if isinstance(x, Null):
        return "()"
    assert isinstance(x, Any_)
    return "#<any>"


def _items(x: Uniform) -> list[str]:
    items = x.array.tolist()
    if x.kind in ("f32", "f64"):
        form = ".6f" if x.kind == "f32" else ".15f"
        return [number(item, form) for item in items]
    if x.kind in ("c32", "c64"):
        return [f"({number(item.real, 'g')},{number(item.imag, 'g')})" for item in items]
    return [str(item) for item in items]


def number(x: float, form: str) -> str:
    """The number in a form of Python's `format`; a NaN has its sign, as C's printing shows it."""
    return f"{x:{form}}" if x == x else "-nan" if is_negative(x) else "nan"
