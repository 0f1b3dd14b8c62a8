"""Small objects and methods of blocks: values are those of GNU Radio 3.10.5 where nothing else is said."""

import cmath
import unittest

import numpy as np

import superhet.gnuradio

superhet.gnuradio.install(shadow=True)

import pmt  # noqa: E402
from gnuradio import analog, blocks, digital, fec, fft, gr, vocoder  # noqa: E402


def run(data, block, sink):
    source = blocks.vector_source_f if isinstance(data[0], float) else blocks.vector_source_c
    tb = gr.top_block()
    tb.connect(source(data), block, sink)
    tb.run()
    return sink


class Objects(unittest.TestCase):
    def test_a_loop_goes_on_as_that_of_gnu_radio(self):
        loop = blocks.control_loop(0.05, 1.0, -1.0)
        found = [loop.get_alpha(), loop.get_beta(), loop.get_damping_factor(), loop.get_loop_bandwidth()]
        np.testing.assert_allclose(found, [0.131774, 0.009318, 0.707107, 0.05], atol=1e-6)
        for error in (0.5, -0.2, 3, 4, 100):
            loop.advance_loop(error)
        self.assertAlmostEqual(loop.get_frequency(), (0.5 - 0.2 + 3 + 4 + 100) * loop.get_beta(), places=9)
        loop.phase_wrap()
        loop.frequency_limit()
        self.assertLessEqual(abs(loop.get_phase()), 2 * np.pi)
        loop.set_frequency(5)
        loop.set_phase(30)
        self.assertAlmostEqual(loop.get_frequency(), 1.0)
        self.assertAlmostEqual(loop.get_phase(), 30 - 8 * np.pi, places=6)
        loop.set_damping_factor(1)
        np.testing.assert_allclose([loop.get_alpha(), loop.get_beta()], [0.1814, 0.00907], atol=1e-4)
        loop.set_alpha(0.3)
        loop.set_beta(0.1)
        self.assertEqual((loop.get_alpha(), loop.get_beta()), (0.3, 0.1))
        loop.set_max_freq(2)
        loop.set_min_freq(-2)
        self.assertEqual((loop.get_max_freq(), loop.get_min_freq()), (2, -2))
        for name, value in (("set_alpha", 2), ("set_beta", -1), ("set_loop_bandwidth", -1), ("set_damping_factor", 0)):
            with self.assertRaisesRegex(IndexError, "expected"):
                getattr(loop, name)(value)

    def test_a_rotator_turns(self):
        one = blocks.rotator()
        one.set_phase(1j)
        one.set_phase_incr(0.6 + 0.8j)
        found = [one.rotate(1 + 1j), one.rotate(1), one.rotate(2j)]
        np.testing.assert_allclose(found, [-1 + 1j, -0.8 + 0.6j, 0.56 - 1.92j], atol=1e-6)
        self.assertAlmostEqual(abs(one.phase() - (-0.352 - 0.936j)), 0, places=6)
        out = [0] * 2
        one.rotateN(out, [1, 1], 2)
        self.assertAlmostEqual(cmath.phase(out[1] / out[0]), cmath.phase(0.6 + 0.8j), places=6)

    def test_shift_registers_give_the_bits_of_gnu_radio(self):
        one = digital.glfsr(digital.glfsr.glfsr_mask(7), 1)
        self.assertEqual(one.mask(), 65)
        self.assertEqual("".join(str(one.next_bit()) for _ in range(30)), "111111101010100110011101110100")
        with self.assertRaisesRegex(RuntimeError, "from 1 to 32"):
            digital.glfsr.glfsr_mask(0)
        for kind in (blocks.lfsr_15_1_0, blocks.lfsr_32k):
            one = kind()
            self.assertEqual("".join(str(one.next_bit()) for _ in range(40)), "1" * 14 + "0" * 14 + "1" + "0" * 11)
            self.assertEqual([one.next_byte() for _ in range(3)], [12, 0, 5])
        self.assertEqual([one.next_short() for _ in range(3)], [960, 272, 204])
        one.reset()
        self.assertEqual(one.next_short(), 16383)

    def test_one_bin_is_that_of_gnu_radio(self):
        one, values = fft.goertzel(1000, 20, 150.0), [(n * 7 % 11) / 5 - 1 for n in range(20)]
        for value in values[:3]:
            one.input(value)
        self.assertFalse(one.ready())
        for value in values[3:]:
            one.input(value)
        self.assertTrue(one.ready())
        self.assertAlmostEqual(abs(one.output() - (-0.0556243 - 0.0688148j)), 0, places=6)
        self.assertFalse(one.ready())
        self.assertAlmostEqual(abs(one.batch(values) - (-0.0556243 - 0.0688148j)), 0, places=6)

    def test_numbers_have_types(self):
        self.assertEqual((digital.ted_type.TED_GARDNER.name, int(digital.ted_type.TED_GARDNER)), ("TED_GARDNER", 4))
        self.assertEqual(int(analog.gr_waveform_t.GR_SIN_WAVE), analog.GR_SIN_WAVE)
        self.assertEqual(int(analog.noise_type_t.GR_GAUSSIAN), analog.GR_GAUSSIAN)
        self.assertEqual(int(blocks.wavfile_format_t.FORMAT_WAV), blocks.FORMAT_WAV)


class Methods(unittest.TestCase):
    def test_gains_of_a_loop_can_be_set_before_it_runs(self):
        loop = digital.costas_loop_cc(0.1, 2)
        loop.set_phase(0.3)
        loop.set_alpha(0.2)
        loop.set_beta(0.01)
        sink = run([complex(z) for z in np.exp(0.5j * np.ones(50))], loop, blocks.vector_sink_c())
        found = np.array(sink.data())
        np.testing.assert_allclose(found[:4], [0.9801 + 0.1987j, 0.9874 + 0.1584j, 0.9923 + 0.124j, 0.9955 + 0.0948j], atol=2e-4)
        self.assertAlmostEqual(abs(found[-1] - (1 - 0.0053j)), 0, places=3)
        np.testing.assert_allclose([loop.get_phase(), loop.get_frequency()], [0.5049, 0.00069], atol=1e-4)
        np.testing.assert_allclose([loop.get_alpha(), loop.get_beta()], [0.2, 0.01], atol=1e-6)
        other = digital.fll_band_edge_cc(4, 0.35, 45, 0.1)
        other.set_alpha(0.7)
        other.set_damping_factor(1.0)
        np.testing.assert_allclose([other.get_alpha(), other.get_damping_factor()], [0.3306, 1.0], atol=1e-4)
        other.set_loop_bandwidth(0.2)
        self.assertAlmostEqual(other.get_alpha(), 0.5556, places=4)

    def test_taps_of_an_equalizer_can_be_read_and_set(self):
        algorithm = digital.adaptive_algorithm_lms(digital.constellation_bpsk(), 1e-9)
        one = digital.linear_equalizer(3, 1, algorithm, True, [], "")
        self.assertEqual(one.taps(), [0, 0, 1])
        one.set_taps([0.25, 0.5j, 1])
        found = run([1 + 0j, 0j, 0j, 0j], one, blocks.vector_sink_c()).data()
        np.testing.assert_allclose(found, [1, 0.5j, 0.25, 0], atol=1e-6)
        np.testing.assert_allclose(one.taps(), [0.25, 0.5j, 1], atol=1e-6)

    def test_items_are_counted(self):
        vectors, some = blocks.stream_to_vector(4, 5), blocks.keep_one_in_n(20, 2)
        self.assertEqual(vectors.nitems_read(0), 0)
        tb = gr.top_block()
        tb.connect(blocks.vector_source_f([1.0] * 400), vectors, some, blocks.null_sink(20))
        tb.run()
        counts = vectors.nitems_read(0), vectors.nitems_written(0), some.nitems_read(0), some.nitems_written(0)
        self.assertEqual(counts, (400, 80, 80, 40))
        with self.assertRaisesRegex(ValueError, "no output 3"):
            vectors.nitems_written(3)


class Gauges(unittest.TestCase):
    def test_estimates_of_noise_are_those_of_gnu_radio(self):
        random = np.random.default_rng(3)
        for ratio, wanted in ((10, 10.0), (20, 20.0)):
            level = 10 ** (-ratio / 20) / 2**0.5
            noise = random.normal(size=(20000, 2)) @ [1, 1j] * level
            samples = random.choice([-1, 1], 20000) + noise
            for kind in (digital.mpsk_snr_est_simple, digital.mpsk_snr_est_m2m4, digital.mpsk_snr_est_svr):
                estimate = kind(0.001)
                self.assertEqual([estimate.update(1, sample) for sample in samples[:3]], [1, 1, 1])
                estimate.update(len(samples) - 3, samples[3:])
                self.assertLess(abs(estimate.snr() - wanted), 0.6, kind.__name__)
            general = digital.snr_est_m2m4(0.001, 1, 2)
            general.update(len(samples), samples)
            self.assertLess(abs(general.snr() - wanted), 0.6)
            self.assertLess(abs(general.signal()), 0.2)
            self.assertLess(abs(general.noise() + ratio), 0.6)
        with self.assertRaises(RuntimeError):
            digital.mpsk_snr_est(0.05).snr()
        with self.assertRaisesRegex(RuntimeError, "alpha from 0 to 1, got 2"):
            digital.mpsk_snr_est_simple(2)

    def test_headers_are_those_that_the_block_writes(self):
        carriers = [list(range(48))]
        scrambled = digital.packet_header_ofdm(carriers, 1, "packet_len", scramble_header=True)
        for header in (digital.packet_header_default(32, "packet_len", "number"), scrambled):
            tb, sink = gr.top_block(), blocks.vector_sink_b()
            packets = blocks.stream_to_tagged_stream(1, 1, 100, "packet_len")
            tb.connect(blocks.vector_source_b([0] * 200), packets, digital.packet_headergenerator_bb(header, "packet_len"), sink)
            tb.run()
            found = []
            for _ in range(2):
                out = [0] * header.header_len()
                self.assertTrue(header.header_formatter(100, out))
                found += out
            self.assertEqual(found, list(sink.data()))
            tags = []
            self.assertTrue(header.header_parser(found[header.header_len() :], tags))
            self.assertEqual([pmt.to_python(tag.value) for tag in tags], [100, 1])
            found[0] ^= 1
            self.assertFalse(header.header_parser(found[: header.header_len()], tags))
        self.assertFalse(header.header_formatter(4096, []))

    def test_an_estimate_before_the_first_item_is_none(self):
        for kind in (digital.SNR_EST_SIMPLE, digital.SNR_EST_SKEW, digital.SNR_EST_M2M4, digital.SNR_EST_SVR):
            for block in (digital.probe_mpsk_snr_est_c(kind, 1000, 0.01), digital.mpsk_snr_est_cc(kind, 1000, 0.01)):
                self.assertTrue(np.isnan(block.snr()))
        probe = digital.probe_mpsk_snr_est_c(digital.SNR_EST_M2M4, 1000, 0.01)
        self.assertEqual((probe.signal(), probe.noise()), (-np.inf, -np.inf))

    def test_short_headers_say_what_they_have_room_for(self):
        wanted = {
            8: ("00110100", {"packet_len": 44}),
            12: ("001101001000", {"packet_len": 300}),
            16: ("0011010010000100", {"packet_len": 300, "packet_num": 2}),
            28: ("0011010010000100000000000110", {"packet_len": 300, "packet_num": 2}),
        }
        for length, (bits, said) in wanted.items():
            header = digital.packet_header_default(length)
            header.set_header_num(2)
            out, tags = [0] * length, []
            self.assertTrue(header.header_formatter(300, out))
            self.assertEqual("".join(map(str, out)), bits)
            self.assertTrue(header.header_parser(out, tags))
            self.assertEqual({str(tag.key): pmt.to_python(tag.value) for tag in tags}, said)
            tb, debug = gr.top_block(), blocks.message_debug()
            parser = digital.packet_headerparser_b(header)
            tb.connect(blocks.vector_source_b(out), parser)
            tb.msg_connect(parser, "header_data", debug, "store")
            tb.run()
            self.assertEqual(pmt.to_python(debug.get_message(0)), said)
        out[2] ^= 1
        self.assertFalse(header.header_parser(out, []))

    def test_a_digital_loop_says_its_frequency(self):
        self.assertAlmostEqual(analog.dpll_bb(8.5, 0.1).freq(), 0.11764705926179886, places=7)

    def test_a_probe_says_the_rate(self):
        probe, messages, tb = blocks.probe_rate(8, 10, 0.5), blocks.message_debug(), gr.top_block()
        self.assertEqual(probe.rate(), 0)
        tb.connect(blocks.null_source(8), blocks.throttle(8, 100000), blocks.head(8, 20000), probe)
        tb.msg_connect(probe, "rate", messages, "store")
        tb.run()
        self.assertTrue(3e4 < probe.rate() < 3e5, probe.rate())
        told = pmt.to_python(messages.get_message(0))
        self.assertEqual(sorted(told), ["rate_avg", "rate_now"])
        self.assertEqual(told["rate_avg"], told["rate_now"])

    def test_a_pool_of_noise_gives_its_items_one_by_one(self):
        for kind, amplitude in ((analog.fastnoise_source_f, 0.5), (analog.fastnoise_source_c, 100), (analog.fastnoise_source_i, 100)):
            source = kind(analog.GR_GAUSSIAN, amplitude, 7, 1024)
            pool = source.samples()
            self.assertEqual(len(pool), 1024)
            self.assertLess(abs(np.std(pool) / amplitude - 1), 0.1)
            drawn = [source.sample() for _ in range(500)]
            self.assertLessEqual(set(drawn), set(pool))
            self.assertGreater(len(set(drawn)), 200)
            self.assertLessEqual({source.sample_unbiased() for _ in range(50)}, set(pool) | {-item for item in pool})
            self.assertEqual(drawn[0], kind(analog.GR_GAUSSIAN, amplitude, 7, 1024).sample())
        source = analog.fastnoise_source_f(analog.GR_UNIFORM, 0.5, 7, 1024)
        self.assertLessEqual(max(map(abs, source.samples())), 0.5)
        source.set_amplitude(2)
        self.assertGreater(max(map(abs, source.samples())), 1.5)
        # What the block gives comes of the pool.
        tb, sink = gr.top_block(), blocks.vector_sink_f()
        tb.connect(analog.fastnoise_source_f(analog.GR_GAUSSIAN, 0.5, 7, 1024), blocks.head(4, 2000), sink)
        tb.run()
        pool = analog.fastnoise_source_f(analog.GR_GAUSSIAN, 0.5, 7, 1024).samples()
        self.assertLess(max(min(abs(item - other) for other in pool) for item in sink.data()[:200]), 1e-6)

    def test_helpers_of_codes(self):
        self.assertEqual([fec.bitreverse(number) for number in (0, 1, 5, 13, 255, 6, 0xE4)], [0, 1, 5, 11, 255, 3, 39])
        self.assertEqual((fec.bitflip(0xE4, [0, 2, 1, 3], 0, 8), fec.bitflip(0xE4, [0, 2, 1, 3], 0, 4)), (216, 8))
        self.assertEqual([fec.read_bitlist(bits) for bits in ("0110", [0, 1, 2, 3])], [6, 4])
        test = fec.fec_test(fec.dummy_encoder_make(8), fec.dummy_decoder.make(8), 3.0)
        self.assertEqual([test.get_esno(), test.get_samp_rate(), test.get_threading(), test.get_puncpat()], [3, 3200000, "capillary", "11"])
        test.set_esno(6)
        self.assertEqual(test.get_esno(), 6)
        codec = vocoder.cvsd_decode_bs(min_step=12)
        self.assertEqual([codec.J(), codec.K(), codec.max_step(), codec.min_step(), codec.neg_accum_max()], [4, 32, 1280, 12, -32767])


if __name__ == "__main__":
    unittest.main()
