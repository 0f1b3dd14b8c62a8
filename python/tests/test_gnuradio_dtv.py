"""The outer coding of DVB-T: values that follow from ETSI EN 300 744, and what GNU Radio 3.10.5 gives."""

import unittest

import numpy as np

import superhet.gnuradio

superhet.gnuradio.install(shadow=True)

from gnuradio import blocks, dtv, gr  # noqa: E402


def run(block, data, taken=1, given=1):
    tb, sink = gr.top_block(), blocks.vector_sink_b(given)
    tb.connect(blocks.vector_source_b([int(x) for x in data], False, taken), block, sink)
    tb.run()
    return np.array(sink.data(), "u1")


class DvbT(unittest.TestCase):
    def setUp(self):
        packets = np.random.default_rng(1).integers(0, 256, (32, 188))
        packets[:, 0] = 0x47
        self.packets = packets.astype("u1")

    def test_packets_are_dispersed_and_come_back(self):
        sent = run(dtv.dvbt_energy_dispersal(1), [1, 2, 3, *self.packets.reshape(-1)], 1, 1504)
        # The sequence begins with 00000011 11110110.
        self.assertEqual((sent[1:3] ^ self.packets[0, 1:3]).tolist(), [0x03, 0xF6])
        self.assertEqual(set(sent[1504::1504]), {0xB8})
        self.assertEqual(set(sent.reshape(-1, 188)[1:8, 0]), {0x47})
        again = run(dtv.dvbt_energy_descramble(8), sent, 1504, 1)
        self.assertTrue((again == self.packets.reshape(-1)[: len(again)]).all())
        self.assertGreaterEqual(len(again), 3 * 1504)

    def test_check_bytes_have_the_zeros_of_the_code(self):
        coded = run(dtv.dvbt_reed_solomon_enc(2, 8, 0x11D, 255, 239, 8, 51, 8), self.packets.reshape(-1), 1504, 1632)
        coded = coded.reshape(-1, 204)
        self.assertTrue((coded[:, :188] == self.packets).all())
        powers = [1]
        while len(powers) < 255:
            powers.append(powers[-1] << 1 ^ (0x11D if powers[-1] & 0x80 else 0))
        logs = {power: place for place, power in enumerate(powers)}
        for word in coded[:4].tolist():
            for zero in range(16):
                total = 0
                for place, byte in enumerate(reversed(word)):
                    total ^= powers[(logs[byte] + zero * place) % 255] if byte else 0
                self.assertEqual(total, 0)

    def test_bytes_go_through_delays(self):
        data = np.arange(4 * 1632) % 251
        found = run(dtv.dvbt_convolutional_interleaver(136, 12, 17), data, 1632, 1)
        for place in (0, 1, 17, 3000, 6000):
            branch = place % 12
            before = place - branch * 17 * 12
            self.assertEqual(found[place], data[before] if before >= 0 else 0)


if __name__ == "__main__":
    unittest.main()
