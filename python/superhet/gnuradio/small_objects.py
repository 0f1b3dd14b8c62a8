"""What blocks of GNU Radio are made of, as objects of their own: `blocks.control_loop`, `blocks.rotator`, `digital.glfsr`,
`fft.goertzel` and shift registers."""

from __future__ import annotations

import cmath
import math
from typing import Any, Sequence

from .methods import MASKS


class control_loop:
    """A loop of second order: an error changes its frequency by `beta`, and its phase by `alpha`.

    α = 4 d w / (1 + 2 d w + w²), β = 4 w² / (1 + 2 d w + w²), with the loop's bandwidth w and the damping d, √½ at first.
    """

    def __init__(self, loop_bw: float = 0.0, max_freq: float = 0.0, min_freq: float = 0.0) -> None:
        self._phase = self._freq = 0.0
        self._max, self._min = float(max_freq), float(min_freq)
        self._damping = math.sqrt(0.5)
        self.set_loop_bandwidth(loop_bw)

    def update_gains(self) -> None:
        """Works out the gains of bandwidth and damping."""
        w, d = self._bandwidth, self._damping
        scale = 1 + 2 * d * w + w * w
        self._alpha, self._beta = 4 * d * w / scale, 4 * w * w / scale

    def advance_loop(self, error: float) -> None:
        """Goes on by an item with this error."""
        self._freq += self._beta * error
        self._phase += self._freq + self._alpha * error

    def phase_wrap(self) -> None:
        """Brings the phase within a turn of zero."""
        while abs(self._phase) > 2 * math.pi:
            self._phase -= math.copysign(2 * math.pi, self._phase)

    def frequency_limit(self) -> None:
        """Brings the frequency within its limits."""
        self._freq = min(max(self._freq, self._min), self._max)

    def set_loop_bandwidth(self, bw: float) -> None:
        """Sets the bandwidth, and with it both gains."""
        if bw < 0:
            raise IndexError(f"control_loop: expected a bandwidth of 0 or more, got {bw:g}")
        self._bandwidth = float(bw)
        self.update_gains()

    def set_damping_factor(self, df: float) -> None:
        """Sets the damping, and with it both gains."""
        if df <= 0:
            raise IndexError(f"control_loop: expected a damping above 0, got {df:g}")
        self._damping = float(df)
        self.update_gains()

    def set_alpha(self, alpha: float) -> None:
        """Sets the gain of the phase."""
        if not 0 <= alpha <= 1:
            raise IndexError(f"control_loop: expected alpha from 0 to 1, got {alpha:g}")
        self._alpha = float(alpha)

    def set_beta(self, beta: float) -> None:
        """Sets the gain of the frequency."""
        if not 0 <= beta <= 1:
            raise IndexError(f"control_loop: expected beta from 0 to 1, got {beta:g}")
        self._beta = float(beta)

    def set_frequency(self, freq: float) -> None:
        """Sets the frequency, in radians per item, within its limits."""
        self._freq = min(max(float(freq), self._min), self._max)

    def set_phase(self, phase: float) -> None:
        """Sets the phase, in radians."""
        self._phase = float(phase)
        self.phase_wrap()

    def set_max_freq(self, freq: float) -> None:
        """Sets the greatest frequency."""
        self._max = float(freq)

    def set_min_freq(self, freq: float) -> None:
        """Sets the least frequency."""
        self._min = float(freq)

    def get_loop_bandwidth(self) -> float:
        """The bandwidth."""
        return self._bandwidth

    def get_damping_factor(self) -> float:
        """The damping."""
        return self._damping

    def get_alpha(self) -> float:
        """The gain of the phase."""
        return self._alpha

    def get_beta(self) -> float:
        """The gain of the frequency."""
        return self._beta

    def get_frequency(self) -> float:
        """The frequency, in radians per item."""
        return self._freq

    def get_phase(self) -> float:
        """The phase, in radians."""
        return self._phase

    def get_max_freq(self) -> float:
        """The greatest frequency."""
        return self._max

    def get_min_freq(self) -> float:
        """The least frequency."""
        return self._min


class rotator:
    """Turns samples, each by `set_phase_incr` further than the one before; both are complex numbers, of which only the angle counts."""

    def __init__(self) -> None:
        self._angle = self._step = 0.0

    def phase(self) -> complex:
        """By what the next sample is turned."""
        return cmath.exp(1j * self._angle)

    def set_phase(self, phase: complex) -> None:
        """Sets by what the next sample is turned."""
        self._angle = cmath.phase(phase)

    def set_phase_incr(self, incr: complex) -> None:
        """Sets how far it goes from sample to sample."""
        self._step = cmath.phase(incr)

    def rotate(self, input: complex) -> complex:  # noqa: A002: its name there
        """A sample, turned."""
        found = input * cmath.exp(1j * self._angle)
        self._angle = math.remainder(self._angle + self._step, 2 * math.pi)
        return found

    def rotateN(self, out: Any, input: Sequence[complex], n: int) -> None:  # noqa: A002: its name there
        """Turns `n` samples into `out`."""
        for place in range(n):
            out[place] = self.rotate(input[place])


class glfsr:
    """A shift register of Galois: where a one leaves it, `mask` is added. `glfsr_mask` has the masks of longest sequences."""

    def __init__(self, mask: int, seed: int) -> None:
        self._mask, self._register = int(mask), int(seed)

    @staticmethod
    def glfsr_mask(degree: int) -> int:
        """The mask of the longest sequence of a register of so many bits, 1 to 32."""
        if not 1 <= degree <= len(MASKS):
            raise RuntimeError(f"glfsr::glfsr_mask(): expected a degree from 1 to {len(MASKS)}, got {degree}")
        return MASKS[degree - 1]

    def mask(self) -> int:
        """What is added."""
        return self._mask

    def next_bit(self) -> int:
        """The bit that leaves."""
        bit = self._register & 1
        self._register = self._register >> 1 ^ (self._mask if bit else 0)
        return bit


class lfsr_15_1_0:
    """The sequence of x¹⁵ + x + 1: each bit is the sum of the 14th and the 15th before it."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Begins with the first bit."""
        self._register = 0x5555

    def next_bit(self) -> int:
        """The next bit."""
        bit = (self._register ^ self._register >> 1) & 1
        self._register = self._register >> 1 | bit << 14
        return bit

    def next_byte(self) -> int:
        """The next eight bits, the first the lowest."""
        return sum(self.next_bit() << place for place in range(8))


class lfsr_32k:
    """The sequence of `lfsr_15_1_0`, from its end on."""

    def __init__(self) -> None:
        self._inner = lfsr_15_1_0()

    def reset(self) -> None:
        """Begins with the first bit."""
        self._inner.reset()

    def next_bit(self) -> int:
        """The next bit."""
        return self._inner.next_bit()

    def next_byte(self) -> int:
        """The next eight bits, the first the lowest."""
        return self._inner.next_byte()

    def next_short(self) -> int:
        """The next 16 bits, the first the lowest."""
        return self.next_byte() | self.next_byte() << 8


class goertzel:
    """One bin of a transform of `len` real samples at `freq` Hz of `rate`: the sum of `x[n] e^(j 2π (len − n) freq / rate)` over `len`."""

    def __init__(self, rate: int, len: int, freq: float) -> None:  # noqa: A002: its name there
        self.set_params(rate, len, freq)

    def set_params(self, rate: int, len: int, freq: float) -> None:  # noqa: A002: its name there
        """Begins with another bin."""
        self._turn, self._length = 2 * math.pi * freq / rate, int(len)
        self._values: list[float] = []

    def input(self, input: float) -> None:  # noqa: A002: its name there
        """Takes a sample."""
        if self.ready():
            self._values = []
        self._values.append(float(input))

    def ready(self) -> bool:
        """Whether `len` samples are there."""
        return len(self._values) == self._length

    def output(self) -> complex:
        """The bin of what is there."""
        total = sum(value * cmath.exp(1j * self._turn * (self._length - place)) for place, value in enumerate(self._values))
        self._values = []
        return total / self._length

    def batch(self, input: Sequence[float]) -> complex:  # noqa: A002: its name there
        """The bin of `len` samples."""
        self._values = [float(value) for value in input[: self._length]]
        return self.output()


BLOCKS: dict[str, dict[str, Any]] = {
    "blocks": {"control_loop": control_loop, "rotator": rotator, "lfsr_15_1_0": lfsr_15_1_0, "lfsr_32k": lfsr_32k},
    "digital": {"glfsr": glfsr},
    "fft": {"goertzel": goertzel},
}
"""The objects by module and name."""
