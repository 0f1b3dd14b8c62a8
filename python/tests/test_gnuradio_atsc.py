"""The receiver of ATSC: what it finds is what was sent, and headers are those of GNU Radio 3.10.5."""

import unittest

import numpy as np

import superhet.gnuradio

superhet.gnuradio.install(shadow=True)

from gnuradio import blocks, dtv, gr  # noqa: E402

RATE = 4.5e6 / 286 * 684
PAIR = [("f", 832), ("b", 4)]


def numbers(count, most):
    """Numbers that look like any."""
    i = np.arange(count, dtype=np.int64)
    return ((i * i * 7 + i * 131 + (i >> 5) * 17) >> 3) % most


def through(block, streams, inputs, outputs):
    """The streams that a block makes of some, each with its letter and the length of its vectors."""
    tb, sinks = gr.top_block(), []
    for port, (stream, (letter, size)) in enumerate(zip(streams, inputs)):
        source = getattr(blocks, f"vector_source_{letter}")(stream.reshape(-1).tolist(), False, size)
        tb.connect(source, (block, port))
    for port, (letter, size) in enumerate(outputs):
        sinks.append(getattr(blocks, f"vector_sink_{letter}")(size))
        tb.connect((block, port), sinks[-1])
    tb.run()
    return [np.array(sink.data()).reshape(-1, size) for sink, (_, size) in zip(sinks, outputs)]


def modulated(levels, ratio, delay, off_hz, noise):
    """The signal of symbols with the pilot, about the middle of the channel, with `ratio` samples a symbol."""
    symbols = levels.reshape(-1) + 1.25
    spectrum = np.tile(np.fft.fft(symbols), ratio)
    turns = np.fft.fftfreq(len(spectrum)) * ratio
    away, flank = np.abs(turns - 0.25), 0.1152 / 4
    shape = np.sqrt(0.5 * (1 + np.cos(np.pi * np.clip((away - 0.25 + flank) / (2 * flank), 0, 1))))
    signal = np.fft.ifft(spectrum * shape * np.exp(-2j * np.pi * turns * delay)) * ratio
    turned = signal * np.exp(2j * np.pi * (off_hz / RATE - 0.25) / ratio * np.arange(len(signal)) + 0.7j)
    both = np.random.default_rng(0).normal(size=(2, len(signal))) * noise
    return (turned + both[0] + 1j * both[1]).astype("c8")


class Receiver(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.packets = numbers(188 * 600, 256)
        cls.packets[::188] = 0x47
        tb, sink = gr.top_block(), blocks.vector_sink_b(1024)
        chain = [dtv.atsc_pad(), dtv.atsc_randomizer(), dtv.atsc_rs_encoder(), dtv.atsc_interleaver(), dtv.atsc_trellis_encoder()]
        tb.connect(blocks.vector_source_b(cls.packets.tolist()), *chain, dtv.atsc_field_sync_mux(), sink)
        tb.run()
        sent = np.array(sink.data(), "u1").reshape(-1, 1024)
        # From the middle of the first field on: the second begins with segment 313.
        cls.levels = sent[260:480, 4:836].astype("f4") * 2 - 7

    def test_packets_come_out_of_a_signal_that_is_off_and_noisy(self):
        signal = modulated(self.levels, 2, 0.3, 700, 0.1)
        tb, sink = gr.top_block(), blocks.vector_sink_b()
        tb.connect(blocks.vector_source_c(signal.tolist()), dtv.atsc_rx(2 * RATE, 1.5), sink)
        tb.run()
        found = np.array(sink.data(), "u1").reshape(-1, 188)
        sent = {packet.tobytes(): place for place, packet in enumerate(self.packets.astype("u1").reshape(-1, 188))}
        places = [sent.get(packet.tobytes(), -1) for packet in found]
        # Twelve segments wait in the decoder, and 52 in the interleaver, which both have to fill.
        right = places[64:]
        self.assertGreater(len(right), 80)
        self.assertEqual(right, list(range(312, 312 + len(right))))

    def test_headers_are_those_of_gnu_radio(self):
        segments, headers = through(dtv.atsc_fs_checker(), [self.levels], PAIR[:1], PAIR)
        self.assertTrue((segments == self.levels[53:]).all())
        self.assertEqual(headers[:3].tolist(), [[17, 0, 255, 255], [25, 0, 0, 0], [17, 0, 1, 0]])
        self.assertEqual(headers[-1].tolist(), [17, 0, 165, 0])
        _, behind = through(dtv.atsc_equalizer(), [segments, headers], PAIR, PAIR)
        self.assertEqual(behind[0].tolist(), [25, 0, 0, 0])
        _, late = through(dtv.atsc_viterbi_decoder(), [segments[1:], headers[1:]], PAIR, [("b", 207), ("b", 4)])
        self.assertEqual(late[:3].tolist(), [[1, 0, 44, 1], [1, 0, 45, 1], [1, 0, 46, 1]])
        self.assertEqual(late[12].tolist(), [25, 0, 0, 0])

    def test_an_echo_is_taken_off(self):
        line = self.levels.reshape(-1).astype(float)
        echoed = line + 0.4 * np.roll(line, 7) - 0.2 * np.roll(line, -4)
        segments, headers = through(dtv.atsc_fs_checker(), [echoed.astype("f4")], PAIR[:1], PAIR)
        block = dtv.atsc_equalizer()
        found, _ = through(block, [segments, headers], PAIR, PAIR)
        sent = self.levels[54 : 54 + len(found)]
        self.assertLess(np.sqrt(np.mean((found - sent) ** 2)), 0.5)
        self.assertGreater(np.sqrt(np.mean((segments[1 : 1 + len(found)] - sent) ** 2)), 1.5)
        self.assertEqual((len(block.taps()), len(block.data())), (64, 831))

    def test_the_decoder_corrects_noise(self):
        rng, levels = np.random.default_rng(1), self.levels[54:174]
        headers = np.array([[17 + 8 * (n == 0), 0, n, 0] for n in range(len(levels))], "u1")
        block = dtv.atsc_viterbi_decoder()
        self.assertEqual(block.decoder_metrics(), [1e5] * 12)
        shapes = PAIR, [("b", 207), ("b", 4)]
        clean, _ = through(block, [levels, headers], *shapes)
        noisy = (levels + 0.6 * rng.normal(size=levels.shape)).astype("f4")
        found, _ = through(dtv.atsc_viterbi_decoder(), [noisy, headers], *shapes)
        # Levels lie 2 apart: one symbol in ten is on the wrong side.
        self.assertGreater(np.mean(np.round((noisy + 7) / 2) != (levels + 7) / 2), 0.07)
        self.assertLess(np.mean(found[12:] != clean[12:]), 0.02)
        self.assertLess(max(block.decoder_metrics()), 1)

    def test_what_cannot_be_is_refused(self):
        for make in (lambda: dtv.atsc_fpll(1e6), lambda: dtv.atsc_sync(1e6), lambda: dtv.atsc_rx(1e6, 1.5), lambda: dtv.atsc_rx(2e7, 0.5)):
            with self.assertRaisesRegex(ValueError, "expected"):
                make()

    def test_noise_alone_gives_nothing(self):
        noise = np.random.default_rng(2).normal(size=400_000).astype("f4")
        found = through(dtv.atsc_sync(1.5 * RATE), [noise], [("f", 1)], PAIR[:1])[0]
        self.assertEqual(len(through(dtv.atsc_fs_checker(), [found], PAIR[:1], PAIR)[0]), 0)


if __name__ == "__main__":
    unittest.main()
