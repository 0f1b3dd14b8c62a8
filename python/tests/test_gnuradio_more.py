"""Blocks that are made in Python. Values are those of GNU Radio 3.10.5, unless docs/differences.md says otherwise."""

import tempfile
import time
import unittest
from pathlib import Path

import numpy as np

import superhet.gnuradio

superhet.gnuradio.install(shadow=True)

import pmt  # noqa: E402
from gnuradio import analog, blocks, digital, filter, gr, network, wavelet  # noqa: E402

LIMIT_S = 60


def run(block, source, sink):
    tb = gr.top_block()
    tb.connect(source, block, sink)
    tb.run()
    return sink.data()


def messages(make, count=1):
    """The messages that a flowgraph keeps, which `make` puts together around the sink of them."""
    tb, debug = gr.top_block(), blocks.message_debug()
    make(tb, debug)
    tb.start()
    end = time.monotonic() + LIMIT_S
    while debug.num_messages() < count and time.monotonic() < end:
        time.sleep(0.01)
    tb.stop()
    tb.wait()
    return [debug.get_message(at) for at in range(debug.num_messages())]


class Framing(unittest.TestCase):
    CODE = "1010101111001101"

    def headers(self, form):
        packets = blocks.stream_to_tagged_stream(1, 1, 3, "packet_len")
        sink, tb = blocks.vector_sink_b(), gr.top_block()
        tb.connect(blocks.vector_source_b([1, 2, 3, 4, 5, 6]), packets, digital.protocol_formatter_bb(form, "packet_len"), sink)
        tb.run()
        return sink

    def parsed(self, form, data, count):
        bits = np.unpackbits(np.array(list(data), "u1")).tolist()

        def make(tb, debug):
            parser = digital.protocol_parser_b(form)
            tb.connect(blocks.vector_source_b([0] * 7 + bits + [0] * 80), parser)
            tb.msg_connect(parser, "info", debug, "store")

        return [pmt.to_python(message) for message in messages(make, count)]

    def test_headers_are_written_and_read(self):
        for form, first, second, said in (
            (digital.header_format_default(self.CODE, 0), "abcd00030003", "abcd00030003", {"payload symbols": 24}),
            (digital.header_format_counter(self.CODE, 0, 2), "abcd0003000300020000", "abcd0003000300020001",
             {"payload symbols": 12, "bps": 2, "counter": 0}),
        ):
            sink = self.headers(form)
            self.assertEqual(bytes(sink.data()).hex(), first + second)
            self.assertEqual([(t.offset, pmt.to_long(t.value)) for t in sink.tags()], [(0, form.header_nbytes()), (form.header_nbytes(), form.header_nbytes())])
            self.assertEqual(form.header_nbits(), 8 * form.header_nbytes())
            self.assertEqual(self.parsed(form, [*bytes.fromhex(first), 1, 2, 3], 1)[0], said)

    def test_headers_with_a_checksum(self):
        form = digital.header_format_crc("packet_len", "packet_num")
        self.assertEqual(bytes(self.headers(form).data()).hex(), "030000eb031000fe")
        found, done = form.find(np.unpackbits(np.frombuffer(bytes.fromhex("031000fe"), "u1")).tolist())
        self.assertEqual((pmt.to_python(found[0]), done), ({"packet_len": 3, "packet_num": 1}, 32))
        wrong, _ = form.find(np.unpackbits(np.frombuffer(bytes.fromhex("031000ff"), "u1")).tolist())
        self.assertTrue(pmt.eq(wrong[0], pmt.PMT_F))

    def test_headers_for_ofdm_fill_their_carriers(self):
        # As GNU Radio 3.10.5 writes them, and what it reads of them.
        form = digital.header_format_ofdm([list(range(48))], 1, "packet_len", "frame_len", "packet_num", 1, 2)
        self.assertEqual((form.header_nbits(), form.header_nbytes()), (48, 6))
        self.assertEqual(list(self.headers(form).data()), [3, 0, 0, 235, 0, 0, 3, 16, 0, 254, 0, 0])
        written = bytes([100, 0, 0, 220, 0, 0, 7, 16, 0, 166, 0, 0])
        found, done = form.find(np.unpackbits(np.frombuffer(written, "u1")).tolist())
        said = [pmt.to_python(message) for message in found]
        self.assertEqual(said, [{"packet_len": 400, "packet_num": 0, "frame_len": 9}, {"packet_len": 28, "packet_num": 1, "frame_len": 1}])
        self.assertEqual(done, 96)
        for bad in ([[]], [[1, 2, 3]], []):
            with self.assertRaisesRegex(ValueError, "header_format_ofdm: expected carriers"):
                digital.header_format_ofdm(bad, 1)

    def test_an_access_code_with_wrong_bits_is_found_within_the_threshold(self):
        data = bytes.fromhex("abcf00030003")
        self.assertEqual(self.parsed(digital.header_format_default(self.CODE, 1), data, 1)[0], {"payload symbols": 24})
        form = digital.header_format_default(self.CODE, 0)
        found, _ = form.find(np.unpackbits(np.frombuffer(data, "u1")).tolist())
        self.assertEqual(found, [])
        with self.assertRaises(RuntimeError):
            digital.header_format_default("102", 0)

    def test_packets_get_headers_and_checksums(self):
        packet = pmt.cons(pmt.make_dict(), pmt.init_u8vector(9, list(b"123456789")))

        def formatted(tb, debug):
            form = digital.protocol_formatter_async(digital.header_format_default(self.CODE, 0))
            tb.msg_connect(form, "header", debug, "store")
            form._post(pmt.intern("in"), packet)

        self.assertEqual(bytes(pmt.to_python(pmt.cdr(messages(formatted)[0]))).hex(), "abcd00090009")

        def checked(tb, debug):
            appends, checks = digital.crc16_async_bb(False), digital.crc16_async_bb(True)
            tb.msg_connect(appends, "out", debug, "store")
            tb.msg_connect(appends, "out", checks, "in")
            tb.msg_connect(checks, "out", debug, "store")
            appends._post(pmt.intern("in"), packet)

        found = [bytes(pmt.to_python(pmt.cdr(message))) for message in messages(checked, 2)]
        # The check value of CRC-16 with these settings is 0x29B1.
        self.assertEqual(sorted(found), sorted([b"123456789", b"123456789\x29\xb1"]))

    def test_bytes_are_modulated_at_once(self):
        found = digital.modulate_vector_bc(digital.gfsk_mod(2, 1.0, 0.35), [0x55, 0x0F], [1])
        self.assertEqual(len(found), 32)
        np.testing.assert_allclose(np.abs(found), 1, atol=0.01)

    def test_density_of_ones(self):
        probe, tb = digital.probe_density_b(0.1), gr.top_block()
        tb.connect(blocks.vector_source_b([1, 1, 0, 1]), probe)
        tb.run()
        self.assertAlmostEqual(probe.density(), 0.91)


class Blocks(unittest.TestCase):
    def test_a_constant_part_is_taken_off(self):
        found = run(blocks.correctiq(), blocks.vector_source_c([1 + 1j, 1 + 1j]), blocks.vector_sink_c())
        np.testing.assert_allclose(found, [0.99999 + 0.99999j, 0.99998 + 0.99998j], atol=1e-6)
        learning = blocks.correctiq_auto(100, 0, 0, 1)
        found = run(learning, blocks.vector_source_c([2 - 1j] * 200), blocks.vector_sink_c())
        np.testing.assert_allclose(found[100:], 0, atol=1e-6)

    def test_vectors_are_put_together_anew(self):
        mapper = blocks.vector_map(4, [2, 3], [[[0, 0], [1, 2]], [[1, 0]]])
        tb, sinks = gr.top_block(), [blocks.vector_sink_f(2), blocks.vector_sink_f(1)]
        tb.connect(blocks.vector_source_f(range(4), False, 2), (mapper, 0))
        tb.connect(blocks.vector_source_f(range(10, 16), False, 3), (mapper, 1))
        for port, sink in enumerate(sinks):
            tb.connect((mapper, port), sink)
        tb.run()
        self.assertEqual([sink.data() for sink in sinks], [[0.0, 12.0, 2.0, 15.0], [10.0, 13.0]])

    def test_items_pass_with_more_tags(self):
        data = list(range(10))
        for made in (blocks.annotator_alltoall(4, 4), blocks.annotator_1to1(4, 4)):
            sink = blocks.vector_sink_f()
            self.assertEqual(run(made, blocks.vector_source_f(data), sink), data)
            self.assertEqual([tag.offset for tag in sink.tags()], [0, 4, 8])
        raw, sink = blocks.annotator_raw(4), blocks.vector_sink_f()
        raw.add_tag(7, pmt.intern("a"), pmt.from_long(3))
        run(raw, blocks.vector_source_f(data), sink)
        self.assertEqual([(tag.offset, pmt.to_long(tag.value)) for tag in sink.tags()], [(7, 3)])
        self.assertEqual(run(blocks.host_buffer_copy(3), blocks.vector_source_c(data), blocks.vector_sink_c()), [0, 0, *data[:8]])

    def test_sockets_are_those_of_the_network(self):
        self.assertIs(blocks.socket_pdu, network.socket_pdu)

    def test_messages_of_names_and_values(self):
        def pairs(tb, debug):
            pair = blocks.meta_to_pair("rate", "speed")
            tb.msg_connect(pair, "outpair", debug, "store")
            meta = pmt.dict_add(pmt.make_dict(), pmt.intern("rate"), pmt.from_double(3.5))
            pair._post(pmt.intern("inmeta"), pmt.cons(meta, pmt.init_u8vector(1, [0])))

        self.assertEqual(pmt.to_python(messages(pairs)[0]), ("speed", 3.5))
        heard = []

        def variables(tb, debug):
            sends, takes = blocks.var_to_msg_pair("x"), blocks.msg_pair_to_var(heard.append)
            tb.msg_connect(sends, "msgout", takes, "inpair")
            tb.msg_connect(sends, "msgout", debug, "store")
            sends.variable_changed(7)

        messages(variables)
        self.assertEqual(heard, [7])
        strobe = blocks.message_strobe_random(pmt.intern("x"), blocks.STROBE_UNIFORM, 5, 2)
        self.assertGreater(len(messages(lambda tb, debug: tb.msg_connect(strobe, "strobe", debug, "store"), 3)), 2)
        self.assertEqual((strobe.mean(), strobe.std()), (5, 2))


class Filters(unittest.TestCase):
    def test_pairs_of_bytes_are_decimated(self):
        found = run(filter.ival_decimator(2, 1), blocks.vector_source_b(range(16)), blocks.vector_sink_b())
        self.assertEqual(found, [0, 1, 4, 5, 8, 9, 12, 13])

    def test_each_place_of_a_vector_has_its_filter(self):
        bank = filter.filterbank_vcvcf([[1, 2], [0, 1]])
        found = run(bank, blocks.vector_source_c(range(8), False, 2), blocks.vector_sink_c(2))
        self.assertEqual(found, [0, 0, 2, 1, 8, 3, 14, 5])
        bank.set_taps([[1], [1]])
        self.assertEqual(bank.taps(), [[1.0], [1.0]])

    def test_banks_split_a_band_and_put_it_together(self):
        tone = np.exp(2j * np.pi / 4 * np.arange(400))
        channels = run(filter.analysis_filterbank(4), blocks.vector_source_c(tone.tolist()), blocks.vector_sink_c(4))
        powers = (np.abs(np.reshape(channels, (-1, 4))[50:]) ** 2).mean(axis=0)
        self.assertGreater(powers.max(), 100 * sorted(powers)[-2])
        again = run(filter.synthesis_filterbank(4), blocks.vector_source_c(channels, False, 4), blocks.vector_sink_c())
        self.assertEqual(len(again), 400)

    def test_taps_of_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "taps.csv"
            path.write_text("restype,iir\nfiltertype,lpf\ntaps,1.0,0.5,-0.25\n")
            loader = filter.file_taps_loader(str(path), False)
        self.assertEqual((loader.get_taps(), loader.get_params()["filtertype"]), ([1.0, 0.5, -0.25], "lpf"))


class Analog(unittest.TestCase):
    def test_frequency_by_the_slope(self):
        for hz, expected in ((100, 15.0049), (-200, -28.0827), (300, 32.785)):
            tone = np.exp(2j * np.pi * hz / 1000 * np.arange(12)).tolist()
            found = run(analog.fmdet_cf(1000, -200, 200, 2.0), blocks.vector_source_c(tone), blocks.vector_sink_f())
            np.testing.assert_allclose(found[6:], expected, atol=1e-3)

    def test_stereo_is_taken_apart(self):
        rate, seconds = 240_000, 0.5
        t = np.arange(int(rate * seconds)) / rate
        left, right = 0.4 * np.sin(2 * np.pi * 1000 * t), np.zeros_like(t)
        pilot = 2 * np.pi * 19_000 * t
        sent = (left + right) / 2 * 2 + (left - right) / 2 * 2 * np.sin(2 * pilot) + 0.1 * np.sin(pilot)
        samples = np.exp(2j * np.pi * 75e3 / rate * np.cumsum(sent * 0.9)).astype("c8")
        for make in (lambda: analog.wfm_rcv_pll(rate, 5, 75e-6), lambda: analog.wfm_rcv_fmdet(rate, 5)):
            tb, receiver, sinks = gr.top_block(), make(), [blocks.vector_sink_f(), blocks.vector_sink_f()]
            tb.connect(blocks.vector_source_c(samples.tolist()), receiver)
            for port, sink in enumerate(sinks):
                tb.connect((receiver, port), sink)
            tb.run()
            loud, quiet = (np.std(sink.data()[12_000:]) for sink in sinks)
            self.assertGreater(loud, 8 * quiet, make)

    def test_tones_and_squelches(self):
        tb, sink = gr.top_block(), blocks.vector_sink_f()
        tb.connect(analog.ctcss_gen_f(1000, 100), blocks.head(4, 4), sink)
        tb.run()
        np.testing.assert_allclose(sink.data(), [0, 0.05878, 0.09511, 0.09511], atol=1e-4)
        n = np.arange(4000)
        voice, noise = np.sin(0.1 * n), np.random.default_rng(1).normal(size=4000)
        for sound, is_heard in ((voice, True), (np.sign(noise) * (-1.0) ** n, False)):
            squelch = analog.standard_squelch(8000)
            squelch.set_threshold(0.01)
            found = run(squelch, blocks.vector_source_f(sound.tolist()), blocks.vector_sink_f())
            self.assertEqual(np.abs(found[2000:]).max() > 0.5, is_heard)
        self.assertEqual(squelch.squelch_range(), (0.0, 1.0, 0.01))


class Spectra(unittest.TestCase):
    def test_powers_of_spectra(self):
        from gnuradio.fft import logpwrfft

        n = np.arange(64)
        tone = (2 * np.exp(2j * np.pi * 4 / 16 * n)).tolist()
        found = run(logpwrfft.logpwrfft_c(64, 16, 2.0, 2, 0.5, True), blocks.vector_source_c(tone), blocks.vector_sink_f(16))
        np.testing.assert_allclose(found[:5], [-70.07, -30.79, -12.58, -3.22, -0.29], atol=0.01)
        block = logpwrfft.logpwrfft_f(64, 16, 2.0, 2, 0.5, True)
        found = run(block, blocks.vector_source_f(np.real(tone).tolist()), blocks.vector_sink_f(16))
        np.testing.assert_allclose(found[:5], [-73.08, -36.81, -18.6, -9.24, -6.31], atol=0.01)
        block.set_average(False)
        self.assertEqual((block.average(), block.avg_alpha(), block.sample_rate()), (False, 0.5, 64))


class Registers(unittest.TestCase):
    def test_a_sequence_is_made_and_checked(self):
        tb, sink, check = gr.top_block(), blocks.vector_sink_s(), blocks.check_lfsr_32k_s()
        source, head = blocks.lfsr_32k_source_s(), blocks.head(2, 40_000)
        tb.connect(source, head, sink)
        tb.connect(head, check)
        tb.run()
        self.assertEqual(sink.data()[:8], [16383, 4096, 3072, 1280, 960, 272, 204, -16299])
        self.assertEqual(sink.data()[32767:32775], sink.data()[:8])
        self.assertEqual((check.ntotal(), check.nright(), check.runlength()), (40_000, 40_000, 40_000))

    def test_samples_are_correlated_with_a_sequence(self):
        tone = np.exp(1j * np.arange(64)).tolist()
        found = run(digital.pn_correlator_cc(4), blocks.vector_source_c(tone), blocks.vector_sink_c())
        np.testing.assert_allclose(found, [-0.2013 + 0.1437j, 0.2951 - 0.1889j, -0.3122 + 0.2186j, 0.4604 - 0.0424j], atol=1e-4)

    def test_framed_packets_go_into_a_queue(self):
        def header(place, length):
            return [(place << 12 | length) >> (15 - bit) & 1 for bit in range(16)]

        payload = [1, 0, 1, 0, 1, 0, 1, 0, 1, 1, 1, 1, 0, 0, 0, 0]
        for first, second, expected in (((3, 2), (3, 2), (3.0, b"\xaa\xf0")), ((0, 2), (0, 3), None), ((0, 0), (0, 0), (0.0, b""))):
            queue, tb = gr.msg_queue(), gr.top_block()
            bits = header(*first) + header(*second)
            bits = [0] * 5 + [bits[0] | 2] + bits[1:] + payload + [0] * 20
            tb.connect(blocks.vector_source_b(bits), digital.framer_sink_1(queue))
            tb.run()
            message = queue.delete_head_nowait()
            self.assertEqual(message and (message.arg1(), message.to_string()), expected)

    def test_sequences(self):
        register = digital.lfsr(0x19, 1, 3)
        self.assertEqual([register.next_bit() for _ in range(20)], [1, 0, 0, 0, 1, 1, 1, 1, 0, 1, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1])
        register = digital.lfsr(0x8A, 0x7F, 7)
        self.assertEqual([register.next_bit_scramble(1) for _ in range(10)], [1, 1, 1, 1, 1, 1, 1, 0, 1, 0])
        register.reset()
        self.assertEqual([register.next_bit_descramble(1) for _ in range(10)], [1, 0, 0, 0, 1, 0, 1, 0, 0, 0])
        self.assertEqual(digital.utils.lfsr_args(0b11001, 7, 1, 0), (131, 25, 6))


class Wavelets(unittest.TestCase):
    def test_values(self):
        data = [1, 2, 3, 4, 5, 6, 7, 9]
        for order, expected in (
            (4, [13.0815, -4.929, -0.1462, -4.0009, 0.0, 0.0, -0.483, -3.0526]),
            (8, [13.0815, 1.4094, 2.9809, -3.9989, -0.2304, -4.5066, 1.5822, -0.3807]),
        ):
            transform = wavelet.wavelet_ff(8, order, True)
            found = run(transform, blocks.vector_source_f(data, False, 8), blocks.vector_sink_f(8))
            np.testing.assert_allclose(found, expected, atol=1e-3)
            again = run(wavelet.wavelet_ff(8, order, False), blocks.vector_source_f(found, False, 8), blocks.vector_sink_f(8))
            np.testing.assert_allclose(again, data, atol=1e-4)
        powers = run(wavelet.wvps_ff(8), blocks.vector_source_f([1, 2, 3, 4, 5, 6, 7, 9], False, 8), blocks.vector_sink_f(3))
        self.assertEqual(powers, [4.0, 25.0, 191.0])
        squash = wavelet.squash_ff([1, 2, 3, 4], [1, 1.5, 2, 2.5, 4])
        found = run(squash, blocks.vector_source_f([1, 4, 9, 16], False, 4), blocks.vector_sink_f(5))
        np.testing.assert_allclose(found, [1.0, 2.35, 4.0, 6.2, 16.0], atol=1e-5)


class Nothing(unittest.TestCase):
    def test_a_block_that_does_nothing_takes_and_gives_any_number_of_streams(self):
        tb, sinks, nop = gr.top_block(), [blocks.vector_sink_f() for _ in range(2)], blocks.nop(gr.sizeof_float)
        kept = blocks.vector_sink_f()
        for port in range(3):
            source = blocks.vector_source_f([1, 2, 3])
            tb.connect(source, (nop, port))
            if port == 0:
                tb.connect(source, kept)
        for port, sink in enumerate(sinks):
            tb.connect((nop, port), sink)
        tb.run()
        self.assertEqual((kept.data(), [sink.data() for sink in sinks]), ([1, 2, 3], [[], []]))
        with self.assertRaises(ValueError):
            blocks.nop(0)


class Rates(unittest.TestCase):
    def test_a_rate_that_grows_once_and_one_that_shrinks_once(self):
        for step, wanted in ((0.5, list(range(40))), (-0.3, [4, 9, 14, 19, 24, 29, 34, 39])):
            tb, sink = gr.top_block(), blocks.vector_sink_f()
            tb.connect(blocks.vector_source_f(list(range(40))), blocks.test_tag_variable_rate_ff(True, step), sink)
            tb.run()
            self.assertEqual(sink.data(), wanted)


if __name__ == "__main__":
    unittest.main()
