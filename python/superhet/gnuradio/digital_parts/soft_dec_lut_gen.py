"""Soft decisions for any map of symbols to points, and tables of them: `digital.soft_dec_lut_gen`.

A table has `2^prec` by `2^prec` entries, from the lower left row by row upwards. Each is a list of decisions, the most
significant bit first. A positive one means that the bit is rather 1.
"""

from __future__ import annotations

from typing import Callable, Sequence

import numpy as np

from .constellation import constellation_calcdist


def calc_soft_dec(sample: complex, constel: Sequence[complex], symbols: Sequence[int], npwr: float = 1) -> list[float]:
    """The soft decisions for a sample, as `constellation.calc_soft_dec` computes them; points are taken as they are."""
    return _with_map(constel, symbols).calc_soft_dec(sample, npwr)


def _with_map(constel: Sequence[complex], symbols: Sequence[int]) -> constellation_calcdist:
    if sorted(symbols) != list(range(len(constel))):
        raise ValueError(f"wants each symbol from 0 to {len(constel) - 1} once, got {list(symbols)}")
    return constellation_calcdist(constel, symbols, 1, 1, constellation_calcdist.NO_NORMALIZATION)


def soft_dec_table(constel: Sequence[complex], symbols: Sequence[int], prec: int, npwr: float = 1) -> list[list[float]]:
    """A table over the rectangle that the points lie in."""
    points = np.asarray(constel, np.complex128)
    with_map = _with_map(constel, symbols)
    real, imag = (np.linspace(part.min(), part.max(), 2**prec) for part in (points.real, points.imag))
    return [with_map.calc_soft_dec(complex(x, y), npwr) for y in imag for x in real]


def soft_dec_table_generator(
    soft_dec_gen: Callable[[complex, float], Sequence[float]], prec: int, Es: float = 1
) -> list[Sequence[float]]:
    """A table over the square around 0 whose corners have the amplitude `Es` of what a function gives for a sample and `Es`."""
    axis = np.linspace(-1, 1, 2**prec) * Es / np.sqrt(2)
    return [soft_dec_gen(complex(x, y), Es) for y in axis for x in axis]


def calc_soft_dec_from_table(
    sample: complex, table: Sequence[Sequence[float]], prec: int, Es: float = 1.0
) -> Sequence[float]:
    """The entry of a table over the square around 0 whose corners have the amplitude `Es`, that a sample lies in."""
    side = 2**prec
    scale = np.sqrt(2) / Es
    row, column = (
        int(min(max((part * scale + 1) / 2 * side, 0), side - 1)) for part in (complex(sample).imag, complex(sample).real)
    )
    return table[row * side + column]
