"""Modulators, demodulators and OFDM by GNU Radio's names, run by superhet."""

import time
import unittest
from pathlib import Path

import numpy as np

import superhet.gnuradio

superhet.gnuradio.install(shadow=True)

import pmt  # noqa: E402
from gnuradio import analog, blocks, channels, digital, gr  # noqa: E402
from gnuradio import pdu as pdus  # noqa: E402

LENGTH = 96


def tag(offset, key, value=True):
    made = gr.tag_t()
    made.offset, made.key, made.value = offset, pmt.intern(key), pmt.to_pmt(value)
    return made


class Answers(gr.basic_block):
    """Answers each header by what is next in a list."""

    def __init__(self, header_len, answers):
        gr.basic_block.__init__(self, "answers", [np.float32], [])
        self.header_len, self.answers, self.there = header_len, iter(answers), 0
        self.message_port_register_out(pmt.intern("out"))

    def general_work(self, input_items, output_items):
        self.there += len(input_items[0])
        while self.there >= self.header_len:
            self.there -= self.header_len
            self.message_port_pub(pmt.intern("out"), pmt.to_pmt(next(self.answers)))
        self.consume(0, len(input_items[0]))
        return 0


class Ofdm(unittest.TestCase):
    def loopback(self, offset=0.0, taps=(1.0,), noise=0.0, **settings):
        """How many packets come through, and whether all are right."""
        data = np.random.default_rng(5).integers(0, 256, 30 * LENGTH, np.uint8)
        tb = gr.top_block()
        key = "packet_length"
        tx, rx = digital.ofdm_tx(packet_length_tag_key=key, **settings), digital.ofdm_rx(packet_length_tag_key=key, **settings)
        source, sink = blocks.vector_source_b(data.tolist()), blocks.vector_sink_b()
        packets = blocks.stream_to_tagged_stream(gr.sizeof_char, 1, LENGTH, key)
        channel = channels.channel_model(noise, offset / 64, 1.0, list(taps), 1)
        tb.connect(source, packets, tx, channel, rx, sink)
        tb.run()
        received = np.array(sink.data(), np.uint8)
        lengths = [pmt.to_python(t.value) for t in sink.tags() if pmt.symbol_to_string(t.key) == key]
        whole = len(received) // LENGTH
        known = {bytes(packet) for packet in data.reshape(-1, LENGTH)}
        self.assertEqual(lengths, [LENGTH] * whole)
        self.assertTrue(all(bytes(packet) in known for packet in received.reshape(-1, LENGTH)))
        return whole

    def test_packets_come_through(self):
        self.assertGreaterEqual(self.loopback(), 29)

    def test_packets_come_through_a_channel_that_shifts_phase_time_and_frequency(self):
        for offset in (0.3, 2.1, -2.2):
            self.assertGreaterEqual(self.loopback(offset, (0.4 * np.exp(0.6j), 0.1j), 0.01, scramble_bits=True), 28, offset)

    def test_headers_and_payloads_have_other_modulations_too(self):
        self.assertGreaterEqual(self.loopback(bps_header=2, bps_payload=2), 29)
        self.assertGreaterEqual(self.loopback(bps_payload=3, scramble_bits=True), 29)

    def test_what_does_not_fit_together_is_refused(self):
        for settings in ({"sync_word1": [1] * 10}, {"bps_payload": 4}, {"rolloff": 20}):
            with self.assertRaises(ValueError):
                digital.ofdm_tx(**settings)
        with self.assertRaises(ValueError):
            digital.packet_header_ofdm([[]], 1)


class HeaderPayload(unittest.TestCase):
    def demux(self, tags, answers, header_len, **settings):
        tb = gr.top_block()
        source = blocks.vector_source_f(list(range(60)), False, 1, tags)
        block = digital.header_payload_demux(
            header_len, length_tag_key="len", trigger_tag_key="trigger", itemsize=gr.sizeof_float, **settings
        )
        vlen = settings.get("items_per_symbol", 1) if settings.get("output_symbols") else 1
        headers, payloads = blocks.vector_sink_f(vlen), blocks.vector_sink_f(vlen)
        parser = Answers(header_len * settings.get("items_per_symbol", 1), answers)
        tb.connect(source, block)
        tb.connect((block, 0), headers)
        tb.connect((block, 1), payloads)
        to_items = blocks.vector_to_stream(gr.sizeof_float, vlen)
        tb.connect((block, 0), to_items, parser)
        tb.msg_connect(parser, "out", block, "header_data")
        tb.run()
        return headers, payloads

    def test_payloads_follow_what_headers_say(self):
        tags = [tag(3, "trigger"), tag(9, "x"), tag(30, "trigger"), tag(51, "trigger")]
        headers, payloads = self.demux(tags, [{"len": 5, "y": 1}, False, {"len": 5}], 4)
        self.assertEqual(headers.data(), [3, 4, 5, 6, 30, 31, 32, 33, 51, 52, 53, 54])
        self.assertEqual(payloads.data(), [7, 8, 9, 10, 11, 55, 56, 57, 58, 59])
        found = [(t.offset, pmt.symbol_to_string(t.key), pmt.to_python(t.value)) for t in payloads.tags()]
        self.assertEqual(sorted(found), [(0, "len", 5), (0, "y", 1), (2, "x", True), (5, "len", 5)])

    def test_guard_intervals_are_left_out_of_symbols(self):
        headers, payloads = self.demux(
            [tag(4, "trigger")], [{"len": 2}], 2, items_per_symbol=3, guard_interval=2, output_symbols=True
        )
        self.assertEqual(headers.data(), [6, 7, 8, 11, 12, 13])
        self.assertEqual(payloads.data(), [16, 17, 18, 21, 22, 23])


class Modems(unittest.TestCase):
    def errors(self, modulator, demodulator):
        data = np.random.default_rng(3).integers(0, 256, 3000, np.uint8)
        tb, sink = gr.top_block(), blocks.vector_sink_b()
        tb.connect(blocks.vector_source_b(data.tolist()), modulator, demodulator, sink)
        tb.run()
        sent, received = np.unpackbits(data)[8000:-2000], np.array(sink.data(), np.uint8)
        at = received.tobytes().find(sent[:64].tobytes())
        self.assertGreaterEqual(at, 0)
        return int(np.count_nonzero(received[at : at + len(sent)] != sent))

    def test_bits_come_back(self):
        for modulator, demodulator in (
            (digital.psk_mod(4, "gray", True, samples_per_symbol=4), digital.psk_demod(4, "gray", True, samples_per_symbol=4)),
            (digital.gmsk_mod(4), digital.gmsk_demod(4)),
            (digital.gfsk_mod(5, 0.4), digital.gfsk_demod(5, 0.4)),
        ):
            self.assertEqual(self.errors(modulator, demodulator), 0, modulator.name())

    def test_pulses_of_cpm_sum_up_to_half_a_turn_by_the_index(self):
        for kind in ("LREC", "LRC", "LSRC", "TFM"):
            taps = analog.cpm.phase_response(getattr(analog.cpm, kind), 4, 3, 0.3)
            self.assertEqual((len(taps), round(sum(taps), 9)), (12, 1.0), kind)
        tb, sink = gr.top_block(), blocks.vector_sink_c()
        tb.connect(blocks.vector_source_b([1] * 8), digital.cpmmod_bc(analog.cpm.LREC, 0.5, 4, 1), sink)
        tb.run()
        np.testing.assert_allclose(np.array(sink.data())[3::4], [1j, -1, -1j, 1] * 2, atol=1e-5)

    def test_numbers_out_of_range_are_refused(self):
        for make in (
            lambda: digital.gmsk_mod(1),
            lambda: digital.gmsk_mod(2.5),
            lambda: digital.psk_mod(4, samples_per_symbol=1.5),
            lambda: digital.gfsk_demod(1),
            lambda: digital.cpm_mod(cpm_type=4),
        ):
            with self.assertRaises(TypeError):
                make()

    def test_they_say_their_options_for_a_command_line(self):
        from optparse import OptionParser

        for kind, wanted in (
            (digital.psk_mod, {"constellation_points": 16, "mod_code": "none", "differential": True, "samples_per_symbol": 2, "excess_bw": 0.35}),
            (digital.gmsk_demod, {"samples_per_symbol": 2, "mu": 0.5, "omega_relative_limit": 0.005, "freq_error": 0.0}),
            (digital.cpm_mod, {"samples_per_symbol": 2, "bt": 0.35}),
        ):
            parser = OptionParser(conflict_handler="resolve")
            kind.add_options(parser)
            options, _ = parser.parse_args([])
            options.samples_per_symbol = 2
            # An option of a program of its own.
            options.args = "addr=1"
            self.assertEqual(kind.extract_kwargs_from_options(options), wanted)
        parser = OptionParser()
        digital.psk_demod.add_options(parser)
        options, _ = parser.parse_args(["-p", "8", "--non-differential", "--mod-code", "gray", "--phase-bw", "0.1"])
        found = (options.constellation_points, options.differential, options.mod_code, options.phase_bw)
        self.assertEqual(found, (8, False, "gray", 0.1))

    def test_they_are_listed(self):
        self.assertEqual(set(digital.modulation_utils.type_1_mods()), {"psk", "gmsk", "gfsk", "cpm"})
        self.assertEqual(set(digital.modulation_utils.type_1_demods()), {"psk", "gmsk", "gfsk"})


class Others(unittest.TestCase):
    def test_a_sink_keeps_packets(self):
        tags = [tag(0, "l", 2), tag(2, "l", 3), tag(3, "x")]
        tb, sink = gr.top_block(), blocks.tsb_vector_sink_f(1, "l")
        tb.connect(blocks.vector_source_f([1, 2, 3, 4, 5], False, 1, tags), sink)
        tb.run()
        self.assertEqual(sink.data(), [[1, 2], [3, 4, 5]])
        self.assertEqual([(t.offset, pmt.symbol_to_string(t.key)) for t in sink.tags()], [(3, "x")])

    def test_a_function_changes_pdus(self):
        for block, meta, items in (
            (pdus.pdu_lambda(lambda x: 2 * x, False), {"a": 1}, [2, 4]),
            (pdus.pdu_lambda(lambda x: x + 1, True, pmt.intern("a")), {"a": 2}, [1, 2]),
            (pdus.pdu_lambda(lambda x: 1 / 0, False), {"a": 1}, [1, 2]),
        ):
            tb, store = gr.top_block(), blocks.message_debug()
            source = blocks.message_strobe(pmt.cons(pmt.to_pmt({"a": 1}), pmt.init_f32vector(2, [1.0, 2.0])), 10)
            tb.msg_connect(source, "strobe", block, "pdu")
            tb.msg_connect(block, "pdu", store, "store")
            tb.start()
            while store.num_messages() == 0:
                time.sleep(0.01)
            tb.stop()
            tb.wait()
            found = store.get_message(0)
            self.assertEqual(pmt.to_python(pmt.car(found)), meta)
            self.assertEqual(list(pmt.to_python(pmt.cdr(found))), items)

    def test_what_the_coverage_says_is_here_in_python_is_here(self):
        from superhet.gnuradio import hardware, modules

        drivers = hardware.modules()
        listed = Path(__file__).resolve().parents[2] / "crates/flow/src/gnuradio/python.txt"
        for line in listed.read_text().splitlines():
            if not line.startswith("#"):
                module, _, classes = line.partition(": ")
                found = drivers.get(f"gnuradio.{module}") or modules.module(module)
                for name in classes.split():
                    self.assertTrue(callable(getattr(found, name)), name)

    def test_an_equalizer_takes_an_algorithm_as_an_object(self):
        bpsk = digital.constellation_bpsk()
        sent = np.where(np.random.default_rng(2).random(4000) < 0.5, -1.0, 1.0)
        received = (sent + 0.3 * np.roll(sent, 1)).astype(np.complex64)
        for algorithm in (
            digital.adaptive_algorithm_lms(bpsk.base(), 0.01),
            digital.adaptive_algorithm_nlms(bpsk.base(), 0.05),
            digital.adaptive_algorithm_cma(bpsk.base(), 0.002, 1.0),
        ):
            tb, sink = gr.top_block(), blocks.vector_sink_c()
            tb.connect(blocks.vector_source_c(received.tolist()), digital.linear_equalizer(8, 1, algorithm), sink)
            tb.run()
            settled = np.array(sink.data())[-1000:]
            self.assertLess(float(np.mean((np.abs(settled.real) - 1) ** 2)), 0.02)

    def test_noise_takes_its_type_by_keyword(self):
        tb, sink = gr.top_block(), blocks.vector_sink_f()
        source = analog.noise_source_f(type=analog.GR_GAUSSIAN, ampl=1.0, seed=3)
        tb.connect(source, blocks.head(gr.sizeof_float, 1000), sink)
        tb.run()
        self.assertAlmostEqual(float(np.std(sink.data())), 1.0, delta=0.2)

    def test_rows_for_vectors(self):
        tb, other = gr.top_block(), blocks.vector_sink_b(3)
        tb.connect(blocks.vector_source_b(list(range(40))), blocks.stream_to_vector_decimator(1, 100, 10, 3), other)
        tb.run()
        self.assertEqual(other.data(), [6, 7, 8, 15, 16, 17, 24, 25, 26, 33, 34, 35])


if __name__ == "__main__":
    unittest.main()
