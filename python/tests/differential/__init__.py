"""The differential suite: every block of the library against an independent definition.

Each topic is a file of definitions, `driver.py` runs blocks and definitions on the same random cases,
`test_differential.py` does that for a bounded number of cases, and `python -m differential --minutes 10` for as long as
asked. `left_out.py` names the blocks without a definition, and why.
"""

from . import (  # noqa: F401 (each adds its definitions)
    analog,
    arithmetic,
    averages,
    channels,
    convert,
    fec,
    filters,
    framing,
    ofdm,
    packets,
    sources,
    streams,
    symbols,
    sync,
    tagging,
    trellis,
)
from .driver import DEFINITIONS, Difference, trial

__all__ = ["DEFINITIONS", "Difference", "trial"]
