"""Gray-coded maps of symbols to the points of 2PSK, 4PSK and 16QAM: `digital.psk_4_0x1_1_0()` and their kin.

A map is `(points, symbols)`: `symbols[k]` stands for `points[k]`. From a basis come all others by exclusive or with `k`, then
by a permutation `pi` of the bits: `psk_4_0x1_1_0` has k = 1 and pi = (1, 0).
"""

from __future__ import annotations

from typing import Callable, Sequence

from .constellation import constellation_rect
from .soft_maps import FUNCTIONS as SOFT

Map = tuple[list[complex], list[int]]


def constellation_map_generator(
    basis_cpoints: Sequence[complex], basis_symbols: Sequence[int], k: int, pi: Sequence[int]
) -> Map:
    """The map of the same points whose symbols have bit `n` where the basis has bit `pi[n]`, then are xored with `k`."""
    symbols = [sum((symbol >> bit & 1) << place for place, bit in enumerate(pi)) ^ k for symbol in basis_symbols]
    return list(basis_cpoints), symbols


_PSK_2: Map = ([-1, 1], [0, 1])
_PSK_4: Map = ([-1 - 1j, 1 - 1j, -1 + 1j, 1 + 1j], [0, 1, 2, 3])
_LEVELS = (-3, -1, 1, 3)
_GRAY = (0, 1, 3, 2)
_QAM_16: Map = (
    [complex(re, im) for im in _LEVELS for re in _LEVELS],
    [4 * high + low for low in _GRAY for high in _GRAY],
)


def _maps() -> dict[str, Callable[[], Map]]:
    """All maps by name: with k and pi, numbered in that order, and the basis."""
    found: dict[str, Callable[[], Map]] = {}
    for name, basis, permutations in (
        ("psk_2", _PSK_2, [()]),
        ("psk_4", _PSK_4, [(0, 1), (1, 0)]),
        ("qam_16", _QAM_16, [(0, 1, 2, 3), (1, 0, 2, 3)]),
    ):
        count = 2 if name == "psk_2" else 4
        number = 0
        found[name] = _function(name, basis, 0, permutations[0] or (0,))
        for pi in permutations:
            for k in range(count):
                bits = "".join(f"_{bit}" for bit in pi)
                for full in (f"{name}_{k:#x}{bits}", f"{name}_{number}"):
                    found[full] = _function(full, basis, k, pi or (0,))
                number += 1
    return found


def _function(name: str, basis: Map, k: int, pi: Sequence[int]) -> Callable[[], Map]:
    def function() -> Map:
        return constellation_map_generator(*basis, k, pi)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"The map with k = {k} and pi = {tuple(pi)}: points and symbols."
    return function


MAPS = _maps()
globals().update(MAPS | SOFT)

_QAM32 = [
    (1, 1), (3, 1), (1, 5), (1, 3), (5, 3), (3, 3), (5, 5), (3, 5), (-1, 1), (-1, 3), (-5, 1), (-3, 1), (-3, 5), (-3, 3),
    (-5, 5), (-5, 3), (-1, -1), (-3, -1), (-1, -5), (-1, -3), (-5, -3), (-3, -3), (-5, -5), (-3, -5), (1, -1), (1, -3),
    (5, -1), (3, -1), (3, -5), (3, -3), (5, -5), (5, -3),
]  # fmt: skip


def qam32_holeinside_constellation(large_ampls_to_corners: bool = False) -> constellation_rect:
    """32 points of a square of 36, without four within it; the two high bits are the quadrant."""
    if large_ampls_to_corners:
        raise ValueError("qam32_holeinside_constellation: large_ampls_to_corners is not there for it")
    return constellation_rect([complex(*point) for point in _QAM32], [], 4, 12, 12, 1, 1)
