"""The bits and cells of DVB-T2 in `gnuradio.dtv`: ETSI EN 302 755, clause 6."""

from __future__ import annotations

import math
from typing import Any

from .dvbs2_parts import _code, _frame_bits, _frames, _name
from .dvbt2_modes import shift_register

GROUP = 360
"""Bits of a column of check bits."""

BITS = {"QPSK": 2, "16QAM": 4, "64QAM": 6, "256QAM": 8}
"""Bits of a cell."""

_TWISTS = {
    ("NORMAL", "16QAM"): (0, 0, 2, 4, 4, 5, 7, 7),
    ("SHORT", "16QAM"): (0, 0, 0, 1, 7, 20, 20, 21),
    ("NORMAL", "64QAM"): (0, 0, 2, 2, 3, 4, 4, 5, 5, 7, 8, 9),
    ("SHORT", "64QAM"): (0, 0, 0, 2, 2, 2, 3, 3, 3, 6, 7, 7),
    ("NORMAL", "256QAM"): (0, 2, 2, 2, 2, 3, 7, 15, 16, 20, 22, 22, 27, 27, 28, 32),
    ("SHORT", "256QAM"): (0, 0, 0, 1, 7, 20, 20, 21),
}
"""By how many places each column begins further down: table 9."""

ORDERS = {
    ("NORMAL", "16QAM"): (7, 1, 3, 5, 2, 4, 6, 0),
    ("NORMAL", "16QAM", "3_5"): (0, 2, 3, 6, 4, 1, 7, 5),
    ("NORMAL", "64QAM"): (11, 8, 5, 2, 10, 7, 4, 1, 9, 6, 3, 0),
    ("NORMAL", "64QAM", "3_5"): (4, 6, 0, 5, 8, 10, 2, 1, 7, 3, 11, 9),
    ("NORMAL", "256QAM"): (15, 1, 13, 3, 10, 7, 9, 11, 4, 6, 8, 5, 12, 2, 14, 0),
    ("NORMAL", "256QAM", "3_5"): (4, 6, 0, 2, 3, 14, 12, 10, 7, 5, 8, 1, 15, 9, 11, 13),
    ("NORMAL", "256QAM", "2_3"): (3, 15, 1, 7, 4, 11, 5, 0, 12, 2, 9, 14, 13, 6, 8, 10),
    ("SHORT", "16QAM"): (7, 1, 3, 5, 2, 4, 6, 0),
    ("SHORT", "16QAM", "1_3"): (1, 6, 5, 2, 3, 4, 0, 7),
    ("SHORT", "16QAM", "2_5"): (3, 5, 6, 4, 2, 1, 7, 0),
    ("SHORT", "64QAM"): (11, 8, 5, 2, 10, 7, 4, 1, 9, 6, 3, 0),
    ("SHORT", "64QAM", "1_3"): (2, 5, 1, 6, 0, 3, 4, 7, 8, 9, 10, 11),
    ("SHORT", "64QAM", "2_5"): (1, 2, 4, 5, 0, 6, 3, 8, 7, 10, 9, 11),
    ("SHORT", "256QAM"): (7, 2, 4, 1, 6, 3, 5, 0),
    ("SHORT", "256QAM", "1_3"): (1, 2, 3, 5, 0, 4, 6, 7),
    ("SHORT", "256QAM", "2_5"): (1, 3, 4, 5, 0, 2, 6, 7),
}
"""From which column each bit of one cell, or of two, comes; some rates have their own: tables 12 and 13."""

_CHECKS = {"NORMAL": dict(zip("1_2 3_5 2_3 3_4 4_5 5_6".split(), (90, 72, 60, 45, 36, 30)))}
_CHECKS["SHORT"] = dict(zip("1_3 2_5 1_2 3_5 2_3 3_4 4_5 5_6".split(), (30, 27, 25, 18, 15, 12, 10, 8)))
"""Columns of check bits."""

_TURNS = {"QPSK": 29.0, "16QAM": 16.8, "64QAM": 8.6, "256QAM": math.degrees(math.atan(1 / 16))}
"""By how many degrees points are turned: table 15."""


def _modulation(constellation: Any, block: str) -> str:
    return _name("MOD_", constellation, block, BITS)


class dvbt2_interleaver_bb(_frames):
    """Interleaves the bits of a frame, and gives cells: the value of the bits of each.

    Check bits are read by columns; then all bits are written into columns, each from another place on, and read by rows. Of QPSK they stay
    as they are, but at rates below 1/2.
    """

    def __init__(self, framesize: Any, rate: Any, constellation: Any) -> None:
        import numpy

        size, name = _code(framesize, rate, "dvbt2_interleaver_bb")
        name = _name("C", rate, "dvbt2_interleaver_bb", _CHECKS[size])
        kind = _modulation(constellation, "dvbt2_interleaver_bb")
        self._bits, bits, step = BITS[kind], _frame_bits(size), _CHECKS[size][name]
        super().__init__(("u1", "u1"), bits, bits // self._bits)
        order = numpy.arange(bits)
        info = bits - GROUP * step
        if kind != "QPSK" or name in ("1_3", "2_5"):
            order[info:] = info + numpy.arange(GROUP * step).reshape(GROUP, step).T.reshape(-1)
        if kind != "QPSK":
            twists = _TWISTS[size, kind]
            columns = order.reshape(len(twists), -1)
            columns = numpy.array([numpy.roll(column, twist) for column, twist in zip(columns, twists)])
            chosen = ORDERS.get((size, kind, name), ORDERS[size, kind])
            order = columns.T[:, list(chosen)].reshape(-1)
        self._order = order

    def _turn(self, frame: Any) -> Any:
        rows, found = frame[self._order].reshape(-1, self._bits), 0
        for place in range(self._bits):
            found = found << 1 | rows[:, place] & 1
        return found


def levels(bits: Any) -> Any:
    """The level that bits, the sign first, stand for on one axis: Gray's code, the greatest for zeros."""
    found = 1.0 - 2.0 * bits[:, -1]
    for place in range(bits.shape[1] - 2, -1, -1):
        found = (1.0 - 2.0 * bits[:, place]) * (2 ** (bits.shape[1] - 1 - place) + found)
    return found


def points(bits: Any) -> Any:
    """The points of rows of bits, those of the real and of the imaginary part in turns, of power 1."""
    power = {2: 2, 4: 10, 6: 42, 8: 170}[bits.shape[1]]
    return (levels(bits[:, 0::2]) + 1j * levels(bits[:, 1::2])) / math.sqrt(power)


class dvbt2_modulator_bc(_frames):
    """Gives the points of cells; turned where `rotation` says so, with imaginary parts that come a cell later, round the frame."""

    def __init__(self, framesize: Any, constellation: Any, rotation: Any) -> None:
        import numpy

        size = _name("FECFRAME_", framesize, "dvbt2_modulator_bc", _CHECKS)
        kind = _modulation(constellation, "dvbt2_modulator_bc")
        cells = _frame_bits(size) // BITS[kind]
        super().__init__(("u1", "c8"), cells, cells)
        numbers = numpy.arange(1 << BITS[kind])
        found = points(numpy.array([numbers >> place & 1 for place in range(BITS[kind] - 1, -1, -1)]).T)
        self._is_turned = bool(int(rotation))
        if self._is_turned:
            found = found * numpy.exp(1j * math.radians(_TURNS[kind]))
        self._points = found

    def _turn(self, frame: Any) -> Any:
        import numpy

        found = self._points[frame & len(self._points) - 1]
        return found.real + 1j * numpy.roll(found.imag, 1) if self._is_turned else found


_REGISTERS = {11: (0, 3), 12: (0, 2), 13: (0, 1, 4, 6), 14: (0, 1, 4, 5, 9, 11), 15: (0, 1, 2, 12)}
"""The sums of the registers that permute cells, by their bits: clause 6.4."""


def _permutation(cells: int) -> list[int]:
    """Where each cell of the first frame of a block goes."""
    width = (cells - 1).bit_length()
    states = shift_register(width - 1, _REGISTERS[width], 1 << width)
    found = (state | (place & 1) << (width - 1) for place, state in enumerate(states))
    return [place for place in found if place < cells]


def _shifts(cells: int, count: int) -> list[int]:
    """By how much it is shifted in the following frames: counters with their bits in the other order."""
    width, found, counter = (cells - 1).bit_length(), [], 0
    while len(found) < count:
        shift = int(format(counter, f"0{width}b")[::-1], 2)
        counter += 1
        if shift < cells:
            found.append(shift)
    return found


class dvbt2_cellinterleaver_cc(_frames):
    """Interleaves the cells of each of `fecblocks` frames, and then those of the frames of each of `tiblocks` blocks.

    A block is written into columns, five for each frame, and read by rows; without blocks frames stay apart.
    """

    def __init__(self, framesize: Any, constellation: Any, fecblocks: int, tiblocks: int) -> None:
        import numpy

        size = _name("FECFRAME_", framesize, "dvbt2_cellinterleaver_cc", _CHECKS)
        cells = _frame_bits(size) // BITS[_modulation(constellation, "dvbt2_cellinterleaver_cc")]
        if fecblocks < 1 or tiblocks < 0 or tiblocks > fecblocks:
            raise ValueError(
                f"dvbt2_cellinterleaver_cc: expected fecblocks of 1 or more and tiblocks from 0 to that, got {fecblocks} and {tiblocks}"
            )
        super().__init__(("c8", "c8"), cells * fecblocks, cells * fecblocks)
        first = numpy.array(_permutation(cells))
        blocks = tiblocks or fecblocks
        # The last ones are larger where frames are left over.
        counts = [fecblocks // blocks + (place >= blocks - fecblocks % blocks) for place in range(blocks)]
        order, at = [], 0
        for count in counts:
            found = []
            for shift in _shifts(cells, count):
                places = numpy.empty(cells, int)
                places[(first + shift) % cells] = numpy.arange(at, at + cells)
                found.append(places)
                at += cells
            block = numpy.concatenate(found)
            order.append(block.reshape(5 * count, -1).T.reshape(-1) if tiblocks else block)
        self._order = numpy.concatenate(order)

    def _turn(self, frame: Any) -> Any:
        return frame[self._order]


NAMES: dict[str, Any] = {kind.__name__: kind for kind in (dvbt2_cellinterleaver_cc, dvbt2_interleaver_bb, dvbt2_modulator_bc)}
"""What `gnuradio.dtv` has of this file."""

