"""The design of filters and windows: `gnuradio.filter.firdes` and `gnuradio.fft.window`."""

from __future__ import annotations

import functools
from typing import Any

from superhet import _functions

from .rows import constants


@functools.cache
def firdes() -> Any:
    """`filter.firdes`."""
    return _with_windows(_functions.group("firdes"))


@functools.cache
def window() -> Any:
    """`fft.window`."""
    return _with_windows(_functions.group("window"))


def _with_windows(group: Any) -> Any:
    for name, value in constants().items():
        module_name, _, constant = name.rpartition(".")
        if constant.startswith("WIN_") and module_name in ("fft.window", "window", "filter.firdes", "firdes"):
            setattr(group, constant, value)
    return group
