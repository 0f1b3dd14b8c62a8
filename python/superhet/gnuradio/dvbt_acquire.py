"""Finds the symbols of DVB-T in a stream of samples: `gnuradio.dtv.dvbt_ofdm_sym_acquisition`."""

from __future__ import annotations

import cmath
import math
from typing import Any

from .errors import BadArgument
from .python_blocks import basic_block


class dvbt_ofdm_sym_acquisition(basic_block):
    """Gives the symbols of an OFDM stream without their prefixes, as vectors, and takes a part of a carrier's spacing off their frequency.

    A prefix is where `|γ| − ρ Φ` is greatest, with `γ` the correlation of `cp_length` samples with those `fft_length` later, `Φ` the mean
    of both energies, and `ρ = s / (s + 1)` for a ratio of signal to noise `s`; the angle of `γ` is the frequency (J.-J. van de Beek et
    al., "ML estimation of time and frequency offset in OFDM systems", 1997). Behind the first prefix it looks around where the next
    one should be.
    """

    AROUND = 8
    """So many samples earlier and later the next prefix may be."""

    def __init__(self, blocks: int, fft_length: int, occupied_tones: int, cp_length: int, snr: float) -> None:
        if not 0 < cp_length < fft_length or blocks != 1:
            raise BadArgument(
                "dvbt_ofdm_sym_acquisition: expected one block and a prefix shorter than a symbol, "
                f"got {blocks} and {cp_length} of {fft_length}"
            )
        super().__init__("dvbt_ofdm_sym_acquisition", ["c8"], [("c8", int(fft_length))])
        self._size, self._prefix = int(fft_length), int(cp_length)
        ratio = 10 ** (snr / 10)
        self._weight = ratio / (ratio + 1)
        self._is_found, self._match, self._phase = False, 0j, 0.0
        self.set_relative_rate(1, self._size + self._prefix)

    def forecast(self, noutput_items: int, ninputs: Any) -> list[int]:
        """Whole symbols, and as much again for the search."""
        return [(noutput_items + 1) * (self._size + self._prefix) + 2 * self.AROUND]

    def general_work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Finds symbols."""
        import numpy

        samples, whole, written, at = input_items[0], self._size + self._prefix, 0, 0
        while written < len(output_items[0]):
            if at + 2 * whole + 2 * self.AROUND > len(samples):
                break
            # `at` lies before the middle of the places that are looked at.
            places = 2 * self.AROUND if self._is_found else whole
            start, match = self._search(samples[at : at + places + whole], places)
            if self._is_found and abs(match) == 0:
                start = self.AROUND
            self._match = match if not self._is_found else 0.9 * self._match + match
            self._is_found = True
            turn = -cmath.phase(self._match) / self._size
            first = at + start + self._prefix
            steps = numpy.arange(self._size)
            # The phase goes on through what is left out.
            self._phase -= turn * (start + self._prefix)
            output_items[0][written] = samples[first : first + self._size] * numpy.exp(1j * (self._phase - turn * steps))
            next_at = at + start + whole - self.AROUND
            self._phase = math.remainder(self._phase - turn * (next_at - at - start - self._prefix), 2 * math.pi)
            at, written = next_at, written + 1
        self.consume(0, at)
        return written

    def _search(self, samples: Any, places: int) -> tuple[int, complex]:
        """The best of so many first places for a prefix, and the correlation there."""
        import numpy

        early, late = samples[: places + self._prefix], samples[self._size : self._size + places + self._prefix]
        product = early * late.conj()
        energy = (numpy.abs(early) ** 2 + numpy.abs(late) ** 2) / 2

        def sums(values: Any) -> Any:
            total = numpy.concatenate([[0], numpy.cumsum(values, dtype="c16")])
            return (total[self._prefix :] - total[: -self._prefix])[:places]

        match = sums(product)
        best = int((numpy.abs(match) - self._weight * sums(energy).real).argmax())
        return best, complex(match[best])


NAMES: dict[str, Any] = {"dvbt_ofdm_sym_acquisition": dvbt_ofdm_sym_acquisition}
"""The block, by name."""
