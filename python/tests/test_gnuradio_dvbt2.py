"""The transmitter of DVB-T2, step by step: the numbers are those of GNU Radio 3.10.5 for the same input."""

import unittest
import zlib

import numpy as np

import superhet.gnuradio

superhet.gnuradio.install(shadow=True)

from gnuradio import blocks, digital, dtv, gr  # noqa: E402

LONG, SHORT = dtv.FECFRAME_NORMAL, dtv.FECFRAME_SHORT
BITS = {dtv.MOD_QPSK: 2, dtv.MOD_16QAM: 4, dtv.MOD_64QAM: 6, dtv.MOD_256QAM: 8}


def numbers(count, most):
    """Numbers that look like any."""
    i = np.arange(count, dtype=np.int64)
    return ((i * i * 7 + i * 131 + (i >> 5) * 17) >> 3) % most


def run(block, data, taken=1, given=1, is_bytes=(False, False), outputs=1):
    """What a block gives: an array for each output."""
    source = (blocks.vector_source_b if is_bytes[0] else blocks.vector_source_c)(np.asarray(data).reshape(-1).tolist(), False, taken)
    # GNU Radio has room for no frame otherwise.
    source.set_min_output_buffer(2 * len(data) // taken + 64)
    tb, sinks = gr.top_block(), [(blocks.vector_sink_b if is_bytes[1] else blocks.vector_sink_c)(given) for _ in range(outputs)]
    tb.connect(source, block)
    for port, sink in enumerate(sinks):
        tb.connect((block, port), sink)
    tb.run()
    return [np.array(sink.data()) for sink in sinks]


def print_of(samples):
    """A number that depends on each sample and its place."""
    found = (samples * np.exp(1j * numbers(len(samples), 1009))).sum() / len(samples) ** 0.5
    return len(samples), round(float(found.real), 3), round(float(found.imag), 3)


class Mode:
    """Settings of a frame."""

    def __init__(self, **settings):
        self.size, self.rate, self.kind, self.rotation, self.blocks, self.parts = LONG, dtv.C3_5, dtv.MOD_64QAM, dtv.ROTATION_ON, 2, 1
        self.carriers, self.fft, self.length, self.guard = dtv.CARRIERS_NORMAL, dtv.FFTSIZE_8K, 8192, dtv.GI_1_32
        self.l1, self.pilots, self.frames, self.symbols, self.papr = dtv.L1_MOD_16QAM, dtv.PILOT_PP7, 2, 4, dtv.PAPR_OFF
        self.version, self.preamble, self.input = dtv.VERSION_111, dtv.PREAMBLE_T2_SISO, dtv.INPUTMODE_NORMAL
        self.ones, self.scrambled, self.inband = dtv.RESERVED_OFF, dtv.L1_SCRAMBLED_OFF, dtv.INBAND_OFF
        for name, value in settings.items():
            setattr(self, name, value)

    def shape(self):
        return self.carriers, self.fft, self.pilots, self.guard, self.symbols, self.papr

    def frame_mapper(self):
        return dtv.dvbt2_framemapper_cc(
            self.size, self.rate, self.kind, self.rotation, self.blocks, self.parts, self.carriers, self.fft, self.guard, self.l1,
            self.pilots, self.frames, self.symbols, self.papr, self.version, self.preamble, self.input, self.ones, self.scrambled,
            self.inband,
        )  # fmt: skip

    def frequency_interleaver(self):
        return dtv.dvbt2_freqinterleaver_cc(*self.shape(), self.version, self.preamble)

    def pilot_generator(self, group=dtv.MISO_TX1, equalization=dtv.EQUALIZATION_OFF):
        more = (self.version, self.preamble, group, equalization, dtv.BANDWIDTH_8_0_MHZ, self.length)
        return dtv.dvbt2_pilotgenerator_cc(*self.shape(), *more)

    def first_symbol(self):
        return dtv.dvbt2_p1insertion_cc(self.carriers, self.fft, self.guard, self.symbols, self.preamble, dtv.SHOWLEVELS_OFF, 3.3)


MODES = {
    "8K": Mode(),
    "32K": Mode(
        rate=dtv.C4_5, kind=dtv.MOD_256QAM, blocks=5, carriers=dtv.CARRIERS_EXTENDED, fft=dtv.FFTSIZE_32K, length=32768,
        l1=dtv.L1_MOD_64QAM, pilots=dtv.PILOT_PP4, symbols=2, papr=dtv.PAPR_TR, version=dtv.VERSION_131, input=dtv.INPUTMODE_HIEFF,
        ones=dtv.RESERVED_ON, scrambled=dtv.L1_SCRAMBLED_ON, inband=dtv.INBAND_ON,
    ),
    "4K, two transmitters": Mode(
        size=SHORT, rate=dtv.C1_2, kind=dtv.MOD_QPSK, rotation=dtv.ROTATION_OFF, parts=0, fft=dtv.FFTSIZE_4K, length=4096,
        guard=dtv.GI_1_8, l1=dtv.L1_MOD_BPSK, pilots=dtv.PILOT_PP2, frames=3, symbols=9, papr=dtv.PAPR_ACE, version=dtv.VERSION_121,
        preamble=dtv.PREAMBLE_T2_MISO,
    ),
    "2K": Mode(
        size=SHORT, rate=dtv.C2_5, kind=dtv.MOD_16QAM, fft=dtv.FFTSIZE_2K, length=2048, guard=dtv.GI_1_16, l1=dtv.L1_MOD_QPSK,
        pilots=dtv.PILOT_PP5, frames=3, symbols=10, papr=dtv.PAPR_BOTH, preamble=dtv.PREAMBLE_T2_LITE_SISO, ones=dtv.RESERVED_ON,
    ),
    "16K": Mode(
        rate=dtv.C2_3, kind=dtv.MOD_16QAM, blocks=1, carriers=dtv.CARRIERS_EXTENDED, fft=dtv.FFTSIZE_16K, length=16384,
        guard=dtv.GI_19_256, pilots=dtv.PILOT_PP2, symbols=3, version=dtv.VERSION_121,
    ),
    "1K": Mode(kind=dtv.MOD_16QAM, blocks=1, fft=dtv.FFTSIZE_1K, length=1024, guard=dtv.GI_1_16, pilots=dtv.PILOT_PP3, symbols=60),
}  # fmt: skip


def interleaved():
    """Checksums of interleaved bits."""
    found = []
    for size, bits in ((LONG, 64800), (SHORT, 16200)):
        for rate in (dtv.C1_2, dtv.C3_5, dtv.C2_3, dtv.C5_6) + ((dtv.C1_3, dtv.C2_5) if size == SHORT else ()):
            for kind in BITS:
                (cells,) = run(dtv.dvbt2_interleaver_bb(size, rate, kind), numbers(bits, 97) & 1, is_bytes=(True, True))
                found.append(zlib.crc32(cells.astype("u1").tobytes()))
    return zlib.crc32(np.array(found, "<u4").tobytes())


def modulated():
    """Prints of the points of cells."""
    found = []
    for size, kind in ((LONG, dtv.MOD_64QAM), (SHORT, dtv.MOD_256QAM), (SHORT, dtv.MOD_QPSK), (LONG, dtv.MOD_16QAM)):
        for rotation in (dtv.ROTATION_ON, dtv.ROTATION_OFF):
            cells = (64800 if size == LONG else 16200) // BITS[kind]
            block = dtv.dvbt2_modulator_bc(size, kind, rotation)
            found.append(print_of(run(block, numbers(2 * cells, 1 << BITS[kind]), is_bytes=(True, False))[0]))
    return found


def cells_interleaved():
    """Prints of interleaved cells."""
    found = []
    for size, kind, count, parts in ((LONG, dtv.MOD_64QAM, 5, 2), (SHORT, dtv.MOD_256QAM, 7, 3), (SHORT, dtv.MOD_QPSK, 2, 0)):
        cells = (64800 if size == LONG else 16200) // BITS[kind] * count
        data = numbers(2 * cells, 64) / 64 + 0.25j
        found.append(print_of(run(dtv.dvbt2_cellinterleaver_cc(size, kind, count, parts), data)[0]))
    return found


def steps(mode):
    """Prints of two frames and more after each step."""
    count = (64800 if mode.size == LONG else 16200) // BITS[mode.kind] * mode.blocks
    (frames,) = run(mode.frame_mapper(), (numbers(2 * count, 7) - 3) / 3 + 0.5j)
    (mixed,) = run(mode.frequency_interleaver(), frames)
    found = [print_of(frames), print_of(mixed)]
    if mode.preamble == dtv.PREAMBLE_T2_MISO:
        first, second = run(dtv.dvbt2_miso_cc(*mode.shape()), mixed, outputs=2)
        found += [print_of(first), print_of(second)]
        found.append(print_of(run(mode.pilot_generator(dtv.MISO_TX2), second, given=mode.length)[0]))
    (symbols,) = run(mode.pilot_generator(), mixed, given=mode.length)
    found.append(print_of(symbols))
    clip = dtv.dvbt2_paprtr_cc(*mode.shape(), mode.version, 3.2, 1, mode.length)
    (clipped,) = run(clip, symbols, mode.length, mode.length)
    found.append(print_of(clipped))
    part = {dtv.GI_1_32: 32, dtv.GI_1_8: 8, dtv.GI_1_16: 16}.get(mode.guard)
    prefix = mode.length * 19 // 256 if part is None else mode.length // part
    (guarded,) = run(digital.ofdm_cyclic_prefixer(mode.length, mode.length + prefix, 0, ""), clipped, mode.length)
    found.append(print_of(run(mode.first_symbol(), guarded)[0]))
    return found


WANTED = {
    "interleaved": 4216336832,
    "modulated": [
        (21600, 0.254, 0.01), (21600, -0.269, -0.149), (4050, -1.346, -0.218), (4050, -0.178, 0.189), (16200, 0.816, 0.225),
        (16200, 0.681, -0.365), (32400, 0.379, 0.229), (32400, 1.487, 1.095),
    ],
    "cells": [(108000, 0.717, 0.296), (28350, 0.557, -0.307), (32400, 0.533, -0.028)],
    "8K": [(71140, 0.28, -0.448), (71140, 1.226, -0.034), (98304, -1.1, 0.088), (98304, -1.1, 0.088), (105472, 1.687, -0.077)],
    "32K": [(150000, 0.234, 1.297), (150000, 0.112, 0.123), (196608, 0.334, 0.166), (196608, 0.364, 0.219), (206848, 1.387, -0.53)],
    "4K, two transmitters": [
        (72736, 0.972, 0.039), (72736, -0.058, -0.256), (72736, -0.058, -0.256), (72736, 0.801, -0.415), (106496, -0.388, 1.279),
        (106496, 0.723, 0.709), (106496, 0.723, 0.709), (123904, 0.985, -1.308),
    ],
    "2K": [(50028, -0.063, 0.141), (50028, 0.586, 0.369), (73728, 0.804, -0.516), (73728, 0.889, -0.581), (82432, 1.144, -0.099)],
    "16K": [(94076, 0.519, 0.997), (94076, -0.462, 0.371), (131072, 0.232, 0.639), (131072, 0.232, 0.639), (144896, 0.644, 0.408)],
    "1K": [(113440, 0.027, 0.932), (113440, 0.65, 1.988), (155648, 0.218, -0.643), (155648, 0.218, -0.643), (169472, -0.17, 0.404)],
    "raised": [(36864, 0.617, 0.386)],
}  # fmt: skip


class DvbT2(unittest.TestCase):
    def assert_near(self, found, wanted):
        self.assertEqual([one[0] for one in found], [one[0] for one in wanted])
        for one, other in zip(found, wanted):
            self.assertLess(abs(complex(*one[1:]) - complex(*other[1:])), 0.004, (one, other))

    def test_bits_are_interleaved_as_by_gnu_radio(self):
        self.assertEqual(interleaved(), WANTED["interleaved"])

    def test_points_and_cells_are_those_of_gnu_radio(self):
        self.assert_near(modulated(), WANTED["modulated"])
        self.assert_near(cells_interleaved(), WANTED["cells"])

    def test_each_step_of_a_frame_gives_what_gnu_radio_gives(self):
        for name, mode in MODES.items():
            with self.subTest(name):
                self.assert_near(steps(mode), WANTED[name])

    def test_carriers_are_raised_as_by_gnu_radio(self):
        mode = MODES["2K"]
        cells = np.full(40000, 0.5 - 0.25j)
        self.assert_near([print_of(run(mode.pilot_generator(equalization=dtv.EQUALIZATION_ON), cells, given=2048)[0])], WANTED["raised"])

    def test_no_reserved_carrier_has_more_than_it_may(self):
        mode = Mode(fft=dtv.FFTSIZE_2K, length=2048, pilots=dtv.PILOT_PP2, guard=dtv.GI_1_8, papr=dtv.PAPR_TR)
        random = np.random.default_rng(3)
        symbols = (random.normal(size=(12, 2048)) + 1j * random.normal(size=(12, 2048))) * 0.5**0.5
        block = dtv.dvbt2_paprtr_cc(*mode.shape(), mode.version, 2.0, 5, mode.length)
        (clipped,) = run(block, symbols.reshape(-1), 2048, 2048)
        spectrum = np.fft.fft(clipped.reshape(-1, 2048) - symbols) / 2048 * 18
        self.assertEqual(set((abs(spectrum) > 1e-4).sum(axis=1)), {18})
        self.assertLess(abs(spectrum).max(), 5 * 10**0.5 * 18 / (27 * 1705) ** 0.5 + 1e-4)
        peaks = [abs(line).max(axis=1) for line in (symbols, clipped.reshape(-1, 2048))]
        self.assertLess(peaks[1].mean(), peaks[0].mean() - 0.1)

    def test_settings_that_do_not_go_together_are_refused(self):
        for problem, settings in (
            ("at most 3 fecblocks", dict(blocks=5)),
            ("pattern of pilots of 8K", dict(pilots=dtv.PILOT_PP6)),
            ("symbols of data, got 0", dict(symbols=0)),
        ):
            with self.assertRaisesRegex(ValueError, problem):
                Mode(**settings).frame_mapper()
        with self.assertRaisesRegex(ValueError, "vectors of 8192 samples"):
            Mode(length=4096).pilot_generator()
        with self.assertRaisesRegex(ValueError, "tiblocks"):
            dtv.dvbt2_cellinterleaver_cc(LONG, dtv.MOD_QPSK, 2, 3)


if __name__ == "__main__":
    unittest.main()
