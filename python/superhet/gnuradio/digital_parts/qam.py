"""Constellations for QAM: `digital.qam`."""

from __future__ import annotations

from math import isqrt

import numpy as np

from .constellation import constellation_expl_rect, constellation_rect
from .psk import check_code
from .utils import mod_codes
from .utils.gray_code import gray_code


def is_power_of_four(x: int) -> bool:
    """Whether `x` is 1, 4, 16, 64, ..."""
    return x > 0 and x & (x - 1) == 0 and x.bit_length() % 2 == 1


def get_bit(x: int, n: int) -> int:
    """Bit `n` of `x`, counted from the least significant."""
    return x >> n & 1


def get_bits(x: int, n: int, k: int) -> int:
    """The `k` bits of `x` from bit `n` on."""
    return x >> n & (1 << k) - 1


def find_closest_point(p: complex, qs: list[complex]) -> int:
    """The index of the point in `qs` that is nearest to `p`; of equal ones the first."""
    return int(np.argmin([abs(p - q) for q in qs]))


def make_differential_constellation(m: int, gray_coded: bool) -> list[complex]:
    """Points of a square grid from -1-1i to 1+1i whose quadrant is what the two high bits say, counted counter-clockwise.

    The other bits are the place in the first quadrant, turned with it: half of them for each part, not Gray coded, whatever
    `gray_coded` says, as in GNU Radio 3.10.
    """
    side = _side(m) // 2
    quadrant = [complex(2 * (k // side) + 1, 2 * (k % side) + 1) / (2 * side - 1) for k in range(side * side)]
    return [point * (1, 1j, -1, -1j)[turn] for turn in range(4) for point in quadrant]


def make_non_differential_constellation(m: int, gray_coded: bool) -> list[complex]:
    """Points of a square grid from -1-1i to 1+1i: the high half of the bits is the real part, the low half the imaginary."""
    side = _side(m)
    levels = _levels(side, gray_coded)
    return [complex(2 * levels[k // side] + 1 - side, 2 * levels[k % side] + 1 - side) / (side - 1) for k in range(m)]


def _side(m: int) -> int:
    if m < 4 or not is_power_of_four(m):
        raise ValueError(f"m must be a power of 4 integer, got {m}.")
    return isqrt(m)


def _levels(side: int, gray_coded: bool) -> list[int]:
    return mod_codes.invert_code(gray_code(side)) if gray_coded else list(range(side))


def large_ampls_to_corners_mapping(side: int, points: list[complex], width: float) -> list[int]:
    """The nearest point of each sector of a grid, and the nearest corner in the sectors at its rim.

    The grid has `side` sectors of `width` each way, of which those at the rim lie outside of the points.
    """
    corner = max(abs(point.real) for point in points)
    corners = [k for k, point in enumerate(points) if abs(point.real) > 0.999 * corner and abs(point.imag) > 0.999 * corner]
    values = []
    for real, imag in np.ndindex(side, side):
        centre = complex(real + 0.5 - side / 2, imag + 0.5 - side / 2) * width
        if {real, imag} & {0, side - 1}:
            values.append(corners[find_closest_point(centre, [points[k] for k in corners])])
        else:
            values.append(find_closest_point(centre, points))
    return values


def qam_constellation(
    constellation_points: int = 16,
    differential: bool = True,
    mod_code: str = mod_codes.NO_CODE,
    large_ampls_to_corners: bool = False,
) -> constellation_rect:
    """A square of points, a power of four, normalized to a mean amplitude of 1.

    Raises:
        ValueError: the number is no power of four, or the code does not exist.
    """
    check_code(mod_code)
    gray_coded = mod_code == mod_codes.GRAY_CODE
    make = make_differential_constellation if differential else make_non_differential_constellation
    points = make(constellation_points, gray_coded)
    side = isqrt(constellation_points)
    width = 2 / (side - 1)
    if not large_ampls_to_corners:
        return constellation_rect(points, [], 4, side, side, width, width)
    values = large_ampls_to_corners_mapping(side + 2, points, width)
    return constellation_expl_rect(points, [], 4, side + 2, side + 2, width, width, values)
