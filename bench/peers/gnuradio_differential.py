"""GNU Radio's blocks by superhet's names and parameters, and their outputs for cases that `differential.py` has drawn.

Runs in the Python that has GNU Radio: reads pickled cases from stdin, writes pickled outputs to stdout.
"""

import os
import pickle
import sys

import numpy as np
from gnuradio import analog, blocks, digital, fec, fft, filter, gr

LETTER = {"C32": "c", "f32": "f", "i32": "i", "i16": "s", "u8": "b", "i8": "b"}
DTYPE = {"c": "complex64", "f": "float32", "i": "int32", "s": "int16", "b": "uint8"}


def numbers(taps):
    return [complex(*tap) if isinstance(tap, list) else tap for tap in taps]


def constant(p):
    return complex(p.constant, p.constant_imag) if p.item == "C32" else p.constant


def kind(p):
    return LETTER[p.item]


def doubled(p):
    return 2 * kind(p)


def several(name):
    """A class with any number of inputs."""
    return lambda p: (getattr(blocks, f"{name}_{doubled(p)}")(), 1, 1)


def taps_of(p):
    taps = numbers(p.taps)
    is_complex = any(isinstance(tap, complex) and tap.imag for tap in taps)
    return taps, "c" if is_complex or getattr(p, "out_item", "") == "C32" or p.item == "i16" else "f"


def limited(block, p):
    """A control with its greatest gain, which is no argument of its constructor."""
    block.set_max_gain(p.max_gain)
    return block


def none(what):
    """What is not compared."""
    raise ValueError(f"not compared: {what}")


def one(make):
    return lambda p: (make(p), 1, 1)


# Of each block: GNU Radio's, and how many items of ours are one of its input and of its output.
BLOCKS = {
    "add": several("add"),
    "multiply": several("multiply"),
    "subtract": several("sub"),
    "divide": several("divide"),
    "and": several("and"),
    "or": several("or"),
    "xor": several("xor"),
    "not": one(lambda p: getattr(blocks, f"not_{doubled(p)}")()),
    "and_const": one(lambda p: getattr(blocks, f"and_const_{doubled(p)}")(p.constant)),
    "add_const": one(lambda p: getattr(blocks, f"add_const_{doubled(p)}")(constant(p))),
    "multiply_const": one(lambda p: getattr(blocks, f"multiply_const_{doubled(p)}")(constant(p))),
    "add_const_vector": lambda p: (
        getattr(blocks, f"add_const_v{doubled(p)}")(numbers(p.constants)),
        len(p.constants),
        len(p.constants),
    ),
    "multiply_const_vector": lambda p: (
        getattr(blocks, f"multiply_const_v{doubled(p)}")(numbers(p.constants)),
        len(p.constants),
        len(p.constants),
    ),
    "conjugate": one(lambda p: blocks.conjugate_cc()),
    "multiply_conjugate": one(lambda p: blocks.multiply_conjugate_cc()),
    "abs": one(lambda p: getattr(blocks, f"abs_{doubled(p)}")()),
    "rail": one(lambda p: analog.rail_ff(p.low, p.high)),
    # It divides the offset by the factor, and is of use where both are ordinary.
    "nlog10": one(
        lambda p: blocks.nlog10_ff(p.factor, 1, p.offset) if abs(p.offset) < 100 * abs(p.factor) else none("offset")
    ),
    "exponentiate_const": one(lambda p: blocks.exponentiate_const_cci(p.exponent)),
    "rotator": one(lambda p: blocks.rotator_cc(p.increment_rad)),
    "threshold": one(lambda p: blocks.threshold_ff(p.low, p.high, p.state)),
    "sample_and_hold": one(lambda p: getattr(blocks, f"sample_and_hold_{doubled(p)}")()),
    "integrate": lambda p: (getattr(blocks, f"integrate_{doubled(p)}")(p.count, p.length), p.length, p.length),
    "moving_average": lambda p: (
        getattr(blocks, f"moving_average_{doubled(p)}")(
            p.count,
            complex(p.scale, p.scale_imag) if p.item == "C32" else p.scale if p.item == "f32" else int(p.scale),
            4096,
            p.length,
        ),
        p.length,
        p.length,
    ),
    "rms": one(lambda p: getattr(blocks, f"rms_{kind(p)}f")(p.alpha)),
    "max": lambda p: (
        getattr(blocks, f"max_{doubled(p)}")(p.length, 1 if p.of_vector else p.length),
        p.length,
        1 if p.of_vector else p.length,
    ),
    "min": lambda p: (
        getattr(blocks, f"min_{doubled(p)}")(p.length, 1 if p.of_vector else p.length),
        p.length,
        1 if p.of_vector else p.length,
    ),
    "argmax": lambda p: (getattr(blocks, f"argmax_{kind(p)}s")(p.length), p.length, 1),
    "peak_detector": one(lambda p: getattr(blocks, f"peak_detector_{kind(p)}b")(p.rise, p.fall, 0, p.alpha)),
    "peak_detector2": one(lambda p: blocks.peak_detector2_fb(p.rise, p.look_ahead, p.alpha)),
    "plateau_detector": one(lambda p: blocks.plateau_detector_fb(p.max_length, p.threshold)),
    "regenerate": one(lambda p: blocks.regenerate_bb(p.period, p.repeats if p.repeats >= 0 else 2**31 - 1)),
    "float_to_char": one(lambda p: blocks.float_to_char(1, p.scale)),
    "float_to_short": one(lambda p: blocks.float_to_short(1, p.scale)),
    "float_to_int": one(lambda p: blocks.float_to_int(1, p.scale)),
    "char_to_float": one(lambda p: blocks.char_to_float(1, p.scale)),
    "short_to_float": one(lambda p: blocks.short_to_float(1, p.scale)),
    "int_to_float": one(lambda p: blocks.int_to_float(1, p.scale)),
    "complex_to_mag": one(lambda p: blocks.complex_to_mag(1)),
    "complex_to_mag_squared": one(lambda p: blocks.complex_to_mag_squared(1)),
    "complex_to_arg": one(lambda p: blocks.complex_to_arg(1)),
    "complex_to_real": one(lambda p: blocks.complex_to_real(1)),
    "complex_to_imag": one(lambda p: blocks.complex_to_imag(1)),
    "pack_k_bits": one(lambda p: blocks.pack_k_bits_bb(p.k)),
    "unpack_k_bits": one(lambda p: blocks.unpack_k_bits_bb(p.k)),
    "repack_bits": one(
        lambda p: blocks.repack_bits_bb(
            p.k, p.l, "", False, gr.GR_LSB_FIRST if p.order == "lsb_first" else gr.GR_MSB_FIRST
        )
    ),
    "packed_to_unpacked": one(
        lambda p: getattr(blocks, f"packed_to_unpacked_{doubled(p)}")(
            p.bits, gr.GR_LSB_FIRST if p.order == "lsb_first" else gr.GR_MSB_FIRST
        )
    ),
    "unpacked_to_packed": one(
        lambda p: getattr(blocks, f"unpacked_to_packed_{doubled(p)}")(
            p.bits, gr.GR_LSB_FIRST if p.order == "lsb_first" else gr.GR_MSB_FIRST
        )
    ),
    "fir_filter": one(
        lambda p: (
            lambda taps, letter: getattr(
                filter, f"fir_filter_{kind(p)}{'c' if p.item != 'f32' or letter == 'c' else 'f'}{letter}"
            )(p.decimation, taps)
        )(*taps_of(p))
    ),
    "fft_filter": one(
        lambda p: (filter.fft_filter_fff if p.item == "f32" else filter.fft_filter_ccc)(p.decimation, numbers(p.taps))
    ),
    "freq_xlating_fir_filter": one(
        lambda p: (
            lambda taps, letter: getattr(filter, f"freq_xlating_fir_filter_{kind(p)}c{letter}")(
                p.decimation, taps, p.frequency_hz, p.rate_hz
            )
        )(*taps_of(p))
    ),
    "interp_fir_filter": one(
        lambda p: (
            lambda taps, letter: getattr(
                filter, f"interp_fir_filter_{kind(p)}{'c' if p.item != 'f32' or letter == 'c' else 'f'}{letter}"
            )(p.interpolation, taps)
        )(*taps_of(p))
    ),
    "iir_filter": one(
        lambda p: (
            lambda taps, letter: getattr(
                filter,
                f"iir_filter_{'ff' if p.item == 'f32' else 'cc'}{'d' if p.item == 'f32' else 'd' if letter == 'f' else 'z'}",
            )(taps, p.feed_back, p.old_style)
        )(*(lambda t: (t, "c" if any(isinstance(a, complex) for a in t) else "f"))(numbers(p.feed_forward)))
    ),
    "single_pole_iir_filter": lambda p: (
        getattr(filter, f"single_pole_iir_filter_{doubled(p)}")(p.alpha, p.length),
        p.length,
        p.length,
    ),
    "dc_blocker": one(lambda p: getattr(filter, f"dc_blocker_{doubled(p)}")(p.length, p.long_form)),
    "hilbert": one(
        lambda p: filter.hilbert_fc(
            p.taps | 1,
            {"hamming": fft.window.WIN_HAMMING, "hann": fft.window.WIN_HANN, "blackman": fft.window.WIN_BLACKMAN}[
                p.window
            ],
        )
    ),
    "filter_delay": one(lambda p: filter.filter_delay_fc(p.taps)),
    "mmse_resampler": one(lambda p: getattr(filter, f"mmse_resampler_{doubled(p)}")(p.phase_shift, p.resamp_ratio)),
    "goertzel": one(lambda p: fft.goertzel_fc(int(p.rate_hz), p.length, p.frequency_hz)),
    "agc": one(lambda p: limited(getattr(analog, f"agc_{doubled(p)}")(p.rate, p.reference, p.gain), p)),
    "agc2": one(
        lambda p: limited(getattr(analog, f"agc2_{doubled(p)}")(p.attack_rate, p.decay_rate, p.reference, p.gain), p)
    ),
    "feedforward_agc": one(lambda p: analog.feedforward_agc_cc(p.length, p.reference)),
    "simple_squelch": one(lambda p: analog.simple_squelch_cc(p.threshold_db, p.alpha)),
    "pwr_squelch": one(lambda p: getattr(analog, f"pwr_squelch_{doubled(p)}")(p.threshold_db, p.alpha, p.ramp, p.gate)),
    "frequency_modulator": one(lambda p: analog.frequency_modulator_fc(p.sensitivity)),
    "phase_modulator": one(lambda p: analog.phase_modulator_fc(p.sensitivity)),
    "cpfsk": one(lambda p: analog.cpfsk_bc(p.modulation_index, p.amplitude, p.samples_per_symbol)),
    "vco": one(lambda p: (blocks.vco_c if p.item == "C32" else blocks.vco_f)(p.rate_hz, p.sensitivity, p.amplitude)),
    "dpll": one(lambda p: analog.dpll_bb(p.period, p.gain)),
    "pll_carriertracking": one(
        lambda p: analog.pll_carriertracking_cc(p.loop_bandwidth_rad, p.max_frequency_rad, p.min_frequency_rad)
    ),
    "pll_freqdet": one(lambda p: analog.pll_freqdet_cf(p.loop_bandwidth_rad, p.max_frequency_rad, p.min_frequency_rad)),
    "pll_refout": one(lambda p: analog.pll_refout_cc(p.loop_bandwidth_rad, p.max_frequency_rad, p.min_frequency_rad)),
    "quadrature_demod": one(lambda p: analog.quadrature_demod_cf(p.gain)),
    "map": one(lambda p: digital.map_bb(p.map)),
    "binary_slicer": one(lambda p: digital.binary_slicer_fb()),
    "diff_encoder": one(
        lambda p: digital.diff_encoder_bb(
            p.modulus, digital.DIFF_NRZI if p.coding == "nrzi" else digital.DIFF_DIFFERENTIAL
        )
    ),
    "diff_decoder": one(
        lambda p: digital.diff_decoder_bb(
            p.modulus, digital.DIFF_NRZI if p.coding == "nrzi" else digital.DIFF_DIFFERENTIAL
        )
    ),
    "diff_phasor": one(lambda p: digital.diff_phasor_cc()),
    "scrambler": one(lambda p: digital.scrambler_bb(p.mask, p.seed, p.length)),
    "descrambler": one(lambda p: digital.descrambler_bb(p.mask, p.seed, p.length)),
    "correlate_access_code": one(lambda p: digital.correlate_access_code_bb(p.access_code, p.threshold)),
    "correlate_access_code_tag": one(
        lambda p: getattr(digital, f"correlate_access_code_tag_{doubled(p)}")(p.access_code, p.threshold, "sync")
    ),
    "costas_loop": one(lambda p: digital.costas_loop_cc(p.loop_bandwidth_rad, p.order, p.use_snr)),
    "fll_band_edge": one(lambda p: digital.fll_band_edge_cc(p.samples_per_symbol, p.rolloff, p.taps, p.loop_bandwidth_rad)),
    "clock_recovery_mm": one(
        lambda p: getattr(digital, f"clock_recovery_mm_{doubled(p)}")(
            p.samples_per_symbol, p.gain_omega, p.mu, p.gain_mu, p.relative_limit
        )
    ),
    "puncture": one(lambda p: getattr(fec, f"puncture_{doubled(p)}")(p.length, p.pattern, p.delay)),
    "additive_scrambler": one(
        lambda p: (
            none("tags")
            if p.reset_tag
            else getattr(digital, f"additive_scrambler_{doubled(p)}")(
                p.mask, p.seed, p.length, p.reset_every, p.bits_per_item
            )
        )
    ),
}


def run(name, params, inputs, dtypes):
    """The outputs of GNU Radio's block. Arrays go as their type and bytes: the numpy of another Python may be another."""
    inputs = [np.frombuffer(raw, dtype) for dtype, raw in inputs]
    p = type("Parameters", (), params)
    block, taken, given = BLOCKS[name](p)
    top, sinks, letters = gr.top_block(), [], {dtype: letter for letter, dtype in DTYPE.items()}
    for port, x in enumerate(inputs):
        letter = letters.get(str(x.dtype), "b")
        x = x[: len(x) // taken * taken]
        source = getattr(blocks, f"vector_source_{letter}")(
            x.view("u1").tolist() if letter == "b" else x.tolist(), False, taken
        )
        top.connect(source, (block, port))
    most = block.output_signature().max_streams()
    for port, dtype in enumerate(dtypes[: most if most >= 0 else None]):
        letter = letters.get(dtype, "b")
        sinks.append(getattr(blocks, f"vector_sink_{letter}")(given))
        top.connect((block, port), sinks[-1])
    top.run()
    return [
        (dtype, np.array(sink.data(), "u1" if dtype in ("uint8", "int8") else dtype).tobytes())
        for sink, dtype in zip(sinks, dtypes)
    ]


def apart(case):
    """`run` in a process of its own, so that a block which ends that is a text, too."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            answer = run(*case)
        except Exception as error:
            answer = f"{type(error).__name__}: {error}"
        with os.fdopen(writer, "wb") as pipe:
            pickle.dump(answer, pipe)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        answer = pipe.read()
    status = os.waitpid(child, 0)[1]
    return pickle.loads(answer) if answer else f"the process ended with {status}"


def main():
    # What GNU Radio prints goes to stderr.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    pickle.dump([apart(case) for case in pickle.load(sys.stdin.buffer)], answers)


if __name__ == "__main__":
    main()
