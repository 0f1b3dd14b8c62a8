"""Tests of kernels.py without a compiler, VOLK or a measurement."""

import json
import re
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import kernels
import run
from kernels import Case


def ours(rate, **more):
    return {"gitems_per_s": rate, "variant": "avx2", **more}


def theirs(name, rate=None):
    found = {"volk": f"volk_{name}"}
    return {**found, "error": "signal 11"} if rate is None else {**found, "gitems_per_s": rate}


CASE = Case(8192, 0)


class InTurns(unittest.TestCase):
    def test_both_are_measured_for_each_case_in_each_turn(self):
        order = []
        mine = lambda case: order.append(("superhet", case.length)) or {"add": ours(2.0)}
        other = lambda case: order.append(("volk", case.length)) or {"add": theirs("add", 1.0)}
        runs = kernels.measure_in_turns([Case(1, 0), Case(2, 0)], 2, mine, other)
        self.assertEqual(order, 2 * [("superhet", 1), ("volk", 1), ("superhet", 2), ("volk", 2)])
        self.assertEqual(len(runs), 4)
        self.assertEqual((runs[0]["superhet_gitems_per_s"], runs[0]["volk_gitems_per_s"]), (2.0, 1.0))

    def test_a_kernel_that_only_one_side_has_is_left_out(self):
        mine = lambda case: {"add": ours(2.0), "saxpy": ours(1.0)}
        other = lambda case: {"add": theirs("add", 1.0), "tan": theirs("tan", 1.0)}
        self.assertEqual([one["name"] for one in kernels.measure_in_turns([CASE], 1, mine, other)], ["add"])

    def test_a_crash_is_reported_and_does_not_count(self):
        mine = lambda case: {"add": ours(2.0), "dot": ours(2.0)}
        other = lambda case: {"add": theirs("add", 1.0), "dot": theirs("dot")}
        text = kernels.table(kernels.measure_in_turns([CASE], 3, mine, other))
        self.assertIn("2.000 over 1 kernels, 0 of them below 1, 0 below 0.97", text)
        self.assertIn("- volk_dot at shift 0 crashed: signal 11", text)


class Table(unittest.TestCase):
    def test_the_ratio_is_the_median_of_those_of_the_turns(self):
        turns = iter([(1.0, 1.0), (4.0, 2.0), (9.0, 3.0)])
        runs = []
        for mine, other in turns:
            runs += kernels.measure_in_turns(
                [CASE], 1, lambda case: {"add": ours(mine)}, lambda case: {"add": theirs("add", other)}
            )
        self.assertIn("| add | 8192 | 0 | 4 | 2 | 2.00 |", kernels.table(runs))

    def test_the_mean_of_the_ratios_is_geometric(self):
        mine = lambda case: {"add": ours(8.0), "tan": ours(1.0)}
        other = lambda case: {"add": theirs("add", 2.0), "tan": theirs("tan", 1.0)}
        text = kernels.table(kernels.measure_in_turns([CASE, Case(64, 1)], 1, mine, other))
        self.assertIn("- 8192 items, shift 0: 2.000 over 2 kernels, 0 of them below 1, 0 below 0.97", text)
        self.assertIn("- 64 items, shift 1: 2.000", text)


    def test_what_is_more_accurate_than_the_peer_does_not_count(self):
        mine = lambda case: {"log2": ours(1.0), "log2_fast": ours(4.0)}
        other = lambda case: {"log2": theirs("log2", 2.0), "log2_fast": theirs("log2", 2.0)}
        text = kernels.table(kernels.measure_in_turns([CASE], 1, mine, other))
        self.assertIn("| log2 | 8192 | 0 | 1 | 2 | 0.50 |", text)
        self.assertIn("2.000 over 1 kernels, 0 of them below 1, 0 below 0.97", text)
        self.assertIn("more accurate than VOLK's: log2", text)


class Errors(unittest.TestCase):
    def test_both_kernels_of_a_function_stand_beside_the_one_of_the_peer(self):
        asked = []

        def answer(absolute):
            def of(words):
                asked.append(words)
                return [{"absolute_error": absolute, "relative_error": 2 * absolute} for _ in words]

            return of

        functions = [("log2", 0.9, 1.1, "linear"), ("sin", -3, 3, "linear")]
        found = kernels.measure_errors(functions, answer(1e-7), answer(1e-3))
        self.assertEqual(asked[0], ["log2:0.9:1.1:linear", "log2_fast:0.9:1.1:linear", "sin:-3:3:linear"])
        self.assertEqual(asked[1], ["log2:0.9:1.1:linear", "log2:0.9:1.1:linear", "sin:-3:3:linear"])
        self.assertIn("| log2_fast | 0.9 | 1.1 | 1e-07 | 2e-07 | 0.001 | 0.002 |", kernels.errors_table(found))


class Commands(unittest.TestCase):
    def test_the_case_is_passed_to_both(self):
        words = kernels.superhet_command("superhet", Case(64, 3), 0.1, ["add"])
        self.assertEqual(
            words,
            "superhet bench kernels --json --repeat 1 --seconds 0.1 --length 64 --shift 3 --kernel add".split(),
        )
        self.assertEqual(kernels.volk_command("volk", Case(64, 3), 0.1, ["add"]), "volk 0.1 3 64 add".split())

    def test_what_a_program_prints_is_read_by_name(self):
        code = "print('a log'); print('{\"name\": \"add\", \"gitems_per_s\": 2}')"
        self.assertEqual(kernels.measure([sys.executable, "-c", code])["add"]["gitems_per_s"], 2)

    def test_a_program_that_fails_or_is_not_there_is_missing(self):
        for words in [[sys.executable, "-c", "raise SystemExit('no')"], ["/nowhere/volk"]]:
            with self.assertRaises(run.Missing):
                kernels.measure(words)


class Skipping(unittest.TestCase):
    def test_without_volk_the_script_says_what_is_missing(self):
        which = mock.patch.object(run.shutil, "which", lambda tool: tool)
        superhet = mock.patch.object(run, "build_superhet", lambda: None)
        accuracy = mock.patch.object(kernels, "build_accuracy", lambda: None)
        with which, superhet, accuracy, mock.patch.object(run, "output", lambda words: None):
            with mock.patch("builtins.print") as said:
                kernels.main(["--build"])
        self.assertIn("volk skipped: needs the development files of VOLK", said.call_args.args[0])

    def test_without_a_compiler_too(self):
        with mock.patch.object(run.shutil, "which", lambda tool: None):
            with self.assertRaisesRegex(run.Missing, "needs gcc"):
                kernels.build_volk()

    def test_the_json_has_every_run_and_the_machine(self):
        found = {"add": {"name": "add", "volk": "volk_add", "gitems_per_s": 1.0}}
        with tempfile.TemporaryDirectory() as folder:
            program, path = Path(folder) / "volk", Path(folder) / "runs.json"
            program.touch()
            with mock.patch.object(kernels, "PROGRAM", program), mock.patch.object(kernels, "measure", lambda _: found):
                with mock.patch("builtins.print"):
                    kernels.main(["--repeat", "3", "--length", "64", "--shift", "0", "--json", str(path)])
            written = json.loads(path.read_text())
        self.assertEqual(len(written["runs"]), 3)
        self.assertEqual(set(written["machine"]), {"cpu", "cores", "caches"})


class Map(unittest.TestCase):
    def test_every_kernel_of_ours_stands_in_the_map_once(self):
        text = (run.HERE / "volk/kernels.c").read_text()
        names = re.findall(r"^    K\((\w+), \w+,", text, re.MULTILINE)
        self.assertGreater(len(names), 80)
        self.assertEqual(len(names), len(set(names)))


if __name__ == "__main__":
    unittest.main()
