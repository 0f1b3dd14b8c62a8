"""Blocks of `gnuradio.analog` that are made in Python."""

from __future__ import annotations

import math
from typing import Any

from ._gr.constants import sizeof_float, sizeof_gr_complex
from ._gr.signature import io_signature
from .elements import hier_block2
from .namespaces import module
from .python_blocks import sync_block


class fmdet_cf(sync_block):
    """Frequency by the slope of the samples: `12 scl` times the radians per sample, less what brings the range's middle to 0.

    For frequencies that are low against `samplerate`; GNU Radio 3.10 does not divide by the width of the range, either.
    """

    def __init__(self, samplerate: float, freq_low: float, freq_high: float, scl: float) -> None:
        super().__init__("fmdet_cf", ["c8"], ["f4"])
        self._scale = float(scl)
        self._before: Any = None
        self.set_freq_range(freq_low, freq_high)

    def set_freq_range(self, freq_low: float, freq_high: float) -> None:
        """Sets the range in Hz."""
        self._low, self._high = float(freq_low), float(freq_high)

    def set_scale(self, scl: float) -> None:
        """Sets the scale."""
        self._scale = float(scl)

    def scale(self) -> float:
        """The scale."""
        return self._scale

    def freq_low(self) -> float:
        """The lower end of the range in Hz."""
        return self._low

    def freq_high(self) -> float:
        """The upper end of the range in Hz."""
        return self._high

    def freq(self) -> float:
        """0."""
        return 0.0

    def bias(self) -> float:
        """What is added: it brings the middle of the range to 0."""
        return 0.5 * self._scale * (self._high + self._low) / (self._high - self._low)

    def work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Measures."""
        import numpy

        count = len(output_items[0])
        if self._before is None:
            self._before = numpy.zeros(4, "c8")
        x = numpy.concatenate([self._before, input_items[0][:count]]).astype("c16")
        # A slope of fourth order about the sample two back.
        slope = (x[4:] - 8 * x[3:-1] + 8 * x[1:-3] - x[:-4]) / -12
        middle = x[2:-2]
        power = numpy.abs(middle) ** 2
        with numpy.errstate(divide="ignore", invalid="ignore"):
            turn = numpy.where(power > 0, (middle.conj() * slope).imag / power, 0)
        output_items[0][:] = self._scale * 12 * turn - self.bias()
        self._before = x[len(x) - 4 :].astype("c8")
        return count


class ctcss_gen_f(hier_block2):
    """A tone of CTCSS."""

    def __init__(self, sample_rate: float, tone_freq: float) -> None:
        super().__init__("ctcss_gen_f", io_signature(0, 0, 0), io_signature(1, 1, sizeof_float))
        analog = module("analog")
        self.plsource = analog.sig_source_f(sample_rate, analog.GR_SIN_WAVE, tone_freq, 0.1, 0)
        self.connect(self.plsource, self)


class standard_squelch(hier_block2):
    """Passes audio while the band of voice is louder than that above it, as noise of FM is not."""

    def __init__(self, audio_rate: float) -> None:
        signature = io_signature(1, 1, sizeof_float)
        super().__init__("standard_squelch", signature, signature)
        blocks, filter = module("blocks"), module("filter")
        firdes = filter.firdes
        low = filter.fir_filter_fff(1, firdes.low_pass(1, audio_rate, 0.1 * audio_rate, 0.05 * audio_rate))
        high = filter.fir_filter_fff(1, firdes.high_pass(1, audio_rate, 0.25 * audio_rate, 0.05 * audio_rate))
        powers = [blocks.multiply_ff(), blocks.multiply_ff()]
        means = [filter.single_pole_iir_filter_ff(0.01), filter.single_pole_iir_filter_ff(0.01)]
        difference, self._level, gate = blocks.sub_ff(), blocks.threshold_ff(0, 0, 0), blocks.multiply_ff()
        for band, power, mean, port in zip((low, high), powers, means, (0, 1)):
            self.connect(self, band, (power, 0))
            self.connect(band, (power, 1))
            self.connect(power, mean, (difference, port))
        self.connect(self, (gate, 0))
        self.connect(difference, self._level, (gate, 1))
        self.connect(gate, self)

    def set_threshold(self, threshold: float) -> None:
        """Sets by how much the power of voice must be greater."""
        self._level.set_hi(threshold)
        self._level.set_lo(threshold)

    def threshold(self) -> float:
        """By how much the power of voice must be greater."""
        return self._level.hi()

    def squelch_range(self) -> tuple[float, float, float]:
        """The least, the greatest and the step of thresholds."""
        return (0.0, 1.0, 0.01)


class _stereo(hier_block2):
    """Broadcast FM in stereo: complex samples come in, the left and the right channel go out, `audio_decimation` times slower."""

    MAX_DEVIATION = 75e3
    PILOT = 19e3

    def _make(self, demod_rate: float, audio_decimation: int, demodulator: Any, deemph_tau: float) -> None:
        analog, blocks, filter = module("analog"), module("blocks"), module("filter")
        firdes, decimation = filter.firdes, int(audio_decimation)
        outputs = io_signature(2, 2, sizeof_float)
        super().__init__(type(self).__name__, io_signature(1, 1, sizeof_gr_complex), outputs)
        # The pilot alone, and its second harmonic; what is demodulated waits for the filter.
        band = firdes.complex_band_pass(2, demod_rate, self.PILOT - 500, self.PILOT + 500, 1000)
        pilot = filter.fir_filter_fcc(1, band)
        late = blocks.delay(sizeof_float, (len(band) - 1) // 2)
        turn = 2 * math.pi / demod_rate
        loop = analog.pll_refout_cc(0.001, turn * (self.PILOT + 50), turn * (self.PILOT - 50))
        carrier, product = blocks.multiply_cc(), blocks.multiply_conjugate_cc()
        audio = [float(tap) for tap in firdes.low_pass(1, demod_rate, 15e3, 2e3)]
        total, difference = (filter.fir_filter_fff(decimation, audio) for _ in range(2))
        twice, left, right = blocks.multiply_const_ff(2), blocks.add_ff(), blocks.sub_ff()
        complex_samples = blocks.float_to_complex()
        self.connect(self, demodulator, pilot, loop, (carrier, 0))
        self.connect(loop, (carrier, 1))
        self.connect(demodulator, late, complex_samples, (product, 0))
        self.connect(carrier, (product, 1))
        # The subcarrier is a sine, as the pilot: its square turns by a quarter.
        self.connect(product, blocks.complex_to_imag(), difference, twice)
        self.connect(late, total)
        for port, mixed in enumerate((left, right)):
            self.connect(total, (mixed, 0))
            self.connect(twice, (mixed, 1))
            self.connect(mixed, analog.fm_deemph(demod_rate / decimation, deemph_tau), (self, port))


class wfm_rcv_pll(_stereo):
    """Broadcast FM in stereo, demodulated by the turn from sample to sample."""

    def __init__(self, demod_rate: float, audio_decimation: int, deemph_tau: float = 75e-6) -> None:
        demodulator = module("analog").quadrature_demod_cf(demod_rate / (2 * math.pi * self.MAX_DEVIATION))
        self._make(demod_rate, audio_decimation, demodulator, deemph_tau)


class wfm_rcv_fmdet(_stereo):
    """Broadcast FM in stereo, demodulated by the slope of the samples."""

    def __init__(self, demod_rate: float, audio_decimation: int) -> None:
        scale = demod_rate / (2 * math.pi * self.MAX_DEVIATION * 12)
        demodulator = fmdet_cf(demod_rate, -self.MAX_DEVIATION, self.MAX_DEVIATION, scale)
        self._make(demod_rate, audio_decimation, demodulator, 75e-6)


BLOCKS: dict[str, Any] = {
    kind.__name__: kind
    for kind in (
        ctcss_gen_f,
        fmdet_cf,
        standard_squelch,
        wfm_rcv_fmdet,
        wfm_rcv_pll,
    )
}
"""The blocks by name."""
