"""Blocks for arguments that the library's own do not take; the values are those of GNU Radio 3.10.5."""

import time
import unittest

import numpy as np

import superhet.gnuradio

superhet.gnuradio.install(shadow=True)

import pmt  # noqa: E402
from gnuradio import blocks, digital, gr  # noqa: E402


def tag(offset, key, value):
    made = gr.tag_t()
    made.offset, made.key, made.value = offset, pmt.intern(key), value
    return made


def tags_of(sink):
    return sorted((tag.offset, pmt.symbol_to_string(tag.key), pmt.to_python(tag.value)) for tag in sink.tags())


class Remade(unittest.TestCase):
    def test_keep_m_in_n_goes_on_at_the_beginning_of_a_group(self):
        for arguments, wanted in (
            ((2, 6, 0), [0, 1, 6, 7, 12, 13, 18, 19]),
            ((2, 6, 5), [0, 5, 6, 11, 12, 17, 18, 23]),
            ((4, 6, 4), [0, 1, 4, 5, 6, 7, 10, 11, 12, 13, 16, 17, 18, 19, 22, 23]),
            ((6, 6, 3), list(range(24))),
        ):
            tb, sink = gr.top_block(), blocks.vector_sink_f()
            tb.connect(blocks.vector_source_f(range(24)), blocks.keep_m_in_n(gr.sizeof_float, *arguments), sink)
            tb.run()
            self.assertEqual(sink.data(), wanted, arguments)
        with self.assertRaisesRegex(RuntimeError, "offset"):
            blocks.keep_m_in_n(1, 2, 6, 6)

    def prefixed(self, *arguments, tags=()):
        tb, sink = gr.top_block(), blocks.vector_sink_c()
        source = blocks.vector_source_c(range(16), False, 8, list(tags))
        tb.connect(source, digital.ofdm_cyclic_prefixer(*arguments), sink)
        tb.run()
        return np.array(sink.data()).real.round(3).tolist(), tags_of(sink)

    def test_prefixes_have_lengths_in_turn_and_flanks(self):
        first, second = [float(x) for x in range(8)], [float(x) for x in range(8, 16)]
        self.assertEqual(self.prefixed(8, 10, 2)[0], [3, 7, *first, 7, 15, *second])
        length = [tag(0, "len", pmt.from_long(2))]
        given, tags = self.prefixed(8, [2, 4], 0, "len", tags=length)
        self.assertEqual(given, [6, 7, *first, 12, 13, 14, 15, *second])
        self.assertEqual(tags, [(0, "len", 22)])
        given, tags = self.prefixed(8, 10, 2, "len", tags=length)
        self.assertEqual(given, [3, 7, *first, 7, 15, *second, 4])
        self.assertEqual(tags, [(0, "len", 21)])
        self.assertEqual(self.prefixed(8, [2, 4], 2)[0], [3, 7, *first, 6, 13, 14, 15, *second])
        for wrong in ((8, [9], 0), (8, [], 0), (8, [2], 7)):
            with self.assertRaisesRegex(ValueError, "ofdm_cyclic_prefixer: expected"):
                digital.ofdm_cyclic_prefixer(*wrong)

    def test_a_throttle_follows_the_tags_with_rates(self):
        for ignore, wanted in ((True, (0, 0.5)), (False, (0.45, 5))):
            tb, sink = gr.top_block(), blocks.vector_sink_f()
            source = blocks.vector_source_f([1.0] * 1000, False, 1, [tag(0, "rx_rate", pmt.from_double(2000.0))])
            tb.connect(source, blocks.throttle(gr.sizeof_float, 1e9, ignore), sink)
            start = time.monotonic()
            tb.run()
            self.assertEqual(len(sink.data()), 1000)
            if not ignore:
                self.assertTrue(wanted[0] <= time.monotonic() - start < wanted[1])

    def test_the_time_of_a_packet_comes_once_from_ofdm_tx(self):
        sent = pmt.make_tuple(pmt.from_uint64(7), pmt.from_double(0.5))
        tags = [tag(0, "length", pmt.from_long(48)), tag(48, "length", pmt.from_long(48)), tag(0, "tx_time", sent)]
        tb, sink = gr.top_block(), blocks.vector_sink_c()
        transmitter = digital.ofdm_tx(fft_len=64, cp_len=16, packet_length_tag_key="length")
        tb.connect(blocks.vector_source_b(range(96), False, 1, tags), transmitter, sink)
        tb.run()
        self.assertEqual(len(sink.data()), 1920)
        self.assertEqual(tags_of(sink), [(0, "length", 960), (0, "tx_time", (7, 0.5)), (960, "length", 960)])


if __name__ == "__main__":
    unittest.main()
