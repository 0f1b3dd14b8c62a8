"""`gnuradio.trellis`: finite state machines, their encoders, and decoders by the shortest path and by soft values."""

from typing import Any

from .. import digital_parts
from . import blocks, fsm_utils, machines

NAMES: dict[str, Any] = {
    **blocks.BLOCKS,
    # Where they were before they came to `digital`.
    **{name: getattr(digital_parts, name) for name in ("TRELLIS_EUCLIDEAN", "TRELLIS_HARD_SYMBOL", "TRELLIS_HARD_BIT")},
    "TRELLIS_MIN_SUM": blocks.siso_type_t.TRELLIS_MIN_SUM,
    "TRELLIS_SUM_PRODUCT": blocks.siso_type_t.TRELLIS_SUM_PRODUCT,
    "fsm": machines.fsm,
    "fsm_utils": fsm_utils,
    "interleaver": machines.interleaver,
    "siso_type_t": blocks.siso_type_t,
}
"""What the module has."""
