"""Tests of tags_and_bursts.py with sides that are a few lines of Python: no compiler, no measurement."""

import json
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import run
import tags_and_bursts as both
from tags_and_bursts import Row


class FakeSide(both.Side):
    """Prints the given answers, one for each of its runs."""

    def __init__(self, name, answers, transports=("stream",)):
        super().__init__(name, sys.executable, lambda: None, list(transports))
        self.answers = answers

    def commands(self, row, seconds, scheduler):
        return [[sys.executable, "-c", f"print({json.dumps(answer)!r})"] for answer in self.answers]


ROW = Row("stream", 64, 4)


def result(side, transport, size, **figures):
    return {"side": side, "transport": transport, "size": size, "blocks": 4, **figures}


class Commands(unittest.TestCase):
    def words(self, side, row, scheduler=()):
        return [" ".join(words) for words in side.commands(row, 0.5, scheduler)]

    def test_superhet_measures_a_row_in_one_run(self):
        side = both.Superhet("superhet", "superhet", None, [])
        self.assertEqual(
            self.words(side, ROW, ["--scheduler", "single"]),
            [
                "superhet bench bursts --json --repeat 1 --seconds 0.5 --blocks 4 --scheduler single"
                " --transports stream --lengths 64"
            ],
        )
        self.assertEqual(
            self.words(side, Row("", 10, 4)),
            ["superhet bench tags --json --repeat 1 --seconds 0.5 --blocks 4 --every 10"],
        )

    def test_gnu_radio_needs_a_run_for_the_rate_and_one_for_the_latency_or_without_tags(self):
        side = both.GnuRadio("gnuradio", Path("gr/bursts"), None, [])
        self.assertEqual(
            self.words(side, Row("pdus", 64, 4)), ["gr/bursts pdus 64 4 0.5 rate", "gr/bursts pdus 64 4 0.5 latency"]
        )
        self.assertEqual(self.words(side, Row("", 10, 4)), ["gr/tags 10 4 0.5", "gr/tags 0 4 0.5"])

    def test_the_scheduler_and_its_workers(self):
        self.assertEqual(both.scheduler_words(""), [])
        self.assertEqual(both.scheduler_words("single"), ["--scheduler", "single"])
        self.assertEqual(both.scheduler_words("adaptive:2"), ["--scheduler", "adaptive", "--workers", "2"])


class RunOnce(unittest.TestCase):
    def test_the_figures_of_all_runs_are_one_result(self):
        side = FakeSide("fake", [{"rate": 5, "peer": "x"}, {"p50_us": 1.5, "p99_us": 2}])
        found = both.run_once(side, ROW, 0.1)
        self.assertEqual((found["rate"], found["p50_us"], found["p99_us"]), (5, 1.5, 2))
        self.assertNotIn("peer", found)

    def test_a_second_rate_is_the_one_without_tags(self):
        found = both.run_once(FakeSide("fake", [{"rate": 5}, {"rate": 7}]), Row("", 10, 4), 0.1)
        self.assertEqual((found["rate"], found["rate_untagged"]), (5, 7))

    def test_a_crash_and_an_answer_without_figures_are_results(self):
        self.assertEqual(both.run_once(FakeSide("fake", [{}]), ROW, 0.1)["error"], "no JSON line with a figure")
        gone = both.GnuRadio("gnuradio", Path("/nowhere/bursts"), None, [])
        self.assertIn("No such file", both.run_once(gone, ROW, 0.1)["error"])


class RunAll(unittest.TestCase):
    def test_sides_take_turns(self):
        chosen = [FakeSide("superhet", [{"rate": 1}]), FakeSide("gnuradio", [{"rate": 1}], ["stream", "pdus"])]
        rows = lambda side: [Row(transport, 64, 4) for transport in side.transports]
        runs = both.run_all(chosen, rows, 0.1, 2)
        order = [(one["side"], one["transport"]) for one in runs]
        self.assertEqual(order, 2 * [("superhet", "stream"), ("gnuradio", "stream"), ("gnuradio", "pdus")])


class Tables(unittest.TestCase):
    def test_tags_have_a_ratio_and_its_bar(self):
        runs = [result("superhet", "", 10, rate=rate, rate_untagged=4e9) for rate in [1e8, 3e8, 2e8]]
        runs += [result("gnuradio", "", 10, rate=1e7, rate_untagged=2e8)]
        runs += [result("superhet", "", 100, rate=1e8), result("gnuradio", "", 100, error="status 1: no")]
        lines = both.tags_table(both.medians(runs)).splitlines()
        self.assertEqual(lines[2], "| 10 | 200 | 4e+03 | 10 | 200 | 20 (≥ 15) |")
        self.assertEqual(lines[3], "| 100 | 100 | failed | failed | failed | - |")
        self.assertIn("- gnuradio tags 100, 1 times: status 1: no", both.failures(runs))

    def test_bursts_are_compared_with_the_better_one_of_gnu_radio(self):
        runs = [result("superhet", "stream", size, rate=5e5, p50_us=1, p99_us=2) for size in [64, 16384]]
        for transport, rate in [("stream", 1e5), ("pdus", 3e4)]:
            runs += [result("gnuradio", transport, size, rate=rate, p50_us=60, p99_us=99) for size in [64, 16384]]
        lines = both.bursts_table(both.medians(runs)).splitlines()
        self.assertIn("| 64 | 500 | 100 | 30 | 5 (< ! 10) |", lines)
        self.assertIn("| 16384 | 500 | 100 | 30 | 5 (≥ 4) |", lines)
        self.assertIn("| 64 | 1 / 2 | 60 / 99 | 60 / 99 |", lines)


class Main(unittest.TestCase):
    def test_a_table_and_every_run_come_out(self):
        fake = [FakeSide("superhet", [{"rate": 1e9, "rate_untagged": 2e9}])]
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(both, "sides", lambda superhet: fake):
            path = Path(folder) / "runs.json"
            with mock.patch("builtins.print") as said:
                both.main(["tags", "--sizes", "10,100", "--repeat", "2", "--json", str(path)])
            found = json.loads(path.read_text())
        self.assertEqual(len(found["runs"]), 4)
        self.assertIn("| 10 | 1e+03 | 2e+03 | failed | failed | - |", said.call_args_list[-2].args[0])

    def test_absent_development_files_are_named(self):
        which = mock.patch.object(run.shutil, "which", lambda tool: tool)
        with which, mock.patch.object(run, "output", lambda words: None):
            with self.assertRaisesRegex(run.Missing, "gnuradio-blocks.*gnuradio-dev"):
                both.build_gnuradio()


if __name__ == "__main__":
    unittest.main()
