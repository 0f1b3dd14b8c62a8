"""Tests of superhet.gnuradio.digital_parts. What stands in tables was read off GNU Radio 3.10.5."""

import sys
import types
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))

import pure  # noqa: E402, F401
from superhet.gnuradio import digital_parts as digital  # noqa: E402
from superhet.gnuradio import pmt  # noqa: E402
from superhet.gnuradio.digital_parts import mod_codes, packet_utils  # noqa: E402
from superhet.gnuradio.digital_parts.utils import alignment, lfsr  # noqa: E402
from superhet.gnuradio.digital_parts.utils import tagged_streams as ts  # noqa: E402

FIXED = ("bpsk", "qpsk", "dqpsk", "8psk", "8psk_natural", "16qam")


def fixed(name):
    return getattr(digital, f"constellation_{name}")()


def samples(count, scale=1.0):
    generator = np.random.default_rng(1)
    return (scale * (generator.normal(size=count) + 1j * generator.normal(size=count))).astype(np.complex64)


def nearest(constellation, z):
    return int(np.argmin(np.abs(np.array(constellation.points()) - z)))


class Fixed(unittest.TestCase):
    def test_points(self):
        a, b, c = 0.3826834, 0.9238795, 0.3162278
        for name, expected in {
            "bpsk": [-1, 1],
            "qpsk": 1.4142135 * np.array([-1 - 1j, 1 - 1j, -1 + 1j, 1 + 1j]),
            "dqpsk": 1.4142135 * np.array([1 + 1j, -1 + 1j, -1 - 1j, 1 - 1j]),
            "8psk": [complex(b, a), complex(-b, a), complex(b, -a), complex(-b, -a)]
            + [complex(a, b), complex(-a, b), complex(a, -b), complex(-a, -b)],
        }.items():
            np.testing.assert_allclose(fixed(name).points(), expected, atol=1e-6, err_msg=name)
        points = np.array(fixed("16qam").points()) / c
        self.assertEqual(np.round(points[:4]).tolist(), [1 - 1j, -1 - 1j, 3 - 3j, -3 - 3j])
        self.assertEqual(np.round(points[12:]).tolist(), [1 + 3j, -1 + 3j, 3 + 1j, -3 + 1j])

    def test_what_they_tell(self):
        for name, (arity, bits, symmetry, code, applied) in {
            "bpsk": (2, 1, 2, [], False),
            "qpsk": (4, 2, 4, [0, 2, 3, 1], False),
            "dqpsk": (4, 2, 4, [0, 1, 3, 2], True),
            "8psk": (8, 3, 8, [], False),
            "8psk_natural": (8, 3, 8, [], False),
            "16qam": (16, 4, 4, [], False),
        }.items():
            with self.subTest(name):
                c = fixed(name)
                self.assertEqual((c.arity(), c.bits_per_symbol(), c.rotational_symmetry()), (arity, bits, symmetry))
                self.assertEqual((c.pre_diff_code(), c.apply_pre_diff_code(), c.dimensionality()), (code, applied, 1))
                self.assertIs(c.base(), c)
                self.assertIs(pmt.any_ref(c.as_pmt()), c)

    def test_decisions_are_the_nearest_point(self):
        for name in FIXED:
            c = fixed(name)
            for z in samples(500, 1.5):
                self.assertEqual(c.decision_maker_v([z]), nearest(c, z), (name, z))
            for symbol in range(c.arity()):
                self.assertEqual(c.decision_maker(c.map_to_points_v(symbol)[0]), symbol)

    def test_soft_decisions(self):
        for name, expected in {
            "bpsk": [0.5967336],
            "qpsk": [0.1452025, 0.4232025],
            "dqpsk": [-0.1452025, -0.4232025],
            "8psk": [-0.0554446, -0.1334592, -0.3891305],
            "8psk_natural": [-0.36802, -0.05544, 0.00358],
            "16qam": [0.1413183, -0.1770738, 0.0115625, 0.0234491],
        }.items():
            np.testing.assert_allclose(fixed(name).calc_soft_dec(0.3 + 0.1j), expected, atol=2e-5, err_msg=name)
        np.testing.assert_allclose(fixed("qpsk").calc_soft_dec(0.3 + 0.1j, 2.0), [0.0718349, 0.2113374], atol=1e-5)

    def test_soft_decisions_far_away_are_no_nan(self):
        decisions = fixed("qpsk").calc_soft_dec(100, 0.0001)
        self.assertTrue(np.isfinite(decisions).all())
        with self.assertRaises(ValueError):
            fixed("qpsk").calc_soft_dec(1, 0)

    def test_the_table_of_soft_decisions(self):
        c = fixed("qpsk")
        self.assertFalse(c.has_soft_dec_lut())
        c.gen_soft_dec_lut(3)
        self.assertTrue(c.has_soft_dec_lut())
        np.testing.assert_allclose(c.soft_dec_lut()[0], [-1.6850159, -1.6850159], atol=1e-5)
        np.testing.assert_allclose(c.soft_dec_lut()[1], [-1.5282137, -1.2228239], atol=1e-5)
        np.testing.assert_allclose(c.soft_decision_maker(0.3 + 0.1j), [0.2127343, 0.6029894], atol=1e-5)
        c.set_soft_dec_lut([[float(k)] for k in range(16)], 2)
        grid = (-2, -0.9, -0.3, 0, 0.3, 0.9, 2)
        self.assertEqual([c.soft_decision_maker(complex(x, 0))[0] for x in grid], [8, 8, 9, 10, 10, 11, 11])
        self.assertEqual([c.soft_decision_maker(complex(0, y))[0] for y in grid], [2, 2, 6, 10, 10, 14, 14])
        with self.assertRaises(ValueError):
            c.set_soft_dec_lut([[1.0]] * 15, 2)


class General(unittest.TestCase):
    def test_normalization(self):
        for normalization, first in [(0, 1), (1, 0.51639777), (2, 0.5714286)]:
            c = digital.constellation_calcdist([1, 2j, -3, 1], [], 1, 1, normalization)
            np.testing.assert_allclose(c.points(), np.array([1, 2j, -3, 1]) * first, atol=1e-6)
        self.assertEqual(digital.constellation.POWER_NORMALIZATION, 1)

    def test_several_dimensions(self):
        c = digital.constellation_calcdist([1, 2j, -3, 1], [], 1, 2, digital.constellation.NO_NORMALIZATION)
        self.assertEqual((c.arity(), c.v_points(), c.map_to_points_v(1)), (2, [[1, 2j], [-3, 1]], [-3, 1]))
        self.assertEqual(c.decision_maker_v([-2, 1]), 1)
        with self.assertRaises(RuntimeError):
            c.s_points()
        with self.assertRaises(ValueError):
            c.decision_maker_v([1])

    def test_soft_decisions_follow_the_pre_differential_code(self):
        c = digital.constellation_calcdist([1, 1j, -1, -1j], [0, 1, 3, 2], 4, 1)
        np.testing.assert_allclose(c.calc_soft_dec(0.3 + 0.1j), [-0.3980456, -0.2101985], atol=1e-5)
        c.set_pre_diff_code(False)
        np.testing.assert_allclose(c.calc_soft_dec(0.3 + 0.1j), [-0.3980456, -0.0782453], atol=1e-5)

    def test_blocks_get_the_pre_differential_code_only_where_it_is_used(self):
        self.assertEqual(fixed("qpsk").__superhet__()["pre_diff_code"], [])
        self.assertEqual(fixed("dqpsk").__superhet__()["pre_diff_code"], [0, 1, 3, 2])
        c = digital.constellation_calcdist([1, 1j, -1, -1j], [0, 1, 3, 2], 4, 1)
        self.assertEqual(c.__superhet__()["pre_diff_code"], [0, 1, 3, 2])
        c.set_pre_diff_code(False)
        self.assertEqual(c.__superhet__()["pre_diff_code"], [])

    def test_rectangles(self):
        c = digital.constellation_rect([3, 1j, 2, 1], [], 4, 3, 2, 0.5, 1)
        found = [c.decision_maker_v([complex(x, y)]) for x in (-1, 0, 0.3, 1) for y in (-0.5, 0.5)]
        self.assertEqual(found, [1, 1, 3, 1, 3, 1, 3, 1])
        other = digital.constellation_expl_rect([3, 1j, 2, 1], [], 4, 3, 2, 0.5, 1, [0, 1, 2, 3, 0, 1])
        self.assertEqual([other.decision_maker_v([complex(x, y)]) for x in (-1, 0, 0.3, 1) for y in (-0.5, 0.5)], found)

    def test_slices(self):
        c = digital.constellation_psk([1, 1j, -1, -1j], [], 4)
        self.assertEqual([c.decision_maker_v([z]) for z in (0, 1 + 1j, -1 + 1j, -1 - 1j, 1 - 1j)], [0, 1, 2, 3, 0])

    def test_what_makes_no_constellation(self):
        for arguments in [([], [], 1, 1), ([1, 2, 3], [], 1, 2), ([1, 2], [0], 1, 1), ([1, 2], [], 1, 0), ([0, 0], [], 1, 1)]:
            with self.assertRaises(RuntimeError):
                digital.constellation_calcdist(*arguments)
        with self.assertRaises(ValueError):
            digital.constellation_rect([1, -1], [], 2, 0, 1, 1, 1)
        with self.assertRaises(ValueError):
            digital.constellation_expl_rect([1, -1], [], 2, 2, 1, 1, 1, [0])
        with self.assertRaises(ValueError):
            digital.constellation_psk([1, -1], [], 0)
        with self.assertRaises(TypeError):
            digital.constellation([1, -1], [], 2, 1)
        with self.assertRaisesRegex(ValueError, "no symbol 2"):
            digital.constellation_bpsk().map_to_points_v(2)


class Makers(unittest.TestCase):
    def test_psk(self):
        for m in (2, 4, 8, 16, 64):
            for code in ("gray", "none"):
                for differential in (True, False):
                    c = digital.psk_constellation(m, code, differential)
                    self.assertEqual((c.arity(), c.rotational_symmetry()), (m, m))
                    self.assertEqual(c.apply_pre_diff_code(), differential and code == "gray")
                    for symbol, point in enumerate(c.points()):
                        self.assertEqual(c.decision_maker_v([point * 1.2]), symbol)
        self.assertEqual(digital.psk_constellation(8).pre_diff_code(), [0, 1, 3, 2, 6, 7, 5, 4])
        turns = np.angle(digital.psk_constellation(8, "gray", False).points()) / (np.pi / 4) % 8
        self.assertEqual(np.round(turns).astype(int).tolist(), [0, 1, 3, 2, 7, 6, 4, 5])

    def test_qam(self):
        for m in (4, 16, 64, 256):
            for code in ("gray", "none"):
                for differential in (True, False):
                    for corners in (True, False):
                        c = digital.qam_constellation(m, differential, code, corners)
                        self.assertEqual((c.arity(), c.rotational_symmetry()), (m, 4))
                        self.assertAlmostEqual(float(np.mean(np.abs(c.points()))), 1, 5)
                        for symbol, point in enumerate(c.points()):
                            self.assertEqual(c.decision_maker_v([point]), symbol)
        unit = 0.33385056
        points = np.array(digital.qam_constellation(16).points()) / unit
        self.assertEqual(np.round(points[:6]).tolist(), [1 + 1j, 1 + 3j, 3 + 1j, 3 + 3j, -1 + 1j, -3 + 1j])
        points = np.array(digital.qam_constellation(16, False, "gray").points()) / unit
        self.assertEqual(np.round(points[:5]).tolist(), [-3 - 3j, -3 - 1j, -3 + 3j, -3 + 1j, -1 - 3j])

    def test_what_cannot_be_made(self):
        for call in (
            lambda: digital.psk_constellation(3),
            lambda: digital.psk_constellation(4, "set-partition"),
            lambda: digital.psk_constellation(4, "bogus"),
            lambda: digital.qam_constellation(8),
            lambda: digital.qam_constellation(16, True, "bogus"),
        ):
            with self.assertRaises(ValueError):
                call()

    def test_by_name(self):
        made = digital.modulation_utils.type_1_constellations()
        self.assertEqual(set(made), {"psk", "qam", "bpsk", "dbpsk", "qpsk", "dqpsk"})
        self.assertEqual(made["qpsk"]().arity(), 4)

    def test_options(self):
        options = types.SimpleNamespace(m=8, mod_code=None, other=1)
        kwargs = digital.modulation_utils.extract_kwargs_from_options(digital.psk_constellation, ("differential",), options)
        self.assertEqual(kwargs, {"m": 8})


class Maps(unittest.TestCase):
    def test_maps_by_name(self):
        self.assertEqual(digital.psk_2_0x1(), ([-1, 1], [1, 0]))
        self.assertEqual(digital.psk_4_0x1_1_0(), ([-1 - 1j, 1 - 1j, -1 + 1j, 1 + 1j], [1, 3, 0, 2]))
        self.assertEqual(digital.psk_4_5(), digital.psk_4_0x1_1_0())
        self.assertEqual(digital.qam_16()[1], [0, 4, 12, 8, 1, 5, 13, 9, 3, 7, 15, 11, 2, 6, 14, 10])
        self.assertEqual(digital.qam_16_0x1_1_0_2_3()[1], [1, 5, 13, 9, 3, 7, 15, 11, 2, 6, 14, 10, 0, 4, 12, 8])

    def test_soft_decisions_for_a_map(self):
        points, symbols = digital.psk_4()
        np.testing.assert_allclose(digital.calc_soft_dec(0.3 + 0.1j, points, symbols), [0.1470649, 0.4215221], atol=1e-6)
        table = digital.soft_dec_table(points, symbols, 2)
        np.testing.assert_allclose(table[:2], [[-1.7645544, -1.7645544], [-1.2996225, -0.5841883]], atol=1e-6)
        self.assertEqual(digital.calc_soft_dec_from_table(0.3 + 0.1j, table, 2), table[10])
        axis = [z for z, _ in digital.soft_dec_table_generator(lambda z, es: [z.real, es], 2, 3)[:4]]
        np.testing.assert_allclose(axis, [-2.1213, -0.7071, 0.7071, 2.1213], atol=1e-4)
        with self.assertRaises(ValueError):
            digital.calc_soft_dec(0, points, [0, 1, 2, 2])

    def test_32_points_around_a_hole(self):
        c = digital.qam32_holeinside_constellation()
        self.assertEqual((c.arity(), c.bits_per_symbol(), c.rotational_symmetry()), (32, 5, 4))
        for symbol, point in enumerate(c.points()):
            self.assertEqual(c.decision_maker_v([point * (1 + 0.05j)]), symbol)


class Helpers(unittest.TestCase):
    def test_codes(self):
        self.assertEqual(digital.gray_code(10), [0, 1, 3, 2, 6, 7, 5, 4, 12, 13])
        self.assertEqual(mod_codes.invert_code([1, 2, 3, 0]), [3, 0, 1, 2])
        self.assertEqual(mod_codes.codes, ("gray", "set-partition", "none"))
        self.assertEqual(lfsr.lfsr_args(0b11001, 7, 1, 0), (131, 25, 6))
        self.assertEqual(packet_utils.default_access_code_binary, b"\xac\xdd\xa4\xe2\xf2\x8c \xfc")
        self.assertEqual((digital.get_bit(5, 2), digital.get_bits(0b110100, 2, 3)), (1, 5))
        self.assertEqual([x for x in range(70) if digital.is_power_of_four(x)], [1, 4, 16, 64])

    def test_tagged_streams(self):
        packets = [[1, 2, 3, 4], [5, 6]]
        for vlen in (1, 2):
            data, tags = ts.packets_to_vectors(packets, "len", vlen)
            self.assertEqual(data, [1, 2, 3, 4, 5, 6])
            self.assertEqual([(t.offset, str(t.key), str(t.value)) for t in tags][1], (4 // vlen, "len", str(2 // vlen)))
            self.assertEqual(ts.vectors_to_packets(data, tags, "len", vlen), packets)
            self.assertEqual(ts.count_bursts(data, tags, "len", vlen), 1)
        data, tags = ts.strings_to_vectors(["ab", "cde"], "len")
        self.assertEqual(ts.vectors_to_strings(data, tags, "len"), ["ab", "cde"])

    def test_tags_that_do_not_fit(self):
        for lengths, offsets in [([2], [0]), ([2], [1]), ([5], [0]), ([2, 1], [0, 1]), ([0], [0]), ([3, 3], [0, 0])]:
            with self.assertRaises(ValueError):
                ts.vectors_to_packets([1, 2, 3], ts.make_lengthtags(lengths, offsets, "len"), "len")
        with self.assertRaises(ValueError):
            ts.count_bursts([1, 2, 3], ts.make_lengthtags([2, 1], [0, 1], "len"), "len")
        self.assertEqual(ts.count_bursts([0] * 9, ts.make_lengthtags([2, 1, 2], [0, 2, 5], "len"), "len"), 2)

    def test_alignment(self):
        pattern = [0, 1, 1, 0, 1, 0, 0, 1, 1, 1] * 10
        align = alignment.align_sequences
        self.assertEqual(align([9, 9, *pattern], pattern)[:3], (1.0, 100, 2))
        self.assertEqual(align(list(range(3, 20)), list(range(20)))[:3], (1.0, 17, -3))
        self.assertEqual(len(alignment.random_sample(5000, 10, seed=3)), 10)


class SoftMaps(unittest.TestCase):
    """Numbers of GNU Radio 3.10.5."""

    def test_each_bit_has_a_number_that_is_positive_for_a_one(self):
        x = -0.5 + 0.9j
        for name, wanted in (
            ("sd_psk_2", [-0.7071]),
            ("sd_psk_4", [1.2728, -0.7071]),
            ("sd_psk_4_0x2_1_0", [0.7071, 1.2728]),
            ("sd_psk_4_5", [-0.7071, -1.2728]),
            ("sd_qam_16", [-0.0623, -0.0143, 0.1566, -0.2143]),
            ("sd_qam_16_0x1_0_1_2_3", [-1.5, 0.5, 3.4, 0.7]),
            ("sd_qam_16_7", [-1.5, 0.5, 0.7, -3.4]),
        ):
            for found, right in zip(getattr(digital, name)(x), wanted, strict=True):
                self.assertAlmostEqual(found, right, 4, name)
        self.assertAlmostEqual(digital.psk_constellations.sd_psk_4(x, 2)[0], 2.5456, 4)

    def test_the_numbers_say_the_bits_of_the_points(self):
        for name in ("psk_2", "psk_4_0x1_0_1", "psk_4_6", "qam_16", "qam_16_0x2_1_0_2_3", "qam_16_3"):
            points, symbols = getattr(digital, name)()
            size = max(abs(complex(point).real) for point in points)
            for point, symbol in zip(points, symbols):
                soft = getattr(digital, f"sd_{name}")(point / size)
                bits = [symbol >> place & 1 for place in reversed(range(len(soft)))]
                self.assertEqual([int(number > 0) for number in soft], bits, name)


if __name__ == "__main__":
    unittest.main()
