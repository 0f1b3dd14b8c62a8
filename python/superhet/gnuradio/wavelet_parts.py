"""The blocks of `gnuradio.wavelet`."""

from __future__ import annotations

import math
from typing import Any, Sequence

from .python_blocks import sync_block


def _daubechies(order: int) -> Any:
    """The taps of the wavelet of Daubechies with so many taps: the factor of least phase of the half-band filter (1988, section 4)."""
    import numpy

    half = order // 2
    product = [math.comb(half - 1 + k, k) for k in range(half)]
    found = numpy.ones(1)
    for _ in range(half):
        found = numpy.convolve(found, [1, 1])
    for root in numpy.roots(product[::-1]):
        pair = numpy.roots([1, 4 * root - 2, 1])
        found = numpy.convolve(found, [1, -pair[numpy.abs(pair).argmin()]])
    found = found.real
    return found * (math.sqrt(2) / found.sum())


class wavelet_ff(sync_block):
    """The wavelet transform of vectors of `size`, a power of 2, by the wavelet of Daubechies with `order` taps; or back."""

    def __init__(self, size: int = 1024, order: int = 20, forward: bool = True) -> None:
        import numpy

        if size < 2 or size & (size - 1):
            raise RuntimeError(f"wavelet_ff: expected a size that is a power of 2, got {size}")
        if order not in range(4, 21, 2):
            raise RuntimeError(f"wavelet_ff: expected an even order from 4 to 20, got {order}")
        super().__init__("wavelet_ff", [("f4", int(size))], [("f4", int(size))])
        low = _daubechies(order)
        high = low[::-1] * (-1.0) ** numpy.arange(order)
        # Columns are the transforms of unit vectors; the matrix is orthogonal.
        matrix, count = numpy.eye(size), size
        while count >= 2:
            half, before = count // 2, matrix[:count].copy()
            places = (2 * numpy.arange(half)[:, None] + numpy.arange(order)) % count
            matrix[:half] = numpy.einsum("k,ikn->in", low, before[places])
            matrix[half:count] = numpy.einsum("k,ikn->in", high, before[places])
            count = half
        self._matrix = (matrix if forward else matrix.T).astype("f4")

    def work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Transforms vectors."""
        count = len(output_items[0])
        output_items[0][:] = input_items[0].reshape(-1, self._gr_in[0][1])[:count] @ self._matrix.T
        return count


class wvps_ff(sync_block):
    """The energy of each level of a wavelet transform of `ilen` coefficients."""

    def __init__(self, ilen: int) -> None:
        levels = max(1, int(ilen).bit_length() - 1)
        super().__init__("wvps_ff", [("f4", int(ilen))], [("f4", levels)])
        self._levels = levels

    def work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Adds squares."""
        count = len(output_items[0])
        squares = input_items[0].reshape(-1, self._gr_in[0][1])[:count] ** 2
        out = output_items[0].reshape(count, -1)
        for level in range(self._levels):
            out[:, level] = squares[:, 1 << level : 2 << level].sum(axis=1)
        return count


class squash_ff(sync_block):
    """Vectors of values at the places `igrid`, as values at the places `ogrid`: by natural cubic splines."""

    def __init__(self, igrid: Sequence[float], ogrid: Sequence[float]) -> None:
        import numpy

        super().__init__("squash_ff", [("f4", len(igrid))], [("f4", len(ogrid))])
        x, places = numpy.asarray(igrid, float), numpy.asarray(ogrid, float)
        if len(x) < 2 or (numpy.diff(x) <= 0).any():
            raise RuntimeError("squash_ff: expected a grid that rises")
        # The values are linear in those given: the matrix has the splines of unit vectors.
        step, count = numpy.diff(x), len(x)
        system, right = numpy.eye(count), numpy.zeros((count, count))
        for k in range(1, count - 1):
            system[k, k - 1 : k + 2] = step[k - 1], 2 * (step[k - 1] + step[k]), step[k]
            right[k, k - 1 : k + 2] += 6 / step[k - 1], -6 / step[k - 1] - 6 / step[k], 6 / step[k]
        second = numpy.linalg.solve(system, right)
        piece = numpy.clip(numpy.searchsorted(x, places, "right") - 1, 0, count - 2)
        width = step[piece]
        after, before = (places - x[piece]) / width, (x[piece + 1] - places) / width
        unit = numpy.eye(count)
        self._matrix = before[:, None] * unit[piece] + after[:, None] * unit[piece + 1]
        bend = (width**2 / 6)[:, None]
        self._matrix += bend * ((before**3 - before)[:, None] * second[piece] + (after**3 - after)[:, None] * second[piece + 1])

    def work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Interpolates vectors."""
        count = len(output_items[0])
        output_items[0][:] = input_items[0].reshape(-1, self._gr_in[0][1])[:count] @ self._matrix.T
        return count


BLOCKS: dict[str, Any] = {
    kind.__name__: kind
    for kind in (
        squash_ff,
        wavelet_ff,
        wvps_ff,
    )
}
"""The blocks by name."""
