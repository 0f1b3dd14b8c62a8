"""Soft decisions on the maps of `maps.py`: `digital.sd_psk_4_0x1_1_0(x, Es)` and their kin give a number for each bit, positive for a one.

`Es` is the size of the points. The numbers are those of GNU Radio 3.10.5, whose 16QAM without a change of bits has other slopes than the others,
and whose `sd_psk_2_0x1` fails.
"""

from __future__ import annotations

import math
from typing import Callable, Sequence

Soft = Callable[..., list[float]]


def _outer(x: float) -> float:
    """Which half the level lies in, beyond the middle levels twice as sure."""
    level = 3 * x
    return level if abs(level) <= 2 else math.copysign(2 * (abs(level) - 1), level)


def _inner(x: float) -> float:
    """Whether it is a middle level."""
    return 2 - abs(3 * x)


def _first_outer(x: float, size: float) -> float:
    edge = size * math.sqrt(2) / 3
    return 0.5 * size * x if abs(x) <= edge else math.copysign(size * edge / 2 * (abs(x) - edge / 2), x)


def _first_inner(x: float, size: float) -> float:
    return size * size * math.sqrt(2) / 6 - 0.5 * size * abs(x)


def _signs(k: int, bits: int) -> list[int]:
    """Of each bit, the highest first: those that `k` has are the other way round."""
    return [-1 if k >> (bits - 1 - place) & 1 else 1 for place in range(bits)]


def _psk_2(k: int, pi: Sequence[int]) -> Soft:
    return lambda x, Es=1: [_signs(k, 1)[0] * math.sqrt(2) * Es * complex(x).real]


def _psk_4(k: int, pi: Sequence[int]) -> Soft:
    def soft(x: complex, Es: float = 1) -> list[float]:
        x = complex(x) * math.sqrt(2) * Es
        parts = (x.imag, x.real) if pi == (0, 1) else (x.real, x.imag)
        return [sign * part for sign, part in zip(_signs(k, 2), parts)]

    return soft


def _qam_16(k: int, pi: Sequence[int]) -> Soft:
    def soft(x: complex, Es: float = 1) -> list[float]:
        re, im = complex(x).real, complex(x).imag
        if k == 0 and pi == (0, 1, 2, 3):
            return [_first_outer(re, Es), _first_inner(re, Es), _first_outer(im, Es), _first_inner(im, Es)]
        low = (_outer(im), _inner(im)) if pi == (0, 1, 2, 3) else (_inner(im), _outer(im))
        return [_outer(re), _inner(re), *(sign * part for sign, part in zip(_signs(k, 2), low))]

    return soft


def _functions() -> dict[str, Soft]:
    found: dict[str, Soft] = {}
    for name, make, count, permutations in (
        ("psk_2", _psk_2, 2, ((),)),
        ("psk_4", _psk_4, 4, ((0, 1), (1, 0))),
        ("qam_16", _qam_16, 4, ((0, 1, 2, 3), (1, 0, 2, 3))),
    ):
        places = [(pi, k) for pi in permutations for k in range(count)]
        for number, (pi, k) in enumerate(places):
            bits = "".join(f"_{bit}" for bit in pi)
            for full in (f"sd_{name}_{k:#x}{bits}", f"sd_{name}_{number}", *([f"sd_{name}"] if number == 0 else [])):
                found[full] = _named(full, make(k, pi))
    return found


def _named(name: str, function: Soft) -> Soft:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = "A number for each bit of the symbol, positive for a one."
    return function


FUNCTIONS = _functions()
"""All of them, by name."""
