"""What GNU Radio's example flowgraphs ask for besides blocks of the table."""

import socket
import threading
import unittest

import numpy as np

import superhet.gnuradio

superhet.gnuradio.install(shadow=True)

from gnuradio import blocks, digital, fec, filter, gr, network, trellis  # noqa: E402
from gnuradio.fec import polar  # noqa: E402
from gnuradio.filter import pfb  # noqa: E402
from gnuradio.trellis import fsm_utils  # noqa: E402

from superhet.gnuradio.companion.older import error_rate  # noqa: E402


class Codes(unittest.TestCase):
    def test_frozen_bits_are_the_least_reliable_ones(self):
        info = polar.load_frozen_bits_info(False, polar.CHANNEL_TYPE_BEC, 32, 16, 0.0, 16)
        # As GNU Radio 3.10.5 gives them.
        self.assertEqual(info["positions"], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 17, 18, 20])
        self.assertEqual((info["values"], info["num_frozenbits"]), ([0] * 16, 16))
        for wrong in ((30, 16), (32, 33)):
            with self.assertRaisesRegex(ValueError, "load_frozen_bits_info: expected"):
                polar.load_frozen_bits_info(False, polar.CHANNEL_TYPE_BEC, *wrong)

    def test_the_code_of_space_links_has_its_polynomials(self):
        bits = np.random.default_rng(1).integers(0, 2, 256)
        found = []
        for encoder in (fec.ccsds_encoder_make(64), fec.cc_encoder_make(64, 7, 2, [109, 79])):
            tb, sink = gr.top_block(), blocks.vector_sink_b()
            tb.connect(blocks.vector_source_b(bits.tolist()), fec.extended_encoder(encoder, None, "11"), sink)
            tb.run()
            found.append(sink.data())
        self.assertEqual(found[0], found[1])
        self.assertEqual(len(found[0]), 512)

    def test_a_lookup_of_a_channel_has_every_sequence(self):
        self.assertEqual(fsm_utils.make_isi_lookup(fsm_utils.pam2, [0.5, 1.0], False), (1, [-1.5, 0.5, -0.5, 1.5]))
        dimension, values = fsm_utils.make_isi_lookup(fsm_utils.pam4, [0.5, 1.0], True)
        self.assertEqual((dimension, len(values)), (1, 16))
        np.testing.assert_allclose(values[:4], [-4.0249224, -2.2360680, 1.3416408, -0.4472136], atol=1e-6)
        self.assertEqual(fsm_utils.dec2base(6, 2, 4), [0, 1, 1, 0])
        self.assertEqual(fsm_utils.base2dec([0, 1, 1, 0], 2), 6)
        with self.assertRaises(ValueError):
            fsm_utils.dec2base(16, 2, 4)
        self.assertEqual(trellis.TRELLIS_EUCLIDEAN, digital.TRELLIS_EUCLIDEAN)


class Streams(unittest.TestCase):
    def test_some_channels_of_a_channelizer_come_out(self):
        n, channels = 8, [5, 1]
        taps = filter.firdes.low_pass(1, n, 0.4, 0.2)
        data = np.exp(2j * np.pi * (1 / n) * np.arange(4000)).astype("c8")
        tb, sinks = gr.top_block(), [blocks.vector_sink_c() for _ in channels]
        block = pfb.channelizer_hier_ccf(n, 1, taps, channels)
        tb.connect(blocks.vector_source_c(data.tolist()), block)
        for place, sink in enumerate(sinks):
            tb.connect((block, place), sink)
        tb.run()
        powers = [np.mean(np.abs(sink.data()[100:]) ** 2) for sink in sinks]
        self.assertLess(powers[0], 1e-3 * powers[1])
        with self.assertRaisesRegex(ValueError, "channels from 0 to 7"):
            pfb.channelizer_hier_ccf(n, 1, taps, [8])

    def test_the_filter_of_a_hierarchical_channelizer_runs_from_behind(self):
        n, taps = 3, np.arange(1.0, 9.0)
        x = np.exp(0.7j * np.arange(60) ** 1.3)
        tb, sinks = gr.top_block(), [blocks.vector_sink_c() for _ in range(n)]
        block = pfb.channelizer_hier_ccf(n, 1, taps.tolist())
        tb.connect(blocks.vector_source_c(x.tolist()), block)
        for channel, sink in enumerate(sinks):
            tb.connect((block, channel), sink)
        tb.run()
        padded, places = np.append(taps, 0.0), np.arange(60)
        for channel, sink in enumerate(sinks):
            moved = x * np.exp(-2j * np.pi * channel * places / n)
            wanted = [sum(padded[6 + k - 3 * m] * moved[k] for k in range(60) if 0 <= 6 + k - 3 * m < 9) for m in range(20)]
            np.testing.assert_allclose(sink.data(), wanted, atol=1e-4)

    def test_a_stream_comes_from_a_connection(self):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        source = network.tcp_source.tcp_source(gr.sizeof_float, "127.0.0.1", port, True)
        wanted = np.arange(1000, dtype="f4")

        def send():
            with socket.create_connection(("127.0.0.1", port)) as other:
                data = wanted.tobytes()
                other.sendall(data[:1001])
                other.sendall(data[1001:])

        sender = threading.Thread(target=send)
        sender.start()
        tb, sink = gr.top_block(), blocks.vector_sink_f()
        tb.connect(source, sink)
        tb.run()
        sender.join()
        self.assertEqual(sink.data(), wanted.tolist())

    def test_a_function_changes_what_companion_says(self):
        import time

        import pmt
        from gnuradio import pdu

        message = pmt.cons(pmt.dict_add(pmt.make_dict(), pmt.intern("key"), pmt.from_long(2)), pmt.init_f32vector(2, [1.0, 2.0]))
        for mode, function, wanted in (
            ("UVEC", lambda x: np.complex64(x * 1j), [2, [1j, 2j]]),
            ("META", lambda x: x + 5, [7, [1.0, 2.0]]),
            ("RAW", lambda x: pmt.cons(pmt.car(x), pmt.init_u8vector(1, [9])), [2, [9]]),
        ):
            block, sink = pdu.pdu_lambda(function, mode, pmt.intern("key")), blocks.message_debug()
            tb = gr.top_block()
            tb.msg_connect(block, "pdu", sink, "store")
            tb.start()
            block.to_basic_block()._post(pmt.intern("pdu"), message)
            deadline = time.monotonic() + 20
            while not sink.num_messages() and time.monotonic() < deadline:
                time.sleep(0.01)
            tb.stop()
            tb.wait()
            given = sink.get_message(0)
            entry = pmt.to_long(pmt.dict_ref(pmt.car(given), pmt.intern("key"), pmt.PMT_NIL))
            self.assertEqual([entry, pmt.to_python(pmt.cdr(given)).tolist()], wanted)
        with self.assertRaisesRegex(ValueError, "UVEC, META or RAW"):
            pdu.pdu_lambda(None, "ALL")

    def test_rates_of_errors_follow_the_last_symbols(self):
        a, b = [0, 3, 1, 2, 2, 2], [0, 0, 1, 3, 2, 2]
        for kind, wanted in (("BER", [0, 0.5, 0.5, 0.25, 0.25, 0]), ("SER", [0, 0.5, 0.5, 0.5, 0.5, 0])):
            tb, sink, block = gr.top_block(), blocks.vector_sink_f(), error_rate(kind, 2, 2)
            tb.connect(blocks.vector_source_b(a), (block, 0))
            tb.connect(blocks.vector_source_b(b), (block, 1))
            tb.connect(block, sink)
            tb.run()
            self.assertEqual(sink.data(), wanted)


if __name__ == "__main__":
    unittest.main()
