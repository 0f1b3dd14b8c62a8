#!/usr/bin/env python3
"""OFDM: what `digital.ofdm_tx` sends, and what the parts of a receiver make of it."""

import numpy as np
import pmt
from common import arguments, run, save
from gnuradio import blocks, digital, fft, gr

LENGTH = 96
KEY = "packet_length"
FFT_LENGTH = 64
CP_LENGTH = 16
# In carriers, and even.
OFFSET = 2
TRANSMITTERS = {
    "plain": {},
    "scrambled_qpsk": {"bps_payload": 2, "scramble_bits": True, "rolloff": 4},
    "few_carriers": {
        "fft_len": 32,
        "cp_len": 8,
        "occupied_carriers": [[-10, -8, -7, -5, -3, -1, 1, 2, 4, 6, 7, 8], [-4, -2, 2, 4]] * 2 + [list(range(1, 9))],
        "pilot_carriers": [[-9, 9], [-6]],
        "pilot_symbols": [[1, -1], [1j]],
        "bps_header": 3,
        "bps_payload": 3,
    },
}


def packets(data):
    source = blocks.vector_source_b(data.tolist(), False)
    return source, blocks.stream_to_tagged_stream(gr.sizeof_char, 1, LENGTH, KEY)


def tags(sink, key, convert):
    found = [tag for tag in sink.tags() if pmt.symbol_to_string(tag.key) == key]
    return [[tag.offset, convert(tag.value)] for tag in sorted(found, key=lambda tag: tag.offset)]


def taps(value):
    return [[z.real, z.imag] for z in pmt.c32vector_elements(value)]


class transmitters(gr.top_block):
    def __init__(self, data):
        gr.top_block.__init__(self, "OFDM transmitters")
        self.sinks = {}
        for name, settings in TRANSMITTERS.items():
            self.sinks[name] = blocks.vector_sink_c()
            self.connect(*packets(data), digital.ofdm_tx(packet_length_tag_key=KEY, **settings), self.sinks[name])


class receiver(gr.top_block):
    """What comes of frames of symbols, as many data symbols in each, that went through a channel."""

    def __init__(self, symbols, sync1, sync2, data_symbols, occupied):
        gr.top_block.__init__(self, "OFDM receiver")
        vlen = FFT_LENGTH
        source = blocks.vector_source_c(symbols.reshape(-1).tolist(), False, vlen)
        self.estimate = digital.ofdm_chanest_vcvc(sync1, sync2, data_symbols)
        self.one = digital.ofdm_chanest_vcvc(sync1, [], data_symbols + 1)
        self.sinks = {name: blocks.vector_sink_c(vlen) for name in ("estimate", "one", "static", "dfe", "soft")}
        self.connect(source, self.estimate, self.sinks["estimate"])
        self.connect(source, self.one, self.sinks["one"])
        pilots = ([[-7, 7]], [[1, -1]])
        bpsk = digital.constellation_bpsk().base()
        equalizers = {
            "static": digital.ofdm_equalizer_static(vlen, occupied, *pilots),
            "dfe": digital.ofdm_equalizer_simpledfe(vlen, bpsk, occupied, *pilots),
            "soft": digital.ofdm_equalizer_simpledfe(vlen, bpsk, occupied, *pilots, 1, 0.3, True, True),
        }
        self.equalizers = equalizers
        for name, equalizer in equalizers.items():
            block = digital.ofdm_frame_equalizer_vcvc(equalizer.base(), CP_LENGTH, "frame_len", True, data_symbols)
            setattr(self, name, block)
            self.connect(self.estimate, block, self.sinks[name])


def main():
    args = arguments(__doc__, 20_000)
    generator = np.random.default_rng(5)
    count = max(args.items // LENGTH, 8)
    data = generator.integers(0, 256, count * LENGTH, np.uint8)
    tb = transmitters(data)
    run(tb)
    outputs = {name: (np.array(sink.data(), np.complex64), 1e-4) for name, sink in tb.sinks.items()}

    occupied = [[k for k in range(-26, 27) if k]]
    sync1, sync2 = ([complex(x) for x in word] for word in digital.ofdm_tx().sync_words)
    data_symbols, frames = 4, max(args.items // 2000, 4)
    used = np.isin(np.arange(-32, 32), occupied[0])
    sent = np.where(used, generator.choice([-1.0, 1.0], (frames, data_symbols, FFT_LENGTH)), 0)
    sync = np.broadcast_to(np.array([sync1, sync2]), (frames, 2, FFT_LENGTH))
    channel = 1 + 0.2 * (generator.normal(size=FFT_LENGTH) + 1j * generator.normal(size=FFT_LENGTH))
    symbols = np.concatenate([sync, sent], axis=1) * channel
    turn = np.exp(2j * np.pi * OFFSET * CP_LENGTH / FFT_LENGTH * np.arange(-1, data_symbols + 1))
    symbols = np.roll(symbols, OFFSET, axis=-1) * turn[:, None]
    noise = 0.02 * (generator.normal(size=symbols.shape) + 1j * generator.normal(size=symbols.shape))
    rx = receiver((symbols + noise).astype(np.complex64), sync1, sync2, data_symbols, occupied)
    run(rx)
    for name, sink in rx.sinks.items():
        outputs[f"rx_{name}"] = (np.array(sink.data(), np.complex64), 1e-4)
        offsets = tags(sink, "ofdm_sync_carr_offset", pmt.to_long)
        outputs[f"rx_{name}_offsets"] = (offsets, 0)
        outputs[f"rx_{name}_taps"] = (tags(sink, "ofdm_sync_chan_taps", taps), 1e-4)
    save(args.out, **outputs)


if __name__ == "__main__":
    main()
