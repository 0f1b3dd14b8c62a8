"""Types of arguments for `argparse`, `1.5M` and `0x1F`: `gnuradio.eng_arg`."""

from __future__ import annotations

import argparse

from . import eng_notation


def eng_float(string: str) -> float:
    """A number in engineers' notation."""
    try:
        return eng_notation.str_to_num(string)
    except ValueError:
        raise argparse.ArgumentTypeError(f"Invalid engineering notation value: {string}") from None


def intx(string: str) -> int:
    """A whole number, decimal, or as `0x1F`, `0o17` or `0b101`."""
    try:
        return int(string, 0)
    except ValueError:
        raise argparse.ArgumentTypeError(f"Invalid integer value: {string}") from None
