"""Interpolation and the clock of MSK: values are those of GNU Radio 3.10.5, and what follows from the definition."""

import unittest

import numpy as np

import superhet.gnuradio

superhet.gnuradio.install(shadow=True)

from gnuradio import blocks, digital, filter, gr  # noqa: E402


def numbers(count, most):
    """Numbers that look like any."""
    i = np.arange(count, dtype=np.int64)
    return ((i * i * 7 + i * 131 + (i >> 5) * 17) >> 3) % most


def msk(symbols, sps, first):
    """MSK with `sps` samples a symbol, from a quarter of `first` samples on."""
    steps = np.repeat(numbers(symbols, 2) * 2 - 1, 4 * sps) * np.pi / (8 * sps)
    return np.exp(1j * np.cumsum(steps))[first::4].astype("c8")


def followed(x, *arguments):
    tb, sinks = gr.top_block(), [blocks.vector_sink_c(), blocks.vector_sink_f(), blocks.vector_sink_f()]
    clock = digital.msk_timing_recovery_cc(*arguments)
    tb.connect(blocks.vector_source_c(x.tolist()), clock)
    for port, sink in enumerate(sinks):
        tb.connect((clock, port), sink)
    tb.run()
    return [np.array(sink.data()) for sink in sinks]


class MskTiming(unittest.TestCase):
    def test_the_clock_goes_as_that_of_gnu_radio(self):
        # Samples and times at 5, 100, 400 and 900; the times lie less than a step of the interpolator apart.
        wanted = {
            (4, 0.05, 0.1, 1): ([-0.941 - 0.34j, 0.138 + 0.998j, 0.132 + 1j, 1j], [0.3836, 0.3458, 0.4973, 0.5016]),
            (4.02, 0.05, 0.1, 2): ([0.92 - 0.386j, 0.186 - 0.984j, 0.003 + 1j, 1j], [0.4417, 0.9587, 0.4956, 0.5024]),
            (8, 0.05, 0.02, 1): ([-0.845 + 0.535j, 0.086 + 0.997j, 0.065 + 1j, 1j], [0.6214, 0.8949, 0.5138, 0.4967]),
            # Here the limit holds.
            (8, 0.02, 0.005, 1): ([-0.836 + 0.548j, 0.349 + 0.938j, 0.11 + 0.993j, 0.012 + 1j], [0.5451, 0.7021, 0.0867, 0.4373]),
        }
        for arguments, (samples, times) in wanted.items():
            found, _, mu = followed(msk(1000, int(arguments[0]), 5), *arguments)
            places = [5, 100, 400, 900]
            self.assertLess(np.abs(found[places] - samples).max(), 4e-3, arguments)
            self.assertLess(np.abs(mu[places] - times).max(), 5e-3, arguments)
            # GNU Radio keeps back two or three symbols more.
            self.assertAlmostEqual(len(found), 1000 * arguments[3], delta=4)

    def test_a_clock_that_is_off_is_followed(self):
        _, errors, _ = followed(msk(3000, 8, 5), 8.04, 0.05, 0.1, 1)
        samples, _, _ = followed(msk(3000, 8, 5), 8.04, 0.05, 0.1, 1)
        # At the middle of symbols only multiples of a quarter turn are met.
        turns = np.angle(samples[1000:]) / (np.pi / 2)
        self.assertLess(np.abs(turns - np.round(turns)).max(), 0.1)
        self.assertLess(np.abs(errors[1000:]).mean(), np.abs(errors[:50]).mean())
        self.assertAlmostEqual(len(samples), 3000, delta=5)

    def test_settings_are_kept_and_checked(self):
        clock = digital.msk_timing_recovery_cc(4, 0.05, 0.1, 1)
        clock.set_gain(0.1)
        clock.set_limit(0.2)
        clock.set_sps(8)
        self.assertEqual((clock.get_gain(), clock.get_limit(), clock.get_sps()), (0.1, 0.2, 8))
        for wrong in (lambda: clock.set_gain(0), lambda: digital.msk_timing_recovery_cc(4, 0.05, 0.1, 3)):
            with self.assertRaises(IndexError):
                wrong()
        with self.assertRaisesRegex(ValueError, "expected sps"):
            digital.msk_timing_recovery_cc(0, 0.05, 0.1, 1)


class Interpolator(unittest.TestCase):
    def test_a_slow_tone_is_met_between_samples(self):
        tone = np.exp(0.3j * np.arange(8))
        one = filter.mmse_fir_interpolator_cc()
        self.assertEqual((one.ntaps(), one.nsteps()), (8, 128))
        for mu in (0, 0.25, 0.5, 1):
            self.assertLess(abs(one.interpolate(tone.tolist(), mu) - np.exp(0.3j * (3 + mu))), 2e-3)
            real = filter.mmse_fir_interpolator_ff().interpolate(tone.real.tolist(), mu)
            self.assertAlmostEqual(real, np.cos(0.3 * (3 + mu)), delta=2e-3)
        with self.assertRaises(RuntimeError):
            one.interpolate(tone.tolist(), 1.5)
        with self.assertRaisesRegex(ValueError, "8 samples"):
            one.interpolate([1, 2], 0.5)


if __name__ == "__main__":
    unittest.main()
