"""Tests of run.py with peers that are a few lines of Python: no compiler, no measurement."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import run
from run import Row


class FakePeer(run.Peer):
    """Runs `code` with the arguments a peer gets in `sys.argv`."""

    def __init__(self, name, code, configs=("default",), missing=None):
        super().__init__(name, sys.executable, lambda: None, lambda cores: list(configs))
        self.code = code
        self.missing = missing

    def command(self, row, seconds, config):
        return [sys.executable, "-c", self.code, *map(str, row), str(seconds), config]

    def check(self):
        if self.missing:
            raise run.Missing(self.missing)


RATES = """
import json, sys
print("a line of a log")
cores, kernels, weight, seconds, config = sys.argv[1:]
rate = {"default": 1e9, "tuned": 4e9}[config] / int(weight)
print(json.dumps({"rate": rate, "cpu_seconds": 0.5, "seconds": float(seconds), "version": "1.2"}))
"""
ROW = Row(1, 2, 1)


def result(peer, rate, config="default", row=ROW):
    found = {"error": "status 1: no"} if rate is None else {"rate": rate}
    return {"peer": peer, **row._asdict(), "config": config, **found}


class RunOnce(unittest.TestCase):
    def test_a_run_has_its_row_and_what_the_peer_printed(self):
        peer = FakePeer("fake", RATES)
        found = run.run_once(peer, Row(1, 3, 4), "tuned", 0.25)
        self.assertEqual(found["rate"], 1e9)
        self.assertEqual((found["cores"], found["kernels"], found["weight"]), (1, 3, 4))
        self.assertEqual((found["version"], found["cpu_seconds"], found["seconds"]), ("1.2", 0.5, 0.25))
        self.assertGreater(found["process_cpu_seconds"], 0)

    def test_a_crash_is_a_result(self):
        peer = FakePeer("fake", "import sys; print('no memory at /a/b/c', file=sys.stderr); sys.exit(3)")
        self.assertEqual(run.run_once(peer, ROW, "default", 0.1)["error"], "status 3: no memory at PATH")

    def test_a_signal_is_a_result(self):
        found = run.run_once(FakePeer("fake", "import os; os.abort()"), ROW, "default", 0.1)
        self.assertEqual(found["error"], "status -6: no message")

    def test_a_timeout_is_a_result(self):
        found = run.run_once(FakePeer("fake", "import time; time.sleep(60)"), ROW, "default", 0.1, timeout=0.3)
        self.assertEqual(found["error"], "no answer in 0.3 s")

    def test_output_without_a_rate_is_a_failure(self):
        for text in ["", "nothing", "{", '{"speed": 1}', '{"rate": null}']:
            found = run.run_once(FakePeer("fake", f"print({text!r})"), ROW, "default", 0.1)
            self.assertEqual(found["error"], "no JSON line with a rate", text)

    def test_a_program_that_is_not_there_is_a_failure(self):
        peer = run.Peer("fake", "/nowhere/peer", None, lambda cores: ["default"])
        self.assertIn("No such file", run.run_once(peer, ROW, "default", 0.1)["error"])

    @unittest.skipUnless(hasattr(os, "sched_getaffinity"), "no affinity here")
    def test_a_run_sees_as_many_cores_as_its_row(self):
        peer = FakePeer("fake", "import os; print('{\"rate\": %d}' % len(os.sched_getaffinity(0)))")
        self.assertEqual(run.run_once(peer, Row(1, 1, 1), "default", 0.1)["rate"], 1)


class RunAll(unittest.TestCase):
    def setUp(self):
        self.peers = [FakePeer("superhet", RATES), FakePeer("fake", RATES, ["default", "tuned"])]

    def test_peers_take_turns(self):
        runs = run.run_all(self.peers, [ROW], 0.1, 2)
        order = [(one["peer"], one["config"]) for one in runs]
        self.assertEqual(order, 2 * [("superhet", "default"), ("fake", "default"), ("fake", "tuned")])

    def test_configurations_can_be_chosen(self):
        chosen, only = run.choose(self.peers, "fake:tuned")
        runs = run.run_all(chosen, [ROW], 0.1, 1, only)
        self.assertEqual([one["config"] for one in runs], ["default", "tuned"])

    def test_an_unknown_peer_ends_the_program(self):
        with self.assertRaises(SystemExit):
            run.choose(self.peers, "nobody")

    def test_a_failing_peer_does_not_stop_the_others(self):
        self.peers.insert(1, FakePeer("broken", "import sys; sys.exit(1)"))
        text = run.table(run.run_all(self.peers, [ROW], 0.1, 2))
        self.assertIn("| 1 | 2 | 1 | out | 1 | failed | 4 tuned (default 1) | 0.25 |", text)
        self.assertIn("- broken default at 1/2/1, 2 times: status 1: no message", text)


class Quiet(unittest.TestCase):
    def measure(self, loads, limit, left):
        """The result where other work is as heavy as `loads`, run after run, and every step of the clock is 1 s."""
        loads, clock = iter(loads), iter(range(1000))
        quiet = run.Quiet(limit, left)
        with mock.patch.object(quiet, "wait"), mock.patch.object(run.time, "monotonic", lambda: next(clock)):
            return quiet.run(lambda: {"rate": 1.0, "others": next(loads)})

    def test_a_disturbed_run_is_repeated(self):
        self.assertEqual(self.measure([1.0, 0.5, 0.05], 0.1, 60), {"rate": 1.0, "others": 0.05, "tries": 3})

    def test_the_quietest_run_counts_when_no_time_is_left(self):
        self.assertEqual(self.measure([0.9, 0.9, 0.3, 0.9], 0.1, 4), {"rate": 1.0, "others": 0.3, "tries": 4})

    def test_a_run_is_not_repeated_unless_asked(self):
        self.assertEqual(self.measure([1.0], None, 60)["tries"], 1)

    def test_waiting_ends_with_the_other_work_or_with_its_time(self):
        for busy, left in [([0, 1, 1, 2, 2, 2], 60), ([0, 1, 1, 2], 0.002)]:
            quiet = run.Quiet(0.5, left)
            with mock.patch.object(run, "busy_seconds", mock.Mock(side_effect=busy)) as asked:
                quiet.wait(step=0.001)
            self.assertEqual(asked.call_count, len(busy))

    def test_the_run_itself_is_not_other_work(self):
        with mock.patch.object(run, "busy_seconds", mock.Mock(side_effect=[100.0, 103.0])):
            with mock.patch.object(run, "children_seconds", mock.Mock(side_effect=[7.0, 10.0])):
                found = run.run_once(FakePeer("fake", RATES), ROW, "default", 0.1)
        self.assertEqual((found["process_cpu_seconds"], found["others"]), (3.0, 0.0))

    def test_the_table_says_how_much_other_work_there_was(self):
        runs = [{**result("a", 1e9), "others": load} for load in [0.1, 0.9, 0.2]]
        self.assertIn("Other work took 0.20 cores (median of all runs), 0.90 at most.", run.table(runs))


class Skipping(unittest.TestCase):
    def test_a_peer_that_lacks_something_is_left_out_with_the_reason(self):
        said = []
        there, gone = FakePeer("there", RATES), FakePeer("gone", RATES, missing="needs a compiler")
        ready, skipped = run.usable([there, gone], True, said.append)
        self.assertEqual([peer.name for peer in ready], ["there"])
        self.assertEqual(skipped, {"gone": "needs a compiler"})
        self.assertEqual(said, ["gone skipped: needs a compiler"])

    def test_nothing_is_built_unless_asked(self):
        def build():
            raise AssertionError("built")

        peer = run.Peer("fake", "/nowhere/peer", build, lambda cores: ["default"])
        _, skipped = run.usable([peer], False, lambda text: None)
        self.assertEqual(skipped, {"fake": "not built: run with --build"})

    def test_old_rust_without_nightly_is_named(self):
        answers = {"rustc": "rustc 1.95.0 (abc 2026-04-14)"}
        with mock.patch.object(run, "output", lambda words: answers.get(words[0])):
            with self.assertRaisesRegex(run.Missing, "1.98.1 or a nightly"):
                run.build_futuresdr()

    def test_new_rust_needs_no_nightly(self):
        built = []
        with mock.patch.object(run, "output", lambda words: "rustc 1.99.0 (abc 2026-08-01)"):
            with mock.patch.object(run, "rust_peer", lambda *words: built.append(words)):
                run.build_futuresdr()
        self.assertEqual(built, [("futuresdr", [], [], "-C target-cpu=native")])

    def test_absent_development_files_are_named(self):
        which = mock.patch.object(run.shutil, "which", lambda tool: tool)
        with which, mock.patch.object(run, "output", lambda words: None):
            with self.assertRaisesRegex(run.Missing, "gnuradio-dev"):
                run.build_gnuradio()


class Medians(unittest.TestCase):
    def test_the_median_leaves_failures_out(self):
        runs = [result("fake", rate) for rate in [3e9, None, 1e9, 8e9]]
        self.assertEqual(run.medians(runs), {(ROW, "fake", "default"): 3e9})

    def test_all_failed_is_none(self):
        self.assertEqual(run.medians([result("fake", None)]), {(ROW, "fake", "default"): None})

    def test_the_best_configuration_has_the_best_median_not_the_best_run(self):
        runs = [result("fake", rate, "steady") for rate in [5e9, 5e9, 5e9]]
        runs += [result("fake", rate, "lucky") for rate in [1e9, 9e9, 1e9]]
        self.assertEqual(run.best(run.medians(runs), ROW, "fake", False), ("steady", 5e9))

    def test_disturbed_runs_count_only_where_there_are_no_better_ones(self):
        runs = [{**result("a", rate), "others": load} for rate, load in [(1e9, 0.9), (4e9, 0.0), (2e9, 0.8)]]
        runs += [{**result("b", 1e9), "others": 0.9}]
        self.assertEqual(run.medians(runs, 0.2), {(ROW, "a", "default"): 4e9, (ROW, "b", "default"): 1e9})
        self.assertIn("3 of 4 runs had more than 0.2", run.table(runs, 0.2))


class Table(unittest.TestCase):
    def lines(self, runs):
        return run.table(runs).splitlines()

    def test_the_ratio_is_to_the_best_peer(self):
        lines = self.lines([result("superhet", 6e9), result("a", 2e9), result("b", 3e9)])
        self.assertEqual(lines[0], "| N | M | weight | place | superhet | a | b | superhet / best peer |")
        self.assertEqual(lines[1], "|---|---|---|---|---|---|---|---|")
        self.assertEqual(lines[2], "| 1 | 2 | 1 | out | 6 | 2 | 3 | 2.00 |")

    def test_there_is_no_ratio_without_superhet_or_without_peers(self):
        self.assertIn("| failed | 2 | - |", self.lines([result("superhet", None), result("a", 2e9)])[2])
        self.assertIn("| 6 | failed | - |", self.lines([result("superhet", 6e9), result("a", None)])[2])

    def test_a_failed_default_is_shown_beside_the_best(self):
        runs = [result("a", None), result("a", 2e9, "tuned")]
        self.assertIn("| 2 tuned (default failed) |", self.lines(runs)[2])

    def test_a_peer_that_did_not_run_a_row_has_a_dash_there(self):
        runs = [result("a", 1e9), result("b", 1e9), result("b", 1e9, row=Row(2, 2, 1))]
        self.assertIn("| 2 | 2 | 1 | out | - | 1 | - |", self.lines(runs)[3])


    def test_what_works_in_place_has_a_line_of_its_own(self):
        runs = [result("superhet", 2e9), result("superhet", 6e9, "in-place")]
        runs += [result("a", 1e9), result("a", 3e9, "smol-16x2"), result("a", 4e9, "in-16x1"), result("b", 1e9)]
        lines = self.lines(runs)
        self.assertEqual(lines[2], "| 1 | 2 | 1 | out | 2 | 1 | 1 | 2.00 |")
        self.assertEqual(lines[3], "| 1 | 2 | 1 | in | 6 | 4 in-16x1 | - | 1.50 |")


class Superhet(unittest.TestCase):
    def test_the_weight_is_passed_only_where_it_is_not_one(self):
        peer = run.Superhet("superhet", "superhet", None, lambda cores: ["default"])
        one, more = peer.command(Row(2, 3, 1), 0.5, "default"), peer.command(Row(2, 3, 32), 0.5, "default")
        self.assertEqual(
            one,
            "superhet bench chain --json --repeat 1 --seconds 0.5 --kernels 3 --workers 2".split(),
        )
        self.assertEqual(more, one + ["--weight", "32"])
        self.assertEqual(peer.command(Row(2, 3, 1), 0.5, "in-place"), one + ["--in-place"])


class Main(unittest.TestCase):
    def test_the_json_has_every_run_and_the_machine_but_no_names(self):
        fake = [FakePeer("superhet", RATES), FakePeer("gone", RATES, missing="needs luck")]
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(run, "peers", lambda superhet: fake):
            path = Path(folder) / "runs.json"
            with mock.patch("builtins.print"):
                run.main(["--cores", "1", "--kernels", "1,2", "--weight", "1", "--repeat", "3", "--json", str(path)])
            found = json.loads(path.read_text())
        self.assertEqual(len(found["runs"]), 6)
        self.assertEqual(found["skipped"], {"gone": "needs luck"})
        self.assertEqual(set(found["machine"]), {"cpu", "cores", "caches"})
        self.assertNotIn(os.uname().nodename, json.dumps(found["machine"]))

    def test_the_help_fits_on_a_page(self):
        script = Path(run.__file__)
        done = subprocess.run([sys.executable, script, "--help"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0)
        self.assertLess(len(done.stdout.splitlines()), 40)


if __name__ == "__main__":
    unittest.main()
