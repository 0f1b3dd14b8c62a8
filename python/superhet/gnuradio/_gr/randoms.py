"""Random numbers: `gr.random` and `gr.xoroshiro128p_prng`."""

from __future__ import annotations

import math
import time

MASK = (1 << 64) - 1


class xoroshiro128p_prng:
    """Whole numbers of 64 bits by xoroshiro128+ of Blackman and Vigna (2018), seeded by splitmix64."""

    def __init__(self, init: int) -> None:
        self.seed(init)

    def seed(self, seed: int) -> None:
        """Begins anew."""
        self._state, x = [], seed & MASK
        for _ in range(2):
            x = (x + 0x9E3779B97F4A7C15) & MASK
            z = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
            z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
            self._state.append(z ^ (z >> 31))

    @staticmethod
    def min() -> int:
        """The least number."""
        return 0

    @staticmethod
    def max() -> int:
        """The greatest number."""
        return MASK

    def __call__(self) -> int:
        """The next number."""

        def turn(x: int, bits: int) -> int:
            return ((x << bits) | (x >> (64 - bits))) & MASK

        first, second = self._state
        second ^= first
        found = sum(self._state) & MASK
        self._state = [turn(first, 24) ^ second ^ ((second << 16) & MASK), turn(second, 37)]
        return found


class random:
    """Random numbers of some distributions. A seed of 0 is the time."""

    def __init__(self, seed: int = 0, min_integer: int = 0, max_integer: int = 2) -> None:
        self.reseed(seed)
        self.set_integer_limits(min_integer, max_integer)

    def reseed(self, seed: int) -> None:
        """Begins anew."""
        self._numbers = xoroshiro128p_prng(seed or time.time_ns())

    def set_integer_limits(self, minimum: int, maximum: int) -> None:
        """Sets what `ran_int` gives: from the least to before the greatest."""
        self._limits = (int(minimum), int(maximum))

    def ran_int(self) -> int:
        """A whole number within the limits, each as likely."""
        least, end = self._limits
        return least + self._numbers() % max(1, end - least)

    def ran1(self) -> float:
        """A number from 0 to before 1, each as likely."""
        return (self._numbers() >> 40) / (1 << 24)

    def gasdev(self) -> float:
        """A normal number: mean 0, variance 1."""
        return math.sqrt(-2 * math.log(1 - self.ran1())) * math.cos(2 * math.pi * self.ran1())

    def laplacian(self) -> float:
        """A number of the distribution of Laplace: mean 0, scale 1."""
        z = self.ran1() - 0.5
        return -math.copysign(math.log(max(1e-30, 1 - 2 * abs(z))), z)

    def rayleigh(self) -> float:
        """A number of the distribution of Rayleigh: scale 1."""
        return math.sqrt(-2 * math.log(1 - self.ran1()))

    def rayleigh_complex(self) -> complex:
        """A complex normal number: each part of variance 1."""
        return complex(self.gasdev(), self.gasdev())

    def impulse(self, factor: float = 5) -> float:
        """0, or rarely a number that is greater the greater the factor is."""
        z = -math.sqrt(2) * math.log(1 - self.ran1())
        return 0.0 if abs(z) <= factor else z
