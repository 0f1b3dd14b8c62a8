"""Constellations and channels for codes on trellises: `gnuradio.trellis.fsm_utils`.

A constellation is its dimension and the coordinates of its points, one point after the other.
"""

from __future__ import annotations

import cmath
import math
from typing import Sequence


def dec2base(num: int, base: int, l: int) -> list[int]:  # noqa: E741: the name of others.
    """The `l` digits of a number, the highest first."""
    if num < 0 or base < 2 or l < 0 or num >= base**l:
        raise ValueError(f"dec2base: {num} has not {l} digits to the base {base}")
    return [num // base**place % base for place in reversed(range(l))]


def base2dec(s: Sequence[int], base: int) -> int:
    """The number of digits, the highest first."""
    found = 0
    for digit in s:
        found = found * base + digit
    return found


def make_isi_lookup(mod: tuple[int, list[float]], channel: Sequence[float], normalize: bool) -> tuple[int, list[float]]:
    """What a channel makes of each sequence of its length: the first symbol meets the first tap.

    With `normalize` the channel has the energy 1 before.
    """
    dimension, points = mod
    channel, points = list(channel), list(points)
    size = len(points) // dimension
    if normalize:
        energy = math.sqrt(sum(tap**2 for tap in channel))
        channel = [tap / energy for tap in channel]
    found = []
    for number in range(size ** len(channel)):
        symbols = dec2base(number, size, len(channel))
        for axis in range(dimension):
            found.append(sum(tap * points[symbol * dimension + axis] for tap, symbol in zip(channel, symbols)))
    return dimension, found


def _circle(count: int) -> list[float]:
    found = [cmath.exp(2j * math.pi * place / count) for place in range(count)]
    return [part for point in found for part in (point.real, point.imag)]


pam2 = (1, [-1, 1])
pam4 = (1, [-3, -1, 3, 1])
pam8 = (1, [-7, -5, -3, -1, 1, 3, 5, 7])
psk4 = (2, [1, 0, 0, 1, 0, -1, -1, 0])
psk8 = (2, _circle(8))
orth2 = (2, [1, 0, 0, 1])
orth4 = (4, [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1])
psk2x3 = (3, [(1 if value >> at & 1 else -1) for value in range(8) for at in (2, 1, 0)])
psk2x4 = (4, [(1 if value >> at & 1 else -1) for value in range(16) for at in (3, 2, 1, 0)])

c_channel = [0.227, 0.460, 0.688, 0.460, 0.227]
"""A channel with a deep notch (J. Proakis, "Digital Communications", channel C of the chapter on equalizers)."""
