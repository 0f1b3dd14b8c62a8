"""How equalizers follow a channel, as `linear_equalizer` takes it.

The objects say what the block is to do, and do nothing themselves.
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
