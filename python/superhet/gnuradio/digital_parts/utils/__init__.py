"""Helpers for packets, codes and tests: `gnuradio.digital.utils`."""

from . import alignment, gray_code, lfsr, mod_codes, tagged_streams
from .lfsr import lfsr_args as lfsr_args

__all__ = ["alignment", "gray_code", "lfsr", "mod_codes", "tagged_streams"]
