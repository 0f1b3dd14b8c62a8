"""Tests of superhet.gnuradio.pmt. What stands in tables was read off GNU Radio 3.10.5."""

import copy
import io
import pickle
import struct
import sys
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))

import pure  # noqa: E402, F401
from superhet.gnuradio import pmt  # noqa: E402

ONE, TWO, THREE = (pmt.from_long(n) for n in (1, 2, 3))
NAN = float("nan")


def entries(*pairs):
    result = pmt.make_dict()
    for key, value in pairs:
        result = pmt.dict_add(result, pmt.to_pmt(key), pmt.to_pmt(value))
    return result


def recorded():
    """The values in data/pmt_serialize.txt, by name."""
    return {
        "true": pmt.PMT_T,
        "nil": pmt.PMT_NIL,
        "sym": pmt.intern("hello"),
        "long": pmt.from_long(-5),
        "bigint": pmt.from_long(2**40),
        "u64": pmt.from_uint64(2**63 + 1),
        "double": pmt.from_double(1.5),
        "complex": pmt.from_complex(1 - 2j),
        "pair": pmt.cons(pmt.intern("a"), ONE),
        "tuple": pmt.make_tuple(ONE, pmt.from_double(2.0)),
        "dict": entries(("k", 3)),
        "u8v": pmt.init_u8vector(4, [1, 2, 3, 4]),
        "f32v": pmt.init_f32vector(2, [1.0, -1.0]),
        "c32v": pmt.init_c32vector(2, [1j, 2]),
        "vector": pmt.to_pmt([1, "x"]),
        "pdu": pmt.cons(entries(("crc", True)), pmt.init_u8vector(3, [9, 8, 7])),
    }


class Bytes(unittest.TestCase):
    def test_bytes_and_text_are_those_that_gnu_radio_wrote(self):
        lines = (Path(__file__).parent / "data/pmt_serialize.txt").read_text().splitlines()
        values = recorded()
        self.assertEqual([line.split("\t")[0] for line in lines], list(values))
        for line in lines:
            name, written, text = line.split("\t")
            with self.subTest(name):
                self.assertEqual(pmt.serialize_str(values[name]).hex(), written)
                self.assertEqual(pmt.write_string(values[name]), text)
                again = pmt.deserialize_str(bytes.fromhex(written))
                self.assertTrue(pmt.equal(again, values[name]))
                self.assertEqual(pmt.serialize_str(again).hex(), written)

    def test_the_tags_before_a_message_of_gnu_radios_zmq_blocks(self):
        message = (Path(__file__).parent / "data/zmq_pub_tags.bin").read_bytes()
        # Magic number, version, offset of the stream and number of tags; then for each its offset, key, value and source.
        magic, version, _, count = struct.unpack_from("<HBQQ", message)
        self.assertEqual((magic, version), (0x5FF0, 1))
        rest, found = message[19:], []
        for _ in range(count):
            (offset,), rest = struct.unpack_from("<Q", rest), rest[8:]
            fields = []
            for _ in range(3):
                field = pmt.deserialize_str(rest)
                written = pmt.serialize_str(field)
                self.assertEqual(written, rest[: len(written)])
                rest = rest[len(written) :]
                fields.append(str(field))
            found.append((offset, *fields))
        self.assertEqual(len(rest), 512)
        self.assertEqual(
            found,
            [
                (3, "rx_freq", "9.85e+07", "src0"),
                (3, "rx_time", "{1700000000 0.25}", "src0"),
                (17, "packet_len", "20", "src0"),
                (40, "label", "((b . x) (a . 1))", "src0"),
            ],
        )

    def test_every_beginning_of_a_value_is_an_error(self):
        for name, value in recorded().items():
            written = pmt.serialize_str(value)
            for end in range(1, len(written)):
                with self.subTest(name, end=end), self.assertRaises((pmt.notimplemented, pmt.wrong_type)):
                    pmt.deserialize_str(written[:end])

    def test_hostile_bytes(self):
        for written in ["0e", "ff", "0a200000000201000708", "08ffffffff00", "0a00ffffffff0100", "090006", "0200", "0907000007"]:
            with self.subTest(written), self.assertRaises((pmt.notimplemented, pmt.wrong_type)):
                pmt.deserialize_str(bytes.fromhex(written))
        with self.assertRaisesRegex(pmt.out_of_range, "128"):
            pmt.deserialize_str(b"\x07" * 100_000)

    def test_changed_bytes_give_a_value_or_an_exception_of_ours(self):
        generator = np.random.default_rng(1)
        for name, value in recorded().items():
            written = np.frombuffer(pmt.serialize_str(value), np.uint8)
            for _ in range(200):
                changed = written.copy()
                changed[generator.integers(len(changed))] = generator.integers(256)
                try:
                    again = pmt.deserialize_str(changed.tobytes())
                    pmt.write_string(again)
                    pmt.deserialize_str(pmt.serialize_str(again))
                except (pmt.notimplemented, pmt.wrong_type, pmt.out_of_range):
                    pass

    def test_what_gnu_radio_reads_otherwise(self):
        self.assertIs(pmt.deserialize_str(b""), pmt.PMT_EOF)
        self.assertEqual(str(pmt.deserialize_str(b"\x00junk")), "#t")
        # The empty tuple, which GNU Radio writes and refuses to read.
        self.assertEqual(str(pmt.deserialize_str(b"\x0c\0\0\0\0")), "{}")
        # Padding of any length.
        self.assertEqual(str(pmt.deserialize_str(bytes.fromhex("0a000000000202aabb0708"))), "#[7 8]")

    def test_once_in_a_dictionary_all_pairs_are_its_own(self):
        value = pmt.deserialize_str(bytes.fromhex("09070000" "07070000" "06"))
        self.assertEqual(pmt.serialize_str(value).hex(), "0907000009070000" "06")

    def test_text_that_is_no_utf8_is_kept(self):
        written = b"\x02\x00\x02a\xff"
        self.assertEqual(pmt.serialize_str(pmt.deserialize_str(written)), written)

    def test_a_symbol_too_long_to_be_read_back_is_an_error(self):
        self.assertEqual(len(pmt.serialize_str(pmt.intern("a" * 65535))), 65538)
        with self.assertRaisesRegex(pmt.out_of_range, "65536"):
            pmt.serialize_str(pmt.intern("a" * 65536))

    def test_a_long_list_is_not_deep(self):
        value = pmt.PMT_NIL
        for n in range(100_000):
            value = pmt.cons(pmt.from_long(n), value)
        again = pmt.deserialize_str(pmt.serialize_str(value))
        self.assertEqual(pmt.length(again), 100_000)
        self.assertTrue(pmt.equal(again, value))
        self.assertEqual(pmt.to_python(again)[0], 99_999)

    def test_depth_is_bounded_everywhere(self):
        value = pmt.PMT_NIL
        for _ in range(10_000):
            value = pmt.cons(value, pmt.PMT_NIL)
        for function in (pmt.serialize_str, pmt.write_string, pmt.to_python, lambda x: pmt.equal(x, pmt.cons(x, pmt.PMT_NIL))):
            with self.assertRaisesRegex(pmt.out_of_range, "128"):
                function(value)
        nested = []
        for _ in range(500):
            nested = [nested]
        with self.assertRaises(pmt.out_of_range):
            pmt.to_pmt(nested)

    def test_a_list_that_bites_its_tail_is_an_error(self):
        value = pmt.list3(ONE, TWO, THREE)
        pmt.set_cdr(pmt.cddr(value), value)
        for function in (pmt.length, pmt.serialize_str, pmt.write_string, pmt.reverse, pmt.to_python, pmt.to_tuple):
            with self.assertRaisesRegex(pmt.out_of_range, "never ends"):
                function(value)
        with self.assertRaises(pmt.out_of_range):
            pmt.member(pmt.from_long(7), value)

    def test_files(self):
        file = io.BytesIO()
        self.assertTrue(pmt.serialize(ONE, file))
        file.seek(0)
        self.assertTrue(pmt.eqv(pmt.deserialize(file), ONE))

    def test_pickle_and_copies(self):
        value = recorded()["pdu"]
        self.assertTrue(pmt.equal(pickle.loads(pickle.dumps(value)), value))
        self.assertTrue(pmt.equal(copy.deepcopy(value), value))


class Text(unittest.TestCase):
    def test_numbers(self):
        for value, text in [
            (1e300, "1e+300"),
            (123456789.123, "1.23457e+08"),
            (1e5, "100000"),
            (999999.5, "1e+06"),
            (0.0001, "0.0001"),
            (1e-5, "1e-05"),
            (NAN, "nan"),
            (-NAN, "-nan"),
            (-float("inf"), "-inf"),
            (-0.0, "-0"),
        ]:
            self.assertEqual(str(pmt.from_double(value)), text)
        self.assertEqual(str(pmt.from_complex(complex(0.1, NAN))), "0.1+nani")
        self.assertEqual(str(pmt.from_complex(1, -2)), "1+-2i")

    def test_uniform_vectors(self):
        for vector, text in [
            (pmt.make_f32vector(2, 0.1), "#[0.100000 0.100000]"),
            (pmt.make_f32vector(1, 1e300), "#[inf]"),
            (pmt.make_f32vector(1, -0.0), "#[-0.000000]"),
            (pmt.make_f64vector(1, 1e22), "#[10000000000000000000000.000000000000000]"),
            (pmt.make_f64vector(1, -NAN), "#[-nan]"),
            (pmt.make_c64vector(1, 0.123456789 - 1e10j), "#[(0.123457,-1e+10)]"),
            (pmt.make_c32vector(1, complex(NAN, -0.0)), "#[(nan,-0)]"),
            (pmt.make_u8vector(0, 1), "#[]"),
            (pmt.make_s64vector(1, -(2**63)), "#[-9223372036854775808]"),
        ]:
            self.assertEqual(str(vector), text)

    def test_structures(self):
        nested = pmt.cons(pmt.mp("a b"), pmt.make_tuple(pmt.PMT_NIL, pmt.make_vector(2, pmt.PMT_NIL)))
        self.assertEqual(repr(nested), "(a b . {() #(() ())})")
        self.assertEqual(str(entries(("a", {"b": None}))), "((a (b)))")
        self.assertEqual(str(pmt.cons(ONE, pmt.cons(TWO, THREE))), "(1 2 . 3)")
        self.assertEqual(str(pmt.PMT_EOF), "(())")

    def test_print_and_write(self):
        file = io.StringIO()
        pmt.write(pmt.list2(ONE, TWO), file)
        self.assertEqual(file.getvalue(), "(1 2)")
        with self.assertRaises(pmt.notimplemented):
            pmt.read(file)


class Values(unittest.TestCase):
    def test_symbols_with_the_same_text_are_one(self):
        self.assertIs(pmt.intern("one"), pmt.string_to_symbol("one"))
        self.assertIs(pmt.intern("one"), pmt.deserialize_str(b"\x02\x00\x03one"))
        self.assertEqual(pmt.symbol_to_string(pmt.intern("a\0b")), "a\0b")
        self.assertNotEqual(pmt.intern("a"), pmt.intern("b"))

    def test_other_values_are_compared_by_identity(self):
        self.assertFalse(pmt.from_long(1) == pmt.from_long(1))
        self.assertFalse(pmt.eq(pmt.from_long(1), pmt.from_long(1)))
        self.assertTrue(pmt.eqv(pmt.from_long(1), pmt.from_long(1)))
        self.assertFalse(pmt.eqv(pmt.from_long(1), pmt.from_uint64(1)))
        self.assertFalse(pmt.eqv(pmt.from_double(NAN), pmt.from_double(NAN)))
        self.assertFalse(pmt.equal(pmt.make_tuple(ONE), pmt.make_vector(1, ONE)))
        self.assertTrue(pmt.equal(pmt.make_u8vector(2, 1), pmt.make_s8vector(2, 1)))
        self.assertFalse(pmt.equal(pmt.make_u16vector(1, 257), pmt.make_u8vector(2, 1)))

    def test_limits_of_integers(self):
        self.assertEqual(pmt.serialize_str(pmt.from_long(2**31)).hex(), "0d0000000080000000")
        for value in (2**63, -(2**63) - 1, 1.0, "1", None):
            with self.assertRaises(TypeError):
                pmt.from_long(value)
        for value in (-1, 2**64):
            with self.assertRaises(TypeError):
                pmt.from_uint64(value)
        self.assertEqual(pmt.to_long(pmt.from_long(np.int16(5))), 5)

    def test_conversions_between_numbers(self):
        self.assertEqual(pmt.to_uint64(ONE), 1)
        self.assertEqual(pmt.to_double(ONE), 1.0)
        self.assertEqual(pmt.to_complex(pmt.from_double(0.1)), 0.1 + 0j)
        self.assertEqual(pmt.to_float(pmt.from_double(0.1)), 0.10000000149011612)
        self.assertEqual(pmt.serialize_str(pmt.from_float(0.1)).hex(), "043fb99999a0000000")
        for call in (
            lambda: pmt.to_long(pmt.from_uint64(5)),
            lambda: pmt.to_long(pmt.from_double(5)),
            lambda: pmt.to_uint64(pmt.from_long(-5)),
            lambda: pmt.to_double(pmt.from_uint64(5)),
            lambda: pmt.to_complex(pmt.PMT_T),
            lambda: pmt.to_bool(ONE),
            lambda: pmt.symbol_to_string(ONE),
        ):
            with self.assertRaises(pmt.wrong_type):
                call()
        with self.assertRaisesRegex(ValueError, r"pmt_to_long: wrong_type 1\.5"):
            pmt.to_long(pmt.from_double(1.5))

    def test_mp(self):
        for value, text in [("abc", "abc"), (1, "1"), (True, "1"), (1.5, "1.5"), (1j, "0+1i"), (2**63, str(2**63))]:
            self.assertEqual(str(pmt.mp(value)), text)
        self.assertTrue(pmt.is_real(pmt.mp(2**64)))
        with self.assertRaises(TypeError):
            pmt.mp([1])

    def test_what_is_no_pmt_is_a_type_error(self):
        for function in (pmt.car, pmt.is_null, pmt.length, pmt.serialize_str, pmt.to_python, pmt.is_u8vector):
            for value in (None, 1, "a"):
                with self.assertRaises(TypeError):
                    function(value)
        with self.assertRaises(TypeError):
            pmt.cons(ONE, 2)
        with self.assertRaises(TypeError):
            pmt.pmt_base()

    def test_predicates(self):
        self.assertTrue(pmt.is_dict(pmt.PMT_NIL) and pmt.is_true(pmt.PMT_NIL) and not pmt.is_pair(pmt.PMT_NIL))
        self.assertTrue(pmt.is_pair(entries((1, 2))) and not pmt.is_dict(pmt.list1(pmt.cons(ONE, TWO))))
        self.assertTrue(pmt.is_pdu(recorded()["pdu"]) and not pmt.is_pdu(pmt.cons(ONE, pmt.make_u8vector(1, 1))))
        self.assertTrue(pmt.is_number(pmt.from_uint64(1)) and not pmt.is_integer(pmt.from_uint64(1)))
        self.assertTrue(pmt.is_blob(pmt.make_u8vector(1, 1)) and not pmt.is_blob(pmt.make_f32vector(1, 1)))
        self.assertTrue(ONE.is_integer() and not pmt.PMT_NIL.is_dict() and entries((1, 2)).is_dict())
        self.assertTrue(pmt.is_eof_object(pmt.PMT_EOF) and not pmt.is_eof_object(pmt.cons(pmt.PMT_NIL, pmt.PMT_NIL)))

    def test_any(self):
        value = pmt.make_any([1])
        self.assertEqual(pmt.any_ref(value), [1])
        pmt.any_set(value, 2)
        self.assertEqual(pmt.to_python(value), 2)
        with self.assertRaises(pmt.notimplemented):
            pmt.serialize_str(value)

    def test_a_name_that_does_not_exist_lists_what_is_near(self):
        with self.assertRaisesRegex(AttributeError, "'to_longs'; there is to_long"):
            pmt.to_longs
        with self.assertRaisesRegex(AttributeError, "'zzzzzz'$"):
            pmt.zzzzzz
        self.assertFalse(hasattr(pmt, "msg_accepter_send"))


class Lists(unittest.TestCase):
    def setUp(self):
        self.list = pmt.list3(ONE, TWO, THREE)

    def test_items(self):
        self.assertEqual([pmt.to_long(pmt.nth(n, self.list)) for n in range(3)], [1, 2, 3])
        self.assertIs(pmt.nth(3, self.list), pmt.PMT_NIL)
        self.assertIs(pmt.nth(1, pmt.cons(ONE, TWO)), pmt.PMT_NIL)
        self.assertEqual(str(pmt.nthcdr(1, self.list)), "(2 3)")
        self.assertIs(pmt.caddr(self.list), THREE)
        for bad in (lambda: pmt.nth(0, pmt.PMT_T), lambda: pmt.nthcdr(2, pmt.cons(ONE, TWO)), lambda: pmt.car(pmt.PMT_NIL)):
            with self.assertRaises(pmt.wrong_type):
                bad()
        with self.assertRaises(TypeError):
            pmt.nth(-1, self.list)

    def test_new_lists(self):
        self.assertEqual(str(pmt.list_add(self.list, ONE)), "(1 2 3 1)")
        self.assertEqual(str(pmt.list_rm(self.list, TWO)), "(1 3)")
        self.assertEqual(str(pmt.list_rm(pmt.cons(ONE, TWO), ONE)), "2")
        self.assertEqual(str(pmt.reverse(self.list)), "(3 2 1)")
        self.assertTrue(pmt.is_dict(pmt.reverse(entries((1, 2), (3, 4)))))
        self.assertEqual(str(pmt.map(lambda x: pmt.from_long(2 * pmt.to_long(x)), self.list)), "(2 4 6)")
        self.assertEqual(str(self.list), "(1 2 3)")

    def test_search(self):
        self.assertEqual(str(pmt.memv(TWO, self.list)), "(2 3)")
        self.assertIs(pmt.memq(pmt.from_long(2), self.list), pmt.PMT_F)
        self.assertIs(pmt.member(ONE, pmt.PMT_T), pmt.PMT_F)
        self.assertTrue(pmt.list_has(pmt.list1(pmt.list1(ONE)), pmt.list1(ONE)))
        with self.assertRaises(RuntimeError):
            pmt.list_has(pmt.PMT_T, ONE)
        self.assertTrue(pmt.subsetp(pmt.list2(THREE, ONE), self.list))
        self.assertFalse(pmt.subsetp(self.list, pmt.list1(ONE)))
        self.assertEqual(str(pmt.assoc(pmt.list1(ONE), pmt.list1(pmt.cons(pmt.list1(ONE), TWO)))), "((1) . 2)")
        self.assertIs(pmt.assq(pmt.mp("z"), pmt.list2(ONE, pmt.cons(pmt.mp("z"), ONE))), pmt.PMT_F)

    def test_set_car_and_set_cdr(self):
        pair = pmt.cons(ONE, TWO)
        pmt.set_car(pair, THREE)
        pmt.set_cdr(pair, ONE)
        self.assertEqual(str(pair), "(3 . 1)")
        with self.assertRaises(pmt.wrong_type):
            pmt.set_car(pmt.PMT_NIL, ONE)


class Dictionaries(unittest.TestCase):
    def test_the_newest_entry_is_first_and_the_old_one_gone(self):
        value = entries(("a", 2), ("b", 3), ("a", 5))
        self.assertEqual(str(value), "((a . 5) (b . 3))")
        self.assertEqual(str(pmt.dict_keys(value)), "(a b)")
        self.assertEqual(str(pmt.dict_values(value)), "(5 3)")
        self.assertIs(pmt.dict_items(value), value)
        self.assertEqual(str(pmt.dict_delete(value, pmt.mp("b"))), "((a . 5))")
        self.assertTrue(pmt.is_dict(pmt.dict_delete(value, pmt.mp("a"))))

    def test_search_is_by_eqv(self):
        value = entries((1.5, 2), ((1,), 3))
        self.assertTrue(pmt.dict_has_key(value, pmt.mp(1.5)))
        self.assertFalse(pmt.dict_has_key(value, pmt.make_tuple(ONE)))
        self.assertEqual(str(pmt.dict_ref(value, pmt.mp(1.5), pmt.PMT_F)), "2")
        self.assertIs(pmt.dict_ref(pmt.PMT_T, ONE, pmt.PMT_F), pmt.PMT_F)

    def test_update(self):
        value = pmt.dict_update(entries(("a", 2), ("b", 3)), entries(("c", 7), ("a", 8)))
        self.assertEqual(str(value), "((c . 7) (a . 8) (b . 3))")

    def test_what_is_no_dictionary(self):
        for call in (
            lambda: pmt.dict_add(pmt.list1(ONE), ONE, TWO),
            lambda: pmt.dict_add(pmt.PMT_T, ONE, TWO),
            lambda: pmt.dict_delete(pmt.PMT_T, ONE),
            lambda: pmt.dict_keys(pmt.list1(ONE)),
            lambda: pmt.dcons(ONE, pmt.PMT_NIL),
        ):
            with self.assertRaises(pmt.wrong_type):
                call()


class TuplesAndVectors(unittest.TestCase):
    def test_tuples(self):
        self.assertEqual(str(pmt.to_tuple(pmt.list2(ONE, TWO))), "{1 2}")
        self.assertEqual(str(pmt.to_tuple(pmt.make_vector(2, ONE))), "{1 1}")
        self.assertIs(pmt.tuple_ref(pmt.make_tuple(ONE, TWO), 1), TWO)
        with self.assertRaisesRegex(pmt.out_of_range, "pmt_tuple_ref: out of range : 1"):
            pmt.tuple_ref(pmt.make_tuple(ONE), 1)
        for value in (pmt.PMT_NIL, pmt.PMT_T, pmt.cons(ONE, TWO), pmt.make_u8vector(1, 1)):
            with self.assertRaises(pmt.wrong_type):
                pmt.to_tuple(value)

    def test_vectors(self):
        vector = pmt.make_vector(2, ONE)
        pmt.vector_set(vector, 1, TWO)
        self.assertEqual(str(vector), "#(1 2)")
        pmt.vector_fill(vector, THREE)
        self.assertIs(pmt.vector_ref(vector, 0), THREE)
        with self.assertRaises(pmt.out_of_range):
            pmt.vector_set(vector, 2, ONE)
        with self.assertRaises(pmt.wrong_type):
            pmt.vector_ref(pmt.make_u8vector(1, 1), 0)
        with self.assertRaises(TypeError):
            pmt.make_vector(-1, ONE)

    def test_uniform_vectors_of_each_type(self):
        kinds = dict(u8=1, s8=1, u16=2, s16=2, u32=4, s32=4, u64=8, s64=8, f32=4, f64=8, c32=8, c64=16)
        for kind, itemsize in kinds.items():
            with self.subTest(kind):
                make, init, is_kind, ref, set_item, elements = (
                    getattr(pmt, name.format(kind))
                    for name in (
                        "make_{}vector", "init_{}vector", "is_{}vector",
                        "{}vector_ref", "{}vector_set", "{}vector_elements",
                    )
                )  # fmt: skip
                vector = init(3, [1, 2, 3])
                self.assertTrue(is_kind(vector) and pmt.is_uniform_vector(vector) and not is_kind(pmt.PMT_NIL))
                self.assertEqual(pmt.uniform_vector_itemsize(vector), itemsize)
                self.assertEqual(pmt.blob_length(vector), 3 * itemsize)
                set_item(vector, 1, 7)
                self.assertEqual((ref(vector, 1), elements(vector), pmt.length(vector)), (7, [1, 7, 3], 3))
                self.assertTrue(pmt.equal(pmt.deserialize_str(pmt.serialize_str(vector)), vector))
                self.assertEqual(elements(make(2, 5)), [5, 5])
                array = pmt.to_python(vector)
                self.assertEqual((array.dtype.itemsize, array.tolist()), (itemsize, [1, 7, 3]))
                self.assertEqual(elements(init(2, np.array([4, 5, 6], np.int64))), [4, 5])
                with self.assertRaises(pmt.out_of_range):
                    ref(vector, 3)
                with self.assertRaises(pmt.out_of_range):
                    init(4, [1, 2, 3])
                with self.assertRaises(pmt.wrong_type):
                    ref(ONE, 0)
                for bad in (["a"], 5, "abc", None):
                    with self.assertRaises(TypeError):
                        init(1, bad)
                getattr(pmt, f"{kind}vector_writable_elements")(vector)[0] = 9
                self.assertEqual(ref(vector, 0), 9)

    def test_numbers_that_do_not_fit(self):
        for call in (
            lambda: pmt.make_u8vector(2, 256),
            lambda: pmt.make_u8vector(2, -1),
            lambda: pmt.make_u8vector(2, 1.5),
            lambda: pmt.init_u8vector(1, [300]),
            lambda: pmt.init_u8vector(1, [3.0]),
            lambda: pmt.init_u8vector(1, np.array([3.0])),
            lambda: pmt.init_u8vector(1, np.array([-3])),
            lambda: pmt.init_f32vector(1, [1j]),
            lambda: pmt.init_u8vector(-1, []),
            lambda: pmt.u8vector_set(pmt.make_u8vector(3, 1), 0, 300),
            lambda: pmt.init_u64vector(1, [2**64]),
        ):
            with self.assertRaises(TypeError):
                call()
        self.assertEqual(pmt.u64vector_elements(pmt.init_u64vector(2, [1, 2**64 - 1])), [1, 2**64 - 1])

    def test_blobs(self):
        self.assertEqual(pmt.u8vector_elements(pmt.make_blob(b"abc", 2)), [97, 98])
        self.assertEqual(bytes(pmt.blob_data(pmt.make_blob(b"abc"))), b"abc")
        pmt.uniform_vector_writable_elements(vector := pmt.make_u8vector(2, 1), 2)[1] = 5
        self.assertEqual(str(vector), "#[1 5]")


class Python(unittest.TestCase):
    def test_to_pmt(self):
        for value, text in [
            (None, "()"),
            (True, "#t"),
            ("a", "a"),
            (2**40, "1099511627776"),
            (1.5, "1.5"),
            (1j, "0+1i"),
            ([1, [2, (3, None)]], "#(1 #(2 {3 ()}))"),
            ((), "{}"),
            ({"a": 1, "b": 2}, "((b . 2) (a . 1))"),
            (np.arange(3, dtype=np.int16), "#[0 1 2]"),
            (np.arange(8, dtype=np.uint8)[::2], "#[0 2 4 6]"),
            (np.arange(4, dtype=np.uint8).reshape(2, 2), "#[0 1 2 3]"),
            (np.arange(2, dtype=">f4"), "#[0.000000 1.000000]"),
            (np.float32(1.5), "1.5"),
        ]:
            self.assertEqual(str(pmt.to_pmt(value)), text)
        self.assertTrue(pmt.is_u8vector(pmt.to_pmt(np.arange(3, dtype=np.int8))))
        for bad in (b"abc", {1, 2}, object(), np.zeros(1, np.float16), pmt.PMT_T):
            with self.assertRaises(ValueError):
                pmt.to_pmt(bad)
        for bad in (2**64, -(2**63) - 1, np.array([-1], np.int8)):
            with self.assertRaises(TypeError):
                pmt.to_pmt(bad)

    def test_to_python(self):
        for value, expected in [
            (pmt.list2(ONE, TWO), (1, (2, None))),
            (pmt.make_tuple(ONE, pmt.mp("a")), (1, "a")),
            (pmt.make_vector(2, ONE), [1, 1]),
            (entries(("a", 2), ("b", (1,))), {"b": (1,), "a": 2}),
            (pmt.list1(pmt.cons(ONE, TWO)), ((1, 2), None)),
            (entries(([1], 2)), (([1], 2), None)),
            (pmt.cons(ONE, entries((1, 2))), (1, {1: 2})),
            (pmt.PMT_EOF, (None, None)),
        ]:
            self.assertEqual(pmt.to_python(value), expected)

    def test_arrays_are_copies(self):
        vector = pmt.make_u8vector(3, 1)
        array = pmt.to_python(vector)
        array[0] = 9
        self.assertEqual(str(vector), "#[1 1 1]")
        vector = pmt.to_pmt(array)
        array[0] = 7
        self.assertEqual(str(vector), "#[9 1 1]")

    def test_the_module_of_conversions(self):
        self.assertEqual(pmt.pmt_to_python.pmt_to_python(ONE), 1)
        self.assertEqual(str(pmt.pmt_to_python.python_to_pmt((1, 2))), "{1 2}")
        self.assertEqual(pmt.pmt_to_python.pmt_to_dict(pmt.make_dict()), {})
        self.assertEqual(str(pmt.python_to_pmt(1)), "1")


if __name__ == "__main__":
    unittest.main()
