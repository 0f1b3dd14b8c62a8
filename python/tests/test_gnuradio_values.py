"""Values, settings and errors as GNU Radio 3.10.5 has them in Python."""

import unittest

import superhet.gnuradio

superhet.gnuradio.install(shadow=True)

import pmt  # noqa: E402
from gnuradio import analog, blocks, digital, fft, filter, gr, pdu  # noqa: E402
from gnuradio.fft import window  # noqa: E402
from gnuradio.filter import firdes, optfir  # noqa: E402


class Values(unittest.TestCase):
    def test_designs_are_lists_of_numbers(self):
        for found, kind in (
            (firdes.low_pass(1, 10, 2, 1), float),
            (firdes.complex_band_pass(1, 10, 1, 2, 1), complex),
            (window.hamming(4), float),
            (window.build(window.WIN_HANN, 5, 6.0), float),
            (optfir.low_pass(1, 10, 1, 2, 0.1, 60), float),
            (filter.window.hann(3), float),
        ):
            self.assertIs(type(found), list)
            self.assertIs(type(found[0]), kind)
        for wrong in (lambda: firdes.low_pass(1, 10, 6, 1), lambda: window.build(99, 5, 1.0)):
            with self.assertRaises(IndexError):
                wrong()

    def test_whole_numbers_in_tags_and_metadata_are_long(self):
        tb, sink, debug = gr.top_block(), blocks.vector_sink_b(), blocks.message_debug()
        packets = blocks.stream_to_tagged_stream(1, 1, 5, "len")
        tb.connect(blocks.vector_source_b(range(10)), packets, digital.crc32_bb(False, "len"), sink)
        tb.connect(packets, messages := pdu.tagged_stream_to_pdu(gr.types.byte_t, "len"))
        tb.msg_connect(messages, "pdus", debug, "store")
        tb.run()
        self.assertEqual([(t.offset, pmt.is_integer(t.value), pmt.to_long(t.value)) for t in sink.tags()], [(0, True, 9), (9, True, 9)])
        self.assertEqual(sorted(sink.tags()[::-1])[0].offset, 0)
        self.assertGreater(debug.num_messages(), 0)

    def test_settings_are_remembered(self):
        block = blocks.copy(4)
        for name, value, default in (
            ("min_noutput_items", 3, 0),
            ("max_noutput_items", 50, 0),
            ("processor_affinity", [0], []),
            ("thread_priority", 3, -1),
            ("log_level", "error", "debug"),
        ):
            self.assertEqual(getattr(block, name)(), default)
            getattr(block, f"set_{name}")(value)
            self.assertEqual(getattr(block, name)(), value)
        self.assertTrue(block.is_set_max_noutput_items())
        block.unset_max_noutput_items()
        self.assertFalse(block.is_set_max_noutput_items())
        block.declare_sample_delay(0, 7)
        self.assertEqual((block.sample_delay(0), block.history(), block.output_multiple()), (7, 1, 1))
        self.assertEqual(block.input_signature().sizeof_stream_item(0), 4)
        low_pass = filter.fir_filter_fff(3, [1, 2, 3, 4])
        self.assertEqual((low_pass.history(), low_pass.decimation(), low_pass.relative_rate()), (4, 3, 1 / 3))

    def test_constructors_refuse_at_once(self):
        for make, error in (
            (lambda: filter.fir_filter_fff(0, [1]), ValueError),
            (lambda: blocks.keep_one_in_n(4, 0), ValueError),
            (lambda: blocks.delay(4, -3), RuntimeError),
            (lambda: filter.rational_resampler_ccc(0, 1), IndexError),
            (lambda: fft.fft_vcc(4, True, [1, 2]), ValueError),
            (lambda: analog.sig_source_f(1, 999, 1, 1), RuntimeError),
            (lambda: blocks.head(0, 1), RuntimeError),
        ):
            with self.assertRaises(error):
                make()

    def test_messages_of_bytes_and_their_queues(self):
        queue = gr.msg_queue(2)
        queue.insert_tail(gr.message_from_string("hello", 7, 1.5, 2.5))
        self.assertEqual((queue.count(), queue.limit(), queue.empty_p(), queue.full_p()), (1, 2, False, False))
        taken = queue.delete_head()
        self.assertEqual((taken.to_string(), taken.type(), taken.arg1(), taken.arg2(), taken.length()), (b"hello", 7, 1.5, 2.5, 5))
        self.assertIsNone(queue.delete_head_nowait())

    def test_random_numbers(self):
        numbers = gr.random(42, -3, 4)
        drawn = [numbers.ran_int() for _ in range(1000)]
        self.assertEqual((min(drawn), max(drawn)), (-3, 3))
        self.assertAlmostEqual(sum(numbers.ran1() for _ in range(10_000)) / 10_000, 0.5, delta=0.02)
        self.assertAlmostEqual(sum(numbers.gasdev() ** 2 for _ in range(10_000)) / 10_000, 1, delta=0.1)
        self.assertAlmostEqual(sum(abs(numbers.laplacian()) for _ in range(10_000)) / 10_000, 1, delta=0.1)
        first, again = gr.xoroshiro128p_prng(1), gr.xoroshiro128p_prng(1)
        self.assertEqual([first() for _ in range(3)], [again() for _ in range(3)])


if __name__ == "__main__":
    unittest.main()
