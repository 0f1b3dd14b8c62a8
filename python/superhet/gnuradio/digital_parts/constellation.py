"""Constellations: points in the complex plane, the symbols that they stand for, and decisions for received samples.

A symbol of a constellation of several dimensions is as many points one after the other. Points are kept in single
precision. Numbers are those of GNU Radio 3.10. Cases that it leaves undefined (a symbol that does not exist, a sample
that is too short) are errors here.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import pmt


class _Normalization(IntEnum):
    NO_NORMALIZATION = 0
    POWER_NORMALIZATION = 1
    AMPLITUDE_NORMALIZATION = 2


class trellis_metric_type_t(IntEnum):
    """What a trellis decoder measures."""

    TRELLIS_EUCLIDEAN = 200
    TRELLIS_HARD_SYMBOL = 201
    TRELLIS_HARD_BIT = 202


class constellation:
    """What all constellations have in common."""

    normalization = _Normalization
    NO_NORMALIZATION = _Normalization.NO_NORMALIZATION
    POWER_NORMALIZATION = _Normalization.POWER_NORMALIZATION
    AMPLITUDE_NORMALIZATION = _Normalization.AMPLITUDE_NORMALIZATION

    def __init__(
        self,
        constell: ArrayLike,
        pre_diff_code: Sequence[int],
        rotational_symmetry: int,
        dimensionality: int,
        normalization: int = _Normalization.AMPLITUDE_NORMALIZATION,
    ) -> None:
        if type(self) is constellation:
            raise TypeError("constellation has no decisions of its own: use constellation_calcdist or another")
        points = np.array(constell, np.complex64).reshape(-1)
        self._dimensionality = int(dimensionality)
        self._rotational_symmetry = int(rotational_symmetry)
        if self._dimensionality < 1 or points.size == 0 or points.size % self._dimensionality:
            raise RuntimeError(
                f"a constellation wants points in multiples of its dimensionality, got {points.size} points "
                f"and a dimensionality of {self._dimensionality}"
            )
        if not np.isfinite(points).all():
            raise RuntimeError("a constellation wants points that are finite")
        self._scale = _scale(points, _Normalization(normalization))
        self._points = (points * np.float32(self._scale)).astype(np.complex64)
        self._symbols = self._points.reshape(-1, self._dimensionality)
        self._pre_diff_code = [int(code) for code in pre_diff_code]
        if self._pre_diff_code and len(self._pre_diff_code) != self.arity():
            raise RuntimeError(
                f"the pre-differential code wants as many numbers as there are symbols, "
                f"got {len(self._pre_diff_code)} for {self.arity()}"
            )
        self._apply_pre_diff_code = bool(self._pre_diff_code)
        self._lut: NDArray[np.float32] | None = None
        self._lut_precision = 0

    # What it is.

    def base(self) -> constellation:
        """Itself: what blocks take as a constellation."""
        return self

    def as_pmt(self) -> pmt.pmt_base:
        """A PMT that carries it along."""
        return pmt.make_any(self)

    def __superhet__(self) -> dict[str, object]:
        """The constellation as blocks of the library take it."""
        return {
            "points": self.points(),
            "pre_diff_code": list(self._pre_diff_code) if self._apply_pre_diff_code else [],
            "rotational_symmetry": self._rotational_symmetry,
            "dimension": self._dimensionality,
        }

    def points(self) -> list[complex]:
        """All points, those of a symbol one after the other."""
        return self._points.tolist()

    def s_points(self) -> list[complex]:
        """The points; RuntimeError where a symbol has several."""
        if self._dimensionality != 1:
            raise RuntimeError("s_points only works for dimensionality 1 constellations.")
        return self.points()

    def v_points(self) -> list[list[complex]]:
        """The points of each symbol."""
        return self._symbols.tolist()

    def arity(self) -> int:
        """How many symbols there are."""
        return len(self._symbols)

    def bits_per_symbol(self) -> int:
        """The whole bits that a point carries: `floor(log2(arity) / dimensionality)`."""
        return (self.arity().bit_length() - 1) // self._dimensionality

    def dimensionality(self) -> int:
        """How many points a symbol has."""
        return self._dimensionality

    def rotational_symmetry(self) -> int:
        """How many rotations around 0 leave the set of points as it is."""
        return self._rotational_symmetry

    def pre_diff_code(self) -> list[int]:
        """What stands for each symbol before differential encoding."""
        return list(self._pre_diff_code)

    def apply_pre_diff_code(self) -> bool:
        """Whether that code is used."""
        return self._apply_pre_diff_code

    def set_pre_diff_code(self, a: bool) -> None:
        """Whether to use that code."""
        self._apply_pre_diff_code = bool(a)

    # To points and back.

    def map_to_points_v(self, value: int) -> list[complex]:
        """The points of a symbol."""
        if not 0 <= value < self.arity():
            raise ValueError(f"a constellation of {self.arity()} symbols has no symbol {value}")
        return self._symbols[value].tolist()

    def map_to_points(self, value: int, points: list[complex] | None = None) -> list[complex]:
        """The points of a symbol, written into the list `points` where there is one."""
        found = self.map_to_points_v(value)
        if points is not None:
            points[:] = found
        return found

    def decision_maker_v(self, sample: ArrayLike) -> int:
        """The symbol that fits a sample best; a sample is as many numbers as a symbol has points."""
        received = np.asarray(sample, np.complex64).reshape(-1)
        if received.size < self._dimensionality:
            raise ValueError(f"a sample has {self._dimensionality} numbers here, got {received.size}")
        return self._decide(received[: self._dimensionality])

    def decision_maker(self, sample: complex) -> int:
        """The symbol that fits a sample best."""
        return self.decision_maker_v(sample)

    def decision_maker_pe(self, sample: complex, phase_error: float = 0.0) -> int:
        """The same; GNU Radio does not give the phase error to Python either."""
        return self.decision_maker_v(sample)

    def _decide(self, sample: NDArray[np.complex64]) -> int:
        raise NotImplementedError

    def _nearest(self, sample: ArrayLike) -> int:
        # In single precision, in which points that are equally near to a sector's centre are so to the last bit.
        difference = self._symbols - np.asarray(sample, np.complex64)
        return int(np.argmin((difference.real**2 + difference.imag**2).sum(axis=1)))

    # Soft decisions.

    def calc_soft_dec(self, sample: complex, npwr: float = 1.0) -> list[float]:
        """For each bit, the most significant first, how much rather it is 1 than 0: `ln(Σ₁ exp(-|s-p|/n) / Σ₀ exp(-|s-p|/n))`.

        The sums go over the points whose symbols have that bit set or not; `n` is the noise power. A symbol is what the
        pre-differential code says where it is used.
        """
        if npwr <= 0:
            raise ValueError(f"calc_soft_dec: wants a noise power above 0, got {npwr}")
        points = self._symbols[:, 0].astype(np.complex128)
        exponents = -np.abs(complex(sample) - points) / npwr
        exponents -= exponents.max()
        codes = np.array(self._pre_diff_code if self._apply_pre_diff_code else range(self.arity()))
        decisions = []
        for bit in reversed(range(self.bits_per_symbol())):
            is_one = codes >> bit & 1 == 1
            with np.errstate(divide="ignore"):
                decisions.append(float(_log_sum(exponents[is_one]) - _log_sum(exponents[~is_one])))
        return decisions

    def gen_soft_dec_lut(self, precision: int, npwr: float = 1.0) -> None:
        """Makes a table of soft decisions on a grid of `2^precision` by `2^precision` samples from -1-1i to 1+1i."""
        if not 1 <= precision <= 12:
            raise ValueError(f"gen_soft_dec_lut: wants a precision from 1 to 12, got {precision}")
        axis = np.linspace(-1, 1, 2**precision)
        self.set_soft_dec_lut([self.calc_soft_dec(complex(x, y), npwr) for y in axis for x in axis], precision)

    def set_soft_dec_lut(self, soft_dec_lut: Sequence[Sequence[float]], precision: int) -> None:
        """Takes a table made elsewhere: rows of increasing imaginary part, in each the real part increases."""
        table = np.array(soft_dec_lut, np.float32)
        if table.ndim != 2 or len(table) != 4**precision:
            raise ValueError(f"set_soft_dec_lut: wants {4**precision} soft decisions, got {len(table)}")
        self._lut, self._lut_precision = table, precision

    def has_soft_dec_lut(self) -> bool:
        """Whether there is such a table."""
        return self._lut is not None

    def soft_dec_lut(self) -> list[list[float]]:
        """That table, or an empty one."""
        return [] if self._lut is None else self._lut.tolist()

    def soft_decision_maker(self, sample: complex) -> list[float]:
        """The soft decisions for a sample: from the table where there is one, else computed."""
        if self._lut is None:
            return self.calc_soft_dec(sample)
        side = 2**self._lut_precision
        row, column = (
            int(min(max((part + 1) / 2 * side, 0), side - 1)) for part in (complex(sample).imag, complex(sample).real)
        )
        return self._lut[row * side + column].tolist()


def _scale(points: NDArray[np.complex64], normalization: _Normalization) -> float:
    amplitudes = np.abs(points).astype(np.float64)
    mean = {
        _Normalization.NO_NORMALIZATION: 1.0,
        _Normalization.POWER_NORMALIZATION: float(np.sqrt(np.mean(amplitudes**2))),
        _Normalization.AMPLITUDE_NORMALIZATION: float(np.mean(amplitudes)),
    }[normalization]
    if mean == 0:
        raise RuntimeError("a constellation whose points are all 0 cannot be normalized")
    return 1 / mean


def _log_sum(exponents: NDArray[np.float64]) -> float:
    """`ln Σ exp(e)`, where the largest is taken out first."""
    if exponents.size == 0:
        return -np.inf
    largest = exponents.max()
    return float(largest + np.log(np.exp(exponents - largest).sum()))


class constellation_calcdist(constellation):
    """Decides for the nearest point, by the distance to each."""

    def _decide(self, sample: NDArray[np.complex64]) -> int:
        return self._nearest(sample)


class constellation_sector(constellation):
    """Cuts the plane into sectors, each of which stands for a symbol."""

    _sector_values: list[int]

    def _decide(self, sample: NDArray[np.complex64]) -> int:
        return self._sector_values[self._sector(complex(sample[0]))]

    def _sector(self, sample: complex) -> int:
        raise NotImplementedError


class constellation_rect(constellation_sector):
    """Sectors are rectangles around 0; each stands for the point nearest to its centre. Widths are scaled as the points are."""

    def __init__(
        self,
        constell: ArrayLike,
        pre_diff_code: Sequence[int],
        rotational_symmetry: int,
        real_sectors: int,
        imag_sectors: int,
        width_real_sectors: float,
        width_imag_sectors: float,
        normalization: int = _Normalization.AMPLITUDE_NORMALIZATION,
    ) -> None:
        super().__init__(constell, pre_diff_code, rotational_symmetry, 1, normalization)
        if min(real_sectors, imag_sectors) < 1 or not min(width_real_sectors, width_imag_sectors) > 0:
            raise ValueError(
                f"constellation_rect: wants sectors and widths above 0, got {real_sectors} x {imag_sectors} sectors "
                f"of {width_real_sectors} x {width_imag_sectors}"
            )
        self._counts = (real_sectors, imag_sectors)
        self._widths = (width_real_sectors * self._scale, width_imag_sectors * self._scale)
        centres = [
            complex(*((place + 0.5 - count / 2) * width for place, count, width in zip(places, self._counts, self._widths)))
            for places in np.ndindex(*self._counts)
        ]
        self._sector_values = [self._nearest(centre) for centre in centres]

    def _sector(self, sample: complex) -> int:
        real, imag = (
            int(min(max(np.floor(part / width + count / 2), 0), count - 1))
            for part, width, count in zip((sample.real, sample.imag), self._widths, self._counts)
        )
        return real * self._counts[1] + imag


class constellation_expl_rect(constellation_rect):
    """Sectors are rectangles around 0. GNU Radio takes `sector_values` and does not use them, so it is here."""

    def __init__(
        self,
        constellation: ArrayLike,
        pre_diff_code: Sequence[int],
        rotational_symmetry: int,
        real_sectors: int,
        imag_sectors: int,
        width_real_sectors: float,
        width_imag_sectors: float,
        sector_values: Sequence[int],
    ) -> None:
        super().__init__(
            constellation,
            pre_diff_code,
            rotational_symmetry,
            real_sectors,
            imag_sectors,
            width_real_sectors,
            width_imag_sectors,
        )
        if len(sector_values) != len(self._sector_values):
            raise ValueError(
                f"constellation_expl_rect: wants {len(self._sector_values)} sector_values, got {len(sector_values)}"
            )


class constellation_psk(constellation_sector):
    """Sectors are slices of a pie, the first one around 1; each stands for the point nearest to its middle."""

    def __init__(self, constell: ArrayLike, pre_diff_code: Sequence[int], n_sectors: int) -> None:
        points = np.array(constell, np.complex64).reshape(-1)
        super().__init__(points, pre_diff_code, len(points), 1)
        if n_sectors < 1:
            raise ValueError(f"constellation_psk: wants one sector at least, got {n_sectors}")
        self._width = 2 * np.pi / n_sectors
        self._sector_values = [self._nearest(np.exp(1j * self._width * sector)) for sector in range(n_sectors)]

    def _sector(self, sample: complex) -> int:
        return int(np.floor(np.angle(sample) / self._width + 0.5)) % len(self._sector_values)


class constellation_bpsk(constellation):
    """BPSK: 0 is -1, 1 is 1."""

    def __init__(self) -> None:
        super().__init__([-1, 1], [], 2, 1)

    def _decide(self, sample: NDArray[np.complex64]) -> int:
        return int(sample[0].real > 0)


class _Unscaled(constellation):
    """A constellation of fixed points that are not normalized."""

    def __init__(self, constell: ArrayLike, pre_diff_code: Sequence[int], rotational_symmetry: int) -> None:
        super().__init__(constell, pre_diff_code, rotational_symmetry, 1, _Normalization.NO_NORMALIZATION)
        self._apply_pre_diff_code = False


# GNU Radio's QPSK has an amplitude of 2.
_ROOT2 = 1.4142135381698608


class constellation_qpsk(_Unscaled):
    """QPSK with an amplitude of 2: the low bit is the sign of the real part, the high bit that of the imaginary part."""

    def __init__(self) -> None:
        corner = _ROOT2
        points = [complex(re, im) for im in (-corner, corner) for re in (-corner, corner)]
        super().__init__(points, [0, 2, 3, 1], 4)

    def _decide(self, sample: NDArray[np.complex64]) -> int:
        return 2 * int(sample[0].imag > 0) + int(sample[0].real > 0)


class constellation_dqpsk(_Unscaled):
    """QPSK for differential encoding, with an amplitude of 2: symbols go counter-clockwise from the first quadrant."""

    def __init__(self) -> None:
        points = [_ROOT2 * (1 + 1j) * 1j**k for k in range(4)]
        super().__init__(points, [0, 1, 3, 2], 4)
        self._apply_pre_diff_code = True

    def _decide(self, sample: NDArray[np.complex64]) -> int:
        right = sample[0].real > 0
        return (0 if right else 1) if sample[0].imag > 0 else (3 if right else 2)


class constellation_8psk(_Unscaled):
    """8PSK with Gray coding: the bits are the signs of the real and imaginary part, and which one is larger."""

    def __init__(self) -> None:
        angles = np.array([1, 7, 15, 9, 3, 5, 13, 11]) * np.pi / 8
        super().__init__(np.exp(1j * angles), [], 8)

    def _decide(self, sample: NDArray[np.complex64]) -> int:
        re, im = sample[0].real, sample[0].imag
        return int(re <= 0) + 2 * int(im <= 0) + 4 * int(abs(re) <= abs(im))


class constellation_8psk_natural(_Unscaled):
    """8PSK whose symbols go counter-clockwise from an eighth of π below the real axis."""

    def __init__(self) -> None:
        angles = np.arange(-1, 15, 2) * np.pi / 8
        super().__init__(np.exp(1j * angles), [], 8)

    def _decide(self, sample: NDArray[np.complex64]) -> int:
        return self._nearest(sample)


class constellation_16qam(_Unscaled):
    """16QAM with a mean power of 1; symbols of a quadrant share their two high bits."""

    _LEVELS = [
        (1, -1), (-1, -1), (3, -3), (-3, -3), (-3, -1), (3, -1), (-1, -3), (1, -3),
        (-3, 3), (3, 3), (-1, 1), (1, 1), (1, 3), (-1, 3), (3, 1), (-3, 1),
    ]  # fmt: skip

    def __init__(self) -> None:
        self._step = 1 / np.sqrt(10)
        super().__init__([complex(*level) * self._step for level in self._LEVELS], [], 4)

    def _decide(self, sample: NDArray[np.complex64]) -> int:
        level = tuple(self._level(float(part)) for part in (sample[0].real, sample[0].imag))
        return self._LEVELS.index(level)  # type: ignore[arg-type]

    def _level(self, part: float) -> int:
        size = 3 if abs(part) > 2 * self._step else 1
        return size if part > 0 else -size
