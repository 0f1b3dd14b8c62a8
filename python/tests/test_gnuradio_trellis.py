"""Trellises: machines as GNU Radio 3.10.5 makes them, codes that come back through noise, and every class made and run."""

import tempfile
import unittest
from pathlib import Path

import numpy as np

import superhet.gnuradio

superhet.gnuradio.install(shadow=True)

from gnuradio import blocks, digital, gr, trellis  # noqa: E402

EUCLIDEAN = digital.TRELLIS_EUCLIDEAN
KINDS = {"b": "b", "s": "s", "i": "i", "f": "f", "c": "c"}


def source(letter, data):
    kind = complex if letter == "c" else float if letter == "f" else int
    return getattr(blocks, f"vector_source_{letter}")([kind(x) for x in data])


def run(block, letters, *data):
    """What a block gives for data, one list for each input."""
    tb, sink = gr.top_block(), getattr(blocks, f"vector_sink_{letters[1]}")()
    for port, items in enumerate(data):
        tb.connect(source(letters[0], items), (block, port))
    tb.connect(block, sink)
    tb.run()
    return sink.data()


def shown(machine):
    return (machine.I(), machine.S(), machine.O(), machine.NS(), machine.OS())


class Machines(unittest.TestCase):
    def test_machines_are_made_of_codes_channels_and_modulations(self):
        code = (2, 4, 4, [0, 2, 0, 2, 1, 3, 1, 3], [0, 3, 3, 0, 1, 2, 2, 1])
        self.assertEqual(shown(trellis.fsm(1, 2, [5, 7])), code)
        self.assertEqual(trellis.fsm(2, 3, [1, 0, 2, 2, 1, 3]).OS(), [0, 5, 1, 4, 3, 6, 2, 7, 4, 1, 5, 0, 7, 2, 6, 3])
        self.assertEqual(shown(trellis.fsm(2, 3)), (2, 4, 8, [0, 2, 0, 2, 1, 3, 1, 3], [0, 4, 1, 5, 2, 6, 3, 7]))
        self.assertEqual(trellis.fsm(2, 2, 2).NS(), [0, 2, 1, 3, 1, 3, 0, 2])
        self.assertEqual(trellis.fsm(3, 2, 2).NS(), [0, 3, 1, 4, 2, 5, 1, 4, 2, 5, 0, 3])
        channel = trellis.fsm(2, 2)
        self.assertEqual(trellis.fsm(channel, 2).OS(), [0, 2, 9, 11, 4, 6, 13, 15])
        self.assertEqual(trellis.fsm(channel, trellis.fsm(2, 3)).OS()[:8], [0, 4, 16, 20, 1, 5, 17, 21])
        self.assertEqual(shown(trellis.fsm(trellis.fsm(1, 2, [5, 7]), trellis.fsm(4, 2), True))[:3], (2, 16, 16))
        self.assertEqual(trellis.fsm(1, 2, [5, 7]).PS(), [[0, 1], [2, 3], [0, 1], [2, 3]])
        self.assertEqual(trellis.fsm(1, 2, [5, 7]).TMl(), [0, 2, 1, 2, 1, 0, 1, 2, 2, 1, 0, 1, 2, 1, 2, 0])

    def test_files_come_back(self):
        with tempfile.TemporaryDirectory() as folder:
            machine, order = trellis.fsm(1, 2, [5, 7]), trellis.interleaver(4, [2, 0, 3, 1])
            machine.write_fsm_txt(str(Path(folder) / "a.fsm"))
            order.write_interleaver_txt(str(Path(folder) / "a.txt"))
            self.assertEqual(shown(trellis.fsm(str(Path(folder) / "a.fsm"))), shown(machine))
            self.assertEqual(trellis.interleaver(str(Path(folder) / "a.txt")).INTER(), [2, 0, 3, 1])
            self.assertEqual(order.DEINTER(), [1, 3, 0, 2])
            with self.assertRaises(RuntimeError):
                trellis.fsm(str(Path(folder) / "none"))
        self.assertEqual(sorted(trellis.interleaver(20, 666).INTER()), list(range(20)))
        with self.assertRaises(RuntimeError):
            trellis.interleaver(3, [0, 0, 1])


class Codes(unittest.TestCase):
    def setUp(self):
        random = np.random.default_rng(7)
        self.code, self.other, self.inner = trellis.fsm(1, 2, [5, 7]), trellis.fsm(1, 2, [3, 7]), trellis.fsm(4, 2)
        self.order = trellis.interleaver(50, random.permutation(50).tolist())
        self.bits = random.integers(0, 2, 200).tolist()
        self.random = random

    def noisy(self, symbols, points, noise):
        return np.array(points)[symbols] + noise * (self.random.normal(size=(len(symbols), 2)) @ [1, 1j])

    def test_an_encoder_begins_anew_after_each_block(self):
        coded = run(trellis.encoder_bb(self.code, 0, 4), "bb", [1, 1, 0, 1, 1, 1, 0, 1])
        self.assertEqual(coded, [3, 2, 2, 0] * 2)
        # A symbol the code does not know counts as 0.
        unknown, zero = (run(trellis.encoder_bb(self.code, 0), "bb", [symbol, 1]) for symbol in (2, 0))
        self.assertEqual(unknown, zero)

    def test_every_encoder_and_decoder_of_one_machine(self):
        points = [-1 - 1j, -1 + 1j, 1 - 1j, 1 + 1j]
        flat = {"c": points, "f": [-3.0, -1.0, 1.0, 3.0], "s": [-30, -10, 10, 30], "i": [-30, -10, 10, 30]}
        for letters in ("bb", "bs", "bi", "ss", "si", "ii"):
            coded = run(getattr(trellis, f"encoder_{letters}")(self.code, 0, 50), letters, self.bits)
        for kind, table in flat.items():
            metrics = getattr(trellis, f"metrics_{kind}")
            distances = run(metrics(4, 1, table, EUCLIDEAN), f"{kind}f", np.array(table)[coded])
            for out in "bsi":
                decoder = getattr(trellis, f"viterbi_{out}")(self.code, 50, 0, -1)
                self.assertEqual(run(decoder, f"f{out}", distances), self.bits)
                combined = getattr(trellis, f"viterbi_combined_{kind}{out}")(self.code, 50, 0, -1, 1, table, EUCLIDEAN)
                self.assertEqual(run(combined, f"{kind}{out}", np.array(table)[coded]), self.bits)
        noisy = self.noisy(coded, points, 0.45)
        decided = run(trellis.viterbi_combined_cb(self.code, 50, 0, -1, 1, points, EUCLIDEAN), "cb", noisy)
        hard = run(trellis.metrics_c(4, 1, points, digital.TRELLIS_HARD_SYMBOL), "cf", noisy)
        self.assertLess(np.count_nonzero(np.array(decided) != self.bits), 4)
        self.assertEqual(set(hard), {0.0, 1.0})
        constellation = digital.constellation_qpsk()
        distances = run(trellis.constellation_metrics_cf(constellation.base(), EUCLIDEAN), "cf", constellation.points())
        self.assertEqual(np.reshape(distances, (4, 4)).argmin(axis=1).tolist(), [0, 1, 2, 3])

    def test_soft_values_are_those_of_all_paths(self):
        machine, steps = trellis.fsm(1, 2, [5, 7]), 6
        known, costs = self.random.random(2 * steps), self.random.random(4 * steps)
        paths = []
        for number in range(1 << steps):
            state, cost, symbols = 0, 0.0, []
            for k in range(steps):
                bit = number >> k & 1
                edge = state * 2 + bit
                cost += known[2 * k + bit] + costs[4 * k + machine.OS()[edge]]
                symbols.append((bit, machine.OS()[edge]))
                state = machine.NS()[edge]
            paths.append((cost, symbols))
        for kind in (trellis.TRELLIS_MIN_SUM, trellis.TRELLIS_SUM_PRODUCT):
            block = trellis.siso_f(machine, steps, 0, -1, True, False, kind)
            found = np.reshape(run(block, "ff", known, costs), (steps, 2))
            for k in range(steps):
                sums = []
                for bit in (0, 1):
                    # Without what was known of the input itself.
                    through = [cost - known[2 * k + bit] for cost, symbols in paths if symbols[k][0] == bit]
                    low = min(through)
                    total = low if kind == trellis.TRELLIS_MIN_SUM else -np.log(np.exp(-np.array(through)).sum())
                    sums.append(total)
                np.testing.assert_allclose(found[k, 1] - found[k, 0], sums[1] - sums[0], atol=1e-4)
            both = trellis.siso_f(machine, steps, 0, -1, True, True, kind)
            self.assertEqual(len(run(both, "ff", known, costs)), 6 * steps)
            combined = trellis.siso_combined_f(machine, steps, 0, -1, False, True, kind, 1, [0.0, 1.0, 2.0, 3.0], EUCLIDEAN)
            self.assertEqual(len(run(combined, "ff", known, costs[:steps])), 4 * steps)

    def test_turbo_codes_side_by_side_and_in_a_row(self):
        points = [complex(n // 4 - 1.5, n % 4 - 1.5) for n in range(16)]
        sides = (self.code, 0, -1, self.other, 0, -1, self.order, 50, 4)
        row = (self.code, 0, -1, self.inner, 0, -1, self.order, 50, 4)
        for family, encoded, decoded in (("pccc", (self.code, 0, self.other, 0, self.order, 50), sides),
                                         ("sccc", (self.code, 0, self.inner, 0, self.order, 50), row)):
            for letters in ("bb", "bs", "bi", "ss", "si", "ii"):
                coded = run(getattr(trellis, f"{family}_encoder_{letters}")(*encoded), letters, self.bits)
            noisy = self.noisy(coded, points, 0.3)
            distances = run(trellis.metrics_c(16, 1, points, EUCLIDEAN), "cf", noisy)
            for kind in (trellis.TRELLIS_MIN_SUM, trellis.TRELLIS_SUM_PRODUCT):
                for out in "bsi":
                    decoder = getattr(trellis, f"{family}_decoder_{out}")(*decoded, kind)
                    self.assertEqual(run(decoder, f"f{out}", distances), self.bits)
                    name = f"{family}_decoder_combined_c{out}"
                    combined = getattr(trellis, name)(*decoded, kind, 1, points, EUCLIDEAN, 1.0)
                    self.assertEqual(run(combined, f"c{out}", noisy), self.bits)
            flat = [float(n) for n in range(16)]
            for out in "bsi":
                name = f"{family}_decoder_combined_f{out}"
                combined = getattr(trellis, name)(*decoded, trellis.TRELLIS_MIN_SUM, 1, flat, EUCLIDEAN, 1.0)
                self.assertEqual(run(combined, f"f{out}", np.array(flat)[coded]), self.bits)

    def test_symbols_are_put_into_another_order(self):
        block = trellis.permutation(4, [2, 0, 3, 1], 2, 4)
        self.assertEqual(run(block, "ff", range(8)), [4, 5, 0, 1, 6, 7, 2, 3])
        self.assertEqual((block.K(), block.TABLE(), block.BYTES_PER_SYMBOL()), (4, [2, 0, 3, 1], 4))

    def test_what_a_block_was_made_with_can_be_asked_for(self):
        block = trellis.viterbi_b(self.code, 50, 0, -1)
        self.assertEqual((block.K(), block.S0(), block.SK()), (50, 0, -1))
        block.set_S0(2)
        self.assertEqual(block.S0(), 2)


if __name__ == "__main__":
    unittest.main()
