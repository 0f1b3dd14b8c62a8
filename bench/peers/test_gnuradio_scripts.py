"""Tests of gnuradio_scripts.py with scripts of a few lines and plain Python on both sides: no GNU Radio, no superhet."""

import contextlib
import importlib.util
import io
import json
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import gnuradio_scripts as peers

WITH_NUMPY = importlib.util.find_spec("numpy") is not None

# Writes `value` as its output; the argument before it is what a side adds.
SCRIPT = """
import json, pathlib, sys
folder = pathlib.Path(sys.argv[sys.argv.index("--out") + 1])
items = int(sys.argv[sys.argv.index("--items") + 1])
folder.mkdir(parents=True)
(folder / "value.json").write_text(json.dumps({value}))
(folder / "tolerances.json").write_text(json.dumps({{"value": {tolerance}}}))
print("something else")
print("seconds 0.25")
"""


def side(name, title="Side", python=sys.executable, probe="pass"):
    return peers.Side(name, title, python, [], probe, name == "superhet")


class InAFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def script(self, value="items", tolerance=0, name="one", code=SCRIPT):
        path = self.folder / f"{name}.py"
        path.write_text(code.format(value=value, tolerance=tolerance))
        return path

    def output(self, name, tolerance=0, **values):
        folder = self.folder / name
        folder.mkdir()
        for key, value in values.items():
            (folder / f"{key}.json").write_text(json.dumps(value))
        (folder / "tolerances.json").write_text(json.dumps(dict.fromkeys(values, tolerance)))
        return folder


class Runs(InAFolder):
    def test_the_seconds_are_those_that_the_script_prints(self):
        found = peers.run_once(side("gnuradio"), self.script(), 7, self.folder / "out", 60)
        self.assertEqual(found, {"script": "one", "side": "gnuradio", "seconds": 0.25})
        self.assertEqual((self.folder / "out/value.json").read_text(), "7")

    def test_what_goes_wrong_is_a_result(self):
        for code, error in [
            ("raise ValueError('no good')", "ValueError: no good"),
            ("pass", "it printed no seconds"),
            ("import time; time.sleep(60)", "no end in 1 s"),
        ]:
            found = peers.run_once(side("gnuradio"), self.script(code=code), 7, self.folder / "out", 1)
            self.assertEqual(found["error"], error)
        gone = peers.run_once(side("gnuradio", python="/nowhere/python"), self.script(), 7, self.folder / "out", 1)
        self.assertIn("No such file", gone["error"])

    def test_sides_take_turns_and_outputs_are_compared(self):
        chosen = [side("superhet"), side("gnuradio")]
        scripts = [self.script(name="one"), self.script("__import__('random').random()", name="two")]
        runs, disagree = peers.run_all(chosen, scripts, 1, 2, 60)
        order = [(one["script"], one["side"]) for one in runs]
        self.assertEqual(order, 2 * [(name, side) for name in ("one", "two") for side in ("superhet", "gnuradio")])
        self.assertEqual(disagree["one"], [])
        self.assertEqual(len(disagree["two"]), 1)

    def test_a_side_alone_is_measured_without_comparison(self):
        runs, disagree = peers.run_all([side("gnuradio")], [self.script()], 1, 1, 60)
        self.assertEqual((len(runs), disagree), (1, {}))

    def test_the_reason_why_a_side_is_missing(self):
        self.assertIsNone(peers.missing(side("gnuradio")))
        self.assertIn("no_such_module", peers.missing(side("gnuradio", probe="import no_such_module")))
        self.assertIn("No such file", peers.missing(side("gnuradio", python="/nowhere/python")))


class Comparison(InAFolder):
    def test_numbers_agree_within_the_tolerance_all_else_is_equal(self):
        self.assertTrue(peers.same([1.0, {"a": 2}], [1.05, {"a": 2}], 0.1))
        self.assertFalse(peers.same([1.0], [1.2], 0.1))
        self.assertFalse(peers.same([1], [1, 2], 9))
        self.assertFalse(peers.same("a", "b", 9))
        self.assertFalse(peers.same(True, 1, 9))
        self.assertFalse(peers.same({"a": 1}, {"b": 1}, 9))
        self.assertFalse(peers.same(float("nan"), 1, 9))

    def test_folders(self):
        good, near, other = (self.output(name, 0.1, a=value) for name, value in [("x", 1), ("y", 1.05), ("z", 2)])
        self.assertEqual(peers.differences(good, near), [])
        self.assertEqual(peers.differences(other, good), ["a: 2, not 1"])
        self.assertIn("outputs are b", peers.differences(self.output("w", 0.1, b=1), good)[0])
        self.assertIn("tolerances.json", peers.differences(self.folder / "nowhere", good)[0])
        (near / "a.json").unlink()
        self.assertIn("No such file", peers.differences(near, good)[0])

    @unittest.skipUnless(WITH_NUMPY, "numpy is not installed")
    def test_arrays(self):
        import numpy as np

        x = np.array([1, np.nan, np.inf, 2], np.float32)
        self.assertEqual(peers.compare_arrays("x", x, x.copy(), 0), [])
        y = x.copy()
        y[3] = 2.5
        self.assertIn("1 of 4 are off by more than 0.1, first 2.5, not 2.0 at (3,)", peers.compare_arrays("x", y, x, 0.1)[0])
        self.assertEqual(peers.compare_arrays("x", y, x, 0.6), [])
        y[1] = 0
        self.assertIn("first 0.0, not nan at (1,)", peers.compare_arrays("x", y, x, 0.6)[0])
        self.assertIn("float32 of (3,), not float32 of (4,)", peers.compare_arrays("x", x[:3], x, 9)[0])
        self.assertIn("complex64", peers.compare_arrays("x", x.astype(np.complex64), x, 9)[0])


class Table(InAFolder):
    def test_medians_ratio_and_verdict(self):
        chosen = [side("superhet", "superhet"), side("gnuradio", "GNU Radio")]
        runs = [{"script": "one", "side": "superhet", "seconds": s} for s in (0.1, 0.2, 0.9)]
        runs += [{"script": "one", "side": "gnuradio", "seconds": s} for s in (1.0, 0.4, 0.6)]
        runs += [{"script": "two", "side": "superhet", "error": "x"}, {"script": "two", "side": "gnuradio", "seconds": 1}]
        scripts = [Path("one.py"), Path("two.py")]
        lines = peers.table(chosen, scripts, runs, {"one": []}).splitlines()
        self.assertEqual(lines[0], "| script | superhet, ms | GNU Radio, ms | times as fast | outputs |")
        self.assertEqual(lines[2], "| one | 200 | 600 | 3 | agree |")
        self.assertEqual(lines[3], "| two | failed | 1e+03 | - | - |")

    @unittest.skipUnless(WITH_NUMPY, "numpy is not installed")
    def test_the_program(self):
        script = self.script("__import__('random').random()")
        chosen = [side("superhet", "superhet"), side("gnuradio", "GNU Radio"), side("other", probe="import gone")]
        with mock.patch.object(peers, "sides", lambda python: chosen), mock.patch.object(peers, "SCRIPTS", self.folder):
            with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()):
                words = ["--scripts", script.stem, "--repeat", "1", "--json", str(self.folder / "runs.json")]
                self.assertEqual(peers.main(words), 1)
                self.assertEqual(peers.main(["--scripts", "unknown"]), 2)
        self.assertIn("| one | 250 | 250 | 1 | differ |", out.getvalue())
        self.assertIn("Side is left out: ModuleNotFoundError", out.getvalue())
        self.assertEqual(len(json.loads((self.folder / "runs.json").read_text())["runs"]), 2)

    def test_every_script_is_there_and_listed(self):
        there = {path.stem for path in peers.SCRIPTS.glob("*.py")} - {"common"}
        self.assertEqual(there, set(peers.ITEMS))
        self.assertEqual(len(peers.find_scripts([])), 16)


if __name__ == "__main__":
    unittest.main()
