"""How equalizers follow a channel, as `linear_equalizer` takes it.

The objects say what the block is to do; a program of its own can ask them for errors and taps, too.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any


class adaptive_algorithm_t(IntEnum):
    """The kinds of algorithms."""

    LMS = 0
    NLMS = 1
    CMA = 2


class adaptive_algorithm:
    """What the algorithms share: a constellation and a step."""

    def __init__(self, cons: Any, step_size: float, **settings: Any) -> None:
        self.settings: dict[str, Any] = {"constellation": cons, "step": float(step_size), **settings}
        """Parameters of the block."""

    def base(self) -> "adaptive_algorithm":
        """The object itself."""
        return self

    def initialize_taps(self, taps: Any) -> None:
        """Nothing: an equalizer begins with its own taps, the first of them 1."""

    def error_tr(self, wu: complex, d_n: complex) -> complex:
        """The error of an output beside the symbol that was sent."""
        return complex(d_n) - complex(wu)

    def error_dd(self, wu: complex, decision: complex) -> complex:
        """The error of an output beside the symbol that was decided on."""
        return complex(decision) - complex(wu)

    def update_tap(self, tap: complex, u_n: complex, err: complex, decision: complex) -> complex:
        """The new tap, for the sample under it."""
        return complex(tap) + self.settings["step"] * complex(u_n).conjugate() * complex(err)


class adaptive_algorithm_lms(adaptive_algorithm):
    """Least mean squares: taps move by the step times the error times the samples."""

    def __init__(self, cons: Any, step_size: float) -> None:
        super().__init__(cons, step_size, algorithm="lms")


class adaptive_algorithm_nlms(adaptive_algorithm):
    """Least mean squares, by the power of the samples."""

    def __init__(self, cons: Any, step_size: float) -> None:
        super().__init__(cons, step_size, algorithm="nlms")


class adaptive_algorithm_cma(adaptive_algorithm):
    """The constant modulus algorithm: symbols should have the power `modulus`."""

    def __init__(self, cons: Any, step_size: float, modulus: float) -> None:
        super().__init__(cons, step_size, algorithm="cma", modulus=float(modulus))

    def error(self, out: complex) -> complex:
        """How far the power of an output is from the modulus, times the output."""
        out = complex(out)
        return out * (abs(out) ** 2 - self.settings["modulus"])

    def error_tr(self, wu: complex, d_n: complex) -> complex:
        """The same as `error`: symbols play no part."""
        return self.error(wu)

    def error_dd(self, wu: complex, decision: complex) -> complex:
        """The same as `error`: decisions play no part."""
        return self.error(wu)

    def update_tap(self, tap: complex, u_n: complex, err: complex, decision: complex) -> complex:
        """The new tap, for the sample under it."""
        return complex(tap) - self.settings["step"] * complex(u_n).conjugate() * complex(err)
