#!/usr/bin/env python3
"""A broadcast FM receiver: two tones are modulated, and demodulated with analog.wfm_rcv."""

import math

import numpy as np
from common import arguments, run, save
from gnuradio import analog, blocks, filter, gr
from gnuradio.filter import firdes

AUDIO_RATE = 32e3
DECIMATION = 10
QUAD_RATE = AUDIO_RATE * DECIMATION
DEVIATION = 75e3


class fm_receiver(gr.top_block):
    def __init__(self, items):
        gr.top_block.__init__(self, "FM receiver")
        time = np.arange(items // DECIMATION) / AUDIO_RATE
        audio = 0.4 * np.sin(2 * np.pi * 1000 * time) + 0.3 * np.sin(2 * np.pi * 3500 * time)

        self.source = blocks.vector_source_f(audio.tolist(), False)
        taps = firdes.low_pass(DECIMATION, QUAD_RATE, 15e3, 2e3)
        self.upsample = filter.interp_fir_filter_fff(DECIMATION, taps)
        self.modulator = analog.frequency_modulator_fc(2 * math.pi * DEVIATION / QUAD_RATE)
        self.receiver = analog.wfm_rcv(QUAD_RATE, DECIMATION)
        self.sink = blocks.vector_sink_f()
        self.connect(self.source, self.upsample, self.modulator, self.receiver, self.sink)


def main():
    args = arguments(__doc__, 2_000_000)
    tb = fm_receiver(args.items)
    run(tb)
    save(args.out, audio=(np.array(tb.sink.data(), np.float32), 2e-3))


if __name__ == "__main__":
    main()
