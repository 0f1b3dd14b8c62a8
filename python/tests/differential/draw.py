"""Random parameters and inputs for blocks: ordinary ones, and those at the edges."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

DTYPES = {
    "C32": "complex64",
    "f32": "float32",
    "i32": "int32",
    "i16": "int16",
    "i8": "int8",
    "u8": "uint8",
    "cu8": "uint8",
    "cs8": "int8",
    "cs16": "int16",
}
ALL = tuple(DTYPES)
ARITHMETIC = ("C32", "f32", "i32", "i16")


class Draw:
    """Draws from a generator that is made of seed, block and number of the case; files go into a folder that is deleted later."""

    def __init__(self, random: np.random.Generator, folder: str) -> None:
        self.random, self.folder = random, folder

    def one(self, *choices: Any) -> Any:
        """One of several."""
        return choices[self.random.integers(len(choices))]

    def whole(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`, all equally likely."""
        return int(self.random.integers(low, high, endpoint=True))

    def few(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`: often one of the least, seldom a large one."""
        return self.one(low, min(low + self.whole(0, 8), high), self.whole(low, high))

    def length(self, most: int = 1500) -> int:
        """How many items: none, one, about the width of a vector, or many."""
        return min(
            most, self.one(0, 1, self.whole(2, 9), self.whole(15, 70), self.whole(100, most), self.whole(100, most))
        )

    def real(self, low: float, high: float) -> float:
        """A number from `low` to `high`."""
        return float(np.float32(self.random.uniform(low, high)))

    def gain(self) -> float:
        """A factor that single precision has: 0, 1, −1, ordinary, tiny or huge, of either sign."""
        size = self.one(0.0, 1.0, self.random.uniform(0, 2), 10.0 ** self.random.uniform(-12, 12))
        return float(np.float32(size * self.one(1, -1)))

    def complex_gain(self) -> complex:
        """The same, complex."""
        return complex(self.gain(), self.gain())

    def items(self, item: str, count: int | None = None, *, special: bool = False) -> Any:
        """Items of a type: integers of all sizes, floats of one scale or many; `special` adds NaN and infinities."""
        count = self.length() if count is None else count
        dtype = np.dtype(DTYPES[item])
        if item in ("cu8", "cs8", "cs16"):
            return self.items({"cu8": "u8", "cs8": "i8", "cs16": "i16"}[item], 2 * count).reshape(-1, 2)
        if dtype.kind in "iu":
            info = np.iinfo(dtype)
            small = self.random.random() < 0.3
            low, high = (max(info.min, -9), 9) if small else (info.min, info.max)
            values = self.random.integers(low, high, count, endpoint=True).astype(dtype)
            edges = np.array([info.min, info.max, 0], dtype)
            return np.where(
                self.random.random(count) < 0.05, edges[self.random.integers(3, size=count)], values
            ).astype(dtype)
        if dtype.kind == "c":
            parts = self.items("f32", 2 * count, special=special)
            return parts.view("complex64")
        scale = self.one(1.0, 1.0, 10.0 ** self.random.uniform(-6, 6))
        values = self.random.normal(size=count) * scale
        if self.random.random() < 0.3:
            values *= 10.0 ** self.random.uniform(-6, 6, count)
        values = values.astype("float32")
        values[self.random.random(count) < 0.03] = 0.0
        if special and self.random.random() < 0.3:
            at = self.random.random(count) < 0.05
            values[at] = self.random.choice(
                np.array([np.nan, np.inf, -np.inf, -0.0, 3e38, 1e-40], "f4"), np.count_nonzero(at)
            )
        return values

    def ordinary(self, item: str, count: int | None = None, scale: float = 1.0) -> Any:
        """Items of the order of `scale`, for blocks with feedback."""
        count = self.length() if count is None else count
        real = self.random.normal(size=count) * scale
        if item == "C32":
            return (real + 1j * self.random.normal(size=count) * scale).astype("complex64")
        return real.astype(DTYPES[item])

    def bits(self, count: int | None = None) -> Any:
        """Zeros and ones."""
        return self.random.integers(0, 2, self.length() if count is None else count).astype("uint8")

    def taps(self, most: int = 70) -> list[float]:
        """Real taps: any number of them, odd, even, symmetric or not."""
        taps = self.random.normal(size=self.few(1, most)) * self.one(1.0, 1e-6, 1e5)
        if self.random.random() < 0.3:
            taps = taps + taps[::-1]
        return [float(tap) for tap in taps.astype("float32")]

    def complex_taps(self, most: int = 70) -> list[complex]:
        """The same, complex."""
        real = self.taps(most)
        imaginary = self.random.normal(size=len(real)).astype("float32")
        return [complex(a, float(b)) for a, b in zip(real, imaginary)]

    def tags(self, items: int) -> list[tuple[int, str, Any]]:
        """Tags on some items: none, few or one on nearly each; several on one item too."""
        if items == 0:
            return []
        count = self.one(0, 1, min(5, items), min(40, items))
        places = sorted(self.whole(0, items - 1) for _ in range(count))
        return [
            (place, self.one("a", "b", "c"), self.one(number, f"v{number}", number / 3))
            for number, place in enumerate(places)
        ]


def pairs(values: Sequence[complex]) -> list[list[float]]:
    """Complex numbers as parameters have them: [re, im]."""
    return [[float(np.real(value)), float(np.imag(value))] for value in values]
