"""Angles as whole numbers of 32 bits, and oscillators of them: `gr.fxpt`, `gr.fxpt_nco` and `gr.fxpt_vco`."""

from __future__ import annotations

import math

TURN = 1 << 32
"""A whole turn; half of one does not fit, and is -2**31."""


def _wrapped(angle: int) -> int:
    return (angle + TURN // 2) % TURN - TURN // 2


class fxpt:
    """From radians to whole numbers and back: -2**31 to 2**31 - 1 are -pi to just below pi."""

    @staticmethod
    def float_to_fixed(x: float) -> int:
        """The whole number for an angle in radians."""
        return _wrapped(int((x - 2 * math.pi * math.floor(x / (2 * math.pi) + 0.5)) * (TURN / 2) / math.pi))

    @staticmethod
    def fixed_to_float(x: int) -> float:
        """The angle in radians."""
        return x * math.pi / (TURN // 2)

    @staticmethod
    def sin(x: int) -> float:
        """The sine of an angle that is a whole number."""
        return math.sin(fxpt.fixed_to_float(x))

    @staticmethod
    def cos(x: int) -> float:
        """The cosine of an angle that is a whole number."""
        return math.cos(fxpt.fixed_to_float(x))


class fxpt_vco:
    """An oscillator whose phase is moved from outside."""

    def __init__(self) -> None:
        self._phase = 0

    def set_phase(self, angle: float) -> None:
        """Sets the phase, in radians."""
        self._phase = fxpt.float_to_fixed(angle)

    def adjust_phase(self, delta_phase: float) -> None:
        """Moves the phase, in radians."""
        self._phase = _wrapped(self._phase + fxpt.float_to_fixed(delta_phase))

    def get_phase(self) -> float:
        """The phase in radians, from -pi to pi."""
        return fxpt.fixed_to_float(self._phase)

    def sin(self) -> float:
        """The sine of the phase."""
        return fxpt.sin(self._phase)

    def cos(self) -> float:
        """The cosine of the phase."""
        return fxpt.cos(self._phase)


class fxpt_nco(fxpt_vco):
    """An oscillator whose phase moves by the same angle with each step."""

    def __init__(self) -> None:
        super().__init__()
        self._step = 0

    def set_freq(self, angle_rate: float) -> None:
        """Sets the angle of a step, in radians."""
        self._step = fxpt.float_to_fixed(angle_rate)

    def adjust_freq(self, delta_angle_rate: float) -> None:
        """Changes the angle of a step, in radians."""
        self._step = _wrapped(self._step + fxpt.float_to_fixed(delta_angle_rate))

    def get_freq(self) -> float:
        """The angle of a step, in radians."""
        return fxpt.fixed_to_float(self._step)

    def step(self, n: int = 1) -> None:
        """Goes so many steps on."""
        self._phase = _wrapped(self._phase + int(n) * self._step)
