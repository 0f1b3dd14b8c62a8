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


if __name__ == "__main__":
    unittest.main()
