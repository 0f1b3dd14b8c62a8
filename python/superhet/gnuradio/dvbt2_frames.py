"""Frames of DVB-T2 in `gnuradio.dtv`: signalling and data in the cells of symbols. ETSI EN 302 755, clauses 7 and 8."""

from __future__ import annotations

import functools
from typing import Any

from .dvbs2_parts import CONSTANTS as CODES
from .dvbs2_parts import _code, _frame_bits, _frames, _name, _scrambling, dvb_bch_bb, dvb_ldpc_bb
from .dvbt2_modes import CONSTANTS, is_double, mode
from .dvbt2_parts import BITS, ORDERS, points

FRAME, GROUP = 16200, 360
"""Bits of a coded frame, and of a group of its message."""

PRE_CELLS, PRE_BITS, POST_BITS, POST_CODED = 1840, 200, 350, 1500
"""Cells of the first part of the signalling, bits of both parts with their checksums, and coded bits of the second, at least."""

CELL_ID, NETWORK_ID, SYSTEM_ID, FREQUENCY_HZ = 0, 0x3085, 0x8001, 729_833_333
"""What GNU Radio signals."""

_RATES = dict(zip("1_2 3_5 2_3 3_4 4_5 5_6 1_3 2_5".split(), range(8)))
_MODULATIONS = dict(zip(BITS, range(4)))

PADDING = {
    "pre": (7, 3, 6, 5, 2, 4, 1, 8, 0),
    "BPSK": (18, 17, 16, 15, 14, 13, 12, 11, 4, 10, 9, 8, 3, 2, 7, 6, 5, 1, 19, 0),
    "16QAM": (18, 17, 16, 15, 14, 13, 12, 11, 4, 10, 9, 8, 7, 3, 2, 1, 6, 5, 19, 0),
}
"""In which order groups of a message are zeros that are not sent: table 35."""

PUNCTURING = {
    "pre": (
        27, 13, 29, 32, 5, 0, 11, 21, 33, 20, 25, 28, 18, 35, 8, 3, 9, 31, 22, 24, 7, 14, 17, 4, 2, 26, 16, 34, 19, 10, 12, 23,
        1, 6, 30, 15,
    ),
    "BPSK": (6, 4, 18, 9, 13, 8, 15, 20, 5, 17, 2, 24, 10, 22, 12, 3, 16, 23, 1, 14, 0, 21, 19, 7, 11),
    "16QAM": (6, 4, 13, 9, 18, 8, 15, 20, 5, 17, 2, 22, 24, 7, 12, 1, 16, 23, 14, 0, 21, 10, 19, 11, 3),
    "64QAM": (6, 15, 13, 10, 3, 17, 21, 8, 5, 19, 2, 23, 16, 24, 7, 18, 1, 12, 20, 0, 4, 14, 9, 11, 22),
}  # fmt: skip
"""In which order columns of check bits are left out: tables 36 and 37."""


def _bits(fields: list[tuple[int, int]]) -> Any:
    """Numbers as bits, the highest first: the width of each and the number."""
    import numpy

    return numpy.array([number >> place & 1 for width, number in fields for place in range(width - 1, -1, -1)], "u1")


def _with_checksum(bits: Any) -> Any:
    """Bits with a CRC-32 behind them."""
    import numpy

    check = 0xFFFF_FFFF
    for bit in bits.tolist():
        check = (check << 1 & 0xFFFF_FFFF) ^ (0x04C1_1DB7 if check >> 31 ^ bit else 0)
    return numpy.concatenate([bits, _bits([(32, check)])])


@functools.cache
def _codes(rate: str) -> tuple[Any, Any]:
    """The BCH and the LDPC code of short frames of a rate."""
    short, number = CODES["FECFRAME_SHORT"], CODES[f"C{rate}"]
    return dvb_bch_bb(0, short, number), dvb_ldpc_bb(CODES["STANDARD_DVBT2"], short, number)


def _coded(bits: Any, rate: str, padding: Any, puncturing: Any, left_out: int) -> Any:
    """Signalling with its check bits: the message is filled up with zeros, which are not sent, nor are `left_out` of the check bits."""
    import numpy

    outer, inner = _codes(rate)
    length = outer._taken
    is_sent = numpy.ones(length, bool)
    zeros = length - len(bits)
    for group in padding:
        first, end = group * GROUP, min((group + 1) * GROUP, length)
        count = min(zeros, end - first)
        is_sent[end - count : end] = False
        zeros -= count
    message = numpy.zeros(length, "u1")
    message[is_sent] = bits
    word = inner._turn(outer._turn(message))
    checks = word[inner._taken :]
    columns = len(checks) // GROUP
    keeps = numpy.ones((GROUP, columns), bool)
    whole, rest = divmod(left_out, GROUP)
    keeps[:, list(puncturing[:whole])] = False
    if rest:
        keeps[:rest, puncturing[whole]] = False
    return numpy.concatenate([bits, word[length : inner._taken], checks[keeps.reshape(-1)]])


class dvbt2_framemapper_cc(_frames):
    """Makes frames of the cells of one channel: signalling, the cells, dummy cells, and zeros in the last symbol, as far as it has them."""

    def __init__(
        self,
        framesize: Any,
        rate: Any,
        constellation: Any,
        rotation: Any,
        fecblocks: int,
        tiblocks: int,
        carriermode: Any,
        fftsize: Any,
        guardinterval: Any,
        l1constellation: Any,
        pilotpattern: Any,
        t2frames: int,
        numdatasyms: int,
        paprmode: Any,
        version: Any,
        preamble: Any,
        inputmode: Any,
        reservedbiasbits: Any,
        l1scrambled: Any,
        inband: Any,
    ) -> None:
        import numpy

        name = "dvbt2_framemapper_cc"
        size, code = _code(framesize, rate, name)
        code, kind = _name("C", rate, name, _RATES), _name("MOD_", constellation, name, BITS)
        if t2frames < 1 or fecblocks < 1:
            raise ValueError(f"{name}: expected t2frames and fecblocks of 1 or more, got {t2frames} and {fecblocks}")
        shape = mode(name, carriermode, fftsize, pilotpattern, guardinterval, numdatasyms, paprmode, is_double(preamble))
        l1 = ("BPSK", "QPSK", "16QAM", "64QAM")[int(l1constellation)]
        width = BITS.get(l1, 1)
        # Whole cells in each symbol, and of one symbol whole pairs of cells.
        unit = 2 * width if shape.first == 1 else width * shape.first
        coded = -(-POST_CODED // unit) * unit
        signalled = PRE_CELLS + coded // width
        total, taken = sum(shape.cells), _frame_bits(size) // BITS[kind] * fecblocks
        dummies = total - shape.unused - signalled - taken
        if dummies < 0:
            raise ValueError(
                f"{name}: expected at most {(taken + dummies) * BITS[kind] // _frame_bits(size)} fecblocks in a frame of "
                f"{total - shape.unused} cells with {signalled} of signalling, got {fecblocks}"
            )
        super().__init__(("c8", "c8"), taken, total)
        number, t2 = int(fftsize) & 7, int(version)
        is_new, is_131 = t2 >= CONSTANTS["VERSION_121"], t2 >= CONSTANTS["VERSION_131"]
        ones = is_131 and bool(int(reservedbiasbits))
        pre = [
            (8, 0), (1, int(shape.is_wide)), (3, int(preamble)), (4, number << 1), (1, 0), (3, shape.guard), (4, int(paprmode)),
            (4, int(l1constellation)), (2, 0), (2, 0), (18, coded // width), (18, POST_BITS - 32), (4, shape.pattern - 1), (8, 0),
            (16, CELL_ID), (16, NETWORK_ID), (16, SYSTEM_ID), (8, t2frames), (12, numdatasyms), (3, 0), (1, 0), (3, 1), (3, 0),
            (4, t2), (1, int(bool(int(l1scrambled)))), (1, 0), (4, 15 * ones),
        ]  # fmt: skip
        first = _coded(_with_checksum(_bits(pre)), "1_4", PADDING["pre"], PUNCTURING["pre"], 11488)
        self._settings = [
            (15, 1), (8, 1), (4, 0), (8, 0), (3, 0), (32, FREQUENCY_HZ), (8, 0), (3, 1), (5, 3), (1, 0), (3, 0), (8, 0), (8, 1),
            (3, _RATES[code]), (3, _MODULATIONS[kind]), (1, int(bool(int(rotation)))), (2, int(size == "NORMAL")), (10, fecblocks), (8, 1),
            (8, tiblocks), (1, 0), (1, 0), (1, int(is_131 and bool(int(inband)))), (11, 0x7FF * ones),
            (2, 1 + int(inputmode) if is_new else 0), (1, 0), (1, 0), (2, 0), (30, 0x3FFF_FFFF * ones),
        ]  # fmt: skip
        self._blocks, self._fill = int(fecblocks), 0xFF * ones
        self._l1, self._width, self._left_out = l1, width, 8018 - (coded - POST_CODED)
        self._is_scrambled, self._frame, self._period = bool(int(l1scrambled)), 0, int(t2frames)
        # The cells of signalling lie over the first symbols in turns, and what they leave there is of data.
        order = numpy.arange(signalled)
        self._places = order % shape.first * shape.cells[0] + order // shape.first
        is_free = numpy.ones(total, bool)
        is_free[self._places] = False
        free = numpy.flatnonzero(is_free)
        self._data = free[:taken]
        self._whole = numpy.zeros(total, "c8")
        self._whole[self._places[:PRE_CELLS]] = 1.0 - 2.0 * first
        self._whole[free[taken : taken + dummies]] = 1.0 - 2.0 * _scrambling(dummies)
        self._kept: dict[int, Any] = {}

    def _signalling(self, number: int) -> Any:
        """The cells of the second part of the signalling in a frame."""
        if number in self._kept:
            return self._kept[number]
        fill = self._fill
        bits = [
            *self._settings, (8, number), (22, 0), (22, 0), (8, 0), (3, 0), (8, fill), (8, 0), (22, 0), (10, self._blocks), (8, fill),
            (8, fill),
        ]  # fmt: skip
        message = _with_checksum(_bits(bits))
        if self._is_scrambled:
            message = message ^ _scrambling(len(message))
        kind = self._l1 if self._l1 in PUNCTURING else "BPSK"
        padding = PADDING["16QAM" if self._width > 2 else "BPSK"]
        coded = _coded(message, "1_2", padding, PUNCTURING[kind], self._left_out)
        if self._width == 1:
            found: Any = 1.0 - 2.0 * coded
        else:
            if self._width > 2:
                # Written into columns, read by rows.
                order = ORDERS["SHORT", self._l1]
                coded = coded.reshape(2 * self._width, -1).T[:, list(order)].reshape(-1)
            found = points(coded.reshape(-1, self._width))
        if len(self._kept) < 256:
            self._kept[number] = found
        return found

    def _turn(self, frame: Any) -> Any:
        found = self._whole
        found[self._data] = frame
        found[self._places[PRE_CELLS:]] = self._signalling(self._frame)
        self._frame = (self._frame + 1) % self._period
        return found


NAMES: dict[str, Any] = {"dvbt2_framemapper_cc": dvbt2_framemapper_cc}
"""What `gnuradio.dtv` has of this file."""
