"""Options of a command line for modulators and demodulators, `digital.psk_mod.add_options(parser)`, as programs of GNU Radio ask for them."""

from __future__ import annotations

import math
from typing import Any

from .digital_parts.modulation_utils import extract_kwargs_from_options_for_class

_BANDWIDTH = 2 * math.pi / 100
_SHARED = {
    "--bt": dict(type="float", default=0.35, help="bandwidth of the Gauss filter times the duration of a symbol [default=%default]"),
    "--excess-bw": dict(type="float", default=0.35, help="roll-off of the root raised cosine [default=%default]"),
    "--freq-bw": dict(type="float", default=_BANDWIDTH, help="bandwidth of the loop for the frequency [default=%default]"),
    "--phase-bw": dict(type="float", default=_BANDWIDTH, help="bandwidth of the loop for the phase [default=%default]"),
    "--timing-bw": dict(type="float", default=_BANDWIDTH, help="bandwidth of the loop for the clock [default=%default]"),
    "--gain-mu": dict(type="float", default=None, help="gain of the loop for the clock [default=%default]"),
    "--mu": dict(type="float", default=0.5, help="where the clock begins [default=%default]"),
    "--omega-relative-limit": dict(type="float", default=0.005, help="how far off the clock may be [default=%default]"),
    "--freq-error": dict(type="float", default=0.0, help="the frequency at first [default=%default]"),
}

_PSK = ("--constellation-points", "--non-differential", "--differential", "--mod-code", "--excess-bw")
OPTIONS = {
    "psk_mod": _PSK,
    "generic_mod": _PSK,
    "psk_demod": (*_PSK, "--freq-bw", "--phase-bw", "--timing-bw"),
    "generic_demod": (*_PSK, "--freq-bw", "--phase-bw", "--timing-bw"),
    "cpm_mod": ("--bt",),
    "gmsk_mod": ("--bt",),
    "gfsk_mod": ("--bt",),
    "gmsk_demod": ("--gain-mu", "--mu", "--omega-relative-limit", "--freq-error"),
    "gfsk_demod": ("--gain-mu", "--mu", "--omega-relative-limit", "--freq-error"),
}
"""The options of each class."""


class Options:
    """What a modulator or demodulator says of its options."""

    @classmethod
    def add_options(cls, parser: Any) -> None:
        """Adds the options of the class to a parser of `optparse`."""
        names = next((OPTIONS[kind.__name__] for kind in cls.__mro__ if kind.__name__ in OPTIONS), ())
        for name in names:
            if name == "--constellation-points":
                text = "how many points: a power of 2 for PSK, of 4 for QAM [default=%default]"
                parser.add_option("-p", name, type="int", default=16, help=text)
            elif name == "--mod-code":
                text = "how bits go with points [default=%default]"
                parser.add_option("", name, type="choice", choices=("gray", "set-partition", "none"), default="none", help=text)
            elif name in ("--differential", "--non-differential"):
                action = "store_true" if name == "--differential" else "store_false"
                parser.add_option("", name, action=action, dest="differential", default=True, help="whether symbols are differences")
            else:
                parser.add_option("", name, **_SHARED[name])

    @classmethod
    def extract_kwargs_from_options(cls, options: Any) -> dict[str, Any]:
        """The arguments of the class that options say."""
        found: dict[str, Any] = {}
        # PSK hands its other arguments to what it is made of.
        for kind in reversed([kind for kind in cls.__mro__ if kind.__name__ in OPTIONS]):
            found |= extract_kwargs_from_options_for_class(kind, options)
        return found
