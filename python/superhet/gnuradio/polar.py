"""`gnuradio.fec.polar`: which bits of a polar code are frozen.

E. Arıkan, "Channel polarization", 2009, sections I.C and IX; bounds of Bhattacharyya, which are exact for erasures.
"""

from __future__ import annotations

import math
from typing import Any

CHANNEL_TYPE_BEC, CHANNEL_TYPE_AWGN = "BEC", "AWGN"


def bhattacharyya_bounds(design_snr: float, block_size: int) -> list[float]:
    """The bound for each bit, in the order in which they are decoded; `design_snr` in dB."""
    bounds = [math.exp(-(10 ** (design_snr / 10)))]
    while len(bounds) < block_size:
        bounds = [value for z in bounds for value in (2 * z - z * z, z * z)]
    return bounds


def load_frozen_bits_info(
    is_prototype: bool, channel: str, block_size: int, num_info_bits: int, design_snr: float = 0.0, mu: int = 16
) -> dict[str, Any]:
    """The positions of the frozen bits, which are the least reliable ones, and their values, which are 0.

    Raises:
        ValueError: `block_size` is no power of two, or `num_info_bits` is not between 0 and it.
    """
    if block_size < 1 or block_size & (block_size - 1):
        raise ValueError(f"load_frozen_bits_info: expected a power of two for block_size, got {block_size}")
    if not 0 <= num_info_bits <= block_size:
        raise ValueError(f"load_frozen_bits_info: expected num_info_bits from 0 to {block_size}, got {num_info_bits}")
    if channel not in (CHANNEL_TYPE_BEC, CHANNEL_TYPE_AWGN):
        raise ValueError(f"load_frozen_bits_info: expected CHANNEL_TYPE_BEC or CHANNEL_TYPE_AWGN, got {channel!r}")
    bounds = bhattacharyya_bounds(design_snr, block_size)
    frozen = block_size - num_info_bits
    positions = sorted(sorted(range(block_size), key=lambda place: (-bounds[place], place))[:frozen])
    return {
        "positions": positions,
        "values": [0] * frozen,
        "block_size": block_size,
        "num_info_bits": num_info_bits,
        "num_frozenbits": frozen,
        "design_snr": design_snr,
        "channel": channel,
        "mu": mu,
    }
