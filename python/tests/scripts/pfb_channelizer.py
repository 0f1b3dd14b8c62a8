#!/usr/bin/env python3
"""A polyphase channelizer: one signal with a tone in each of its channels becomes as many signals."""

import numpy as np
from common import arguments, run, save
from gnuradio import blocks, filter, gr
from gnuradio.fft import window
from gnuradio.filter import firdes, pfb

CHANNELS = 8
CHANNEL_RATE = 10e3
RATE = CHANNELS * CHANNEL_RATE
PERIOD = 2048


class pfb_channelizer(gr.top_block):
    def __init__(self, items):
        gr.top_block.__init__(self, "PFB channelizer")
        n = np.arange(PERIOD)
        # Tones with whole periods in the signal, which comes over and over.
        cycles = [(k - CHANNELS // 2) * PERIOD // CHANNELS + 8 * (k + 1) for k in range(CHANNELS)]
        signal = sum(0.1 * (k + 1) * np.exp(2j * np.pi * cycle * n / PERIOD) for k, cycle in enumerate(cycles))
        self.source = blocks.vector_source_c(signal.astype(np.complex64), True)
        taps = firdes.low_pass_2(1, RATE, 0.45 * CHANNEL_RATE, 0.1 * CHANNEL_RATE, 60, window.WIN_BLACKMAN_hARRIS)
        self.head = blocks.head(gr.sizeof_gr_complex, items)
        self.channelizer = pfb.channelizer_ccf(CHANNELS, taps, 1)
        self.connect(self.source, self.head, self.channelizer)
        self.sinks = [blocks.vector_sink_c() for _ in range(CHANNELS)]
        for k, sink in enumerate(self.sinks):
            self.connect((self.channelizer, k), sink)


def main():
    args = arguments(__doc__, 1_000_000)
    tb = pfb_channelizer(args.items)
    run(tb)
    save(args.out, **{f"channel_{k}": (np.array(sink.data(), np.complex64), 2e-3) for k, sink in enumerate(tb.sinks)})


if __name__ == "__main__":
    main()
