"""Arguments of shift registers: `digital.utils.lfsr`."""

from __future__ import annotations


def lfsr_args(seed: int, *exp: int) -> tuple[int, int, int]:
    """Mask, seed and length for `digital.lfsr` from the exponents of a polynomial, the highest one first.

    >>> lfsr_args(0b11001, 7, 1, 0)
    (131, 25, 6)
    """
    if not exp or min(exp) < 0:
        raise ValueError(f"lfsr_args: wants exponents from 0 on, got {exp}")
    return sum(1 << e for e in set(exp)), seed, max(exp) - 1
