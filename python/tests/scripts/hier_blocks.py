#!/usr/bin/env python3
"""Hierarchical blocks within each other: a radio of two receivers, each a tuner and a demodulator."""

import math

import numpy as np
from common import arguments, run, save
from gnuradio import analog, blocks, filter, gr
from gnuradio.filter import firdes

RATE = 400e3
DECIMATION = 8
STATIONS = (-90e3, 60e3)


class tuner(gr.hier_block2):
    """Brings a station to the middle and takes what is around it."""

    def __init__(self, frequency):
        gr.hier_block2.__init__(
            self, "tuner", gr.io_signature(1, 1, gr.sizeof_gr_complex), gr.io_signature(1, 1, gr.sizeof_gr_complex)
        )
        taps = firdes.low_pass(1.0, RATE, 12e3, 6e3)
        self.translate = filter.freq_xlating_fir_filter_ccf(DECIMATION, taps, frequency, RATE)
        self.connect(self, self.translate, self)


class receiver(gr.hier_block2):
    """From the band to audio and the level of the station."""

    def __init__(self, frequency):
        gr.hier_block2.__init__(
            self,
            "receiver",
            gr.io_signature(1, 1, gr.sizeof_gr_complex),
            gr.io_signature2(2, 2, gr.sizeof_float, gr.sizeof_float),
        )
        self.tuner = tuner(frequency)
        self.demodulate = analog.quadrature_demod_cf(RATE / DECIMATION / (2 * math.pi * 5e3))
        self.smooth = filter.fir_filter_fff(2, firdes.low_pass(1.0, RATE / DECIMATION, 4e3, 2e3))
        self.level = blocks.complex_to_mag_squared()
        self.mean = filter.single_pole_iir_filter_ff(0.01)
        self.connect(self, self.tuner, self.demodulate, self.smooth, (self, 0))
        self.connect(self.tuner, self.level, self.mean, (self, 1))


class radio(gr.hier_block2):
    """Receivers side by side: audio and level of each station."""

    def __init__(self, frequencies):
        outputs = 2 * len(frequencies)
        gr.hier_block2.__init__(
            self,
            "radio",
            gr.io_signature(1, 1, gr.sizeof_gr_complex),
            gr.io_signature.makev(outputs, outputs, [gr.sizeof_float] * outputs),
        )
        for k, frequency in enumerate(frequencies):
            station = receiver(frequency)
            self.connect(self, station)
            for port in range(2):
                self.connect((station, port), (self, 2 * k + port))


class hier_blocks(gr.top_block):
    def __init__(self, items):
        gr.top_block.__init__(self, "Hierarchical blocks")
        time = np.arange(items) / RATE
        band = np.zeros(items, np.complex128)
        for k, frequency in enumerate(STATIONS):
            tone = np.sin(2 * np.pi * (700 + 600 * k) * time)
            band += (0.5 + 0.25 * k) * np.exp(2j * np.pi * (frequency * time + np.cumsum(3e3 * tone) / RATE))
        self.source = blocks.vector_source_c(band.tolist(), False)
        self.radio = radio(STATIONS)
        self.connect(self.source, self.radio)
        self.sinks = [blocks.vector_sink_f() for _ in range(2 * len(STATIONS))]
        for k, sink in enumerate(self.sinks):
            self.connect((self.radio, k), sink)


def main():
    args = arguments(__doc__, 500_000)
    tb = hier_blocks(args.items)
    run(tb)
    outputs = {}
    for k in range(len(STATIONS)):
        outputs[f"audio_{k}"] = (np.array(tb.sinks[2 * k].data(), np.float32), 2e-3)
        outputs[f"level_{k}"] = (np.array(tb.sinks[2 * k + 1].data(), np.float32), 1e-4)
    save(args.out, **outputs)


if __name__ == "__main__":
    main()
