#!/usr/bin/env python3
"""The modulators of `gnuradio.digital`, from bytes to a signal, and the demodulators behind them."""

import numpy as np
from common import arguments, run, save
from gnuradio import analog, blocks, digital, gr

SETTLED = 4000


def modulators():
    psk8 = digital.psk_constellation(8, "gray", True)
    return {
        "generic": digital.generic_mod(psk8, True, 4, True, 0.35),
        "generic_truncated": digital.generic_mod(digital.qam_constellation(16, False), False, 2.5, True, 0.25, truncate=True),
        "psk": digital.psk_mod(4, "gray", True, samples_per_symbol=4, excess_bw=0.35),
        "gmsk": digital.gmsk_mod(4, 0.35),
        "gfsk": digital.gfsk_mod(5, 0.4, 0.5),
        "cpm_rectangle": digital.cpm_mod(4, 2, 1, 4, 0),
    }


def symbol_modulators():
    """Those that take symbols of ±1."""
    cpm = analog.cpm
    kinds = {"lrec": cpm.LREC, "lrc": cpm.LRC, "lsrc": cpm.LSRC, "tfm": cpm.TFM, "gaussian": cpm.GAUSSIAN}
    made = {f"cpmmod_{name}": digital.cpmmod_bc(kind, 0.5, 4, 3, 0.3) for name, kind in kinds.items()}
    return {**made, "gmskmod": digital.gmskmod_bc(4, 4, 0.3)}


def demodulators():
    return {
        "psk": digital.psk_demod(4, "gray", True, samples_per_symbol=4, excess_bw=0.35),
        "gmsk": digital.gmsk_demod(4),
        "gfsk": digital.gfsk_demod(5, 0.4),
    }


def aligned_errors(sent, received):
    """Bits that are wrong behind the first that agree with what was sent, and how many were compared."""
    wanted = sent[SETTLED : -SETTLED // 4]
    at = received.tobytes().find(wanted[:64].tobytes())
    received = received[at : at + len(wanted)] if at >= 0 else received[:0]
    return int(np.count_nonzero(wanted[: len(received)] != received)), len(received) == len(wanted)


def main():
    args = arguments(__doc__, 4000)
    data = np.random.default_rng(3).integers(0, 256, max(args.items, 2000), np.uint8)
    bits = np.unpackbits(data)
    tb = gr.top_block("modulators")
    source = blocks.vector_source_b(data.tolist(), False)
    symbols = blocks.vector_source_b((2 * bits[:2000].astype(int) - 1).astype(np.int8).view(np.uint8).tolist(), False)
    made = modulators()
    sinks, received = {}, {}
    for name, modulator in {**made, **symbol_modulators()}.items():
        sinks[name] = blocks.vector_sink_c()
        tb.connect(source if name in made else symbols, modulator, sinks[name])
    for name, demodulator in demodulators().items():
        received[name] = blocks.vector_sink_b()
        tb.connect(made[name], demodulator, received[name])
    run(tb)
    outputs = {}
    for name, sink in sinks.items():
        # Phases add up in single precision; what lies at the very end depends on how a side ends a stream.
        signal = np.array(sink.data(), np.complex64)
        outputs[name] = (signal[:2000], 2e-3)
    for name, sink in received.items():
        errors, whole = aligned_errors(bits, np.array(sink.data(), np.uint8))
        outputs[f"{name}_demodulated"] = ({"errors": errors, "whole": whole}, 0)
    save(args.out, **outputs)


if __name__ == "__main__":
    main()
