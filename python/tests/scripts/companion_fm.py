#!/usr/bin/env python3
"""A receiver of broadcast FM, as GNU Radio Companion writes it: a recording, a channel, a demodulator, and sound in a file."""

import math
from pathlib import Path

import numpy as np
from common import arguments, run, save
from gnuradio import analog, blocks, filter, gr
from gnuradio.fft import window
from gnuradio.filter import firdes


class fm_receiver(gr.top_block):
    def __init__(self, recording, sound):
        gr.top_block.__init__(self, "FM receiver", catch_exceptions=True)

        ##################################################
        # Variables
        ##################################################
        self.samp_rate = samp_rate = 960000
        self.offset = offset = 150e3
        self.volume = volume = 0.5
        self.audio_rate = audio_rate = 48000

        ##################################################
        # Blocks
        ##################################################
        self.rational_resampler_xxx_0 = filter.rational_resampler_fff(interpolation=audio_rate // 1000, decimation=240, taps=[], fractional_bw=0)
        self.freq_xlating_fir_filter_xxx_0 = filter.freq_xlating_fir_filter_ccc(
            4, firdes.low_pass(1.0, samp_rate, 100e3, 30e3, window.WIN_HAMMING, 6.76), offset, samp_rate
        )
        self.blocks_multiply_const_vxx_0 = blocks.multiply_const_ff(volume)
        self.blocks_file_source_0 = blocks.file_source(gr.sizeof_gr_complex * 1, str(recording), False, 0, 0)
        self.blocks_file_sink_0 = blocks.file_sink(gr.sizeof_float * 1, str(sound), False)
        self.blocks_file_sink_0.set_unbuffered(False)
        self.analog_quadrature_demod_cf_0 = analog.quadrature_demod_cf((samp_rate / 4) / (2 * math.pi * 75e3))
        self.analog_fm_deemph_0 = analog.fm_deemph(fs=samp_rate / 4, tau=75e-6)

        ##################################################
        # Connections
        ##################################################
        self.connect((self.analog_fm_deemph_0, 0), (self.rational_resampler_xxx_0, 0))
        self.connect((self.analog_quadrature_demod_cf_0, 0), (self.analog_fm_deemph_0, 0))
        self.connect((self.blocks_file_source_0, 0), (self.freq_xlating_fir_filter_xxx_0, 0))
        self.connect((self.blocks_multiply_const_vxx_0, 0), (self.blocks_file_sink_0, 0))
        self.connect((self.freq_xlating_fir_filter_xxx_0, 0), (self.analog_quadrature_demod_cf_0, 0))
        self.connect((self.rational_resampler_xxx_0, 0), (self.blocks_multiply_const_vxx_0, 0))

    def get_volume(self):
        return self.volume

    def set_volume(self, volume):
        self.volume = volume
        self.blocks_multiply_const_vxx_0.set_k(self.volume)


def main():
    args = arguments(__doc__, 200_000)
    time = np.arange(args.items) / 960_000
    sound = 0.7 * np.sin(2 * np.pi * 1000 * time) + 0.3 * np.sin(2 * np.pi * 2500 * time)
    phase = 2 * np.pi * (150e3 * time + 75e3 * np.cumsum(sound) / 960_000)
    noise = np.random.default_rng(4).normal(size=(2, args.items))
    iq = np.exp(1j * phase) + 0.01 * (noise[0] + 1j * noise[1])
    recording, heard = Path(args.out) / "recording.cf32", Path(args.out) / "sound.f32"
    iq.astype(np.complex64).tofile(recording)
    tb = fm_receiver(recording, heard)
    tb.set_volume(0.25)
    run(tb)
    audio = np.fromfile(heard, np.float32)
    recording.unlink()
    heard.unlink()
    # How many items come out at the very end depends on how a side ends a stream.
    save(args.out, audio=(audio[: args.items // 20 - 100], 1e-3))


if __name__ == "__main__":
    main()
