"""Windows, as lists of numbers."""

from superhet import _functions

_functions.module(globals(), "window")
