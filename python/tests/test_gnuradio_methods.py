"""Methods that say what follows from a block's arguments, with numbers of GNU Radio 3.10.5."""

import cmath
import math
import unittest

import superhet.gnuradio

superhet.gnuradio.install(shadow=True)

import pmt  # noqa: E402
from gnuradio import analog, blocks, digital, fft, filter, gr  # noqa: E402
from gnuradio.fft import window  # noqa: E402
from gnuradio.filter import firdes  # noqa: E402

TAPS = firdes.low_pass(32, 32, 0.4, 0.1)


class Methods(unittest.TestCase):
    def test_blocks_that_change_the_rate_say_by_how_much(self):
        qpsk = digital.constellation_qpsk().base()
        for block, rate in (
            (blocks.complex_to_interleaved_char(False), 2),
            (blocks.complex_to_interleaved_short(True), 1),
            (blocks.streams_to_stream(gr.sizeof_float, 3), 3),
            (blocks.unpack_k_bits_bb(5), 5),
            (blocks.vector_to_stream(gr.sizeof_float, 7), 7),
            (digital.chunks_to_symbols_bc([1, 2, 3, 4], 2), 2),
            (digital.constellation_soft_decoder_cf(qpsk), 2),
            (analog.cpfsk_bc(1, 1, 8), 8),
        ):
            self.assertEqual(block.interpolation(), rate, block)
        for block, rate in (
            (blocks.integrate_ff(6), 6),
            (blocks.interleaved_short_to_complex(False), 2),
            (blocks.pack_k_bits_bb(5), 5),
            (blocks.stream_to_streams(gr.sizeof_float, 3), 3),
            (blocks.stream_to_vector(gr.sizeof_float, 7), 7),
            (fft.goertzel_fc(1000, 8, 100), 8),
        ):
            self.assertEqual(block.decimation(), rate, block)

    def test_loops_say_their_gains(self):
        costas = digital.costas_loop_cc(0.06, 4)
        self.assertAlmostEqual(costas.get_alpha(), 0.155915, 6)
        self.assertAlmostEqual(costas.get_beta(), 0.01323, 6)
        self.assertEqual((costas.get_min_freq(), costas.get_max_freq()), (-1, 1))
        fll = digital.fll_band_edge_cc(4, 0.35, 40, 0.05)
        self.assertAlmostEqual(fll.get_alpha(), 0.131774, 6)
        self.assertAlmostEqual(fll.get_max_freq(), math.pi, 6)
        receiver = digital.constellation_receiver_cb(digital.constellation_qpsk().base(), 0.05, -0.25, 0.25)
        self.assertEqual((receiver.get_min_freq(), receiver.get_max_freq()), (-0.25, 0.25))

    def test_loops_keep_to_limits_that_are_set(self):
        carrier = [cmath.exp(1j * (0.5 + 0.3 * n)) for n in range(2000)]
        costas = digital.costas_loop_cc(0.06, 2)
        costas.set_max_freq(0.1)
        costas.set_min_freq(-0.05)
        self.assertAlmostEqual(costas.get_max_freq(), 0.1, 6)
        self.assertAlmostEqual(costas.get_min_freq(), -0.05, 6)
        self.through(carrier, costas)
        self.assertTrue(-0.05 <= costas.get_frequency() <= 0.1000001)
        low = digital.costas_loop_cc(0.06, 2)
        low.set_min_freq(0.2)
        self.through([1] * 500, low)
        self.assertAlmostEqual(low.get_frequency(), 0.2, 6)
        receiver = digital.constellation_receiver_cb(digital.constellation_bpsk().base(), 0.06, -0.25, 0.25)
        receiver.set_max_freq(0.1)
        self.assertAlmostEqual(receiver.get_max_freq(), 0.1, 6)
        self.assertEqual(receiver.get_min_freq(), -0.25)
        fll = digital.fll_band_edge_cc(4, 0.35, 40, 0.05)
        fll.set_max_freq(0.01)
        fll.set_min_freq(-0.02)
        self.through(carrier, fll)
        self.assertTrue(-0.0200001 <= fll.get_frequency() <= 0.0100001)

    def test_a_loop_goes_on_by_hand(self):
        pll = analog.pll_carriertracking_cc(0.06, 1, -1)
        pll.advance_loop(0.5)
        self.assertAlmostEqual(pll.get_frequency(), 0.5 * pll.get_beta(), 6)
        self.assertAlmostEqual(pll.get_phase(), 0.5 * (pll.get_alpha() + pll.get_beta()), 6)
        pll.set_phase(7)
        pll.phase_wrap()
        self.assertAlmostEqual(pll.get_phase(), 7 - 2 * math.pi, 6)

    def test_squelches_say_whether_they_are_open(self):
        for level, is_open in ((0.1, False), (1.0, True)):
            squelch = analog.pwr_squelch_cc(-10, 0.3, 0, False)
            self.assertFalse(squelch.unmuted())
            self.through([1] * 10 + [level] * 50, squelch)
            self.assertEqual(squelch.unmuted(), is_open)
        tone = [0.2 * math.sin(2 * math.pi * 103.5 * n / 8000) for n in range(4000)]
        squelch = analog.ctcss_squelch_ff(8000, 103.5, 0.05, 800, 0, True)
        self.through(tone, squelch, blocks.vector_source_f, blocks.vector_sink_f)
        self.assertTrue(squelch.unmuted())

    def test_a_clock_says_its_rate_and_takes_gains(self):
        taps = firdes.root_raised_cosine(32, 128, 1, 0.35, 32 * 44)
        clock = digital.pfb_clock_sync_ccf(4, 0.05, taps, 32, 16)
        self.assertEqual([clock.rate(), clock.phase(), clock.error(), clock.clock_rate()], [0, 16, 0, 0])
        clock.set_alpha(0.3)
        self.assertAlmostEqual(clock.alpha(), 0.3, 6)
        self.assertAlmostEqual(clock.beta(), 0.001351, 6)
        clock.set_damping_factor(0.5)
        self.assertAlmostEqual(clock.alpha(), 0.095012, 6)
        self.assertAlmostEqual(clock.beta(), 0.009501, 6)
        clock = digital.pfb_clock_sync_ccf(4, 0.05, taps, 32, 16)
        self.through([math.cos(math.pi * n / 4 + 0.4) for n in range(2000)], clock)
        self.assertLess(abs(clock.rate() - 0.00459), 0.002)
        self.assertLess(abs(clock.phase() - 16.99), 0.2)

    def through(self, data, block, source=blocks.vector_source_c, sink=blocks.vector_sink_c):
        tb = gr.top_block()
        tb.connect(source(data), block, sink() if block.output_signature().sizeof_stream_item(0) > 1 else blocks.vector_sink_b())
        tb.run()

    def test_banks_of_filters_say_the_taps_of_each(self):
        clock = digital.pfb_clock_sync_ccf(4, 0.05, TAPS, 32, 16)
        self.assertAlmostEqual(clock.alpha(), 1.729146, 5)
        self.assertAlmostEqual(clock.beta(), 0.001351, 6)
        self.assertEqual((clock.damping_factor(), len(clock.taps()), len(clock.taps()[0])), (64, 32, 25))
        self.assertEqual(clock.channel_taps(3)[:2], [TAPS[3], TAPS[35]])
        for found, wanted in zip(clock.diff_channel_taps(3), (-0.00035, 0.00191)):
            self.assertAlmostEqual(found, wanted, 5)
        resampler = filter.pfb_arb_resampler_ccf(1.7, TAPS, 32)
        self.assertEqual((resampler.interpolation_rate(), resampler.decimation_rate(), resampler.taps_per_filter()), (32, 18, 25))
        self.assertAlmostEqual(resampler.fractional_rate(), 0.8235, 4)
        self.assertEqual((resampler.group_delay(), filter.pfb_arb_resampler_fff(0.3, TAPS, 32).group_delay()), (20, 4))

    def test_more_that_follows_from_arguments(self):
        self.assertEqual((filter.dc_blocker_ff(32, True).group_delay(), filter.dc_blocker_ff(32, False).group_delay()), (62, 31))
        self.assertEqual(digital.glfsr_source_b(7).period(), 127)
        self.assertEqual(blocks.message_strobe(pmt.intern("a"), 250).period(), 250)
        shaper = digital.burst_shaper_ff([1, 2, 3, 4], 5, 6, True, "length")
        self.assertEqual((shaper.prefix_length(), shaper.suffix_length()), (7, 8))
        self.assertEqual(blocks.blockinterleaver_bb([2, 0, 1], True, False).deinterleaver_indices(), [1, 2, 0])
        self.assertEqual(analog.pwr_squelch_cc(-20).squelch_range(), (-50, 50, 1))

    def test_signatures_say_how_many_streams_there_are_and_of_what_size(self):
        for block, inputs, outputs in (
            (blocks.multiply_const_ff(1), (1, 1, 4), (1, 1, 4)),
            (blocks.vector_sink_c(), (1, -1, 8), (0, 0, 0)),
            (digital.costas_loop_cc(0.1, 2), (1, 1, None), (1, 4, None)),
            (analog.sig_source_f(1e3, analog.GR_COS_WAVE, 1, 1), (0, 0, 0), (1, 1, 4)),
            (blocks.add_ff(), (1, -1, 4), (1, -1, 4)),
        ):
            for signature, (least, most, size) in ((block.input_signature(), inputs), (block.output_signature(), outputs)):
                self.assertEqual((signature.min_streams(), signature.max_streams()), (least, most), block)
                if most and size is not None:
                    self.assertEqual(signature.sizeof_stream_item(0), size, block)
        self.assertEqual(blocks.vector_source_f([1]).input_signature().max_streams(), 0)

    def test_what_was_set_is_what_is_said(self):
        strobe = blocks.message_strobe(pmt.intern("a"), 250)
        strobe.set_period(100)
        self.assertEqual(strobe.period(), 100)
        costas = digital.costas_loop_cc(0.06, 4)
        costas.set_loop_bandwidth(0.05)
        self.assertAlmostEqual(costas.get_alpha(), 0.131774, 6)

    def test_methods_take_their_argument_by_name(self):
        source = analog.sig_source_f(1, analog.GR_SIN_WAVE, 0.1, 1)
        source.set_frequency(frequency=0.2)
        delay = blocks.delay(4, 2)
        delay.set_dly(d=3)
        self.assertEqual((source.frequency(), delay.dly()), (0.2, 3))
        with self.assertRaisesRegex(TypeError, "set_frequency: expected its arguments by position, got b, a by name"):
            source.set_frequency(b=1, a=2)
        hier = gr.hier_block2("h", gr.io_signature(1, 1, 4), gr.io_signature(1, 1, 4))
        hier.message_port_register_hier_in(portname="in")
        self.assertTrue(hier.has_msg_port(pmt.intern("in")))

    def test_blocks_say_whether_they_have_a_message_port(self):
        block = blocks.message_debug()
        self.assertEqual([block.has_msg_port(pmt.intern(name)) for name in ("print", "system", "out")], [True, True, False])

    def test_a_channelizer_raises_at_once_for_a_rate_that_it_cannot_have(self):
        for rate in (1, 2, 4, 4 / 3):
            filter.pfb_channelizer_ccf(4, [1.0] * 8, rate)
        for rate in (1.3, 5, 0, -1):
            with self.assertRaisesRegex(ValueError, "oversample_rate: expected 4 divided by a whole number"):
                filter.pfb_channelizer_ccf(4, [1.0] * 8, rate)

    def test_bits_and_windows(self):
        self.assertEqual([blocks.count_bits8(0x155), blocks.count_bits16(0x155), blocks.count_bits64(-1)], [4, 5, 64])
        for name, found in (("hann", window.coswindow(9, 0.5, 0.5, 0)), ("hamming", window.coswindow(9, 0.54, 0.46, 0))):
            for wanted, value in zip(getattr(window, name)(9), found, strict=True):
                self.assertAlmostEqual(wanted, value, 6)


if __name__ == "__main__":
    unittest.main()
