"""Continuous phase modulation: pulses, `analog.cpm`, and the modulators `digital.cpmmod_bc` and `digital.gmskmod_bc`."""

from __future__ import annotations

import math
from enum import IntEnum

from ._gr.constants import sizeof_char, sizeof_gr_complex
from ._gr.signature import io_signature
from .elements import hier_block2
from .namespaces import module


class cpm_type(IntEnum):
    """The shapes of frequency pulses."""

    LRC = 0
    """Raised cosine."""
    LSRC = 1
    """Raised cosine in the spectrum."""
    LREC = 2
    """Rectangle."""
    TFM = 3
    """Tamed frequency modulation."""
    GAUSSIAN = 4
    """A rectangle of one symbol through a Gaussian filter: GMSK."""
    GENERIC = 999
    """None of these."""


def _raised_cosine(place: float, samples: int, length: int, beta: float) -> float:
    return 1 - math.cos(2 * math.pi * (place / length + 0.5))


def _spectral_raised_cosine(place: float, samples: int, length: int, beta: float) -> float:
    x = 2 * place / length
    divisor = 1 - (2 * beta * x) ** 2
    shape = math.pi / 4 if abs(divisor) < 1e-9 else math.cos(math.pi * beta * x) / divisor
    return _sinc(x) * shape


def _rectangle(place: float, samples: int, length: int, beta: float) -> float:
    return 1.0


def _tamed(place: float, samples: int, length: int, beta: float) -> float:
    def pulse(t: float) -> float:
        x = math.pi * t
        if abs(x) < 1e-3:
            # GNU Radio's value; the limit is 1 + pi**2 / 72.
            return 1 + math.pi**2 / (48 * math.sqrt(2))
        return math.sin(x) / x - math.pi**2 / 24 * (2 * math.sin(x) - 2 * x * math.cos(x) - x * x * math.sin(x)) / x**3

    # Pulses of an odd number of samples lie half a sample late, as GNU Radio's.
    t = math.ceil(place) / samples
    return pulse(t - 1) + 2 * pulse(t) + pulse(t + 1)


def _gaussian(place: float, samples: int, length: int, beta: float) -> float:
    scale = 2 * math.pi * beta / math.sqrt(2 * math.log(2))
    t = place / samples
    return (math.erf(scale * (t + 0.5)) - math.erf(scale * (t - 0.5))) / (2 * samples)


def _sinc(x: float) -> float:
    return math.sin(math.pi * x) / (math.pi * x) if x else 1.0


_SHAPES = {
    cpm_type.LRC: _raised_cosine,
    cpm_type.LSRC: _spectral_raised_cosine,
    cpm_type.LREC: _rectangle,
    cpm_type.TFM: _tamed,
    cpm_type.GAUSSIAN: _gaussian,
}


def phase_response(type: int, samples_per_sym: int, L: int, beta: float = 0.3) -> list[float]:
    """A frequency pulse of `L` symbols, whose sum is 1, but for the Gaussian one, which is cut off.

    The formulas are those of Anderson, Aulin, Sundberg, Digital Phase Modulation, 1986. `beta` is the roll-off of `LSRC`, and
    the bandwidth of the Gaussian filter times the length of a symbol.

    Raises:
        ValueError: the type has no formula, or a length is less than 1.
    """
    if type not in _SHAPES:
        raise ValueError(f"cpm.phase_response: expected one of {', '.join(kind.name for kind in _SHAPES)}, got {type!r}")
    if samples_per_sym < 1 or L < 1:
        raise ValueError(f"cpm.phase_response: expected lengths of 1 or more, got {samples_per_sym} samples, {L} symbols")
    length = samples_per_sym * L
    shape = _SHAPES[cpm_type(type)]
    taps = [shape(place - length / 2, samples_per_sym, length, beta) for place in range(length)]
    if type == cpm_type.GAUSSIAN:
        return taps
    total = math.fsum(taps)
    return [tap / total for tap in taps]


class cpm:
    """`analog.cpm`."""

    LRC, LSRC, LREC, TFM = cpm_type.LRC, cpm_type.LSRC, cpm_type.LREC, cpm_type.TFM
    GAUSSIAN, GENERIC = cpm_type.GAUSSIAN, cpm_type.GENERIC
    cpm_type = cpm_type
    phase_response = staticmethod(phase_response)


class cpmmod_bc(hier_block2):
    """Symbols ±1, ±3, ... become a signal whose phase moves by `h` half turns at most for a symbol of 1.

    `type` is one of `analog.cpm`, with pulses of `L` symbols of `samples_per_sym` samples.
    """

    def __init__(self, type: int, h: float, samples_per_sym: int, L: int, beta: float = 0.3) -> None:
        self._build("cpmmod_bc", type, h, samples_per_sym, L, beta)

    def _build(self, name: str, type: int, h: float, samples_per_sym: int, L: int, beta: float) -> None:
        hier_block2.__init__(self, name, io_signature(1, 1, sizeof_char), io_signature(1, 1, sizeof_gr_complex))
        self._settings = {"type": type, "index": float(h), "sps": samples_per_sym, "length": L, "beta": beta}
        self._taps = phase_response(type, samples_per_sym, L, beta)
        self._floats = module("blocks").char_to_float()
        self._pulse = module("filter").interp_fir_filter_fff(samples_per_sym, self._taps)
        self._phase = module("analog").frequency_modulator_fc(math.pi * h)
        self.connect(self, self._floats, self._pulse, self._phase, self)

    def taps(self) -> list[float]:
        """The frequency pulse."""
        return list(self._taps)

    def type(self) -> int:
        """The shape of the pulse."""
        return self._settings["type"]

    def index(self) -> float:
        """The modulation index."""
        return self._settings["index"]

    def sps(self) -> int:
        """Samples in a symbol."""
        return self._settings["sps"]

    def length(self) -> int:
        """Symbols of a pulse."""
        return self._settings["length"]

    def beta(self) -> float:
        """The roll-off, or the bandwidth times the length of a symbol."""
        return self._settings["beta"]


class gmskmod_bc(cpmmod_bc):
    """Symbols ±1 become a GMSK signal; `beta` is the bandwidth of the Gaussian filter times the length of a symbol."""

    def __init__(self, samples_per_sym: int = 2, L: int = 4, beta: float = 0.3) -> None:
        self._build("gmskmod_bc", cpm_type.GAUSSIAN, 0.5, samples_per_sym, L, beta)
