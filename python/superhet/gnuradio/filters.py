"""The design of filters and windows: `gnuradio.filter.firdes` and `gnuradio.fft.window`."""

from __future__ import annotations

import functools
import math
from typing import Any

from superhet import _functions
from superhet.errors import ParameterError

from .rows import constants


@functools.cache
def firdes() -> Any:
    """`filter.firdes`."""
    return _with_windows(_functions.group("firdes"))


@functools.cache
def window() -> Any:
    """`fft.window`."""
    group = _with_windows(_functions.group("window"))
    group.coswindow = staticmethod(coswindow)
    return group


def coswindow(ntaps: int, c0: float, c1: float, c2: float, c3: float = 0.0, c4: float = 0.0) -> list[float]:
    """A window that is a sum of cosines: `w[n] = c0 - c1 cos(x) + c2 cos(2x) - c3 cos(3x) + c4 cos(4x)`, `x = 2πn / (ntaps - 1)`."""
    if ntaps < 2:
        raise ParameterError(f"window.coswindow: ntaps: expected at least 2, got {ntaps}")
    signed = (c0, -c1, c2, -c3, c4)
    return [sum(c * math.cos(2 * math.pi * k * n / (ntaps - 1)) for k, c in enumerate(signed)) for n in range(ntaps)]


@functools.cache
def optfir() -> Any:
    """`filter.optfir`."""
    return _functions.group("optfir")


def _with_windows(group: Any) -> Any:
    for name, value in constants().items():
        module_name, _, constant = name.rpartition(".")
        if constant.startswith("WIN_") and module_name in ("fft.window", "window", "filter.firdes", "firdes"):
            setattr(group, constant, value)
    return group


@functools.cache
def as_lists(group: Any) -> Any:
    """The same functions for scripts: they give lists of numbers, and `IndexError` for a value out of range, as GNU Radio's do."""

    def wrapped(function: Any) -> Any:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                found = function(*args, **kwargs)
            except ParameterError as error:
                raise IndexError(str(error)) from None
            return found.tolist() if hasattr(found, "tolist") else found

        return call

    class functions:
        """Functions that give lists."""

    for name in dir(group):
        if not name.startswith("_"):
            value = getattr(group, name)
            setattr(functions, name, staticmethod(wrapped(value)) if callable(value) and not isinstance(value, type) else value)
    return functions
