"""Blocks by GNU Radio's names, run by superhet. Values are those of GNU Radio 3.10.5, unless docs/differences.md says otherwise."""

import time
import unittest

import numpy as np

import superhet.gnuradio

superhet.gnuradio.install(shadow=True)

import pmt  # noqa: E402
from gnuradio import analog, blocks, digital, fec, filter, gr, pdu  # noqa: E402


def tag(offset, key, value):
    made = gr.tag_t()
    made.offset, made.key, made.value, made.srcid = offset, pmt.intern(key), value, pmt.intern("test")
    return made


def run(block, *streams, kinds="ff", tags=(), outputs=1):
    """What a block gives, as vector sinks; `kinds` has the letters of the inputs and of each output."""
    tb, sinks = gr.top_block(), []
    for n, stream in enumerate(streams):
        source = getattr(blocks, f"vector_source_{kinds[0]}")(list(stream), False, 1, list(tags[n]) if tags else [])
        tb.connect(source, (block, n))
    for n in range(outputs):
        sinks.append(getattr(blocks, f"vector_sink_{kinds[min(n + 1, len(kinds) - 1)]}")())
        tb.connect((block, n), sinks[-1])
    tb.run()
    return sinks if outputs > 1 else sinks[0]


def offsets(sink):
    return [(tag.offset, pmt.symbol_to_string(tag.key)) for tag in sink.tags()]


def pdus(block, stream, tags=()):
    """The metadata and the items of the packets that a block makes of bytes."""
    tb, debug = gr.top_block(), blocks.message_debug()
    tb.connect(blocks.vector_source_b(stream, False, 1, list(tags)), block)
    tb.msg_connect(block, "pdus", debug, "store")
    tb.run()
    deadline = time.monotonic() + 5
    while debug.num_messages() == 0 and time.monotonic() < deadline:
        time.sleep(0.01)
    messages = [debug.get_message(n) for n in range(debug.num_messages())]
    return [(pmt.to_python(pmt.car(m)), list(pmt.to_python(pmt.cdr(m)))) for m in messages]


def length(offset, items):
    return tag(offset, "packet_len", pmt.from_long(items))


class Digital(unittest.TestCase):
    def test_soft_decisions_are_those_of_the_constellation(self):
        z = np.random.default_rng(1).normal(size=(40, 2)) @ [1, 1j]
        for name in ("bpsk", "qpsk", "dqpsk", "8psk", "16qam"):
            constellation = getattr(digital, f"constellation_{name}")()
            got = run(digital.constellation_soft_decoder_cf(constellation.base()), z.tolist(), kinds="cf").data()
            wanted = np.concatenate([constellation.calc_soft_dec(x) for x in z])
            np.testing.assert_allclose(got, wanted, atol=1e-4, err_msg=name)

    def test_soft_decisions_are_those_of_gnu_radio(self):
        z = [0.3 + 0.1j, -0.7 + 0.9j, 0.2 - 1.1j, -1.0 - 0.4j]
        qpsk = np.array([0.1452, 0.4232, 1.38476, -1.16516, -1.45471, 0.35302, -0.68968, -1.39254])
        psk8 = [-0.05544, -0.13346, -0.38913, 0.15579, -0.98999, 0.81125, 0.481, 1.1751, -0.29683, -0.45067, 0.59662, 1.15729]
        wanted = {"bpsk": [0.59673, -0.97486, 0.26774, -1.63961], "qpsk": qpsk, "dqpsk": -qpsk, "8psk": psk8}
        for name, values in wanted.items():
            decoder = digital.constellation_soft_decoder_cf(getattr(digital, f"constellation_{name}")().base())
            np.testing.assert_allclose(run(decoder, z, kinds="cf").data(), values, atol=2e-5, err_msg=name)

    def test_estimates_of_noise(self):
        rng = np.random.default_rng(2)
        n, noise = 5000, 10 ** (-25 / 20) / np.sqrt(2)
        x = np.exp(0.5j * np.pi * rng.integers(0, 4, n)) + noise * (rng.normal(size=(n, 2)) @ [1, 1j])
        for kind in (0, 2, 3):
            estimate = run(digital.mpsk_snr_est_cc(kind, 100, 0.001), x.tolist(), kinds="cc")
            first = pmt.to_double(estimate.tags()[0].value)
            self.assertLess(abs(first - 25), 2.5, kind)
            probe = digital.probe_mpsk_snr_est_c(kind, 10000, 0.001)
            tb = gr.top_block()
            tb.connect(blocks.vector_source_c(x.tolist()), probe)
            tb.run()
            self.assertLess(abs(probe.snr() - 25), 1, kind)
            self.assertLess(abs(probe.signal() - probe.noise() - 25), 1, kind)

    def test_no_bits_before_the_stream_are_of_an_access_code(self):
        one_byte = ([0] * 15 + [1]) * 2 + [0, 1] * 4
        for bits, found in (([0, 0, 1, 1], 8), ([0, 1, 1], 0)):
            block = digital.correlate_access_code_bb_ts("0011", 0, "packet_len")
            self.assertEqual(len(run(block, bits + one_byte + [0] * 40, kinds="bb").data()), found)

    def test_tags_change_the_table_of_symbols(self):
        tags = [
            tag(3, "set_symbol_table", pmt.init_f32vector(2, [10.0, 11.0])),
            tag(5, "x", pmt.PMT_T),
            tag(7, "set_symbol_table", pmt.init_f32vector(2, [20.0, 21.0])),
        ]
        got = run(digital.chunks_to_symbols_bf([0, 1], 1), [0, 1] * 6, kinds="bf", tags=[tags])
        self.assertEqual(list(got.data()), [0, 1, 0, 11, 10, 11, 10, 21, 20, 21, 20, 21])
        self.assertEqual(offsets(got), [(3, "set_symbol_table"), (5, "x"), (7, "set_symbol_table")])
        table = tag(2, "set_symbol_table", pmt.init_c32vector(2, [1j, 2j]))
        got = run(digital.chunks_to_symbols_bc([0, 1], 1), [0, 1] * 3, kinds="bc", tags=[[table]])
        self.assertEqual(list(got.data()), [0, 1, 1j, 2j, 1j, 2j])

    def test_items_between_bursts_are_dropped(self):
        x = [9] * 2 + [1] * 3 + [8] * 2 + [1] * 3 + [7] * 5
        got = run(digital.burst_shaper_ff([0.5, 0.25], 1, 2, False), x, tags=[[length(2, 3), length(7, 3)]])
        self.assertEqual(list(got.data()), [0, 0.5, 1, 0.25, 0, 0] * 2)

    def test_the_receiver_gives_the_turned_samples(self):
        x = np.exp(1j * (0.2 + 0.01 * np.arange(400)))
        receiver = digital.constellation_receiver_cb(digital.constellation_bpsk().base(), 0.06, -0.25, 0.25)
        _, _, phase, _, samples = run(receiver, x.tolist(), kinds="cbfffc", outputs=5)
        before = np.concatenate([[0], phase.data()[:-1]])
        np.testing.assert_allclose(samples.data(), x * np.exp(1j * before), atol=1e-5)


class Streams(unittest.TestCase):
    def test_plateaus(self):
        runs = [(0, 2), (1, 3), (0, 3), (1, 10), (0, 2), (1, 1), (0, 4), (1, 5), (0, 40)]
        x = np.concatenate([np.full(n, level, float) for level, n in runs])
        for most, places in ((1, [3, 13, 27]), (5, [3, 14, 27]), (10, [3, 17])):
            got = run(blocks.plateau_detector_fb(most, 1.0), x, kinds="fb").data()
            self.assertEqual(np.flatnonzero(got).tolist(), places)

    def test_tags_of_a_matrix_go_where_its_policy_says(self):
        streams = [[1, 2, 3], [4, 5, 6]]
        tags = [[tag(1, "a", pmt.PMT_T)], [tag(2, "b", pmt.PMT_T)]]
        a, b = (1, "a"), (2, "b")
        for policy, wanted in (
            (gr.TPP_DONT, [[], []]),
            (gr.TPP_ALL_TO_ALL, [[a, b], [a, b]]),
            (gr.TPP_ONE_TO_ONE, [[a], [b]]),
            (gr.TPP_CUSTOM, [[a], [a, b]]),
        ):
            sinks = run(blocks.multiply_matrix_ff([[1, 0], [2, 1]], policy), *streams, tags=tags, outputs=2)
            self.assertEqual([list(sink.data()) for sink in sinks], [[1, 2, 3], [6, 9, 12]])
            self.assertEqual([sorted(offsets(sink)) for sink in sinks], wanted, policy)

    def test_packed_bits_are_interleaved(self):
        order, x = [0, 2, 1, 7, 5, 4, 3, 6], [0b10110001, 0x0F, 0x80]
        for forth, wanted in ((True, [210, 29, 128]), (False, [195, 30, 128])):
            self.assertEqual(list(run(blocks.blockinterleaver_bb(order, forth, True), x, kinds="bb").data()), wanted)

    def test_a_delay_beside_a_filter_takes_one_stream_or_two(self):
        x, taps = [1, 2, 3, 4, 5, 6], [1, 2, 3, 0, 0]
        wanted = [1j, 4j, 1 + 10j, 2 + 16j, 3 + 22j, 4 + 28j]
        self.assertEqual(list(run(filter.filter_delay_fc(taps), x, kinds="fc").data()), wanted)
        self.assertEqual(list(run(filter.filter_delay_fc(taps), x, x, kinds="fc").data()), wanted)

    def test_packets_have_the_metadata_of_gnu_radio(self):
        tags = [length(0, 4), length(4, 3)]
        tags += [tag(n, key, pmt.from_long(n)) for n, key in ((0, "a"), (2, "b"), (3, "b"), (5, "c"))]
        got = pdus(pdu.tagged_stream_to_pdu(gr.types.byte_t, "packet_len"), list(range(1, 8)), tags)
        self.assertEqual(got, [({"a": 0, "b": 3}, [1, 2, 3, 4]), ({"c": 5}, [5, 6, 7])])
        got = pdus(pdu.take_skip_to_pdu_b(2, 1), list(range(1, 8)))
        self.assertEqual(got, [({"pdu_num": 0}, [1, 2]), ({"pdu_num": 1}, [4, 5])])

    def test_error_rates_against_a_limit(self):
        for errors, items, wanted in ((1, 13, -2.0), (5, 63, -2.0), (20, 500, None)):
            streams = [[0] * items, [1] * errors + [0] * (items - errors)]
            got = run(fec.ber_bf(True, 10, -2.0), *streams, kinds="bf").data()
            # GNU Radio judges after all that comes at once, superhet with the tenth error.
            self.assertAlmostEqual(got[0], np.log10(10 / 80) if wanted is None else wanted, 5)


class Analog(unittest.TestCase):
    def test_a_squelch_of_length_0_takes_a_tenth_of_a_second(self):
        for rate in (8000, 48000):
            x = 0.2 * np.sin(2 * np.pi * 103.5 / rate * np.arange(rate))
            got = run(analog.ctcss_squelch_ff(rate, 103.5, 0.01, 0, 0, True), x)
            self.assertEqual(rate - len(got.data()), rate // 10 - 1)

    def test_a_loop_stops_without_pulses(self):
        for pulses, wanted in (([3], [3, 13, 23]), ([3, 36], [3, 13, 23, 36, 46, 56])):
            x = np.zeros(80, int)
            x[pulses] = 1
            got = run(analog.dpll_bb(10, 0.1), x.tolist(), kinds="bb").data()
            self.assertEqual(np.flatnonzero(got).tolist(), wanted)

    def test_weak_signals_are_not_levelled(self):
        for level, wanted in ((1e-3, 1.0), (5e-5, 0.5), (0, 0)):
            got = run(analog.feedforward_agc_cc(4, 1.0), [level] * 12, kinds="cc").data()
            self.assertAlmostEqual(abs(got[-1]), wanted, 5)


class Sources(unittest.TestCase):
    def test_its_data_and_tags_are_those_it_was_made_with(self):
        for vlen in (1, 2):
            data, tags = [1.0, 2.0, 3.0, 4.0], [tag(1, "kept", pmt.from_long(7))]
            source, sink, tb = blocks.vector_source_f(data, False, vlen, tags), blocks.vector_sink_f(vlen), gr.top_block()
            tb.connect(source, sink)
            data[0], tags[0].offset, tags[0].value = 9.0, 0, pmt.from_long(8)
            tags.append(tag(0, "added", pmt.PMT_T))
            tb.run()
            self.assertEqual(sink.data(), [1.0, 2.0, 3.0, 4.0])
            found = [(t.offset, pmt.symbol_to_string(t.key), pmt.to_python(t.value)) for t in sink.tags()]
            self.assertEqual(found, [(1, "kept", 7)])

    def test_the_frequency_of_a_source_is_exact(self):
        count = 200_000
        tb, sink = gr.top_block(), blocks.vector_sink_c()
        tb.connect(analog.sig_source_c(44100, analog.GR_COS_WAVE, 3000, 1), blocks.head(gr.sizeof_gr_complex, count), sink)
        tb.run()
        place = count - 1
        self.assertLess(abs(sink.data()[place] - np.exp(2j * np.pi * (3000 * place % 44100) / 44100)), 1e-4)


if __name__ == "__main__":
    unittest.main()
