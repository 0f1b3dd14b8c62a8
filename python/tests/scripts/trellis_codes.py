#!/usr/bin/env python3
"""Trellis codes: symbols through a finite state machine, a noisy channel, and Viterbi's algorithm."""

import numpy as np
from common import arguments, run, save
from gnuradio import blocks, digital, gr, trellis

# A code of rate 1/2 with four states, and the symbols of its pairs of bits.
MACHINE = (1, 2, [5, 7])
POINTS = [-3.0, -1.0, 1.0, 3.0]
BLOCK = 1000


class codes(gr.top_block):
    def __init__(self, bits, noise):
        gr.top_block.__init__(self, "trellis codes")
        machine = trellis.fsm(*MACHINE)
        source = blocks.vector_source_b(bits.tolist(), False)
        encoder = trellis.encoder_bs(machine, 0)
        points = digital.chunks_to_symbols_sf(POINTS, 1)
        added, noisy = blocks.vector_source_f(noise.tolist(), False), blocks.add_ff()
        self.connect(source, encoder, points, (noisy, 0))
        self.connect(added, (noisy, 1))
        euclidean = digital.TRELLIS_EUCLIDEAN
        self.sinks = {name: sink for name, sink in zip(("sent", "metrics", "plain", "combined"), self.kinds())}
        metrics = trellis.metrics_f(4, 1, POINTS, euclidean)
        self.connect(encoder, self.sinks["sent"])
        self.connect(noisy, metrics, self.sinks["metrics"])
        self.connect(metrics, trellis.viterbi_b(machine, BLOCK, 0, -1), self.sinks["plain"])
        combined = trellis.viterbi_combined_fb(machine, BLOCK, 0, -1, 1, POINTS, euclidean)
        self.connect(noisy, combined, self.sinks["combined"])

    @staticmethod
    def kinds():
        return blocks.vector_sink_s(), blocks.vector_sink_f(), blocks.vector_sink_b(), blocks.vector_sink_b()


def main():
    args = arguments(__doc__, 20_000)
    generator = np.random.default_rng(8)
    count = max(args.items // BLOCK, 2) * BLOCK
    bits = generator.integers(0, 2, count).astype(np.uint8)
    noise = generator.normal(size=count) * 0.6
    tb = codes(bits, noise.astype(np.float32))
    run(tb)
    decoded = {name: np.array(tb.sinks[name].data(), np.uint8) for name in ("plain", "combined")}
    errors = {name: int(np.count_nonzero(got != bits[: len(got)])) for name, got in decoded.items()}
    save(
        args.out,
        sent=(np.array(tb.sinks["sent"].data(), np.int16), 0),
        metrics=(np.array(tb.sinks["metrics"].data(), np.float32), 1e-4),
        errors=(errors, 0),
        **{name: (got, 0) for name, got in decoded.items()},
    )


if __name__ == "__main__":
    main()
