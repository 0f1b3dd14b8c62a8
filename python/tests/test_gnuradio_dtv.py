"""Television: values that follow from the standards, and checksums of what GNU Radio 3.10.5 gives for the same input."""

import unittest
import zlib

import numpy as np

import superhet.gnuradio

superhet.gnuradio.install(shadow=True)

from gnuradio import blocks, dtv, gr  # noqa: E402


def run(block, data, taken=1, given=1):
    tb, sink = gr.top_block(), blocks.vector_sink_b(given)
    tb.connect(blocks.vector_source_b([int(x) for x in data], False, taken), block, sink)
    tb.run()
    return np.array(sink.data(), "u1")


class DvbT(unittest.TestCase):
    def setUp(self):
        packets = np.random.default_rng(1).integers(0, 256, (32, 188))
        packets[:, 0] = 0x47
        self.packets = packets.astype("u1")

    def test_packets_are_dispersed_and_come_back(self):
        sent = run(dtv.dvbt_energy_dispersal(1), [1, 2, 3, *self.packets.reshape(-1)], 1, 1504)
        # The sequence begins with 00000011 11110110.
        self.assertEqual((sent[1:3] ^ self.packets[0, 1:3]).tolist(), [0x03, 0xF6])
        self.assertEqual(set(sent[1504::1504]), {0xB8})
        self.assertEqual(set(sent.reshape(-1, 188)[1:8, 0]), {0x47})
        again = run(dtv.dvbt_energy_descramble(8), sent, 1504, 1)
        self.assertTrue((again == self.packets.reshape(-1)[: len(again)]).all())
        self.assertGreaterEqual(len(again), 3 * 1504)

    def test_check_bytes_have_the_zeros_of_the_code(self):
        coded = run(dtv.dvbt_reed_solomon_enc(2, 8, 0x11D, 255, 239, 8, 51, 8), self.packets.reshape(-1), 1504, 1632)
        coded = coded.reshape(-1, 204)
        self.assertTrue((coded[:, :188] == self.packets).all())
        powers = [1]
        while len(powers) < 255:
            powers.append(powers[-1] << 1 ^ (0x11D if powers[-1] & 0x80 else 0))
        logs = {power: place for place, power in enumerate(powers)}
        for word in coded[:4].tolist():
            for zero in range(16):
                total = 0
                for place, byte in enumerate(reversed(word)):
                    total ^= powers[(logs[byte] + zero * place) % 255] if byte else 0
                self.assertEqual(total, 0)

    def test_bytes_go_through_delays(self):
        data = np.arange(4 * 1632) % 251
        found = run(dtv.dvbt_convolutional_interleaver(136, 12, 17), data, 1632, 1)
        for place in (0, 1, 17, 3000, 6000):
            branch = place % 12
            before = place - branch * 17 * 12
            self.assertEqual(found[place], data[before] if before >= 0 else 0)


CONSTELLATIONS = (dtv.MOD_QPSK, dtv.MOD_16QAM, dtv.MOD_64QAM)
RATES = (dtv.C1_2, dtv.C2_3, dtv.C3_4, dtv.C5_6, dtv.C7_8)
MODES = ((1512, dtv.T2k, 2048), (6048, dtv.T8k, 8192))


def numbers(count, most):
    """Numbers that look like any."""
    i = np.arange(count, dtype=np.int64)
    return ((i * i * 7 + i * 131 + (i >> 5) * 17) >> 3) % most


def through(chain, data, taken=1, given=1, source=blocks.vector_source_b, sink=blocks.vector_sink_b):
    tb, sink = gr.top_block(), sink(given)
    tb.connect(source(data.tolist(), False, taken), *chain, sink)
    tb.run()
    return np.array(sink.data())


def checksum(data):
    return zlib.crc32(np.asarray(data, "u1").tobytes())


class InnerCoding(unittest.TestCase):
    """ETSI EN 300 744, sections 4.3 to 4.6."""

    def test_the_coder_gives_what_gnu_radio_gives_at_every_rate(self):
        data = numbers(1512 * 8, 256)
        found = []
        for constellation in CONSTELLATIONS:
            for rate in RATES:
                coded = through([dtv.dvbt_inner_coder(1, 1512, constellation, dtv.NH, rate)], data, 1, 1512)
                found.append(checksum(coded[:9072]))
        wanted = [1484742945, 90646214, 2780677853, 1109526701, 1891318635, 2692667984, 1168540131, 3053240996]
        wanted += [1871466701, 2468119215, 3045099850, 3427003800, 2847132097, 1306222126, 3491857332]
        self.assertEqual(found, wanted)

    def test_interleavers_give_what_gnu_radio_gives_and_take_it_back(self):
        bits, symbols = [], []
        for size, mode, _ in MODES:
            for constellation, count in zip(CONSTELLATIONS, (2, 4, 6)):
                data = numbers(2 * size, 1 << count)
                arguments = (size, constellation, dtv.NH, mode)
                bits.append(checksum(through([dtv.dvbt_bit_inner_interleaver(*arguments)], data, size, size)))
                chain = [dtv.dvbt_bit_inner_interleaver(*arguments), dtv.dvbt_bit_inner_deinterleaver(*arguments)]
                self.assertEqual(through(chain, data, size, size).tolist(), data.tolist())
            data = numbers(2 * size, 64)
            symbols.append(checksum(through([dtv.dvbt_symbol_inner_interleaver(size, mode, 1)], data, size, size)))
            chain = [dtv.dvbt_symbol_inner_interleaver(size, mode, way) for way in (1, 0)]
            self.assertEqual(through(chain, data, size, size).tolist(), data.tolist())
        self.assertEqual(bits, [3821569929, 433674011, 297602114, 2481747876, 1911456693, 1018904502])
        self.assertEqual(symbols, [2253547481, 327486259])

    def test_frames_have_the_pilots_and_parameters_that_gnu_radio_has_and_are_read_again(self):
        wanted = [(-27.33 + 37.95j, -5.832 - 9.253j), (-74.4 + 142.27j, -21.178 + 5.979j)]
        for (size, mode, length), (whole, last) in zip(MODES, wanted):
            data = numbers(size * 70, 16)
            rest = (dtv.MOD_16QAM, dtv.NH, dtv.C2_3, dtv.C1_2, dtv.GI_1_8, mode, 1, 0x5A)
            chain = [dtv.dvbt_map(size, dtv.MOD_16QAM, dtv.NH, mode, 1), dtv.dvbt_reference_signals(8, size, length, *rest)]
            given = through(chain, data, size, length, sink=blocks.vector_sink_c)
            turn = np.exp(0.37j * np.arange(len(given)))
            self.assertLess(abs(np.sum(given * turn) - whole), 0.05)
            self.assertLess(abs(np.sum(given[-length:] * turn[:length]) - last), 0.01)
            channel = np.exp(0.002j * np.arange(length)) * 3
            spectra = np.fft.fftshift(np.fft.fft(given.reshape(-1, length), axis=1), axes=1) * channel
            back = [dtv.dvbt_demod_reference_signals(8, length, size, *rest), dtv.dvbt_demap(size, dtv.MOD_16QAM, dtv.NH, mode, 1)]
            spectra = spectra.reshape(-1).astype("c8")
            again = through(back, spectra, length, size, source=blocks.vector_source_c)
            self.assertEqual(again.tolist(), data.tolist())

    def test_hierarchies_move_the_points(self):
        for hierarchy, inner in ((dtv.NH, 1), (dtv.ALPHA2, 2), (dtv.ALPHA4, 4)):
            points = through([dtv.dvbt_map(1512, dtv.MOD_16QAM, hierarchy, dtv.T2k, 1)], np.full(1512, 0b0011), 1512, 1512,
                             sink=blocks.vector_sink_c)  # fmt: skip
            scale = np.sqrt((inner**2 + (inner + 2) ** 2))
            self.assertAlmostEqual(abs(points[0] - (inner + 1j * inner) / scale), 0, places=5)

    def test_the_decoder_corrects_what_noise_has_turned_over(self):
        data = numbers(1512 * 12, 256)
        for constellation, bits, rate, rest in ((dtv.MOD_QPSK, 2, dtv.C1_2, 0.03), (dtv.MOD_64QAM, 6, dtv.C3_4, 0.004)):
            coded = through([dtv.dvbt_inner_coder(1, 1512, constellation, dtv.NH, rate)], data, 1, 1512)
            flips = np.random.default_rng(1).random((len(coded), bits)) < rest
            coded ^= flips @ (1 << np.arange(bits))
            found = through([dtv.dvbt_viterbi_decoder(constellation, dtv.NH, rate, 768)], coded)
            self.assertGreater(len(found), 3000)
            self.assertEqual(found[:3000].tolist(), data[:3000].tolist())

    def test_the_outer_decoder_and_the_deinterleaver_take_back(self):
        data = numbers(188 * 64, 256)
        sizes = (2, 8, 0x11D, 255, 239, 8, 51, 8)
        coded = through([dtv.dvbt_reed_solomon_enc(*sizes)], data, 1504, 1632)
        broken = coded.reshape(-1, 204).copy()
        for row, word in enumerate(broken):
            word[(np.arange(row % 9) * 23 + row) % 204] ^= 0x5A
        found = through([dtv.dvbt_reed_solomon_dec(*sizes)], broken.reshape(-1), 1632, 1504)
        self.assertEqual(found.tolist(), data.tolist())
        chain = [dtv.dvbt_convolutional_interleaver(136, 12, 17), dtv.dvbt_convolutional_deinterleaver(136, 12, 17)]
        found = through(chain, coded, 1632, 1632)
        delay = 11 * 17 * 12
        self.assertEqual(found[delay:].tolist(), coded[: len(found) - delay].tolist())

    def test_what_cannot_be_is_refused(self):
        for make in (
            lambda: dtv.dvbt_inner_coder(1, 1512, 5, dtv.NH, dtv.C1_2),
            lambda: dtv.dvbt_inner_coder(1, 1512, dtv.MOD_QPSK, dtv.NH, 99),
            lambda: dtv.dvbt_symbol_inner_interleaver(100, dtv.T2k, 1),
            lambda: dtv.dvbt_map(100, dtv.MOD_QPSK, dtv.NH, dtv.T2k, 1),
        ):
            with self.assertRaisesRegex(RuntimeError, "expected"):
                make()
        with self.assertRaisesRegex(NotImplementedError, "hierarchy"):
            dtv.dvbt_inner_coder(1, 1512, dtv.MOD_16QAM, dtv.ALPHA1, dtv.C1_2)


class Acquisition(unittest.TestCase):
    """The start of symbols, and their frequency."""

    def test_symbols_are_found_behind_noise_and_turned_back(self):
        rng, size, prefix = np.random.default_rng(3), 2048, 128
        used = np.r_[1:853, size - 852 : size]
        sent = np.zeros((30, size), complex)
        sent[:, used] = (rng.integers(0, 2, (30, len(used))) * 2 - 1) + 1j * (rng.integers(0, 2, (30, len(used))) * 2 - 1)
        symbols = np.fft.ifft(sent, axis=1) * np.sqrt(size)
        noise = rng.normal(size=700) + 1j * rng.normal(size=700)
        signal = np.concatenate([noise, np.hstack([symbols[:, -prefix:], symbols]).reshape(-1)])
        signal = signal * np.exp(2j * np.pi * 0.13 * np.arange(len(signal)) / size)
        signal += 0.1 * (rng.normal(size=len(signal)) + 1j * rng.normal(size=len(signal)))
        block = dtv.dvbt_ofdm_sym_acquisition(1, size, 1705, prefix, 10.0)
        found = through([block], signal.astype("c8"), 1, size, blocks.vector_source_c, blocks.vector_sink_c)
        spectra = np.fft.fft(found.reshape(-1, size), axis=1) / np.sqrt(size)
        self.assertGreaterEqual(len(spectra), 28)
        for spectrum, wanted in zip(spectra, sent):
            gain = np.vdot(wanted, spectrum) / np.vdot(wanted, wanted)
            # Without what the frequency was off, carriers do not meet their neighbours.
            self.assertAlmostEqual(abs(gain), 1, delta=0.02)
            self.assertLess(abs(np.angle(gain)), 0.1)
            self.assertLess(np.linalg.norm(spectrum - gain * wanted) / np.linalg.norm(wanted), 0.15)

    def test_a_prefix_as_long_as_a_symbol_is_refused(self):
        with self.assertRaisesRegex(ValueError, "shorter than a symbol"):
            dtv.dvbt_ofdm_sym_acquisition(1, 64, 50, 64, 10.0)


class Atsc(unittest.TestCase):
    """ATSC A/53 part 2."""

    def setUp(self):
        self.packets = numbers(188 * 48, 256)
        self.packets[::188] = 0x47

    def test_the_transmitter_gives_what_gnu_radio_gives_after_each_step(self):
        steps = (dtv.atsc_pad, dtv.atsc_randomizer, dtv.atsc_rs_encoder, dtv.atsc_interleaver, dtv.atsc_trellis_encoder)
        steps, found = (*steps, dtv.atsc_field_sync_mux), []
        for count in range(1, 7):
            size = 256 if count < 5 else 1024
            given = through([step() for step in steps[:count]], self.packets, 1, size)
            found.append(checksum(given[: size * 36]))
        self.assertEqual(found, [473614180, 1608338749, 394340879, 3971055074, 3885464056, 3902584785])

    def test_packets_come_back(self):
        chain = [dtv.atsc_pad(), dtv.atsc_randomizer(), dtv.atsc_rs_encoder(), dtv.atsc_interleaver()]
        packets = numbers(188 * 120, 256)
        packets[::188] = 0x47
        segments = through(chain, packets, 1, 256).reshape(-1, 256).astype("u1")
        segments[:, 4 + 100] ^= 0xFF
        tb, sink = gr.top_block(), blocks.vector_sink_b()
        deinterleaver, decoder, derandomizer = dtv.atsc_deinterleaver(), dtv.atsc_rs_decoder(), dtv.atsc_derandomizer()
        data, headers = segments[:, 4:211].reshape(-1), segments[:, :4].reshape(-1)
        tb.connect(blocks.vector_source_b(data.tolist(), False, 207), (deinterleaver, 0))
        tb.connect(blocks.vector_source_b(headers.tolist(), False, 4), (deinterleaver, 1))
        for port in (0, 1):
            tb.connect((deinterleaver, port), (decoder, port))
            tb.connect((decoder, port), (derandomizer, port))
        tb.connect(derandomizer, dtv.atsc_depad(), sink)
        tb.run()
        found = np.array(sink.data())
        self.assertEqual(found[52 * 188 :].tolist(), packets[: len(found) - 52 * 188].tolist())
        self.assertGreater(decoder.num_errors_corrected(), 50)
        self.assertEqual(decoder.num_packets(), 120)

    def test_what_stands_in_the_place_of_a_sync_byte_does_not_count(self):
        wanted = through([dtv.atsc_pad(), dtv.atsc_randomizer()], self.packets, 1, 256)
        self.packets[188] = 0
        found = through([dtv.atsc_pad(), dtv.atsc_randomizer()], self.packets, 1, 256)
        self.assertEqual(checksum(found), checksum(wanted))


class Cable(unittest.TestCase):
    """ITU-T J.83 annex B."""

    def test_each_step_gives_what_gnu_radio_gives(self):
        kinds = (dtv.CATV_MOD_64QAM, dtv.CATV_MOD_256QAM)
        found = [checksum(through([dtv.catv_randomizer_bb(kind)], numbers(12000, 128))[:11700]) for kind in kinds]
        self.assertEqual(found, [2919306931, 2064188732])
        words = through([dtv.catv_reed_solomon_enc_bb()], numbers(122 * 128, 128))
        self.assertEqual(checksum(words[: 128 * 100]), 2634281364)
        frames = [through([dtv.catv_frame_sync_enc_bb(kind, 5)], numbers(88 * 128 * 4, 128)) for kind in kinds]
        self.assertEqual([checksum(one[: 50000 + at]) for at, one in enumerate(frames)], [2221951996, 294261095])

    def test_the_trellis_code_gives_what_gnu_radio_gives(self):
        # More than a frame of 256-QAM: its last five groups have the sync trailer in their coded bits.
        sizes = ((dtv.CATV_MOD_64QAM, 28), (dtv.CATV_MOD_256QAM, 38))
        found = [through([dtv.catv_trellis_enc_bb(kind)], numbers(4000 * bits, 2)) for kind, bits in sizes]
        self.assertEqual([checksum(one[:19000]) for one in found], [834181587, 2132931422])
        self.assertEqual([len(one) for one in found], [20000, 19980])

    def test_the_first_byte_of_a_packet_gives_way_to_a_checksum_behind_it(self):
        packets = np.random.default_rng(0).integers(0, 256, 188 * 50 + 30).astype(np.uint8)
        packets[: 188 * 50 : 188] = 0x47
        found = np.array(through([dtv.catv_transport_framing_enc_bb()], packets)).reshape(-1, 188)
        self.assertTrue(np.array_equal(found[:, :187], packets[: 188 * 50].reshape(-1, 188)[:, 1:]))
        # Those of GNU Radio 3.10.5.
        self.assertEqual(found[:6, 187].tolist(), [205, 251, 46, 100, 11, 111])


if __name__ == "__main__":
    unittest.main()
