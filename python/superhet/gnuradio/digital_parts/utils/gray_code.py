"""Gray codes: neighbours differ in one bit."""

from __future__ import annotations


def gray_code(length: int) -> list[int]:
    """The first numbers of the Gray code: `k ^ (k >> 1)`."""
    return [k ^ (k >> 1) for k in range(length)]
