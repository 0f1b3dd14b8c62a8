"""What GNU Radio's blocks say of themselves, and how they take messages, tags and packets of vectors: values of GNU Radio 3.10.5."""

import datetime
import os
import tempfile
import time
import unittest

import superhet.gnuradio

superhet.gnuradio.install(shadow=True)

import numpy as np  # noqa: E402
import pmt  # noqa: E402
from gnuradio import analog, blocks, digital, filter, gr, pdu  # noqa: E402, A004


def tag(offset, key, value, srcid=None):
    made = gr.tag_t()
    made.offset, made.key, made.value = offset, pmt.intern(key), pmt.to_pmt(value)
    if srcid:
        made.srcid = pmt.intern(srcid)
    return made


def tags_of(sink):
    return [(found.offset, pmt.to_python(found.key), pmt.to_python(found.value)) for found in sink.tags()]


def run(source, *parts, sink):
    tb = gr.top_block()
    tb.connect(source, *parts, sink)
    tb.run()
    return sink


class Names(unittest.TestCase):
    def test_blocks_are_numbered_by_their_name(self):
        first, second = blocks.add_const_vcc([1, 2]), blocks.add_const_vcc([1, 2])
        self.assertEqual(first.name(), "add_const_vcc")
        self.assertEqual(second.symbolic_id(), first.symbolic_id() + 1)
        self.assertEqual(second.symbol_name(), f"add_const_vcc{second.symbolic_id()}")
        self.assertEqual(second.identifier(), f"add_const_vcc({second.unique_id()})")
        number = second.symbolic_id()
        del second
        self.assertEqual(blocks.add_const_vcc([1, 2]).symbolic_id(), number)

    def test_signatures_are_known_before_the_start(self):
        for block, sizes in (
            (filter.fir_filter_ccf(1, [1]), (8, 8)),
            (blocks.complex_to_mag(3), (24, 12)),
            (blocks.float_to_int(), (4, 4)),
            (digital.chunks_to_symbols_bf([1, 2]), (1, 4)),
            (digital.ofdm_serializer_vcc(8, [[1]], "len"), (64, 8)),
        ):
            found = (block.input_signature().sizeof_stream_item(0), block.output_signature().sizeof_stream_item(0))
            self.assertEqual(found, sizes, block.name())

    def test_wrong_connections_are_told_at_once(self):
        tb, source, sink = gr.top_block(), blocks.null_source(8), blocks.null_sink(8)
        tb.connect(source, sink)
        for ends, text in (
            ((source, sink), "already in use by edge null_source"),
            (((source, 0), (blocks.head(8, 1), 1)), "exceeds max of 0"),
            (((source, -1), blocks.head(8, 1)), "negative port number -1"),
            ((source,), "must not have any input or output ports"),
            ((), "At least one block"),
        ):
            with self.assertRaisesRegex(ValueError, text):
                tb.connect(*ends)
        inner = gr.hier_block2("inner", gr.io_signature(1, 1, 8), gr.io_signature(1, 1, 8))
        with self.assertRaisesRegex(ValueError, "cannot be the same"):
            inner.connect(inner, inner)
        tb = gr.top_block()
        tb.connect(blocks.null_source(8), inner, blocks.null_sink(8))
        with self.assertRaisesRegex(RuntimeError, "not connected internally"):
            tb.run()

    def test_lines_of_loggers_are_kept_with_their_time(self):
        kept = gr.dictionary_logger_backend()
        gr.logging().add_default_sink(kept)
        logger = gr.logger("peers")
        logger.info("one")
        logger.error("two")
        lines = kept.get_map()["peers"]
        self.assertEqual([text for _, text in lines], ["one", "two"])
        self.assertIsInstance(lines[0][0], datetime.datetime)

    def test_angles_are_whole_numbers(self):
        self.assertEqual(gr.fxpt.float_to_fixed(np.pi / 2), 1 << 30)
        self.assertAlmostEqual(gr.fxpt.fixed_to_float(-(1 << 31)), -np.pi)
        oscillator = gr.fxpt_nco()
        oscillator.set_phase(3.0)
        oscillator.set_freq(0.2)
        oscillator.step(2)
        self.assertAlmostEqual(oscillator.get_phase(), 3.4 - 2 * np.pi, places=6)
        self.assertAlmostEqual(oscillator.cos(), np.cos(3.4), places=6)


class Packets(unittest.TestCase):
    """Tags with lengths count vectors where a stream is one of vectors."""

    def test_a_packet_of_vectors_has_its_length_in_vectors(self):
        found = run(
            blocks.vector_source_c(range(16), False, 4), blocks.stream_to_tagged_stream(8, 4, 2, "n"), sink=blocks.vector_sink_c(4)
        )
        self.assertEqual(tags_of(found), [(0, "n", 2), (2, "n", 2)])
        # A key that no block takes for a length is just a number.
        found = run(blocks.vector_source_c(range(16), False, 4, [tag(0, "n", 4)]), sink=blocks.vector_sink_c(4))
        self.assertEqual(tags_of(found), [(0, "n", 4)])

    def test_symbols_of_ofdm_come_and_go_as_vectors(self):
        source = blocks.vector_source_c(range(16), False, 4, [tag(0, "n", 4)])
        found = run(source, digital.ofdm_cyclic_prefixer(4, 6, 0, "n"), sink=blocks.vector_sink_c())
        self.assertEqual((len(found.data()), tags_of(found)), (24, [(0, "n", 24)]))
        source = blocks.vector_source_c(range(32), False, 8, [tag(0, "n", 4), tag(0, "m", 5)])
        found = run(source, digital.ofdm_serializer_vcc(8, [[-1, 2, 3]], "n", "m", 0, "", True), sink=blocks.vector_sink_c())
        self.assertEqual(found.data(), [3, 6, 7, 11, 14])
        source = blocks.vector_source_c(range(12), False, 1, [tag(0, "n", 6), tag(6, "n", 6)])
        allocator = digital.ofdm_carrier_allocator_cvc(8, [[1, 2, 3]], [[-1]], [[7]], [[1] * 8], "n")
        self.assertEqual(allocator.occupied_carriers(), [[5, 6, 7]])
        self.assertEqual(tags_of(run(source, allocator, sink=blocks.vector_sink_c(8))), [(0, "n", 3), (3, "n", 3)])

    def test_packets_of_vectors_are_put_together(self):
        tb, mux, sink = gr.top_block(), blocks.tagged_stream_mux(32, "n"), blocks.vector_sink_c(4)
        for port in range(2):
            tb.connect(blocks.vector_source_c(range(8), False, 4, [tag(0, "n", 2)]), (mux, port))
        tb.connect(mux, sink)
        tb.run()
        self.assertEqual((tags_of(sink), len(sink.data())), ([(0, "n", 4)], 16))

    def test_tags_have_the_source_that_they_have_there(self):
        source = blocks.vector_source_b([0, 0, 1, 0, 1, 1, 0, 0], False, 1, [tag(1, "a", 1), tag(2, "b", 2, "me")])
        finder = digital.correlate_access_code_tag_bb("1011", 0, "sync")
        sink = run(source, finder, sink=blocks.vector_sink_b())
        sources = {pmt.to_python(found.key): found.srcid for found in sink.tags()}
        self.assertTrue(pmt.eq(sources["a"], pmt.PMT_F))
        self.assertEqual(pmt.to_python(sources["b"]), "me")
        self.assertEqual(pmt.to_python(sources["sync"]), f"{finder.name()}{finder.unique_id()}")

    def test_what_the_program_says_of_a_header_is_heard_after_the_stream(self):
        data = [0, 0, 0, 1, 2, 3, *range(5, 15), *([0] * 20)]
        demux = digital.header_payload_demux(3, 1, 0, "frame_len", "detect", False, gr.sizeof_float)
        tb, header, payload = gr.top_block(), blocks.vector_sink_f(), blocks.vector_sink_f()
        tb.connect(blocks.vector_source_f(data, False, 1, [tag(3, "detect", True)]), demux, header)
        tb.connect((demux, 1), payload)
        tb.start()
        self.wait_for(lambda: len(header.data()) == 3)
        demux.to_basic_block()._post(pmt.intern("header_data"), pmt.from_long(10))
        self.wait_for(lambda: len(payload.data()) == 10)
        tb.stop()
        tb.wait()
        self.assertEqual(payload.data(), list(range(5, 15)))
        # What comes later is lost, as there.
        demux.to_basic_block()._post(pmt.intern("header_data"), pmt.from_long(10))

    def wait_for(self, what):
        deadline = time.monotonic() + 30
        while not what():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)


class Messages(unittest.TestCase):
    def test_settings_change_by_messages_before_the_start(self):
        turn, shift = pmt.cons(pmt.intern("inc"), pmt.from_double(np.pi)), pmt.cons(pmt.intern("freq"), pmt.from_double(0.5))
        ones, xlating = blocks.vector_source_c, filter.freq_xlating_fir_filter_ccf(1, [1], 0, 1)
        for block, port, message, source, sink, want in (
            (blocks.copy(4), "en", pmt.PMT_F, blocks.vector_source_f([1, 2]), blocks.vector_sink_f(), []),
            (blocks.rotator_cc(0.0), "cmd", turn, ones([1, 1]), blocks.vector_sink_c(), [1, -1]),
            (xlating, "freq", shift, ones([1, 1]), blocks.vector_sink_c(), [1, -1]),
        ):
            self.assertIn(port, pmt.to_python(block.message_ports_in()))
            block.to_basic_block()._post(pmt.intern(port), message)
            np.testing.assert_allclose(run(source, block, sink=sink).data(), want, atol=1e-5)
        source = analog.sig_source_f(1, analog.GR_CONST_WAVE, 0, 1)
        source.to_basic_block()._post(pmt.intern("cmd"), pmt.dict_add(pmt.make_dict(), pmt.intern("ampl"), pmt.from_double(5)))
        self.assertEqual(run(source, blocks.head(4, 2), sink=blocks.vector_sink_f()).data(), [5, 5])

    def test_settings_change_by_messages_of_other_blocks(self):
        tb, selector, level = gr.top_block(), blocks.selector(4, 0, 0), blocks.probe_signal_f()
        self.assertEqual((level.level(), selector.enabled()), (0.0, True))
        for port, value in enumerate((3.0, 7.0)):
            tb.connect(blocks.vector_source_f([value], True), blocks.throttle(4, 1e5), (selector, port))
        tb.connect(selector, level)
        tb.msg_connect(blocks.message_strobe(pmt.from_long(1), 5), "strobe", selector, "iindex")
        tb.start()
        Packets.wait_for(self, lambda: level.level() == 7.0)
        tb.stop()
        tb.wait()
        self.assertEqual(selector.input_index(), 1)

    def test_dictionaries_are_equal_in_any_order(self):
        a, b = pmt.intern("a"), pmt.intern("b")
        one = pmt.dict_add(pmt.dict_add(pmt.make_dict(), a, pmt.PMT_T), b, pmt.PMT_F)
        other = pmt.dict_add(pmt.dict_add(pmt.make_dict(), b, pmt.PMT_F), a, pmt.PMT_T)
        self.assertTrue(pmt.equal(pmt.cons(one, pmt.PMT_NIL), pmt.cons(other, pmt.PMT_NIL)))
        self.assertFalse(pmt.equal(one, pmt.dict_add(other, a, pmt.PMT_F)))
        self.assertFalse(pmt.equal(one, pmt.dict_delete(other, a)))

    def test_a_strobe_sends_what_it_was_told_last(self):
        tb, strobe, kept = gr.top_block(), blocks.message_strobe(pmt.intern("x"), 5), blocks.message_debug()
        tb.msg_connect(strobe, "strobe", kept, "store")
        tb.start()
        strobe.to_basic_block()._post(pmt.intern("set_msg"), pmt.intern("y"))
        Packets.wait_for(self, lambda: kept.num_messages() and pmt.to_python(kept.get_message(kept.num_messages() - 1)) == "y")
        tb.stop()
        tb.wait()
        with self.assertRaisesRegex(ValueError, "period"):
            strobe.set_period(0)


class Values(unittest.TestCase):
    def test_checksums_of_any_polynomial(self):
        self.assertEqual(digital.crc(32, 0x4C11DB7, 0xFFFFFFFF, 0xFFFFFFFF, True, True).compute(list(b"123456789")), 0xCBF43926)
        self.assertEqual(digital.crc(16, 0x1021, 0xFFFF, 0, False, False).compute(b"123456789"), 0x29B1)
        with self.assertRaisesRegex(RuntimeError, "between 8 and 64"):
            digital.crc(7, 1, 0, 0)

    def test_gains_of_a_clock_follow_from_its_bandwidth(self):
        clock = digital.symbol_sync_ff(digital.TED_GARDNER, 4, 0.02, 0.8, 0.3)
        self.assertAlmostEqual(clock.alpha(), 0.10498, places=5)
        self.assertAlmostEqual(clock.beta(), 0.0013125, places=6)
        self.assertEqual(digital.glfsr_source_b(8).mask(), 142)

    def test_a_ratio_of_signal_to_noise_can_be_asked_for(self):
        draw = np.random.default_rng(1)
        noisy = draw.choice([-1, 1], 5000) + 0.1 * (draw.standard_normal(5000) + 1j * draw.standard_normal(5000))
        estimator = digital.mpsk_snr_est_cc(digital.SNR_EST_M2M4, 1000, 0.001)
        sink = run(blocks.vector_source_c(noisy), estimator, sink=blocks.vector_sink_c())
        self.assertEqual(len(sink.tags()), 4)
        # Noise of 0.02 below a signal of 1: 17 dB.
        self.assertLess(abs(estimator.snr() - 17), 2)

    def test_access_codes_are_looked_at(self):
        finder = digital.correlate_access_code_bb("1011", 0)
        self.assertTrue(finder.set_access_code("101"))
        self.assertFalse(finder.set_access_code("1" * 65))
        self.assertFalse(finder.set_access_code(""))

    def test_steps_of_equalizers_can_be_asked_for(self):
        points = digital.constellation_bpsk().base()
        lms, cma = digital.adaptive_algorithm_lms(points, 0.1), digital.adaptive_algorithm_cma(points, 0.1, 2.0)
        self.assertEqual((lms.error_dd(0.5, 1), cma.error_dd(0.5, 1), cma.error(1)), (0.5, -0.875, -1))
        self.assertAlmostEqual(lms.update_tap(1, 1j, 0.2, 0.5), 1 - 0.02j)
        self.assertAlmostEqual(cma.update_tap(1, 1j, 0.2, 0.5), 1 + 0.02j)

    def test_a_matrix_has_the_shape_of_the_one_before(self):
        block = blocks.multiply_matrix_ff([[1, 0], [0, 1]])
        self.assertTrue(block.set_A([[1, 2], [3, 4]]))
        self.assertFalse(block.set_A([[1, 2, 3]]))
        self.assertEqual(block.get_A(), [[1, 2], [3, 4]])

    def test_two_ends_of_a_stream_are_both_reached(self):
        tb, source = gr.top_block(), analog.sig_source_f(1, analog.GR_CONST_WAVE, 0, 2)
        sinks = [blocks.vector_sink_f() for _ in range(2)]
        for sink, items in zip(sinks, (5, 7)):
            tb.connect(source, blocks.head(4, items), sink)
        tb.run()
        self.assertEqual([len(sink.data()) for sink in sinks], [5, 7])

    def test_headers_of_files_are_read(self):
        from gnuradio.blocks import parse_file_metadata

        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "meta.bin")
            sink = blocks.file_meta_sink(8, path, 1e5, 1, blocks.GR_FILE_FLOAT, True, 1000, pmt.make_dict(), False)
            run(blocks.vector_source_c(range(50), False, 1, [tag(10, "a", 4)]), sink=sink)
            with open(path, "rb") as file:
                header = pmt.deserialize_str(file.read(parse_file_metadata.HEADER_LENGTH))
            found = parse_file_metadata.parse_header(header, False)
            self.assertEqual((found["type"], found["cplx"], found["nitems"], found["rx_rate"]), ("float", True, 10, 1e5))
            with self.assertRaisesRegex(RuntimeError, "no entry rx_time"):
                parse_file_metadata.parse_header(pmt.make_dict())
            with self.assertRaisesRegex(RuntimeError, "can't open file"):
                blocks.file_sink(4, os.path.join(folder, "none", "x"))
        self.assertEqual(pdu.EARLY_BURST_APPEND, 0)


if __name__ == "__main__":
    unittest.main()
