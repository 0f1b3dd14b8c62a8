"""Channels and impairments. Values are those of GNU Radio 3.10.5, but where they are random or docs/differences.md says otherwise."""

import unittest

import numpy as np

import superhet.gnuradio

superhet.gnuradio.install(shadow=True)

from gnuradio import blocks, channels, gr  # noqa: E402

X = [0.5 + 0.25j, -0.3 + 0.7j, 0.1 - 0.9j, 1 + 0j, 0.77 + 0.33j]


def run(block, data=X, kind="c", more=()):
    tb, sink = gr.top_block(), getattr(blocks, f"vector_sink_{kind}")()
    tb.connect(getattr(blocks, f"vector_source_{kind}")(list(data)), (block, 0))
    for port, stream in enumerate(more, 1):
        tb.connect(blocks.vector_source_f(list(stream)), (block, port))
    tb.connect(block, sink)
    tb.run()
    return np.array(sink.data())


class Fixed(unittest.TestCase):
    def near(self, block, expected, **more):
        np.testing.assert_allclose(run(block, **more)[: len(expected)], expected, atol=2e-5)

    def test_values(self):
        self.near(channels.iqbal_gen(3, 10, 0), [0.69554 + 0.37264j, -0.41732 + 0.62641j, 0.13911 - 0.87547j])
        self.near(channels.iqbal_gen(3, 10, 1), [0.75686 + 0.25j, -0.24562 + 0.7j, -0.08165 - 0.9j])
        self.near(channels.distortion_2_gen(0.1), [0.55 + 0.275j, -0.282 + 0.658j, 0.102 - 0.918j])
        self.near(channels.distortion_3_gen(0.1), [0.51562 + 0.25781j, -0.3174 + 0.7406j, 0.1082 - 0.9738j])
        self.near(channels.amp_bal(0.1), [0.5 + 0.5j, -0.3 + 0.53157j, 0.1 - 0.42737j])
        self.near(channels.phase_bal(0.1), [0.48 + 0.21j, -0.29971 + 0.69988j, 0.07991 - 0.89777j])
        self.near(channels.conj_fs_iqcorr(2, [0.1, 0.2j]), [0.05 - 0.025j, 0.02 + 0.03j, 0.65 + 0.28j, -0.38 + 0.72j])
        self.near(channels.quantizer(4), [0.5, 0.375, -0.75, 0.0], data=[0.5, 0.33, -0.7, 0.03], kind="f")

    def test_impairments_one_by_one(self):
        quiet = {"phase_noise_mag": -300}
        self.near(channels.impairments(**quiet), X)
        self.near(channels.impairments(**quiet, q_ofs=0.1, i_ofs=0.2), np.array(X) + 0.2 + 0.1j)
        self.near(channels.impairments(**quiet, magbal=3), [0.70627 + 0.25j, -0.42376 + 0.7j])
        self.near(channels.impairments(**quiet, gamma=0.1), [0.55 + 0.275j, -0.282 + 0.658j])
        self.near(channels.impairments(**quiet, beta=0.1), [0.51562 + 0.25781j, -0.3174 + 0.7406j])
        turned = np.array(X) * np.exp(2j * np.pi * 0.01 * np.arange(5))
        self.near(channels.impairments(**quiet, freq_offset=0.01), turned)

    def test_what_is_set_is_there(self):
        block = channels.impairments(-40)
        block.set_i_ofs(0.5)
        block.set_phasebal(3)
        self.assertEqual((block.get_i_ofs(), block.get_phasebal(), block.get_phase_noise_mag()), (0.5, 3, -40))
        model = channels.cfo_model(1e3, 1, 50)
        model.set_std_dev(2)
        self.assertEqual((model.samp_rate(), model.std_dev(), model.max_dev()), (1e3, 2, 50))


class Random(unittest.TestCase):
    def test_phase_noise_has_its_deviation(self):
        phase = np.angle(run(channels.phase_noise_gen(0.1, 0.1), [1] * 20000))
        self.assertAlmostEqual(phase.std(), 0.1 * np.sqrt(0.1 / 1.9), delta=0.004)

    def test_fading_keeps_the_mean_power(self):
        for in_sight in (False, True):
            y = run(channels.fading_model(8, 0.01, in_sight, 4, 3), [1] * 100_000)
            self.assertAlmostEqual(np.mean(np.abs(y) ** 2), 1, delta=0.05)
        model = channels.selective_fading_model(8, 0.01, False, 4, 3, [0, 2.5, 4], [1, 0.5, 0.2], 12)
        powers = np.abs(run(model, ([1] + [0] * 11) * 5000).reshape(-1, 12)) ** 2
        # Amplitudes 1, 0.5 and 0.2; the path of 2.5 samples lies on several taps.
        self.assertAlmostEqual(powers.sum(axis=1).mean(), 1.29, delta=0.15)
        model.set_fDTs(0.02)
        self.assertEqual(model.fDTs(), 0.02)

    def test_paths_come_after_their_delays(self):
        model = channels.selective_fading_model(8, 0, True, 1e9, 3, [2.0], [1], 8)
        np.testing.assert_allclose(np.abs(run(model, [1] + [0] * 7)), [0, 0, 1, 0, 0, 0, 0, 0], atol=1e-3)
        walking = channels.selective_fading_model2(8, 0, True, 1e9, 3, [3.0], [0.01], [0.5], [1], 8)
        strongest = np.abs(run(walking, [1] + [0] * 7)).argmax()
        self.assertIn(strongest, (2, 3, 4))

    def test_oscillators_and_clocks_stay_within_their_limits(self):
        y = run(channels.cfo_model(1000, 1, 50, 3), [1] * 20000)
        hz = np.angle(y[1:] * y[:-1].conj()) * 1000 / (2 * np.pi)
        self.assertLess(np.abs(hz).max(), 50.1)
        self.assertGreater(np.abs(hz).max(), 10)
        self.assertAlmostEqual(np.diff(hz).std(), 1, delta=0.05)
        tone = np.exp(2j * np.pi * 0.01 * np.arange(20000))
        y = run(channels.sro_model(1000, 1e-2, 5, 3), tone)
        self.assertAlmostEqual(len(y), 20000, delta=110)
        self.assertAlmostEqual(np.abs(y[100:]).mean(), 1, delta=0.02)

    def test_channels_of_several_parts(self):
        model = channels.dynamic_channel_model(1000, 1e-3, 1, 1, 5, 8, 1, True, 4, [0, 1.5], [1, 0.3], 8, 0.01, 3)
        y = run(model, [1] * 5000)
        self.assertAlmostEqual(len(y), 5000, delta=40)
        self.assertLess(np.mean(np.abs(y) ** 2), 3)
        model = channels.channel_model2(0.0, 1.0, [1.0])
        y = run(model, [1] * 1000, more=([0.1] * 1000, [1.0] * 1000))
        np.testing.assert_allclose(np.angle(y[101:200] * y[100:199].conj()), 0.2 * np.pi, atol=1e-3)
        model.set_noise_voltage(0.5)
        self.assertEqual((model.noise_voltage(), model.taps()), (0.5, [1.0]))


if __name__ == "__main__":
    unittest.main()
