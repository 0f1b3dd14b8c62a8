"""ADPCM by ITU-T Recommendation G.726 (12/1990), which holds G.721 (32 kbit/s) and G.723 (24 and 40 kbit/s).

The names in the comments are those of the functional blocks in section 4 of the Recommendation. Samples are linear, 16 bits, of which
the lowest two count for nothing: the codec works with 14 bits.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

DECISIONS: dict[int, tuple[int, ...]] = {
    3: (8, 218, 331),
    4: (-124, 80, 178, 246, 300, 349, 400),
    5: (-122, -16, 68, 139, 198, 250, 298, 339, 378, 413, 445, 475, 502, 528, 553),
}
"""Decision levels of the quantizer, log2 of the magnitude times 128, by the bits of a code (tables 6 to 8)."""

LEVELS: dict[int, tuple[int, ...]] = {
    3: (-2048, 135, 273, 373),
    4: (-2048, 4, 135, 213, 273, 323, 373, 425),
    5: (-2048, -66, 28, 104, 169, 224, 274, 318, 358, 395, 429, 459, 488, 514, 539, 566),
}
"""Levels of the inverse quantizer for the magnitudes of codes, the same way (tables 11 to 13)."""

SCALES: dict[int, tuple[int, ...]] = {
    3: (-4, 30, 137, 582),
    4: (-12, 18, 41, 64, 112, 198, 355, 1122),
    5: (14, 14, 24, 39, 40, 41, 58, 100, 141, 179, 219, 280, 358, 440, 529, 696),
}
"""Multipliers of the scale factor, W(I), times 16 (FUNCTW)."""

SPEEDS: dict[int, tuple[int, ...]] = {
    3: (0, 1, 2, 7),
    4: (0, 0, 0, 1, 1, 1, 3, 7),
    5: (0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 3, 4, 5, 6, 6),
}
"""How fast the speed follows, F(I) (FUNCTF)."""


def _floating(value: int) -> tuple[int, int, int]:
    """Sign, exponent and a mantissa of 6 bits (FLOATA, FLOATB)."""
    sign, magnitude = (1, -value) if value < 0 else (0, value)
    exponent = magnitude.bit_length()
    return sign, exponent, (magnitude << 6) >> exponent if magnitude else 32


def _product(coefficient: int, value: tuple[int, int, int]) -> int:
    """A coefficient of a predictor times a value (FMULT)."""
    sign, exponent, mantissa = value
    magnitude = (-coefficient if coefficient < 0 else coefficient) >> 2
    if coefficient < 0 and coefficient & 3:
        # The Recommendation shifts the two's complement.
        magnitude = (-(coefficient >> 2)) & 0x1FFF
    own = magnitude.bit_length()
    own_mantissa = (magnitude << 6) >> own if magnitude else 32
    total = exponent + own
    product = (own_mantissa * mantissa + 48) >> 4
    shifted = (product << 7) >> (26 - total) if total <= 26 else ((product << 7) << (total - 26)) & 0x7FFF
    return -shifted if sign ^ (coefficient < 0) else shifted


class Codec:
    """The state that encoder and decoder share; `bits` of a code are 3, 4 or 5."""

    def __init__(self, bits: int) -> None:
        self.bits = bits
        self._half = 1 << (bits - 1)
        self._decisions, self._levels = DECISIONS[bits], LEVELS[bits]
        self._scales, self._speeds = SCALES[bits], SPEEDS[bits]
        self._a = [0, 0]
        self._b = [0] * 6
        self._p = [0, 0]
        self._differences = [(0, 0, 32)] * 6
        self._signals = [(0, 0, 32)] * 2
        self._yl, self._yu = 34816, 544
        self._dms = self._dml = self._ap = 0
        self._td = 0
        self._is_negative = False

    def _estimates(self) -> tuple[int, int]:
        """The signal estimates, with and without the poles (ACCUM)."""
        zeros = sum(_product(b, d) for b, d in zip(self._b, self._differences))
        poles = sum(_product(a, s) for a, s in zip(self._a, self._signals))
        return (zeros + poles) >> 1, zeros >> 1

    def _scale(self) -> int:
        """The scale factor (LIMA, MIX)."""
        if self._ap >= 256:
            return self._yu
        slow = self._yl >> 6
        difference = self._yu - slow
        speed = self._ap >> 2
        if difference >= 0:
            return slow + ((difference * speed) >> 6)
        return slow + ((difference * speed + 0x3F) >> 6)

    def _code(self, difference: int, scale: int) -> int:
        """The code of a difference (LOG, SUBTB, QUAN)."""
        magnitude = abs(difference)
        exponent = (magnitude >> 1).bit_length()
        mantissa = ((magnitude << 7) >> exponent) & 0x7F
        place = bisect_right(self._decisions, (exponent << 7) + mantissa - (scale >> 2))
        if difference < 0:
            return 2 * self._half - 1 - place
        # A code of zeros alone is not sent.
        return place or 2 * self._half - 1

    def _difference(self, code: int, scale: int) -> int:
        """The quantized difference of a code, with its sign (RECONST, ADDA, ANTILOG)."""
        is_negative = bool(code & self._half)
        log = self._levels[(2 * self._half - 1 - code) if is_negative else code] + (scale >> 2)
        if log < 0:
            magnitude = 0
        else:
            exponent = (log >> 7) & 15
            magnitude = ((128 + (log & 127)) << 7) >> (14 - exponent)
        self._is_negative = is_negative
        return -magnitude if is_negative else magnitude

    def _adapt(self, code: int, scale: int, difference: int, estimate: int, zeros: int) -> None:
        """Brings the state up to date with a code (sections 4.2.3 to 4.2.9)."""
        index = (2 * self._half - 1 - code) if code & self._half else code
        magnitude, is_negative = abs(difference), self._is_negative
        # TRANS
        whole, fraction = self._yl >> 15, (self._yl >> 10) & 31
        limit = (31 << 10) if whole > 9 else (32 + fraction) << whole
        is_transition = bool(self._td) and magnitude > (limit + (limit >> 1)) >> 1
        # FUNCTW, FILTD, LIMB, FILTE
        fast = scale + (((self._scales[index] << 5) - scale) >> 5)
        self._yu = min(max(fast, 544), 5120)
        self._yl += self._yu + ((-self._yl) >> 6)
        # UPA2, LIMC, UPA1, LIMD, UPB
        sum_of_zeros = difference + zeros
        sign = 1 if sum_of_zeros < 0 else 0
        is_zero = sum_of_zeros == 0
        if is_transition:
            self._a, self._b = [0, 0], [0] * 6
        else:
            same = sign ^ self._p[0]
            second = self._a[1] - (self._a[1] >> 7)
            if not is_zero:
                first = self._a[0] if same else -self._a[0]
                if first < -8191:
                    second -= 0x100
                elif first > 8191:
                    second += 0xFF
                else:
                    second += first >> 5
                if sign ^ self._p[1]:
                    second = -12288 if second <= -12160 else (12288 if second >= 12416 else second - 0x80)
                else:
                    second = -12288 if second <= -12416 else (12288 if second >= 12160 else second + 0x80)
            self._a[1] = second
            first = self._a[0] - (self._a[0] >> 8)
            if not is_zero:
                first += -192 if same else 192
            bound = 15360 - second
            self._a[0] = min(max(first, -bound), bound)
            for place, (before, _, _) in enumerate(self._differences):
                kept = self._b[place] - (self._b[place] >> (9 if self.bits == 5 else 8))
                if magnitude:
                    kept += 128 if before == is_negative else -128
                self._b[place] = kept
        self._p = [sign, self._p[0]]
        self._differences = [(int(is_negative), *_floating(magnitude)[1:]), *self._differences[:5]]
        self._signals = [_floating(estimate + difference), self._signals[0]]
        # TONE, TRIGB
        if is_transition:
            self._td = 0
        else:
            self._td = int(self._a[1] < -11776)
        # FUNCTF, FILTA, FILTB, SUBTC, FILTC
        speed = self._speeds[index] << 9
        self._dms += (speed - self._dms) >> 5
        self._dml += ((speed << 2) - self._dml) >> 7
        if is_transition:
            self._ap = 256
        elif scale < 1536 or self._td or abs((self._dms << 2) - self._dml) >= self._dml >> 3:
            self._ap += (0x200 - self._ap) >> 4
        else:
            self._ap += (-self._ap) >> 4

    def encode(self, sample: int) -> int:
        """The code of a sample of 16 bits."""
        estimate, zeros = self._estimates()
        scale = self._scale()
        code = self._code((sample >> 2) - estimate, scale)
        self._adapt(code, scale, self._difference(code, scale), estimate, zeros)
        return code

    def decode(self, code: int) -> int:
        """The sample of 16 bits of a code."""
        estimate, zeros = self._estimates()
        scale = self._scale()
        code &= 2 * self._half - 1
        difference = self._difference(code, scale)
        self._adapt(code, scale, difference, estimate, zeros)
        return min(max((estimate + difference) * 4, -32768), 32767)


def encode(codec: Codec, samples: Any) -> list[int]:
    """The codes of samples."""
    return [codec.encode(int(sample)) for sample in samples]


def decode(codec: Codec, codes: Any) -> list[int]:
    """The samples of codes."""
    return [codec.decode(int(code)) for code in codes]
