"""Functions of `gnuradio.blocks` that count bits."""

from __future__ import annotations

from typing import Any, Callable


def _counter(bits: int) -> Callable[[int], int]:
    def count(x: int) -> int:
        return (int(x) & (1 << bits) - 1).bit_count()

    count.__name__ = f"count_bits{bits}"
    count.__doc__ = f"How many of the low {bits} bits of a number are 1."
    return count


FUNCTIONS: dict[str, Any] = {f"count_bits{bits}": _counter(bits) for bits in (8, 16, 32, 64)}
"""The functions by name."""
