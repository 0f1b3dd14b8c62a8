"""Estimates of the ratio of signal to noise as objects of their own: `digital.mpsk_snr_est_simple` and kin."""

from __future__ import annotations

import math
from typing import Any, Iterable

from .errors import BadArgument


class mpsk_snr_est:
    """What estimates share: running means of two numbers, with the weight `alpha` for a new one, and more for the first ones."""

    def __init__(self, alpha: float = 0.001) -> None:
        self._means = [0.0, 0.0]
        self._weight = 1.0
        self.set_alpha(alpha)

    def alpha(self) -> float:
        """How fast means follow."""
        return self._alpha

    def set_alpha(self, alpha: float) -> None:
        """Sets how fast means follow, 0 to 1."""
        if not 0 <= alpha <= 1:
            raise BadArgument(f"mpsk_snr_est: expected alpha from 0 to 1, got {alpha:g}")
        self._alpha = float(alpha)

    def _take(self, power: float) -> tuple[float, float] | None:
        """The two numbers of a sample of this power, if it makes any."""
        raise RuntimeError("mpsk_snr_est: Unimplemented")

    def _powers(self) -> tuple[float, float]:
        """The power of the signal and that of the noise."""
        raise RuntimeError("mpsk_snr_est: Unimplemented")

    def update(self, noutput_items: int, input: Any) -> int:  # noqa: A002: its name there
        """Takes so many samples, one number or a row of them; gives how many it was asked to take."""
        samples: Iterable[Any] = input if hasattr(input, "__len__") else (input,)
        for _, sample in zip(range(noutput_items), samples):
            power = abs(complex(sample)) ** 2
            new = self._take(power) if math.isfinite(power) else None
            if new is None:
                continue
            self._means = [mean + self._weight * (number - mean) for mean, number in zip(self._means, new)]
            self._weight /= self._weight + 1 - self._alpha
        return noutput_items

    def snr(self) -> float:
        """The ratio in dB."""
        signal, noise = self._powers()
        return _decibels(signal / noise) if noise else math.inf if signal else math.nan

    def signal(self) -> float:
        """The power of the signal in dB."""
        return _decibels(self._powers()[0])

    def noise(self) -> float:
        """The power of the noise in dB."""
        return _decibels(self._powers()[1])


def _decibels(power: float) -> float:
    return 10 * math.log10(power) if power > 0 else -math.inf if power == 0 else math.nan


class mpsk_snr_est_simple(mpsk_snr_est):
    """By the mean and the variance of the magnitudes `a`: signal `E[a]²`, noise `2 (E[a²] − E[a]²)`."""

    def _take(self, power: float) -> tuple[float, float]:
        return math.sqrt(power), power

    def _powers(self) -> tuple[float, float]:
        mean, power = self._means
        return mean * mean, 2 * (power - mean * mean)


class mpsk_snr_est_skew(mpsk_snr_est_simple):
    """The same: what GNU Radio makes of the third moment is off by several dB, and the block has that of the mean in its place, too."""


class snr_est_m2m4(mpsk_snr_est):
    """By the second and the fourth moment, for a signal of kurtosis `ka` and noise of kurtosis `kw`: 1 for PSK, 2 for complex noise.

    `S = (M₂ (kw − 2) − √((4 − ka kw) M₂² + (ka + kw − 4) M₄)) / (ka + kw − 4)`, noise `M₂ − S` (D. Pauluzzi, N. Beaulieu, IEEE Trans. Comm. 48,
    2000).
    """

    def __init__(self, alpha: float, ka: float, kw: float) -> None:
        super().__init__(alpha)
        if ka + kw == 4:
            raise BadArgument(f"snr_est_m2m4: expected ka and kw whose sum is not 4, got {ka:g} and {kw:g}")
        self._ka, self._kw = float(ka), float(kw)

    def _take(self, power: float) -> tuple[float, float]:
        return power, power * power

    def _powers(self) -> tuple[float, float]:
        second, fourth = self._means
        scale = self._ka + self._kw - 4
        root = math.sqrt(max((4 - self._ka * self._kw) * second * second + scale * fourth, 0.0))
        signal = (second * (self._kw - 2) - root) / scale
        return signal, second - signal


class mpsk_snr_est_m2m4(snr_est_m2m4):
    """The same for PSK and complex noise: signal `√(2 M₂² − M₄)`."""

    def __init__(self, alpha: float = 0.001) -> None:
        super().__init__(alpha, 1, 2)


class mpsk_snr_est_svr(mpsk_snr_est):
    """By the ratio of signal variations `r = E[a[n]² a[n−1]²] / (E[a⁴] − E[a[n]² a[n−1]²])`: `r − 1 + √(r (r − 1))`, relative to the noise."""

    def __init__(self, alpha: float = 0.001) -> None:
        super().__init__(alpha)
        self._last: float | None = None

    def _take(self, power: float) -> tuple[float, float] | None:
        last, self._last = self._last, power
        return None if last is None else (power * last, power * power)

    def _powers(self) -> tuple[float, float]:
        first, second = self._means
        if second <= first:
            return (math.inf, 1.0) if first else (0.0, 1.0)
        ratio = first / (second - first)
        return ratio - 1 + math.sqrt(max(ratio * (ratio - 1), 0.0)), 1.0


BLOCKS: dict[str, dict[str, Any]] = {
    "digital": {
        kind.__name__: kind
        for kind in (mpsk_snr_est, mpsk_snr_est_simple, mpsk_snr_est_skew, mpsk_snr_est_m2m4, mpsk_snr_est_svr, snr_est_m2m4)
    }
}
"""The objects by module and name."""
