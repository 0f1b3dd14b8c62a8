#!/usr/bin/env python3
"""Differential QPSK from bytes to bytes, with a channel that shifts frequency, phase, time and level."""

import numpy as np
from common import arguments, run, save
from gnuradio import analog, blocks, channels, digital, filter, gr
from gnuradio.filter import firdes

SAMPLES_PER_SYMBOL = 4
EXCESS_BANDWIDTH = 0.35
FILTERS = 32
SETTLED = 1000


class psk_loopback(gr.top_block):
    def __init__(self, data):
        gr.top_block.__init__(self, "PSK loopback")
        self.constellation = digital.psk_constellation(4, digital.mod_codes.GRAY_CODE, True)
        bits = self.constellation.bits_per_symbol()
        code = self.constellation.pre_diff_code()

        # From bytes to a signal.
        self.source = blocks.vector_source_b(data.tolist(), False)
        self.to_symbols = blocks.packed_to_unpacked_bb(bits, gr.GR_MSB_FIRST)
        self.encode = digital.map_bb(code)
        self.diff_encode = digital.diff_encoder_bb(self.constellation.arity())
        self.to_points = digital.chunks_to_symbols_bc(self.constellation.points())
        taps = firdes.root_raised_cosine(
            SAMPLES_PER_SYMBOL, SAMPLES_PER_SYMBOL, 1.0, EXCESS_BANDWIDTH, 11 * SAMPLES_PER_SYMBOL
        )
        self.shape = filter.interp_fir_filter_ccf(SAMPLES_PER_SYMBOL, taps)

        # What happens on the way.
        self.channel = channels.channel_model(0.0, 0.0005, 1.0, [0.7 * np.exp(0.6j), 0.2 * np.exp(0.6j)], 1)

        # Back to bytes.
        self.level = analog.agc2_cc(1e-2, 1e-3, 1.0, 1.0)
        matched = firdes.root_raised_cosine(
            FILTERS, FILTERS * SAMPLES_PER_SYMBOL, 1.0, EXCESS_BANDWIDTH, 11 * SAMPLES_PER_SYMBOL * FILTERS
        )
        self.timing = digital.symbol_sync_cc(
            digital.TED_SIGNAL_TIMES_SLOPE_ML,
            SAMPLES_PER_SYMBOL,
            0.02,
            1.0,
            1.0,
            1.5,
            1,
            self.constellation.base(),
            digital.IR_PFB_MF,
            FILTERS,
            matched,
        )
        self.phase = digital.costas_loop_cc(0.04, 4)
        self.turn = blocks.multiply_const_cc(np.exp(1j * np.pi / 4))
        self.decide = digital.constellation_decoder_cb(self.constellation.base())
        self.diff_decode = digital.diff_decoder_bb(self.constellation.arity())
        self.decode = digital.map_bb(digital.mod_codes.invert_code(code))
        self.sink = blocks.vector_sink_b()
        self.symbols = blocks.vector_sink_c()
        self.connect(self.source, self.to_symbols, self.encode, self.diff_encode, self.to_points, self.shape, self.channel)
        self.connect(self.channel, self.level, self.timing, self.phase, self.turn)
        self.connect(self.turn, self.decide, self.diff_decode, self.decode, self.sink)
        self.connect(self.turn, self.symbols)


def aligned(sent, received):
    """What of the received symbols belongs to `sent[SETTLED:-SETTLED // 2]`, found by the first of them."""
    wanted = sent[SETTLED : -SETTLED // 2]
    first = wanted[:64].tobytes()
    at = received.tobytes().find(first)
    return at, received[at : at + len(wanted)] if at >= 0 else received[:0]


def main():
    args = arguments(__doc__, 800_000)
    data = np.random.default_rng(7).integers(0, 256, max(args.items // SAMPLES_PER_SYMBOL // 4, SETTLED), np.uint8)
    tb = psk_loopback(data)
    run(tb)
    sent = (data[:, None] >> np.array([6, 4, 2, 0]) & 3).reshape(-1).astype(np.uint8)
    at, received = aligned(sent, np.array(tb.sink.data(), np.uint8))
    wanted = sent[SETTLED : -SETTLED // 2]
    errors = int(np.count_nonzero(wanted[: len(received)] != received)) if at >= 0 else len(wanted)
    symbols = np.array(tb.symbols.data(), np.complex64)[SETTLED : -SETTLED // 2]
    save(
        args.out,
        errors=({"errors": errors, "symbols": len(wanted)}, 0),
        received=(received, 0),
        amplitude=(np.abs(symbols).mean(keepdims=True).astype(np.float32), 0.02),
    )


if __name__ == "__main__":
    main()
