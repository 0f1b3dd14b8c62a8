"""Tests of superhet.gnuradio._gr: what of `gnuradio.gr` needs no running flowgraph."""

import argparse
import contextlib
import io
import optparse
import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))

import pure  # noqa: E402, F401
from superhet.gnuradio import _gr as gr  # noqa: E402
from superhet.gnuradio import eng_arg, eng_notation, eng_option, pmt  # noqa: E402
from superhet.gnuradio._gr import gr_unittest  # noqa: E402


class Constants(unittest.TestCase):
    def test_sizes_and_enums(self):
        sizes = (gr.sizeof_char, gr.sizeof_short, gr.sizeof_int, gr.sizeof_float, gr.sizeof_double, gr.sizeof_gr_complex)
        self.assertEqual(sizes, (1, 2, 4, 4, 8, 8))
        self.assertEqual((gr.TPP_DONT, gr.TPP_ALL_TO_ALL, gr.TPP_ONE_TO_ONE, gr.TPP_CUSTOM), (0, 1, 2, 3))
        self.assertEqual((gr.WORK_DONE, gr.WORK_CALLED_PRODUCE), (-1, -2))
        self.assertEqual(gr.tag_propagation_policy_t.TPP_CUSTOM.name, "TPP_CUSTOM")

    def test_version(self):
        self.assertEqual(gr.version().split(".")[:3], [gr.major_version(), gr.api_version(), gr.minor_version()])

    def test_timers(self):
        before = gr.high_res_timer_now()
        self.assertGreaterEqual(gr.high_res_timer_now(), before)
        self.assertEqual(gr.high_res_timer_tps(), 10**9)
        self.assertIsInstance(gr.high_res_timer_epoch(), int)

    def test_real_time_priority(self):
        if not hasattr(os, "sched_setscheduler"):
            self.assertEqual(gr.enable_realtime_scheduling(), gr.RT_NOT_IMPLEMENTED)
            return
        with mock.patch.object(os, "sched_setscheduler") as call:
            self.assertEqual(gr.enable_realtime_scheduling(), gr.RT_OK)
            call.side_effect = PermissionError
            self.assertEqual(gr.enable_realtime_scheduling(), gr.RT_NO_PRIVS)
            call.side_effect = OSError
            self.assertEqual(gr.enable_realtime_scheduling(), gr.RT_OTHER_ERROR)

    def test_slicers(self):
        points = (1, 1j, -1, -1j, 1 + 1j, -1 + 1j, -1 - 1j, 1 - 1j)
        self.assertEqual([gr.quad_0deg_slicer(z) for z in points], [0, 1, 2, 3, 1, 1, 3, 3])
        self.assertEqual([gr.quad_45deg_slicer(z) for z in points], [0, 0, 1, 3, 0, 1, 2, 3])
        self.assertEqual((gr.binary_slicer(0), gr.binary_slicer(-0.5)), (1, 0))
        self.assertEqual((gr.clip(5, 2), gr.clip(-5, 2), gr.clip(1, 2)), (2, -2, 1))
        self.assertEqual((gr.p2_round_up(9, 8), gr.p2_round_down(9, 8), gr.p2_modulo(9, 8), gr.p2_modulo_neg(3, 8)), (16, 8, 1, 5))


class Tags(unittest.TestCase):
    def test_a_new_tag(self):
        tag = gr.tag_t()
        self.assertEqual((tag.offset, str(tag.key), str(tag.value), str(tag.srcid)), (0, "()", "()", "#f"))

    def test_fields_are_checked(self):
        tag = gr.tag_t()
        for name, value in [("offset", -1), ("offset", 1.5), ("key", "k"), ("value", None), ("srcid", 1)]:
            with self.assertRaises(TypeError):
                setattr(tag, name, value)
        with self.assertRaises(AttributeError):
            tag.other = 1
        with self.assertRaises(TypeError):
            gr.tag_t(5)

    def test_a_copy_is_another_tag(self):
        tag = gr.python_to_tag([5, pmt.intern("k"), pmt.from_long(3), pmt.intern("me")])
        other = gr.tag_t(tag)
        other.offset = 7
        self.assertEqual((tag.offset, other.offset, str(other.key)), (5, 7, "k"))
        self.assertTrue(gr.tag_t.offset_compare(tag, other))
        self.assertFalse(gr.tag_t.offset_compare(other, tag))

    def test_python_to_tag(self):
        key, value = pmt.intern("a"), pmt.from_long(2)
        for given, shown in [
            ([1, key, value], "tag_t(offset=1, key=a, value=2, srcid=#f)"),
            ((1, key, value, key), "tag_t(offset=1, key=a, value=2, srcid=a)"),
            ({"offset": 1, "key": key}, "tag_t(offset=1, key=a, value=(), srcid=#f)"),
        ]:
            self.assertEqual(repr(gr.python_to_tag(given)), shown)
        for given in ([1], 5, {}, [], [1, key, value, key, key]):
            self.assertIsNone(gr.python_to_tag(given))

    def test_tag_to_python(self):
        tag = gr.tag_to_python(gr.python_to_tag([1, pmt.intern("a"), pmt.to_pmt({"b": 2})]))
        self.assertIsInstance(tag, gr.PythonTag)
        self.assertEqual((tag.offset, tag.key, tag.value, tag.srcid), (1, "a", {"b": 2}, False))


class Prefs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.file = Path(self.folder.name) / ".gnuradio/config.conf"
        self.file.parent.mkdir()
        self.file.write_text("# comment\n[Mine]\na = 5 # five\nText= hello world  \nequal = 1=2\nempty =\nbad = x\n")
        environment = {"APPDATA": self.folder.name, "GR_CONF_MINE_FORCED": "on"}
        for patch in (
            mock.patch.dict(os.environ, environment),
            mock.patch("superhet.gnuradio._gr.settings.SYSTEM_FOLDER", Path(self.folder.name)),
        ):
            patch.start()
            self.addCleanup(patch.stop)

    def test_the_users_file(self):
        prefs = gr.prefs()
        self.assertEqual(prefs.get_long("mine", "A", 1), 5)
        self.assertEqual(prefs.get_double("mine", "a", 1), 5.0)
        self.assertEqual(prefs.get_string("mine", "text", ""), "hello world")
        self.assertEqual(prefs.get_string("mine", "equal", ""), "1=2")
        self.assertEqual(prefs.get_string("mine", "empty", "x"), "")
        self.assertTrue(prefs.has_section("MINE") and prefs.has_option("Mine", "TEXT"))

    def test_defaults(self):
        prefs = gr.prefs()
        self.assertEqual(prefs.get_string("no", "a", "d"), "d")
        self.assertEqual((prefs.get_long("no", "a", 7), prefs.get_double("no", "a", 0.5)), (7, 0.5))
        self.assertTrue(prefs.get_bool("no", "a", True))

    def test_the_environment_counts_first(self):
        self.assertTrue(gr.prefs().get_bool("mine", "forced", False))

    def test_what_is_set_holds_for_the_object_and_is_never_written(self):
        prefs, before = gr.prefs(), self.file.read_bytes()
        prefs.set_string("s", "text", "x")
        prefs.set_bool("s", "bool", True)
        prefs.set_long("s", "long", -3)
        prefs.set_double("s", "double", 0.1)
        prefs.save()
        self.assertEqual((prefs.get_string("S", "Text", ""), prefs.get_bool("s", "bool", False)), ("x", True))
        self.assertEqual((prefs.get_long("s", "long", 0), prefs.get_double("s", "double", 0)), (-3, 0.1))
        self.assertFalse(gr.prefs().has_section("s"))
        self.assertEqual(self.file.read_bytes(), before)
        self.assertIn("[s]\nbool = 1\n", prefs.to_string())

    def test_words_for_bools(self):
        prefs = gr.prefs()
        for text, value in [("on", True), ("TRUE", True), ("1", True), ("off", False), ("0", False), ("maybe", None)]:
            prefs.set_string("s", "b", text)
            for default in (False, True):
                self.assertEqual(prefs.get_bool("s", "b", default), default if value is None else value)

    def test_a_number_that_is_none_is_reported(self):
        with self.assertRaisesRegex(ValueError, r"\[mine\] bad.*'x'"):
            gr.prefs().get_long("mine", "bad", 1)

    def test_a_file_with_a_line_that_means_nothing_is_left_out_and_reported(self):
        self.file.write_text("[a]\nb = 1\nnonsense\n")
        with contextlib.redirect_stderr(io.StringIO()) as output:
            prefs = gr.prefs()
        self.assertFalse(prefs.has_section("a"))
        self.assertIn("line 3", output.getvalue())


class Signatures(unittest.TestCase):
    def test_sizes(self):
        signature = gr.io_signature.makev(1, 3, [1, 2])
        self.assertEqual([signature.sizeof_stream_item(n) for n in range(4)], [1, 2, 2, 2])
        self.assertEqual(signature.sizeof_stream_items(), [1, 2])
        self.assertEqual((signature.min_streams(), signature.max_streams()), (1, 3))
        self.assertEqual(gr.io_signature.make2(1, 2, 4, 8).sizeof_stream_item(1), 8)
        self.assertEqual(gr.io_signature3(1, 3, 1, 2, 3).sizeof_stream_item(5), 3)
        self.assertEqual(gr.io_signature(0, 0, 0).max_streams(), 0)
        self.assertEqual(gr.io_signature.make(1, -1, 8).max_streams(), -1)

    def test_what_makes_no_sense(self):
        for arguments in [(2, 1, 8), (-1, 1, 8), (1, -2, 8), (1, 1, 0), (0, 1, 0)]:
            with self.assertRaises(ValueError):
                gr.io_signature(*arguments)
        for sizes in ([], [1, 0]):
            with self.assertRaises(ValueError):
                gr.io_signature.makev(1, 3, sizes)
        with self.assertRaises(ValueError):
            gr.io_signature(1, 1, 8).sizeof_stream_item(-1)
        with self.assertRaises(TypeError):
            gr.io_signature(1.5, 2, 8)

    def test_the_number_of_streams_is_checked(self):
        gr.io_signature(1, -1, 8).check(9, "adder: inputs")
        with self.assertRaisesRegex(ValueError, "adder: inputs: wants 1 to 2 streams, 3 are connected"):
            gr.io_signature(1, 2, 8).check(3, "adder: inputs")


class Loggers(unittest.TestCase):
    def test_lines_and_levels(self):
        logger = gr.logger("abc")
        with contextlib.redirect_stdout(io.StringIO()) as out:
            logger.trace("left out")
            logger.debug("d")
            logger.notice("n %d")
            logger.warn("w")
            logger.set_level("error")
            logger.info("left out")
            logger.error("e")
            logger.fatal("f")
            logger.set_level("off")
            logger.crit("left out")
        self.assertEqual(
            out.getvalue().splitlines(),
            ["abc :debug: d", "abc :info: n %d", "abc :warning: w", "abc :error: e", "abc :critical: f"],
        )

    def test_levels_by_name_and_value(self):
        logger = gr.logger("abc")
        logger.set_level(gr.log_levels.warn)
        self.assertEqual(logger.get_string_level(), "warning")
        self.assertEqual(gr.logger(logger).get_string_level(), "warning")
        with self.assertRaisesRegex(ValueError, "trace, debug, info"):
            logger.set_level("loud")


class Names(unittest.TestCase):
    def test_symbols_and_types(self):
        self.assertIs(gr.msgport_names.pdus(), pmt.intern("pdus"))
        self.assertIs(gr.metadata_keys.rx_time(), pmt.intern("rx_time"))
        self.assertEqual([gr.types.byte_t, gr.types.short_t, gr.types.int_t, gr.types.float_t, gr.types.complex_t], [0, 1, 2, 3, 4])


class Engineering(unittest.TestCase):
    def test_numbers_to_text(self):
        for number, text in [
            (0, "0.0"), (1, "1.0"), (1000, "1.0k"), (1234.5678, "1.23457k"), (1e12, "1000.0G"), (-2500, "-2.5k"),
            (0.1, "100.0m"), (3e-15, "3.0f"), (1e-18, "1e-18"), (999.9999999, "1000.0"),
        ]:  # fmt: skip
            self.assertEqual(eng_notation.num_to_str(number), text)
        self.assertEqual(eng_notation.num_to_str(123456789, precision=3), "123.0M")

    def test_text_to_numbers(self):
        for text, number in [("1", 1), ("1.5M", 1.5e6), ("2u", 2e-6), ("1e3k", 1e6), ("-2.5k", -2500), ("5E", 5e18)]:
            self.assertEqual(eng_notation.str_to_num(text), number)
            self.assertEqual(eng_arg.eng_float(text), number)
        for text in ("", "k", "abc", "1K", "5kk", " 5m "):
            with self.assertRaises(ValueError):
                eng_notation.str_to_num(text)
            with self.assertRaises(argparse.ArgumentTypeError):
                eng_arg.eng_float(text)

    def test_whole_numbers(self):
        self.assertEqual([eng_arg.intx(text) for text in ("10", "0x10", "0b11")], [10, 16, 3])
        for text in ("010", "x", "1k"):
            with self.assertRaises(argparse.ArgumentTypeError):
                eng_arg.intx(text)

    def test_options(self):
        parser = optparse.OptionParser(option_class=eng_option.eng_option)
        parser.add_option("-f", type="eng_float")
        parser.add_option("-x", type="intx")
        parser.add_option("-s", type="subdev")
        options, _ = parser.parse_args(["-f", "1.5M", "-x", "0x10", "-s", "A:0"])
        self.assertEqual((options.f, options.x, options.s), (1.5e6, 16, "A:0"))
        with contextlib.redirect_stderr(io.StringIO()) as output, self.assertRaises(SystemExit):
            parser.parse_args(["-f", "zz"])
        self.assertIn("invalid engineering notation value: 'zz'", output.getvalue())


class Assertions(unittest.TestCase):
    def setUp(self):
        self.case = gr_unittest.TestCase("assertTrue")

    def fails(self, name, *arguments):
        with self.assertRaises(AssertionError) as found:
            getattr(self.case, name)(*arguments)
        return str(found.exception)

    def test_complex(self):
        self.case.assertComplexAlmostEqual(1 + 1j, 1 + 1.00000001j)
        self.case.assertComplexAlmostEqual(1 + 1j, 1 + 1.1j, 0)
        self.case.assertComplexAlmostEqual2(100, 101, 0, 0.1)
        self.case.assertComplexAlmostEqual2(1, 1.2, 0.5)
        self.assertIn("7 places", self.fails("assertComplexAlmostEqual", 1 + 1j, 1 + 1.1j))
        self.assertIn("rel_error", self.fails("assertComplexAlmostEqual2", 1 + 1j, 1 + 1.1j))
        self.fails("assertComplexAlmostEqual2", 1, float("nan"))

    def test_sequences(self):
        self.case.assertComplexTuplesAlmostEqual(np.array([1, 2]), [1, 2 + 1e-9j])
        self.case.assertFloatTuplesAlmostEqual([1, 2], [1, 2.1], 0)
        self.case.assertFloatTuplesAlmostEqual2([1, 2], [1, 2.1], 0.5, 0.5)
        self.case.assertComplexTuplesAlmostEqual2([1, 2], [1, 2.1], 0.5, 0.5)
        self.assertIn("item 1", self.fails("assertComplexTuplesAlmostEqual", [1, 2], [1, 2.1]))
        self.assertIn("2 != 1", self.fails("assertFloatTuplesAlmostEqual", [1, 2], [1]))
        self.case.assertSequenceEqualGR([1, 2], (1, 2))
        self.case.assertSequenceEqualGR([np.arange(3)], [np.arange(3)])
        self.assertIn("at 1: 2 and 3", self.fails("assertSequenceEqualGR", [1, 2], [1, 3]))
        self.assertIn("Lengths", self.fails("assertSequenceEqualGR", [1, 2], [1]))

    def test_waiting(self):
        calls = []
        self.assertTrue(self.case.waitFor(lambda: calls.append(1) or len(calls) > 2, 5, 0.001))
        self.assertFalse(self.case.waitFor(lambda: False, 0.01, 0.001, fail_on_timeout=False))
        self.assertEqual(self.fails("waitFor", lambda: False, 0.01, 0.001, True, "too late"), "too late")

    def test_run_ends_the_program_where_a_test_fails(self):
        class Good(gr_unittest.TestCase):
            def test_one(self):
                self.assertComplexAlmostEqual(1, 1)

        class Bad(gr_unittest.TestCase):
            def test_one(self):
                self.assertComplexAlmostEqual(1, 2)

        with contextlib.redirect_stderr(io.StringIO()):
            gr_unittest.run(Good)
            with self.assertRaises(SystemExit):
                gr_unittest.run(Bad, "unused.xml")


if __name__ == "__main__":
    unittest.main()
