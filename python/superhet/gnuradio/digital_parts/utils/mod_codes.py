"""Codes that say which symbol stands for which point: `digital.mod_codes`."""

from __future__ import annotations

from typing import Sequence

GRAY_CODE = "gray"
SET_PARTITION_CODE = "set-partition"
NO_CODE = "none"

codes = (GRAY_CODE, SET_PARTITION_CODE, NO_CODE)


def invert_code(code: Sequence[int]) -> list[int]:
    """Where each symbol stands in the code: `result[code[k]] = k`."""
    return [k for _, k in sorted((symbol, k) for k, symbol in enumerate(code))]
