"""Impairments of `gnuradio.channels`: what mixers, amplifiers and converters do to a signal."""

from __future__ import annotations

import math
from typing import Any, Sequence

from ._gr.signature import io_signature
from .elements import hier_block2
from .namespaces import module
from .python_blocks import sync_block

COMPLEX = 8
"""The bytes of a complex sample."""


class settings:
    """`get_NAME` and `set_NAME` for what a class names in `_names`."""

    _names: tuple[str, ...] = ()

    def __getattr__(self, name: str) -> Any:
        for start in ("get_", "set_", ""):
            short = name.removeprefix(start)
            if name.startswith(start) and short in self._names:
                place = f"_{short}"
                if start == "set_":
                    return lambda value: self._change(place, value)
                return lambda: self.__dict__[place]
        raise AttributeError(f"{type(self).__name__} has no attribute {name}")

    def _change(self, place: str, value: Any) -> None:
        self.__dict__[place] = value

    @classmethod
    def _methods(cls) -> list[str]:
        return [f"{start}{name}" for name in cls._names for start in ("get_", "set_", "")]


class _sample_by_sample(settings, sync_block):
    """A function of complex samples."""

    def __init__(self, *values: Any) -> None:
        sync_block.__init__(self, type(self).__name__, ["c8"], ["c8"])
        for name, value in zip(self._names, values):
            self.__dict__[f"_{name}"] = value

    def _turn(self, x: Any) -> Any:
        raise NotImplementedError

    def work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Turns samples."""
        count = len(output_items[0])
        output_items[0][:] = self._turn(input_items[0][:count])
        return count


class distortion_2_gen(_sample_by_sample):
    """Distortion of second order: `x (1 + 2 beta re x)`."""

    _names = ("beta",)

    def __init__(self, beta: float = 0) -> None:
        super().__init__(beta)

    def _turn(self, x: Any) -> Any:
        return x * (1 + 2 * self._beta * x.real)


class distortion_3_gen(_sample_by_sample):
    """Distortion of third order: `x (1 + beta |x|²)`."""

    _names = ("beta",)

    def __init__(self, beta: float = 0) -> None:
        super().__init__(beta)

    def _turn(self, x: Any) -> Any:
        return x * (1 + self._beta * (x.real**2 + x.imag**2))


class iqbal_gen(_sample_by_sample):
    """The imbalance of a mixer: `magnitude` in dB, `phase` in degrees, of a transmitter (`mode` 0) or a receiver (1)."""

    _names = ("magnitude", "phase", "mode")

    def __init__(self, magnitude: float = 0, phase: float = 0, mode: int = 0) -> None:
        super().__init__(magnitude, phase, mode)

    def _turn(self, x: Any) -> Any:
        gain, angle = 10 ** (self._magnitude / 20), math.radians(self._phase)
        if self._mode == 0:
            return gain * x.real * math.cos(angle) + 1j * (x.imag + gain * x.real * math.sin(angle))
        return gain * (x.real * math.cos(angle) + x.imag * math.sin(angle)) + 1j * x.imag


def _mean(x: Any, alpha: float, before: float) -> Any:
    """The mean with one pole, `y[n] = alpha x[n] + (1 − alpha) y[n − 1]`, of each sample."""
    import numpy

    found = numpy.empty(len(x))
    for place, value in enumerate((alpha * numpy.asarray(x, "f8")).tolist()):
        before = value + (1 - alpha) * before
        found[place] = before
    return found


class amp_bal(_sample_by_sample):
    """Brings the power of the imaginary part to that of the real part, by means with one pole."""

    _names = ("alpha",)

    def __init__(self, alpha: float = 0) -> None:
        super().__init__(alpha)
        self._powers = [0.0, 0.0]

    def _turn(self, x: Any) -> Any:
        import numpy

        real, imag = (_mean(part**2, self._alpha, before) for part, before in zip((x.real, x.imag), self._powers))
        self._powers = [float(real[-1]), float(imag[-1])]
        with numpy.errstate(divide="ignore", invalid="ignore"):
            found = numpy.array(x)
            found.imag *= numpy.sqrt(real / imag)
            return found


class phase_bal(_sample_by_sample):
    """Takes the correlation of the two parts away, by a mean with one pole."""

    _names = ("alpha",)

    def __init__(self, alpha: float = 0) -> None:
        super().__init__(alpha)
        self._before = 0.0

    def _turn(self, x: Any) -> Any:
        import numpy

        power = x.real**2 + x.imag**2
        with numpy.errstate(divide="ignore", invalid="ignore"):
            found = 2 * _mean(numpy.where(power > 0, x.real * x.imag / power, 0), self._alpha, self._before)
        self._before = float(found[-1]) / 2
        return x.real - found * x.imag + 1j * (x.imag - found * x.real)


class conj_fs_iqcorr(settings, sync_block):
    """Adds the conjugate, filtered by `taps`, to the signal, delayed by `delay` samples."""

    _names = ("delay", "taps")

    def __init__(self, delay: int = 0, taps: Sequence[complex] = ()) -> None:
        sync_block.__init__(self, "conj_fs_iqcorr", ["c8"], ["c8"])
        self._delay, self._taps = int(delay), list(taps)
        self._before: Any = None

    def work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Turns samples."""
        import numpy

        count, taps = len(output_items[0]), numpy.array(self._taps or [0], "c8")
        most = max(self._delay, len(taps) - 1)
        if self._before is None or len(self._before) != most:
            self._before = numpy.zeros(most, "c8")
        x = numpy.concatenate([self._before, input_items[0][:count]])
        filtered = numpy.convolve(x.conj(), taps)[most : most + count]
        output_items[0][:] = x[most - self._delay : most - self._delay + count] + filtered
        self._before = x[len(x) - most :]
        return count


class quantizer(settings, sync_block):
    """Rounds real samples to `bits`: to multiples of `2^(1 − bits)`."""

    _names = ("bits",)

    def __init__(self, bits: int = 16) -> None:
        sync_block.__init__(self, "quantizer", ["f4"], ["f4"])
        self._bits = bits

    def work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Rounds samples."""
        import numpy

        count, scale = len(output_items[0]), 2.0 ** (self._bits - 1)
        output_items[0][:] = numpy.rint(input_items[0][:count] * scale) / scale
        return count


class phase_noise_gen(_sample_by_sample):
    """Phase noise: normal numbers of deviation `noise_mag`, in radians, through a mean with one pole."""

    _names = ("noise_mag", "alpha")

    def __init__(self, noise_mag: float = 0, alpha: float = 0.1) -> None:
        super().__init__(noise_mag, alpha)
        import numpy

        self._random, self._before = numpy.random.default_rng(42), 0.0

    def _turn(self, x: Any) -> Any:
        import numpy

        phase = _mean(self._noise_mag * self._random.normal(size=len(x)), self._alpha, self._before)
        self._before = float(phase[-1])
        return x * numpy.exp(1j * phase)


class impairments(settings, hier_block2):
    """Impairments of a receiver: phase noise in dB, imbalance in dB and degrees, offsets, a frequency in turns per sample, distortion.

    `gamma` is the distortion of second order, `beta` that of third.
    """

    _names = ("phase_noise_mag", "magbal", "phasebal", "q_ofs", "i_ofs", "freq_offset", "gamma", "beta")

    def __init__(
        self,
        phase_noise_mag: float = 0,
        magbal: float = 0,
        phasebal: float = 0,
        q_ofs: float = 0,
        i_ofs: float = 0,
        freq_offset: float = 0,
        gamma: float = 0,
        beta: float = 0,
    ) -> None:
        hier_block2.__init__(self, "impairments", io_signature(1, 1, COMPLEX), io_signature(1, 1, COMPLEX))
        values = (phase_noise_mag, magbal, phasebal, q_ofs, i_ofs, freq_offset, gamma, beta)
        blocks = module("blocks")
        self._noise, self._third, self._second = phase_noise_gen(1, 0.01), distortion_3_gen(), distortion_2_gen()
        self._balance, self._offset, self._turn = iqbal_gen(), blocks.add_const_cc(0), blocks.rotator_cc(0)
        for name, value in zip(self._names, values):
            self._change(f"_{name}", value)
        self.connect(self, self._third, self._second, self._noise, self._balance, self._offset, self._turn, self)

    def _change(self, place: str, value: Any) -> None:
        self.__dict__[place] = value
        if place == "_phase_noise_mag":
            self._noise.set_noise_mag(10 ** (value / 20))
        elif place == "_gamma":
            self._second.set_beta(value)
        elif place == "_beta":
            self._third.set_beta(value)
        elif place == "_magbal":
            self._balance.set_magnitude(value)
        elif place == "_phasebal":
            self._balance.set_phase(value)
        elif place == "_freq_offset":
            self._turn.set_phase_inc(2 * math.pi * value)
        else:
            self._offset.set_k(complex(self.__dict__.get("_i_ofs", 0), self.__dict__.get("_q_ofs", 0)))


BLOCKS: dict[str, Any] = {
    kind.__name__: kind
    for kind in (
        amp_bal,
        conj_fs_iqcorr,
        distortion_2_gen,
        distortion_3_gen,
        impairments,
        iqbal_gen,
        phase_bal,
        phase_noise_gen,
        quantizer,
    )
}
"""The blocks by name."""
