"""Design of optimal filters by the Parks-McClellan algorithm."""

from superhet import _functions

_functions.module(globals(), "optfir")
