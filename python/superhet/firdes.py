"""Design of the taps of filters: low-pass, band-pass, root-raised-cosine, Hilbert, Parks-McClellan and more."""

from superhet import _functions

_functions.module(globals(), "firdes")
