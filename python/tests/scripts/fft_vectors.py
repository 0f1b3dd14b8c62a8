#!/usr/bin/env python3
"""Streams of vectors: the mean power spectrum of tones in noise, in decibels."""

import numpy as np
from common import arguments, run, save
from gnuradio import blocks, fft, gr
from gnuradio.fft import window

SIZE = 1024
MEAN_OF = 16


class fft_vectors(gr.top_block):
    def __init__(self, samples):
        gr.top_block.__init__(self, "FFT of vectors")
        self.source = blocks.vector_source_c(samples.tolist(), False)
        self.to_vector = blocks.stream_to_vector(gr.sizeof_gr_complex, SIZE)
        self.fft = fft.fft_vcc(SIZE, True, window.blackmanharris(SIZE), True, 1)
        self.power = blocks.complex_to_mag_squared(SIZE)
        self.sum = blocks.integrate_ff(MEAN_OF, SIZE)
        self.scale = blocks.multiply_const_vff([1 / MEAN_OF] * SIZE)
        self.decibels = blocks.nlog10_ff(10, SIZE, 0)
        self.sink = blocks.vector_sink_f(SIZE)
        self.connect(self.source, self.to_vector, self.fft, self.power, self.sum, self.scale, self.decibels, self.sink)


def main():
    args = arguments(__doc__, 2_000_000)
    generator = np.random.default_rng(2)
    time = np.arange(args.items)
    samples = 0.01 * (generator.normal(size=args.items) + 1j * generator.normal(size=args.items))
    for frequency, amplitude in ((0.1, 1.0), (-0.27, 0.3), (0.4003, 0.05)):
        samples += amplitude * np.exp(2j * np.pi * frequency * time)
    tb = fft_vectors(samples)
    run(tb)
    save(args.out, spectra=(np.array(tb.sink.data(), np.float32).reshape(-1, SIZE), 0.01))


if __name__ == "__main__":
    main()
