"""Blocks that flowgraphs of GNU Radio 3.7 have and later ones do not."""

from __future__ import annotations

from collections import deque
from typing import Any

from ..python_blocks import sync_block


class error_rate(sync_block):
    """How many bits, or symbols, of the last `win_size` symbols of two streams differ: the first is the reference."""

    def __init__(self, type: str = "BER", win_size: int = 1000, bits_per_symbol: int = 2) -> None:
        super().__init__("error_rate", ["u1", "u1"], ["f4"])
        if win_size < 1 or not 1 <= bits_per_symbol <= 8:
            raise ValueError(f"error_rate: expected win_size of 1 or more and bits_per_symbol from 1 to 8, got {win_size}, {bits_per_symbol}")
        self._counts_bits = type == "BER"
        self._bits = bits_per_symbol if self._counts_bits else 1
        self._last: deque[int] = deque(maxlen=int(win_size))
        self._errors = 0

    def work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Counts."""
        given = output_items[0]
        count = len(given)
        for place, different in enumerate((input_items[0][:count] ^ input_items[1][:count]).tolist()):
            wrong = different.bit_count() if self._counts_bits else int(different != 0)
            if len(self._last) == self._last.maxlen:
                self._errors -= self._last[0]
            self._last.append(wrong)
            self._errors += wrong
            given[place] = self._errors / (len(self._last) * self._bits)
        return count


OLDER = {"blks2_error_rate": error_rate, "digital_error_rate": error_rate}
"""Classes by ids; their arguments are the parameters of these names."""
