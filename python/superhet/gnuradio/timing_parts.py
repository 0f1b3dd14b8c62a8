"""Interpolation between samples by the least mean square error, and what is timed by it: `filter.mmse_fir_interpolator_*`,
`digital.msk_timing_recovery_cc`."""

from __future__ import annotations

import functools
import math
from operator import mul
from typing import Any, Sequence

from .python_blocks import basic_block

TAPS, STEPS = 8, 128
"""Taps of a filter, and steps from one sample to the next."""


@functools.cache
def interpolators() -> list[list[float]]:
    """The taps for each step from the fourth sample to the fifth: right for signals of a flat spectrum up to a quarter of the rate."""
    import numpy

    place = numpy.arange(TAPS)
    between = numpy.sinc((place[:, None] - place) / 2)
    wanted = numpy.sinc((place[:, None] - 3 - numpy.arange(STEPS + 1) / STEPS) / 2)
    return numpy.linalg.solve(between, wanted).T.tolist()


class _interpolator:
    """Values between samples: `mu` after the fourth of eight."""

    def ntaps(self) -> int:
        """How many samples make a value."""
        return TAPS

    def nsteps(self) -> int:
        """In how many steps one comes from a sample to the next."""
        return STEPS

    def interpolate(self, input: Sequence[Any], mu: float) -> Any:  # noqa: A002: its name there
        """The value `mu`, 0 to 1, after the fourth of eight samples."""
        if len(input) < TAPS:
            raise ValueError(f"interpolate: expected {TAPS} samples, got {len(input)}")
        if not 0 <= mu <= 1:
            raise RuntimeError(f"interpolate: expected mu from 0 to 1, got {mu:g}")
        return sum(map(mul, input, interpolators()[round(mu * STEPS)]))


class mmse_fir_interpolator_cc(_interpolator):
    """Values between complex samples."""


class mmse_fir_interpolator_ff(_interpolator):
    """Values between real samples."""


class msk_timing_recovery_cc(basic_block):
    """Follows the clock of MSK and GMSK without knowing phase or symbols, and gives `osps` samples for each symbol.

    The fourth power of the signal, `Re(x²[k] x*²[k − 1])` of samples that are half a symbol apart, is greatest at some time within a
    symbol; its step from sample to sample is the error of a loop of second order (d'Andrea, Mengali and Reggiannini, "A digital
    approach to clock recovery in generalized minimum shift keying", 1990). The second output is the error, the third the
    time after a sample, 0 to 1.
    """

    def __init__(self, sps: float, gain: float, limit: float, osps: int) -> None:
        super().__init__("msk_timing_recovery_cc", ["c8"], ["c8", "f4", "f4"])
        if osps not in (1, 2):
            raise IndexError(f"msk_timing_recovery_cc: expected osps 1 or 2, got {osps}")
        self._osps = int(osps)
        self._limit = float(limit)
        self.set_gain(gain)
        self.set_sps(sps)
        self._mu, self._at = 0.5, 0
        self._square, self._power = 0j, 0.0
        self._is_middle = False

    def _output_count(self, build: Any) -> int:
        # The second and the third may stay alone.
        return 3

    def set_gain(self, gain: float) -> None:
        """Sets how fast the clock follows."""
        if not gain > 0:
            raise IndexError(f"msk_timing_recovery_cc: expected a gain above 0, got {gain:g}")
        self._gain = float(gain)

    def get_gain(self) -> float:
        """How fast the clock follows."""
        return self._gain

    def set_limit(self, limit: float) -> None:
        """Sets how many samples half a symbol may be longer or shorter."""
        self._limit = float(limit)

    def get_limit(self) -> float:
        """How many samples half a symbol may be longer or shorter."""
        return self._limit

    def set_sps(self, sps: float) -> None:
        """Sets the samples of a symbol."""
        if not 1 <= sps < 1e6:
            raise ValueError(f"msk_timing_recovery_cc: expected sps from 1 to a million, got {sps:g}")
        self._sps = self._period = float(sps)
        self.set_relative_rate(self._osps / self._sps)

    def get_sps(self) -> float:
        """The samples of a symbol."""
        return self._sps

    def forecast(self, noutput_items: int, ninputs: Any) -> list[int]:
        """What the symbols take, and the samples about the last."""
        return [math.ceil((noutput_items - 1) * self._sps / self._osps) + TAPS]

    def general_work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Follows the clock."""
        samples, taps = input_items[0].tolist(), interpolators()
        most, last = len(output_items[0]), len(samples) - TAPS
        spread = 2 * abs(self._limit)
        at, mu, square, power = self._at, self._mu, self._square, self._power
        values, errors, times = [], [], []
        while at <= last and len(values) < most:
            value = sum(map(mul, samples[at : at + TAPS], taps[round(mu * STEPS)]))
            before, square = square.conjugate(), value * value
            error, power = -power, (square * before).real
            error += power
            if self._is_middle:
                # As there, only samples between symbols turn the clock.
                error = max(-3.0, min(3.0, error))
                self._period += self._gain * self._gain / 2 * error
                self._period = max(self._sps - spread, min(self._sps + spread, self._period))
                mu += self._gain * error
            if not self._is_middle or self._osps == 2:
                values.append(value)
                errors.append(error)
                times.append(mu)
            self._is_middle = not self._is_middle
            mu += self._period / 2
            whole = math.floor(mu)
            at, mu = at + max(whole, 0), mu - whole
        used = min(at, len(samples))
        self._at, self._mu, self._square, self._power = at - used, mu, square, power
        for written, found in zip(output_items, (values, errors, times)):
            written[: len(found)] = found
        self.consume(0, used)
        return len(values)


FILTER: dict[str, Any] = {kind.__name__: kind for kind in (mmse_fir_interpolator_cc, mmse_fir_interpolator_ff)}
DIGITAL: dict[str, Any] = {"msk_timing_recovery_cc": msk_timing_recovery_cc}
"""What the modules have of these, by name."""
