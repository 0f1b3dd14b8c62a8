"""Helpers for packets, codes and tests: `gnuradio.digital.utils`."""

from . import alignment, gray_code, lfsr, mod_codes, tagged_streams

__all__ = ["alignment", "gray_code", "lfsr", "mod_codes", "tagged_streams"]
