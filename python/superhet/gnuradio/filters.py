"""The design of filters and windows: `gnuradio.filter.firdes` and `gnuradio.fft.window`."""

from __future__ import annotations

import functools
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
    return _with_windows(_functions.group("window"))


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
