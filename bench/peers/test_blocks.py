"""Tests of blocks.py without GNU Radio or a measurement."""

import unittest
from unittest import mock

import blocks


class Cases(unittest.TestCase):
    def test_names_are_unique_and_inputs_known(self):
        names = [case["name"] for case in blocks.CASES]
        self.assertEqual(len(names), len(set(names)))
        for case in blocks.CASES:
            self.assertTrue(set(case["input"]) <= set("cfisb"), case)
            self.assertGreaterEqual(case["bar"], 2)
            self.assertEqual("taps" in case, "$taps" in case["parameters"].values(), case)

    def test_taps_of_a_low_pass_sum_up_to_its_gain(self):
        case = blocks.whole(next(case for case in blocks.CASES if case["name"] == "pfb_arb_resampler C32, 1.23"))
        self.assertAlmostEqual(sum(case["taps"]), 32, places=5)
        self.assertEqual(case["parameters"]["taps"], case["taps"])
        self.assertAlmostEqual(case["taps"][3], case["taps"][-4])


class Turns(unittest.TestCase):
    def test_the_ratio_is_the_median_of_those_of_the_turns_and_failures_are_told(self):
        mine, theirs = iter([8.0, 90.0, 10.0]), iter([1.0, 9.0, 10.0])
        cases = [{"name": "a", "bar": 2}]
        runs = blocks.measure_in_turns(
            cases, 3, lambda case: {"items_per_s": next(mine)}, lambda case: {"items_per_s": next(theirs)}
        )
        self.assertEqual(blocks.medians(runs), [("a", 2, 10.0, 9.0, 8.0)])
        runs += blocks.measure_in_turns(
            [{"name": "b", "bar": 4}], 1, lambda case: {"error": "no such block"}, lambda case: {"items_per_s": 1.0}
        )
        text = blocks.table(runs)
        self.assertIn("Geometric mean 8.00 (bar 8) over 1 blocks, 0 of them below their bar.", text)
        self.assertIn("b, superhet: no such block", text)

    def test_a_block_below_its_bar_stands_out(self):
        runs = [{"name": "a", "bar": 4, "superhet": 3e6, "superhet_own": 3e6, "gnuradio": 1e6}]
        self.assertIn("| a | 3 | 1 | **3.00** | 4 |", blocks.table(runs))

    def test_what_is_missing_is_said(self):
        with mock.patch("builtins.print") as said:
            self.assertEqual(blocks.main(["--superhet", "/no/such/program", "--block", "agc"]), 0)
            self.assertIn("not built", said.call_args.args[0])
            self.assertEqual(blocks.main(["--block", "no such block"]), 2)


if __name__ == "__main__":
    unittest.main()
