"""Codecs of speech, and the blocks that find symbols, by GNU Radio's names."""

import unittest
import zlib

import numpy as np

import superhet.gnuradio

superhet.gnuradio.install(shadow=True)

from gnuradio import analog, blocks, digital, fec, gr, vocoder  # noqa: E402

import pmt  # noqa: E402


def run(block, data, source, sink):
    tb, source, sink = gr.top_block(), source(list(data)), sink()
    tb.connect(source, block, sink)
    tb.run()
    return np.array(sink.data())


def tone(count, amplitude=8000):
    return (amplitude * np.sin(2 * np.pi * 0.03 * np.arange(count))).astype("i2")


class Speech(unittest.TestCase):
    def through(self, encode, decode, samples):
        codes = run(encode, samples.tolist(), blocks.vector_source_s, blocks.vector_sink_b)
        return codes, run(decode, codes.tolist(), blocks.vector_source_b, blocks.vector_sink_s)

    def test_adpcm_comes_back_the_better_the_more_bits_there_are(self):
        samples, errors = tone(4000), []
        for name, bits in (("g723_24", 3), ("g721", 4), ("g723_40", 5)):
            encode, decode = (getattr(vocoder, f"{name}_{way}")() for way in ("encode_sb", "decode_bs"))
            codes, heard = self.through(encode, decode, samples)
            self.assertEqual((len(codes), len(heard)), (4000, 4000))
            self.assertLess(codes.max(), 1 << bits)
            error = np.mean((heard[1000:] - samples[1000:].astype(float)) ** 2) / np.mean(samples[1000:].astype(float) ** 2)
            errors.append(10 * np.log10(error))
        self.assertLess(errors[2] + 3, errors[1])
        self.assertLess(errors[1] + 3, errors[0])
        self.assertLess(errors[0], -15)

    def test_adpcm_follows_the_recommendation_step_by_step(self):
        # The first codes of a step to 1000, worked out by hand from the tables: the scale factor begins at its least, so that the
        # largest code comes first.
        codes = run(vocoder.g721_encode_sb(), [1000] * 8 + [0] * 4, blocks.vector_source_s, blocks.vector_sink_b)
        self.assertEqual(codes[0], 7)
        self.assertTrue((codes[8:10] >= 8).all())
        self.assertTrue((codes != 0).all())

    def test_samples_beyond_16_bits_stay_at_the_end(self):
        heard = run(vocoder.g721_decode_bs(), [7] * 60, blocks.vector_source_b, blocks.vector_sink_s)
        self.assertEqual(heard.max(), 32767)
        first = int(np.argmax(heard == 32767))
        self.assertTrue((heard[first:] > 0).all())

    def test_cvsd_comes_back(self):
        samples = np.repeat(tone(800), 8)
        bits, heard = self.through(vocoder.cvsd_encode_sb(), vocoder.cvsd_decode_bs(), samples)
        self.assertEqual((len(bits), len(heard)), (len(samples) // 8, len(samples)))
        error = np.mean((heard[1600:] - samples[1600:].astype(float)) ** 2) / np.mean(samples[1600:].astype(float) ** 2)
        self.assertLess(error, 0.05)

    def test_a_run_of_four_bits_makes_the_step_grow_and_others_make_it_shrink(self):
        heard = run(vocoder.cvsd_decode_bs(), [0b11110101], blocks.vector_source_b, blocks.vector_sink_s)
        accumulator, step, expected = 0.0, 10.0, []
        for bit, grows in zip((1, 1, 1, 1, 0, 1, 0, 1), (0, 0, 0, 1, 0, 0, 0, 0)):
            step = step + 10 if grows else max(step * 0.9990234375, 10)
            sample = accumulator + (step if bit else -step)
            expected.append(int(sample))
            accumulator = sample * 0.96875
        self.assertEqual(heard.tolist(), expected)

    def test_cvsd_of_floats(self):
        samples = 0.3 * np.sin(2 * np.pi * 0.02 * np.arange(2000))
        tb, sink = gr.top_block(), blocks.vector_sink_f()
        tb.connect(blocks.vector_source_f(samples.tolist()), vocoder.cvsd_encode_fb(), vocoder.cvsd_decode_bf(), sink)
        tb.run()
        heard = np.array(sink.data())
        self.assertGreater(len(heard), 1900)
        best = max(np.corrcoef(heard[500:1500], samples[500 - lag : 1500 - lag])[0, 1] for lag in range(200))
        self.assertGreater(best, 0.95)

    def test_codecs_of_libraries_give_frames_and_speech(self):
        samples = tone(3200)
        for encode, decode, length, frame in (
            ("gsm_fr_encode_sp", "gsm_fr_decode_ps", 33, 160),
            ("codec2_encode_sp", "codec2_decode_ps", 48, 160),
        ):
            try:
                encode, decode = getattr(vocoder, encode)(), getattr(vocoder, decode)()
            except NotImplementedError as error:
                self.skipTest(str(error))
            tb, bits, heard = gr.top_block(), blocks.vector_sink_b(length), blocks.vector_sink_s()
            tb.connect(blocks.vector_source_s(samples.tolist()), encode, decode, heard)
            tb.connect(encode, bits)
            tb.run()
            self.assertEqual(len(bits.data()), length * (len(samples) // frame))
            self.assertEqual(len(heard.data()), len(samples))
            self.assertGreater(np.std(heard.data()[800:]), 200)

    def test_freedv_carries_speech(self):
        try:
            send, receive = vocoder.freedv_tx_ss(vocoder.freedv_api.MODE_1600, "text", 1), vocoder.freedv_rx_ss()
        except NotImplementedError as error:
            self.skipTest(str(error))
        tb, signal, heard = gr.top_block(), blocks.vector_sink_s(), blocks.vector_sink_s()
        tb.connect(blocks.vector_source_s(tone(32000).tolist()), send, receive, heard)
        tb.connect(send, signal)
        tb.run()
        self.assertEqual(len(signal.data()), 32000)
        self.assertGreater(len(heard.data()), 28000)
        self.assertGreater(np.std(heard.data()[16000:]), 100)

    def test_what_cvsd_cannot_take_is_refused(self):
        with self.assertRaisesRegex(ValueError, "1 <= J <= K <= 32"):
            vocoder.cvsd_encode_sb(K=4, J=8)
        with self.assertRaisesRegex(ValueError, "min_step"):
            vocoder.cvsd_decode_bs(min_step=0)


    def test_adpcm_gives_the_codes_and_samples_of_gnu_radio(self):
        i = np.arange(3000, dtype=np.int64)
        numbers = ((i * i * 7 + i * 131 + (i >> 5) * 17) >> 3)
        codes, heard = [], []
        for name in ("g723_24", "g721", "g723_40"):
            loud, low = numbers % 40000 - 20000, numbers % 8000 - 4000
            encode, decode = (getattr(vocoder, f"{name}_{way}") for way in ("encode_sb", "decode_bs"))
            given = run(encode(), loud.tolist(), blocks.vector_source_s, blocks.vector_sink_b)
            codes.append(zlib.crc32(given[:2900].astype("u1").tobytes()))
            _, samples = self.through(encode(), decode(), low)
            heard.append(zlib.crc32(samples[:2900].astype("<i2").tobytes()))
        self.assertEqual(codes, [2214309049, 857479017, 175094508])
        self.assertEqual(heard, [1846633099, 1279164363, 3468697858])


class Symbols(unittest.TestCase):
    def test_symbols_are_found_with_their_phase(self):
        rng = np.random.default_rng(2)
        symbols = (rng.choice([-1, 1], 32) + 1j * rng.choice([-1, 1], 32)) / 2**0.5
        data = 0.02 * (rng.standard_normal(2000) + 1j * rng.standard_normal(2000))
        for at, phase in ((300, 0.5), (1500, -2.0)):
            data[at : at + 32] += symbols * np.exp(1j * phase)
        tb, sink = gr.top_block(), blocks.vector_sink_c()
        source = blocks.vector_source_c(data.astype("c8").tolist())
        tb.connect(source, digital.corr_est_cc(symbols.tolist(), 1, 16, 0.8, digital.THRESHOLD_ABSOLUTE), sink)
        tb.run()
        given, tags = np.array(sink.data()), sink.tags()
        np.testing.assert_allclose(given[32:], data[: len(given) - 32], atol=1e-6)

        def of(name):
            return [(tag.offset, pmt.to_double(tag.value)) for tag in tags if pmt.symbol_to_string(tag.key) == name]

        self.assertEqual([offset for offset, _ in of("corr_start")], [331, 1531])
        self.assertEqual([offset for offset, _ in of("phase_est")], [347, 1547])
        for (_, phase), wanted in zip(of("phase_est"), (0.5, -2.0)):
            self.assertAlmostEqual(phase, wanted, delta=0.05)

    def test_a_decision_feedback_equalizer_opens_the_eye(self):
        rng = np.random.default_rng(4)
        points = np.array([1 + 1j, -1 + 1j, -1 - 1j, 1 - 1j]) / 2**0.5
        sent = points[rng.integers(0, 4, 4000)]
        heard = np.convolve(sent, [1, 0.45, -0.2j])[:4000]
        algorithm = digital.adaptive_algorithm_lms(digital.constellation_qpsk().base(), 0.02).base()
        block = digital.decision_feedback_equalizer(3, 3, 1, algorithm, True)
        given = run(block, heard.astype("c8").tolist(), blocks.vector_source_c, blocks.vector_sink_c)
        late = given[2000:]
        error = np.abs(late[:, None] - np.array(digital.constellation_qpsk().base().points())).min(1)
        self.assertLess(np.sqrt(np.mean(error**2)), 0.1)
        self.assertEqual(len(block.taps()), 6)

    def test_packets_behind_a_sync_vector_come_into_the_queue(self):
        sync, payload = [0xAC, 0xDD, 0xA4, 0xE2], b"found"
        head = (3 << 12 | len(payload)).to_bytes(2, "big") * 2
        bits = np.unpackbits(np.frombuffer(bytes([0x55, *sync]) + head + payload + b"\0", "u1"))
        queue = gr.msg_queue()
        tb = gr.top_block()
        tb.connect(blocks.vector_source_f((2.0 * bits - 1).tolist()), digital.packet_sink(sync, queue, 1))
        tb.run()
        self.assertEqual(queue.count(), 1)
        message = queue.delete_head()
        self.assertEqual((message.to_string(), message.arg1()), (payload, 3))


class Curves(unittest.TestCase):
    def test_a_curve_of_error_rates_falls(self):
        encoder, decoder = fec.repetition_encoder_make(240, 3), fec.repetition_decoder.make(240, 3, 0.5)
        curve = fec.bercurve_generator([encoder] * 2, [decoder] * 2, [-8.0, 12.0], 1e9, "capillary", "11", 1)
        tb, sinks = gr.top_block(), [blocks.vector_sink_b() for _ in range(4)]
        for place, sink in enumerate(sinks):
            tb.connect((curve, place), blocks.head(1, 4000), sink)
        tb.run()
        decoded = [np.unpackbits(np.array(sink.data(), "u1")) for sink in sinks]
        rates = [np.mean(a[:24000] != b[:24000]) for a, b in (decoded[:2], decoded[2:])]
        self.assertGreater(rates[0], 0.02)
        self.assertLess(rates[1], 1e-3)
        self.assertEqual(analog.GR_GAUSSIAN, 201)


if __name__ == "__main__":
    unittest.main()
