"""DVB-S2: checksums of what GNU Radio 3.10.5 gives for the same input, and values that follow from the standard."""

import unittest
import zlib

import numpy as np

import superhet.gnuradio

superhet.gnuradio.install(shadow=True)

from gnuradio import blocks, dtv, gr  # noqa: E402

LONG, SHORT, S2 = dtv.FECFRAME_NORMAL, dtv.FECFRAME_SHORT, dtv.STANDARD_DVBS2


def run(data, block, sink):
    source = blocks.vector_source_c(data) if np.iscomplexobj(data) else blocks.vector_source_b([int(x) for x in data])
    tb = gr.top_block()
    tb.connect(source, block, sink)
    tb.run()
    return np.array(sink.data())


def of_bytes(data, block):
    return run(data, block, blocks.vector_sink_b()).astype("u1")


def quarters(data):
    """By how many quarter turns symbols at odd eighths of a turn are turned; 9 for a zero."""
    return np.where(np.abs(data) < 0.1, 9, np.round((np.angle(data) - np.pi / 4) / (np.pi / 2)) % 4).astype("u1")


class Satellites(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # A sequence that does not depend on a generator of random numbers.
        numbers, state = [], 1
        for _ in range(60_000):
            state = (state * 1103515245 + 12345) & 0x7FFFFFFF
            numbers.append(state >> 16 & 0xFF)
        cls.bytes = np.array(numbers, "u1")
        cls.bits = (cls.bytes >> 3) & 1
        cls.packets = cls.bytes[: 188 * 60].copy()
        cls.packets[::188] = 0x47

    def test_frames_of_the_baseband_are_those_of_gnu_radio(self):
        normal, off = dtv.INPUTMODE_NORMAL, dtv.INBAND_OFF
        for standard, size, rate, want in (
            (S2, LONG, dtv.C1_4, 0x19D89955),
            (S2, SHORT, dtv.C8_9, 0xA2D1CE64),
            (dtv.STANDARD_DVBT2, LONG, dtv.C1_2, 0xA852E352),
        ):
            block = dtv.dvb_bbheader_bb(standard, size, rate, dtv.RO_0_20, normal, off, 168, 4_000_000)
            self.assertEqual(zlib.crc32(of_bytes(self.packets, block).tobytes()), want)

    def test_scrambling_begins_anew_with_each_frame(self):
        block = dtv.dvb_bbscrambler_bb(S2, SHORT, dtv.C1_4)
        found = of_bytes(np.zeros(2 * 3072), block)
        self.assertEqual("".join(map(str, found[:16])), "0000001111110110")
        self.assertTrue((found[:3072] == found[3072:]).all())
        self.assertEqual(zlib.crc32(of_bytes(self.bits, dtv.dvb_bbscrambler_bb(S2, LONG, dtv.C1_4)).tobytes()), 0xA765F716)

    def test_check_bits_are_those_of_gnu_radio(self):
        for size, rate, want in ((LONG, dtv.C1_2, 0xE4C85C71), (LONG, dtv.C2_3, 0x48123818), (LONG, dtv.C8_9, 0x00A8A78F), (SHORT, dtv.C1_2, 0xDE06BD69)):
            self.assertEqual(zlib.crc32(of_bytes(self.bits, dtv.dvb_bch_bb(S2, size, rate)).tobytes()), want)

    def test_check_bits_of_low_density_codes_are_those_of_gnu_radio(self):
        rates = "1_4 1_3 2_5 1_2 3_5 2_3 3_4 4_5 5_6 8_9 9_10".split()
        i = np.arange(2 * 64800, dtype=np.int64)
        bits = ((i * i * 7 + i * 131 + (i >> 5) * 17) >> 3) % 2
        wanted = {
            LONG: [
                951934426, 2743717834, 1623349674, 51758517, 161905364, 4105363601, 2714258910, 1321369484, 592367017, 2783314594, 2816755231,
            ],
            SHORT: [1034591698, 2251536807, 2909451431, 245141853, 2995331654, 1765981952, 839548308, 832885790, 1420533493, 2817131025],
        }  # fmt: skip
        for size, checks in wanted.items():
            for rate, want in zip(rates, checks):
                block = dtv.dvb_ldpc_bb(S2, size, getattr(dtv, f"C{rate}"), dtv.MOD_OTHER)
                found = of_bytes(bits, block)[: 64800 if size == LONG else 16200]
                self.assertEqual(zlib.crc32(found.tobytes()), want, rate)
        # DVB-T2 has two tables of its own.
        for size, rate, want in ((LONG, dtv.C2_3, 3165118127), (SHORT, dtv.C3_5, 4261601779), (LONG, dtv.C3_4, 2714258910)):
            found = of_bytes(bits, dtv.dvb_ldpc_bb(dtv.STANDARD_DVBT2, size, rate, dtv.MOD_OTHER))[: 64800 if size == LONG else 16200]
            self.assertEqual(zlib.crc32(found.tobytes()), want)

    def test_points_of_cable_and_of_vsb_are_those_of_gnu_radio(self):
        def points(mode):
            block = dtv.dvbs2_modulator_bc(LONG, dtv.C1_4, mode, dtv.INTERPOLATION_OFF)
            return run(np.arange(256), block, blocks.vector_sink_c())

        found = points(dtv.MOD_64QAM)
        self.assertEqual(found[[0, 1, 2, 3, 9, 10, 20, 63]].tolist(), [1 + 1j, 1 - 1j, 1 - 3j, -3 - 1j, -1 - 1j, 3 + 1j, -3 + 5j, 7 + 7j])
        found = points(dtv.MOD_256QAM)
        self.assertEqual(found[[1, 2, 16, 33, 63, 5, 76]].tolist(), [1 - 1j, -3 + 1j, -1 + 1j, -3 - 1j, 3 + 15j, 5 - 1j, 5 + 13j])
        self.assertEqual(len(set(found.tolist())), 256)
        self.assertEqual(points(dtv.MOD_8VSB)[:8].tolist(), [-5.75, -3.75, -1.75, 0.25, 2.25, 4.25, 6.25, 8.25])

    def test_bits_become_symbols_as_in_gnu_radio(self):
        for mode, rate, want in (
            (dtv.MOD_QPSK, dtv.C1_2, 0xD96DE9A8), (dtv.MOD_8PSK, dtv.C3_5, 0xEC013BF6), (dtv.MOD_8PSK, dtv.C3_4, 0x16DF9DC7),
            (dtv.MOD_16APSK, dtv.C3_4, 0x7B516770), (dtv.MOD_32APSK, dtv.C3_4, 0x334DA90C),
        ):  # fmt: skip
            self.assertEqual(zlib.crc32(of_bytes(self.bits, dtv.dvbs2_interleaver_bb(SHORT, rate, mode)).tobytes()), want)

    def test_points_lie_on_their_rings(self):
        for mode, count, rate, rings in (
            (dtv.MOD_QPSK, 4, dtv.C1_2, {1.0}),
            (dtv.MOD_16APSK, 16, dtv.C2_3, {0.3606, 1.1358}),
            (dtv.MOD_32APSK, 32, dtv.C9_10, {0.2915, 0.7374, 1.2534}),
        ):
            block = dtv.dvbs2_modulator_bc(LONG, rate, mode, dtv.INTERPOLATION_OFF)
            points = run(np.arange(count), block, blocks.vector_sink_c())
            self.assertEqual({round(abs(point), 4) for point in points.tolist()}, rings)
            self.assertEqual(len({(round(z.real, 3), round(z.imag, 3)) for z in points.tolist()}), count)
            self.assertAlmostEqual(float(np.mean(np.abs(points) ** 2)), 1, places=5)

    def test_frames_of_the_physical_layer_are_those_of_gnu_radio(self):
        points = np.array([1 + 1j, 1 - 1j, -1 + 1j, -1 - 1j])[self.bytes % 4] / np.sqrt(2)
        for mode, pilots, code, want in (
            (dtv.MOD_QPSK, dtv.PILOTS_OFF, 0, 0x497C74D6), (dtv.MOD_QPSK, dtv.PILOTS_ON, 7, 0x3915F25B), (dtv.MOD_8PSK, dtv.PILOTS_ON, 0, 0xD54D4B45),
        ):  # fmt: skip
            block = dtv.dvbs2_physical_cc(SHORT, dtv.C3_4, mode, pilots, code)
            self.assertEqual(zlib.crc32(quarters(run(points, block, blocks.vector_sink_c())).tobytes()), want)

    def test_what_is_of_dvb_s2x_is_named(self):
        with self.assertRaisesRegex(NotImplementedError, "C13_45"):
            dtv.dvb_bch_bb(S2, LONG, dtv.C13_45)
        with self.assertRaisesRegex(ValueError, "goldcode"):
            dtv.dvbs2_physical_cc(LONG, dtv.C1_2, dtv.MOD_QPSK, dtv.PILOTS_OFF, -1)


if __name__ == "__main__":
    unittest.main()
