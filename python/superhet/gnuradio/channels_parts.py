"""Channels of `gnuradio.channels`: oscillators and clocks that walk at random, and paths that fade."""

from __future__ import annotations

import math
from typing import Any, Sequence

from ._gr.signature import io_signature
from .elements import hier_block2
from .impairments_parts import COMPLEX, settings
from .namespaces import module
from .python_blocks import basic_block, sync_block


class _walk:
    """A random walk: normal steps, within limits."""

    def __init__(self, seed: float, count: int = 1) -> None:
        import numpy

        self._random, self._at = numpy.random.default_rng(int(seed) & 0xFFFFFFFF), numpy.zeros(count)

    def steps(self, count: int, deviation: Any, most: Any) -> Any:
        """So many steps of each, with a deviation, and where they end."""
        import numpy

        steps = self._random.normal(size=(count, len(self._at))) * deviation
        found = numpy.empty_like(steps)
        for place in range(count):
            self._at = numpy.clip(self._at + steps[place], -numpy.asarray(most), most)
            found[place] = self._at
        return found


class cfo_model(settings, sync_block):
    """An oscillator whose frequency walks at random: steps of `std_dev` Hz a sample, at most `max_dev` Hz away."""

    _names = ("samp_rate", "std_dev", "max_dev")

    def __init__(self, sample_rate_hz: float, std_dev_hz: float, max_dev_hz: float, noise_seed: float = 0) -> None:
        sync_block.__init__(self, "cfo_model", ["c8"], ["c8"])
        self._samp_rate, self._std_dev, self._max_dev = sample_rate_hz, std_dev_hz, max_dev_hz
        self._steps, self._phase = _walk(noise_seed), 0.0

    def work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Turns samples."""
        import numpy

        count = len(output_items[0])
        hz = self._steps.steps(count, self._std_dev, self._max_dev)[:, 0]
        phase = self._phase + numpy.cumsum(2 * math.pi / self._samp_rate * hz)
        output_items[0][:] = input_items[0][:count] * numpy.exp(1j * phase)
        self._phase = float(phase[-1]) % (2 * math.pi)
        return count


def _sinc_taps(fractions: Any, taps: int) -> Any:
    """Windowed taps that interpolate at each fraction behind the middle of `taps` samples."""
    import numpy

    places = numpy.arange(taps) - (taps // 2 - 1)
    distance = places[None, :] - fractions[:, None]
    return numpy.sinc(distance) * numpy.cos(math.pi * distance / (taps + 1)) ** 2


class sro_model(settings, basic_block):
    """A clock whose rate walks at random: steps of `std_dev` Hz a sample, at most `max_dev` Hz away."""

    _names = ("samp_rate", "std_dev", "max_dev")
    TAPS = 8

    def __init__(self, sample_rate_hz: float, std_dev_hz: float, max_dev_hz: float, noise_seed: float = 0) -> None:
        basic_block.__init__(self, "sro_model", ["c8"], ["c8"])
        self._samp_rate, self._std_dev, self._max_dev = sample_rate_hz, std_dev_hz, max_dev_hz
        self._steps, self._fraction = _walk(noise_seed), 0.0

    def forecast(self, noutput_items: int, ninputs: Any) -> list[int]:
        """As many, and those that the interpolation needs."""
        return [math.ceil(noutput_items * (1 + self._max_dev / self._samp_rate)) + self.TAPS]

    def general_work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Takes samples at other instants."""
        import numpy

        count = len(output_items[0])
        rates = 1 + self._steps.steps(count, self._std_dev, self._max_dev)[:, 0] / self._samp_rate
        at = self._fraction + numpy.concatenate([[0.0], numpy.cumsum(rates)])
        whole = numpy.floor(at).astype(int)
        windows = numpy.lib.stride_tricks.sliding_window_view(input_items[0], self.TAPS)
        good = int(numpy.searchsorted(whole[:-1], len(windows), "left"))
        if good:
            taken = windows[whole[:good]]
            output_items[0][:good] = (taken * _sinc_taps(at[:good] - whole[:good], self.TAPS)).sum(axis=1)
        consumed = min(int(whole[good]), len(input_items[0]))
        self._fraction = float(at[good]) - consumed
        self.consume(0, consumed)
        return good


class _fading:
    """Fading of some paths: the sum of waves from random directions, and a constant one of power `K` for those in sight."""

    def __init__(self, waves: int, seed: int, paths: int) -> None:
        import numpy

        random = numpy.random.default_rng(int(seed) & 0xFFFFFFFF)
        self._directions = random.uniform(0, 2 * math.pi, (paths, waves))
        self._phases = random.uniform(0, 2 * math.pi, (paths, waves))
        self._sight = random.uniform(0, 2 * math.pi, (paths, 2))

    def gains(self, count: int, doppler: float, in_sight: Any, k: float) -> Any:
        """The gain of each path at each of the next samples; `doppler` in turns per sample."""
        import numpy

        step = 2 * math.pi * doppler
        n = numpy.arange(count)[:, None]
        found = numpy.empty((count, len(self._phases)), complex)
        for path, (directions, phases) in enumerate(zip(self._directions, self._phases)):
            turns = step * numpy.cos(directions)
            found[:, path] = numpy.exp(1j * (phases + n * turns)).sum(axis=1) / math.sqrt(len(phases))
            if in_sight[path]:
                turn = step * math.cos(self._sight[path, 0])
                constant = numpy.exp(1j * (self._sight[path, 1] + n[:, 0] * turn))
                found[:, path] = math.sqrt(k / (k + 1)) * constant + found[:, path] / math.sqrt(k + 1)
                self._sight[path, 1] += count * turn
            self._phases[path] = (phases + count * turns) % (2 * math.pi)
        return found


class selective_fading_model2(settings, sync_block):
    """Paths that fade, with delays in samples that walk at random: steps of `delays_std` a sample, at most `delays_maxdev` away.

    `mags` has the amplitudes, `ntaps` how many taps the channel has; `LOS` says that the first path is in sight, with `K`.
    """

    _names = ("fDTs", "K")

    def __init__(
        self,
        N: int,
        fDTs: float,
        LOS: bool,
        K: float,
        seed: int,
        delays: Sequence[float],
        delays_std: Sequence[float],
        delays_maxdev: Sequence[float],
        mags: Sequence[float],
        ntaps: int,
    ) -> None:
        sync_block.__init__(self, type(self).__name__, ["c8"], ["c8"])
        if not len(delays) == len(delays_std) == len(delays_maxdev) == len(mags) or ntaps < 1:
            raise RuntimeError(f"{type(self).__name__}: expected as many delays, deviations and magnitudes, and taps")
        self._fDTs, self._K, self._los, self._walk_step = fDTs, K, bool(LOS), 0.0
        self._delays, self._mags, self._taps = list(delays), list(mags), int(ntaps)
        self._deviations = (list(delays_std), list(delays_maxdev))
        self._paths, self._steps = _fading(N, seed, len(mags)), _walk(seed, len(mags))
        self._before: Any = None

    def work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Turns samples."""
        import numpy

        count = len(output_items[0])
        if self._before is None:
            self._before = numpy.zeros(self._taps - 1, "c8")
        x = numpy.concatenate([self._before, input_items[0][:count]])
        gains = self._paths.gains(count, self._fDTs, [self._los] + [False] * len(self._mags), self._K) * self._mags
        delays = numpy.tile(numpy.asarray(self._delays, float), (count, 1))
        if any(self._deviations[0]):
            delays += self._steps.steps(count, *self._deviations)
        found = numpy.zeros(count, complex)
        for tap in range(self._taps):
            weight = (gains * numpy.sinc(tap - delays)).sum(axis=1)
            found += weight * x[self._taps - 1 - tap : self._taps - 1 - tap + count]
        output_items[0][:] = found
        self._before = x[len(x) - self._taps + 1 :]
        return count


    def step(self) -> float:
        """What `set_step` has set."""
        return self._walk_step

    def set_step(self, step: float) -> None:
        """Remembered: the directions of the waves stay."""
        self._walk_step = step


class selective_fading_model(selective_fading_model2):
    """Paths that fade, with delays in samples; see `selective_fading_model2`."""

    def __init__(
        self,
        N: int,
        fDTs: float,
        LOS: bool,
        K: float,
        seed: int,
        delays: Sequence[float],
        mags: Sequence[float],
        ntaps: int,
    ) -> None:
        still = [0.0] * len(delays)
        super().__init__(N, fDTs, LOS, K, seed, delays, still, still, mags, ntaps)


class dynamic_channel_model(settings, hier_block2):
    """A clock and an oscillator that walk at random, paths that fade, and noise."""

    _names = (
        "samp_rate", "sro_dev_std", "sro_dev_max", "cfo_dev_std", "cfo_dev_max", "doppler_freq", "K", "noise_amp"
    )

    def __init__(
        self,
        samp_rate: float,
        sro_std_dev: float,
        sro_max_dev: float,
        cfo_std_dev: float,
        cfo_max_dev: float,
        N: int,
        doppler_freq: float,
        LOS_model: bool,
        K: float,
        delays: Sequence[float],
        mags: Sequence[float],
        ntaps_mpath: int,
        noise_amp: float,
        noise_seed: float,
    ) -> None:
        hier_block2.__init__(self, "dynamic_channel_model", io_signature(1, 1, COMPLEX), io_signature(1, 1, COMPLEX))
        analog, blocks = module("analog"), module("blocks")
        self._clock = sro_model(samp_rate, sro_std_dev, sro_max_dev, noise_seed)
        self._oscillator = cfo_model(samp_rate, cfo_std_dev, cfo_max_dev, noise_seed)
        doppler = doppler_freq / samp_rate
        self._fades = selective_fading_model(N, doppler, LOS_model, K, int(noise_seed), delays, mags, ntaps_mpath)
        self._noise, add = analog.noise_source_c(analog.GR_GAUSSIAN, noise_amp, int(noise_seed)), blocks.add_cc()
        values = (samp_rate, sro_std_dev, sro_max_dev, cfo_std_dev, cfo_max_dev, doppler_freq, K, noise_amp)
        self.__dict__ |= {f"_{name}": value for name, value in zip(self._names, values)}
        self.connect(self, self._clock, self._oscillator, self._fades, (add, 0))
        self.connect(self._noise, (add, 1))
        self.connect(add, self)

    def _change(self, place: str, value: Any) -> None:
        self.__dict__[place] = value
        for model, kind in ((self._clock, "sro"), (self._oscillator, "cfo")):
            model.set_samp_rate(self._samp_rate)
            model.set_std_dev(self.__dict__[f"_{kind}_dev_std"])
            model.set_max_dev(self.__dict__[f"_{kind}_dev_max"])
        self._fades.set_fDTs(self._doppler_freq / self._samp_rate)
        self._fades.set_K(self._K)
        self._noise.set_amplitude(self._noise_amp)


class _epsilons(basic_block):
    """Takes a signal at the rate that a second stream says: input rate / output rate for each sample that is given."""

    TAPS = sro_model.TAPS

    def __init__(self) -> None:
        super().__init__("epsilons", ["c8", "f4"], ["c8"])
        self._fraction = 0.0

    def forecast(self, noutput_items: int, ninputs: Any) -> list[int]:
        """As many, and those that the interpolation needs."""
        return [noutput_items + self.TAPS, noutput_items]

    def general_work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Takes samples at other instants."""
        import numpy

        count = min(len(output_items[0]), len(input_items[1]))
        at = self._fraction + numpy.concatenate([[0.0], numpy.cumsum(input_items[1][:count], dtype="f8")])
        whole = numpy.floor(at).astype(int)
        windows = numpy.lib.stride_tricks.sliding_window_view(input_items[0], self.TAPS)
        good = int(numpy.searchsorted(whole[:-1], len(windows), "left"))
        if good:
            taken = windows[whole[:good]]
            output_items[0][:good] = (taken * _sinc_taps(at[:good] - whole[:good], self.TAPS)).sum(axis=1)
        consumed = min(int(whole[good]), len(input_items[0]))
        self._fraction = float(at[good]) - consumed
        self.consume(0, consumed)
        self.consume(1, good)
        return good


class channel_model2(hier_block2):
    """A channel with noise and echoes; input 1 is the frequency offset in turns per sample, input 2 the ratio of the rates."""

    def __init__(
        self,
        noise_voltage: float = 0.0,
        epsilon: float = 1.0,
        taps: Sequence[complex] = (1 + 0j,),
        noise_seed: float = 0,
        block_tags: bool = False,
    ) -> None:
        inputs = io_signature(3, 3, [COMPLEX, 4, 4])
        super().__init__("channel_model2", inputs, io_signature(1, 1, COMPLEX))
        analog, blocks = module("analog"), module("blocks")
        self._epsilon = epsilon
        self._timing, self._echoes = _epsilons(), module("filter").fir_filter_ccc(1, list(taps))
        self._noise = analog.noise_source_c(analog.GR_GAUSSIAN, noise_voltage, int(noise_seed))
        turn, add, mix = analog.frequency_modulator_fc(2 * math.pi), blocks.add_cc(), blocks.multiply_cc()
        self.connect(self, self._timing, self._echoes, (mix, 0))
        self.connect((self, 1), turn, (mix, 1))
        self.connect((self, 2), (self._timing, 1))
        self.connect(mix, (add, 0))
        self.connect(self._noise, (add, 1))
        if block_tags:
            self.connect(add, blocks.tag_gate(COMPLEX, False), self)
        else:
            self.connect(add, self)

    def noise_voltage(self) -> float:
        """The root of the power of the noise."""
        return self._noise.amplitude()

    def set_noise_voltage(self, noise_voltage: float) -> None:
        """Sets the root of the power of the noise."""
        self._noise.set_amplitude(noise_voltage)

    def taps(self) -> list[complex]:
        """The echoes."""
        return self._echoes.taps()

    def set_taps(self, taps: Sequence[complex]) -> None:
        """Sets the echoes."""
        self._echoes.set_taps(list(taps))

    def timing_offset(self) -> float:
        """What `set_timing_offset` has set."""
        return self._epsilon

    def set_timing_offset(self, epsilon: float) -> None:
        """Remembered: input 2 says the ratio."""
        self._epsilon = epsilon


BLOCKS: dict[str, Any] = {
    kind.__name__: kind
    for kind in (
        cfo_model,
        channel_model2,
        dynamic_channel_model,
        selective_fading_model,
        selective_fading_model2,
        sro_model,
    )
}
"""The blocks by name."""
