"""A shift register with feedback: `digital.lfsr`."""

from __future__ import annotations


class lfsr:
    """A register of `reg_len + 1` bits, from `seed`; the bits that `mask` names are added up to the next one."""

    def __init__(self, mask: int, seed: int, reg_len: int) -> None:
        if not 0 <= reg_len <= 63:
            raise ValueError(f"lfsr: expected a length from 0 to 63, got {reg_len}")
        self._mask, self._seed, self._length = int(mask), int(seed), int(reg_len)
        self.reset()

    def reset(self) -> None:
        """Begins with the seed."""
        self._register = self._seed

    def mask(self) -> int:
        """The bits that are added up."""
        return self._mask

    def _parity(self) -> int:
        return (self._register & self._mask).bit_count() & 1

    def _push(self, bit: int) -> int:
        out = self._register & 1
        self._register = self._register >> 1 | bit << self._length
        return out

    def next_bit(self) -> int:
        """The next bit of the sequence."""
        return self._push(self._parity())

    def next_bit_scramble(self, input: int) -> int:
        """The next bit, while another one enters."""
        return self._push(self._parity() ^ input & 1)

    def next_bit_descramble(self, input: int) -> int:
        """A bit that was scrambled as it was before."""
        found = self._parity() ^ input & 1
        self._push(input & 1)
        return found

    def pre_shift(self, num: int) -> None:
        """Goes on by so many bits."""
        for _ in range(num):
            self.next_bit()
